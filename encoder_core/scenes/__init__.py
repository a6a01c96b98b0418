"""Scenes: the pictures of each stage, as figures and the operators between them, made from a trace.

Pure functions: a notebook can show what a page shows.
"""
