"""Trained encoders: which are offered, how they come into memory once for all sessions, what is said until then."""
