"""The story from stage to stage: what each stage begins with and what the next one needs, and why it is there."""

from dashboard.lessons.transitions.page import render_closing, render_opening

__all__ = ["render_closing", "render_opening"]
