"""A trace and its parameters as files of arrays; names are those of the public API, such as `layers.3.pattern`."""

import io
import json
from collections.abc import Mapping
from dataclasses import asdict

import numpy as np
from jaxtyping import Shaped
from safetensors.numpy import save

from encoder_core.edits import format_edit
from encoder_core.inputs.dropout import DropoutDraw
from encoder_core.trace import EncoderTrace, Run, require_run, require_trace

Arrays = dict[str, Shaped[np.ndarray, "..."]]
_NO_TENSORS = ("tokens", "layers", "kept")
_PARAMETER = "out_kernel"  # of each layer of a trace; it is among the parameters


def trace_arrays(trace: EncoderTrace) -> Arrays:
    """Every array of the trace by name, in the order of the forward pass: views, not copies.

    The masks of dropout, in training mode only, are named `kept.embedded` and `kept.layers.0.attn_out`. Tokens are no
    numbers; they are in the metadata of `trace_safetensors`, and in the array `tokens` of `trace_npz`.
    Raises ValueError for what is no trace.
    """
    require_trace(trace)
    arrays = {name: value for name, value in trace._asdict().items() if name not in _NO_TENSORS}
    for index, layer in enumerate(trace.layers):
        arrays |= {f"layers.{index}.{name}": value for name, value in layer._asdict().items() if name != _PARAMETER}
    for name in ("output", "logits"):  # after the layers
        arrays[name] = arrays.pop(name)
    if trace.kept is not None:
        arrays |= _kept(trace.kept)
    return {name: value for name, value in arrays.items() if value is not None}


def trace_npz(run: Run) -> bytes:
    """The trace for `numpy.load`, not compressed; the array `tokens` has the token strings, (batch, seq).

    Raises ValueError for what is no run.
    """
    require_run(run)
    tokens = {"tokens": np.array(run.trace.tokens)} if run.trace.tokens else {}
    file = io.BytesIO()
    np.savez(file, **tokens, **trace_arrays(run.trace))  # type: ignore[arg-type] # a keyword per array
    return file.getvalue()


def trace_safetensors(run: Run) -> bytes:
    """The trace for `safetensors.numpy.load_file`; the metadata have the tokens, the configuration and the edits.

    Raises ValueError for what is no run.
    """
    require_run(run)
    return _to_safetensors(trace_arrays(run.trace), run)


def parameters_safetensors(run: Run) -> bytes:
    """The parameters after the edits, for `Encoder.from_parameters`; the metadata are those of the trace.

    A run does not have the tokenizer: `Encoder.save` writes an encoder with its own.

    Raises ValueError for what is no run.
    """
    require_run(run)
    return _to_safetensors(run.edited_parameters, run)


def _to_safetensors(arrays: Mapping[str, Shaped[np.ndarray, "..."]], run: Run) -> bytes:
    metadata = {
        "tokens": json.dumps(run.trace.tokens),
        "config": json.dumps(asdict(run.config)),
        "edits": json.dumps([format_edit(edit) for edit in run.edits]),
    }
    return save({name: np.ascontiguousarray(array) for name, array in arrays.items()}, metadata)


def _kept(kept: DropoutDraw) -> Arrays:
    layers = {
        f"kept.layers.{index}.{name}": mask
        for index, layer in enumerate(kept.layers)
        for name, mask in layer._asdict().items()
        if mask is not None
    }
    return layers if kept.embedded is None else {"kept.embedded": kept.embedded} | layers
