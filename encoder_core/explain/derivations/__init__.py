"""The rules that derive the cells of each tensor: one function per tensor, one module per part of the encoder."""
