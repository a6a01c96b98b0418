"""Sections of the pages: parts with their own controls and text, one module or folder for each page."""
