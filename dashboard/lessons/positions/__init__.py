"""The positions: the encodings to choose from, their sum with the embeddings, and the shuffled sentence."""
