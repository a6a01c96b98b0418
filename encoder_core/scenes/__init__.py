"""Scenes: the pictures of each stage, as lines of panels with operators between them, made from a trace.

Pure functions: a notebook can show what a page shows. A panel says itself which tensor it shows and which product it
is; for that, scenes are given the position that they are about.
"""
