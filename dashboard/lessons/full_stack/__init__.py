"""Sections of the full stack: its views, one module each (the two that show tiles share one)."""
