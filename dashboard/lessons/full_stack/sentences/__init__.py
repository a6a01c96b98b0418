"""The sentences of the views that search many of them: sources, the user's file, and the list."""
