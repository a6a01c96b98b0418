"""The cells that compare the notebook's tensors with those of the app."""

import base64

import numpy as np
from jaxtyping import Shaped

from encoder_core.export.arrays import trace_arrays
from encoder_core.export.cells import NotebookCell, code, literal, markdown
from encoder_core.trace import EncoderTrace, Run

SAMPLE = 64  # numbers of each tensor; the output is complete
_COMPLETE = "output"
_NOT_COMPARED = ("ids", "real", "mask")  # inputs of the notebook
_TOLERANCE = 1e-4


def sample(array: Shaped[np.ndarray, "..."], size: int = SAMPLE) -> Shaped[np.ndarray, "number"]:
    """At most `size` evenly spaced numbers of an array; the notebook takes the same ones."""
    count = min(size, array.size)
    return array.ravel()[np.arange(count) * array.size // max(count, 1)]


def tolerance(run: Run) -> float:
    """The largest difference that the notebook accepts, as a fraction of the largest number of a tensor.

    float32 rounds large scores by more than small ones, and softmax passes the absolute difference on: the tolerance
    grows with the largest score. Without edits, the largest difference measured was 1e-6; with scores up to 16,000
    (unscaled, 12 layers, d_model 256), 4e-4.
    """
    largest = max(float(np.abs(layer.dot_products).max()) for layer in run.trace.layers)
    return _TOLERANCE * min(max(largest * run.score_scale / run.effects.temperature / 10, 1.0), 100.0)


def comparison_cells(run: Run) -> list[NotebookCell]:
    """The numbers of the app, and the function `compare`."""
    return [
        markdown(
            f"""
            ## The app's numbers, for comparison

            The next cell holds numbers that the app computed: the whole `{_COMPLETE}`, and {SAMPLE} evenly spaced
            numbers of every other tensor. `compare` stops with an error where the notebook computes something else. It
            also collects what the notebook computes in `tensors`, under the names of the app.
            """
        ),
        code(
            """
            # @title Numbers of the app
            import base64
            import math

            import numpy as np
            """,
            "",
            literal("SHAPES", {name: array.shape for name, array in compared_arrays(run.trace).items()}),
            f"""
            numbers = np.frombuffer(base64.b64decode("{_packed(run.trace)}"), np.float32)
            APP, start = {{}}, 0
            for name, shape in SHAPES.items():
                size = math.prod(shape)
                count = size if name == "{_COMPLETE}" else min(size, {SAMPLE})
                APP[name] = numbers[start : start + count]
                start += count
            """,
            hidden=True,
        ),
        code(
            f"""
            TOLERANCE = {tolerance(run):.0e}  # a fraction of the largest number of the tensor; float32 rounds at 1e-7
            tensors = {{}}


            def compare(prefix="", **computed):
                \"\"\"Compare tensors with those of the app, and collect them in `tensors`.\"\"\"
                largest = 0.0
                for name, tensor in computed.items():
                    tensor = tensors[prefix + name] = np.asarray(tensor, np.float32)
                    app, shape = APP[prefix + name], SHAPES[prefix + name]
                    assert tensor.shape == shape, f"{{prefix}}{{name}} has shape {{tensor.shape}}, in the app {{shape}}"
                    numbers = tensor.ravel()[np.arange(app.size) * tensor.size // app.size]
                    finite = np.isfinite(app)
                    assert np.array_equal(numbers[~finite], app[~finite]), f"{{prefix}}{{name}}: masked cells differ"
                    scale = np.abs(app[finite]).max(initial=1e-3)
                    difference = np.abs(numbers[finite] - app[finite]).max(initial=0) / scale
                    assert difference < TOLERANCE, f"{{prefix}}{{name}} differs from the app by {{difference:.1e}}"
                    largest = max(largest, difference)
                print(f"{{prefix}}{{', '.join(computed)}}: as in the app, largest difference {{largest:.0e}}")
            """
        ),
    ]


def compared_arrays(trace: EncoderTrace) -> dict[str, Shaped[np.ndarray, "..."]]:
    """The tensors that the notebook computes."""
    return {
        name: array
        for name, array in trace_arrays(trace).items()
        if name not in _NOT_COMPARED and not name.startswith("kept.")
    }


def _packed(trace: EncoderTrace) -> str:
    """The numbers of all samples, one tensor after the other, as float32 in base64."""
    samples = [
        sample(array, array.size if name == _COMPLETE else SAMPLE) for name, array in compared_arrays(trace).items()
    ]
    return base64.b64encode(np.concatenate(samples).astype("<f4").tobytes()).decode()
