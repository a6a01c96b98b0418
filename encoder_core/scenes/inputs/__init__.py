"""Scenes of the input: embedding lookup, nearest words, positions."""
