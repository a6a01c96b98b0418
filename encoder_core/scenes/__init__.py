"""Scenes: the figures of each stage, as lines of panels with operators between them.

Scenes are pure functions of arrays from a trace, so a notebook can show what a page shows. Each panel states which
tensor it shows and which product it is; for this, scenes take the focus of the page.
"""
