"""Sections of the pages on the rest of a layer: add and norm, and the feed-forward network."""
