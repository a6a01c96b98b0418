"""Sections of the recipes: the facts, the figures, the notes, dropout, and two examples worked by hand."""
