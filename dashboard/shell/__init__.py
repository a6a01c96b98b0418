"""The frame of every page."""
