"""The cells of the notebook in plain JAX and Flax NNX: code that needs nothing of this project.

Each module writes the cells of one part, for one run: what the configuration and the edits do not need is left out.
"""
