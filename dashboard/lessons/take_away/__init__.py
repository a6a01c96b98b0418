"""The sections of the page Take away: what is exported, and the buttons that make the files."""
