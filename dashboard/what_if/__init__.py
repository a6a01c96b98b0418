"""What if a number were another: edits that run through the whole stack, undone and done again, and kept in the URL."""
