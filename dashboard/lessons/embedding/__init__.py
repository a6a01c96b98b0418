"""Sections of the embedding page: the lookup, the scale of the rows, nearest words, analogies."""
