"""Sections of the positions page: the encodings, their sum with the embedding, the shuffled sentence."""
