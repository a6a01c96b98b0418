"""Sections of the embedding: how large the rows are, which are alike, and analogies."""
