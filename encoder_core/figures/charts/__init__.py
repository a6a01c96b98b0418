"""Curves and bars over one axis."""
