"""The models in use: computed once for all sessions, cached by size, loaded and compiled in the background."""
