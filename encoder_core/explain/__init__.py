"""The arithmetic behind any number of a trace: click a cell, and see what it was computed from.

    from encoder_core.explain import derive

    found = derive(encoder.run("The black cat"), "pattern.3.0.1.2.0")
    found.words                          # what it is
    [(step.name, step.value) for step in found.steps]
    found.terms[0].operands[0].cell      # where a number came from: derive that one next
    found.result, found.shown            # computed here in float64, and shown in the trace

Each file holds the rules of one part of the encoder; `rules.py` says which rule derives which tensor. They compute in
NumPy float64 from the tensors that the trace shows and from the parameters, never by the compiled program.
"""

from encoder_core.explain.cell import Cell, TensorShape, check_cell, parse_cell, tensors_of
from encoder_core.explain.derivation import Derivation, LargestFirst, Operand, Step, Term, largest_first
from encoder_core.explain.rules import derive

__all__ = [
    "Cell",
    "Derivation",
    "LargestFirst",
    "Operand",
    "Step",
    "TensorShape",
    "Term",
    "check_cell",
    "derive",
    "largest_first",
    "parse_cell",
    "tensors_of",
]
