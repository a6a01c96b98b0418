"""Checks of parameters that a user gives, and the selection of those that a configuration needs."""

from collections.abc import Mapping, Set
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from encoder_core.config import EncoderConfig
from encoder_core.parameters.draw import DrawnParameters
from encoder_core.parameters.shapes import ParameterDict, Parameters, parameter_shapes
from encoder_core.support.read_only import ReadOnlyMapping
from encoder_core.support.validation import require_array, require_type

# Trained parameters are smaller: the largest of all-MiniLM-L6-v2 is 8. Up to this size no number of a forward pass is
# near 3.4e38: with 1,024 features, a norm returns at most 33 * 100, a sublayer writes at most 1024^2.5 * 100^3 = 3e13
# to the stream, and after 24 layers a norm adds up squares below 1e34.
_LARGE = 100.0


class CheckedParameters(ReadOnlyMapping[str, Float[np.ndarray, "..."]]):
    """Finite parameters in read-only arrays. Encoders that share them do not look through them again, which takes 18 ms
    for a large model."""


def check_parameters(config: EncoderConfig, parameters: Parameters) -> CheckedParameters:
    """Copies of the parameters as float32 arrays, in the order of `parameter_shapes`.

    Raises ValueError that names a parameter which is missing or unknown, has the wrong shape or is not finite.
    """
    shapes = require_names(config, parameters)
    return CheckedParameters({name: _checked_copy(name, parameters[name], shape) for name, shape in shapes.items()})


def check_extra_parameters(config: EncoderConfig, parameters: Parameters) -> ParameterDict:
    """Copies of these parameters as float32 arrays, also of those that only other options of the configuration need.

    Raises ValueError that names a parameter which no option needs, or which has the wrong shape or is not finite.
    """
    all_options = replace(config, positions="learned", embedding_norm=True, use_bias=True, qkv_bias=True,
                          final_norm=True, output_head=True)  # fmt: skip
    shapes = parameter_shapes(all_options)
    _require_none("unknown", parameters.keys() - shapes.keys())
    return {name: _checked_copy(name, numbers, shapes[name]) for name, numbers in parameters.items()}


def select_parameters(config: EncoderConfig, parameters: Parameters, extra: Parameters) -> Parameters:
    """The parameters of this configuration: those of another one and, where these are missing or have another shape,
    extra ones. What is still missing is drawn where the others are drawn.

    Raises ValueError that names a parameter which is missing.
    """
    shapes, drawn = parameter_shapes(config), None
    if isinstance(parameters, DrawnParameters):
        drawn = parameters.with_config(config)
        if not any(parameters.shapes.get(name) != shapes[name] for name in extra.keys() & shapes.keys()):
            return drawn  # without drawing any
    selected: ParameterDict = {}
    for name, shape in shapes.items():
        present = parameters.get(name)
        if present is not None and present.shape == shape:
            selected[name] = present
        elif name in extra:
            selected[name] = extra[name]
        elif drawn is None:
            other = "" if present is None else f", and this encoder has one of shape {present.shape}"
            raise ValueError(
                f"the configuration needs a parameter {name!r} of shape {shape}{other}: give it as an extra one."
            )
        else:
            selected[name] = drawn[name]
    return CheckedParameters(selected)


def require_names(config: EncoderConfig, parameters: Mapping[str, object]) -> dict[str, tuple[int, ...]]:
    """The shapes of the parameters. Raises ValueError where the names are not those of the configuration."""
    shapes = parameter_shapes(config)
    require_type("parameters", parameters, Mapping, "dictionaries like that of `encoder.parameters()`")
    _require_none("missing", shapes.keys() - parameters.keys())
    _require_none("unknown", parameters.keys() - shapes.keys())
    return shapes


def require_arrays(config: EncoderConfig, parameters: Parameters) -> None:
    """Raises ValueError as `check_parameters` does, also for what is no float32 array. It copies nothing, and does not
    look at the numbers."""
    for name, shape in require_names(config, parameters).items():
        array = parameters[name]
        if not isinstance(array, np.ndarray) or array.dtype != np.float32 or array.shape != shape:
            raise ValueError(
                f"parameter {name!r} is no float32 array of shape {shape}: `Encoder.from_parameters` makes one from "
                "other numbers."
            )


def have_large_numbers(parameters: Parameters) -> bool:
    """Whether a parameter is so large that a forward pass might overflow float32, see `_LARGE`.

    Raises ValueError that names a parameter which is not finite.
    """
    if isinstance(parameters, DrawnParameters):
        return False
    largest = 0.0
    for name, array in parameters.items():
        ends = float(array.min()), float(array.max())  # NaN if a number of the array is
        if not np.isfinite(ends).all():
            raise _not_finite(name)
        largest = max(largest, -ends[0], ends[1])
    return largest > _LARGE


def _require_none(problem: str, names: Set[str]) -> None:
    """Raises ValueError that lists the names of parameters with a problem, unless there is none."""
    if names:
        examples = ", ".join(sorted(map(str, names))[:5]) + (", ..." if len(names) > 5 else "")
        raise ValueError(f"{len(names)} {problem} parameter(s): {examples}.")


def _checked_copy(name: str, numbers: object, shape: tuple[int, ...]) -> Float[np.ndarray, "..."]:
    """The numbers as a float32 array: a copy, because the caller may change the original."""
    numbers = require_array(f"parameter {name!r}", numbers, f"numbers of shape {shape}")
    if numbers.dtype.kind not in "biuf":
        raise ValueError(f"parameter {name!r}: the type {numbers.dtype} is invalid: allowed are real numbers.")
    with np.errstate(over="ignore"):  # an infinite number gets the message below
        array = np.array(numbers, np.float32)
    if array.shape != shape:
        raise ValueError(f"parameter {name!r}: shape={array.shape} is invalid: allowed is {shape}.")
    if not np.isfinite(array).all():
        raise _not_finite(name)
    return array


def _not_finite(name: str) -> ValueError:
    return ValueError(f"parameter {name!r} contains values that are not finite in float32.")
