"""The sentences of the views that search many of them: their sources, the user's file, and the list of what is found."""
