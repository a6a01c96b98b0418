"""The derivation of any number of a trace: the arithmetic that computes one cell from other cells.

    from encoder_core.explain import derive

    derivation = derive(encoder.run("The black cat"), "pattern.3.0.1.2.0")
    derivation.description                            # name and place of the cell
    [(step.name, step.value) for step in derivation.steps]
    derivation.terms[0].operands[0].cell              # the cell of an operand: derive that one next
    derivation.result, derivation.trace_value         # computed in float64, and in the trace

The modules of `derivations` contain the rules of one part of the encoder each; `rules.py` assigns rules to tensors. The
rules compute in NumPy float64 from tensors of the trace and from parameters, without the compiled program.
"""

from encoder_core.explain.cell import Cell, TensorShape, check_cell, parse_cell, tensor_shapes
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
    "tensor_shapes",
]
