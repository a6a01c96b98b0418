"""How each tensor of a trace is computed: a function for each kind of cell, a module for each part of the encoder."""
