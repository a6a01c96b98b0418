"""What stands below a picture: numbers, formula, code, the question, and the edits."""
