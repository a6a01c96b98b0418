"""The rows of layer normalisation."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.annotated.models import (
    EPS,
    NOTEBOOK,
    D,
    layer_norm_as_written,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts


def batch_norm(x: np.ndarray) -> np.ndarray:
    """Batch norm in training: each feature normalised over all other axes."""
    axes = tuple(range(x.ndim - 1))
    return np.asarray((x - x.mean(axes)) / np.sqrt(x.var(axes) + 1e-5))


def _variable_lengths(seed: int) -> Finding:
    x = np.random.default_rng(seed).standard_normal((2, 6, 8)) + 2
    padded = x.copy()
    padded[1, 3:] = 0  # the second sentence has three tokens
    real = np.array([[True] * 6, [True] * 3 + [False] * 3])
    layer = float(np.abs(layer_norm_as_written(padded) - layer_norm_as_written(x))[0].max())
    batch = float(np.abs(batch_norm(padded) - batch_norm(x))[0].max())
    counted = padded[real]
    masked = (counted - counted.mean(0)) / np.sqrt(counted.var(0) + 1e-5)
    finite = bool(np.isfinite(masked).all())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="sentence 1", values=x[0]), "→",
                        Matrix(title="batch norm", values=batch_norm(x)[0]), "≠",
                        Matrix(title="sentence 2 padded", values=batch_norm(padded)[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(not finite, under_condition=layer == 0 and batch > 0.01),
        f"batch norm changes by {batch:.2f}",
        "The second sentence was cut to three tokens and padded with zeros. Layer norm of the first sentence changes "
        f"by **{layer:g}**, batch norm by up to **{batch:.2f}**. Batch norm over the real tokens only can be computed.",
        draw,
        condition="padding counts in the statistics of the batch",
    )


def _fixed_size(seed: int) -> Finding:
    x = np.random.default_rng(seed).standard_normal((1, D)) * 3 + 1
    sizes = {"layer norm": float(layer_norm_as_written(x).std()), "batch norm": float(batch_norm(x).std())}

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="one input of 20 numbers", values=x, rows=["1"], row_axis="row"), "→",
                        Matrix(title="layer norm", values=layer_norm_as_written(x), rows=["1"], row_axis="row"), "≠",
                        Matrix(title="batch norm", values=batch_norm(x), rows=["1"], row_axis="row")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(sizes["layer norm"] < sizes["batch norm"]),
        f"deviation {sizes['layer norm']:.2f} and {sizes['batch norm']:.2f}",
        f"For a batch of one input of fixed size, the outputs of layer norm have a standard deviation of "
        f"**{sizes['layer norm']:.2f}**, those of batch norm (in training) **{sizes['batch norm']:.2f}**: every "
        "feature is its own mean.",
        draw,
    )


def _code(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    x = np.concatenate([rng.standard_normal((3, D)), rng.standard_normal((2, D)) * EPS])
    written = layer_norm_as_written(x)
    torch = (x - x.mean(-1, keepdims=True)) / np.sqrt(x.var(-1, keepdims=True) + EPS)
    ordinary, tiny = (float(np.abs(written[rows] - torch[rows]).max()) for rows in (slice(0, 3), slice(3, 5)))

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="(x − mean) / (std + eps)", values=written), "≠",
                        Matrix(title="(x − mean) / √(variance + eps)", values=torch)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(tiny < 1e-4, under_condition=ordinary < 1e-4),
        f"differ by {format_number(ordinary, 1)}; tiny rows {tiny:.2f}",
        "For ordinary rows, the code and the formula of PyTorch with the same eps differ by "
        f"**{format_number(ordinary, 1)}**. For rows with a standard deviation of 1e-6 (tokens 4 and 5) they differ by "
        f"up to **{tiny:.2f}**.",
        draw,
        condition="the rows are not almost constant, and scale and shift are not trained",
    )


def _bias(seed: int) -> Finding:
    x = np.random.default_rng(seed).standard_normal((6, D)) + 3
    means = layer_norm_as_written(x).mean(-1)

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="x", values=x), "→", Matrix(title="normalised", values=layer_norm_as_written(x))]
        return line_of(parts, theme=theme)

    return Finding(
        judge(float(np.abs(means).max()) < 1e-9),
        f"means {format_number(np.abs(means).max(), 1)}",
        f"The means of the normalised rows are 0 to within **{format_number(np.abs(means).max(), 1)}**: nothing is "
        "added. γ is 1 and is not a parameter, so the layer has **0** parameters.",
        draw,
    )


NORM_ITEMS = (
    Item(
        "why-layer-norm",
        "Why layer norm",
        "claim",
        (Quotation("And for this, the outputs (or activations) from a layer can have different sizes. So, you can't "
                   "normalise them as batch or as a group. Layer norm can handle variable length outputs from a neural "
                   "network layer.", NOTEBOOK),),
        _variable_lengths,
        "Layer norm uses the numbers of one token only. Batch norm mixes sentences, and padding with them.",
        "add_and_norm",
    ),
    Item(
        "layer-norm-fixed-sizes",
        "Layer norm for fixed sizes",
        "claim",
        (Quotation("(P.S. layer norm doesn't perform well for fixed sized inputs, you're better off with batch norm or "
                   "group norm).", NOTEBOOK),),
        _fixed_size,
        "This is one counterexample, the smallest batch; it does not measure how well a model trains. Vision "
        "Transformers use layer norm on inputs of fixed size.",
        "add_and_norm",
    ),
    Item(
        "layer-norm-code",
        "Layer norm as in PyTorch",
        "claim",
        (Quotation("# you know, the pytorch docs were more helpful to figure this one out", NOTEBOOK, "code"),
         Quotation("norm = self.gamma * (x - mean) / (std + self.eps)", NOTEBOOK, "code")),
        _code,
        "PyTorch adds eps to the variance under the root, and has a trained scale γ and shift β.",
        "add_and_norm",
    ),
    Item(
        "keeping-bias-0",
        "Keeping bias 0",
        "claim",
        (Quotation("# keeping bias 0\nself.gamma = jnp.ones(shape=self.normalised_shape)", NOTEBOOK, "code"),),
        _bias,
        "`jnp.ones` is a constant. `self.param` would make γ a parameter that is trained.",
        "add_and_norm",
    ),
)  # fmt: skip
