"""Views of the vectors of the residual stream: hidden states, similarity, geometry, words and sentences in context."""
