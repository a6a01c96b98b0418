"""The parameters of an encoder: names and shapes, random draws, checks."""

from encoder_core.parameters.checks import (
    CheckedParameters,
    check_extra_parameters,
    check_parameters,
    have_large_numbers,
    require_arrays,
    require_names,
    select_parameters,
)
from encoder_core.parameters.draw import (
    BIAS_STD,
    DrawnParameters,
    draw_for_all_sizes,
    draw_parameters,
    kernel_factor,
)
from encoder_core.parameters.shapes import ParameterDict, Parameters, parameter_shapes

__all__ = [
    "BIAS_STD",
    "CheckedParameters",
    "DrawnParameters",
    "ParameterDict",
    "Parameters",
    "check_extra_parameters",
    "check_parameters",
    "draw_for_all_sizes",
    "draw_parameters",
    "have_large_numbers",
    "kernel_factor",
    "parameter_shapes",
    "require_arrays",
    "require_names",
    "select_parameters",
]
