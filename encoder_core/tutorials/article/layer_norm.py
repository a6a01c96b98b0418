"""The rows of the section Layer Normalization."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.models import (
    NORM_MODULE,
    WALKTHROUGH,
    T,
    article_run,
    bar_panel,
    block,
    normalize,
    parameter,
    words,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import curve_panel

_DEPTH = 24


def _explosion(seed: int) -> Finding:
    rng = np.random.default_rng(seed)
    kernels = 2 * rng.standard_normal((_DEPTH, 64, 64)) / np.sqrt(64)
    x = rng.standard_normal((10, 64))
    norms: dict[str, list[float]] = {"without norm": [], "with layer norm": []}
    plain, normed = x, normalize(x)
    for kernel in kernels:
        plain, normed = plain @ kernel, normalize(normed @ kernel)
        for name, rows in zip(norms, (plain, normed), strict=True):
            norms[name].append(float(np.linalg.norm(rows, axis=1).mean()))

    def draw(theme: ThemeName) -> Line:
        logs = {name: np.log10(each) for name, each in norms.items()}
        return [
            curve_panel(
                logs,
                range(1, _DEPTH + 1),
                title="mean length of the rows",
                x_axis="matrices",
                y_axis="log10",
                theme=theme,
            )
        ]

    without, with_ = norms["without norm"][-1], norms["with layer norm"][-1]
    return Finding(
        judge(bool(without > 1e6 and abs(with_ - 8) < 0.01)),
        f"{with_:.0f} against {format_number(without, 1)}",
        f"After {_DEPTH} random matrices that double the length, rows of 64 numbers have a mean length of "
        f"**{format_number(without, 1)}**. With a layer norm after each they have **{with_:.2f}** = √64.",
        draw,
    )


def _batch_norm(seed: int) -> Finding:
    x = block(seed).attn_out.astype(float) + article_run(seed).trace.embedded
    layer, batch = normalize(x), normalize(x, axis=0)
    spread = {"layer": np.abs(layer.mean(-1)).max(), "batch": np.abs(batch.mean(0)).max()}
    crossed = {"layer": np.abs(layer.mean(0)).max(), "batch": np.abs(batch.mean(-1)).max()}
    rng = np.random.default_rng(seed)
    skewed = normalize(rng.exponential(size=(4096, 1)), axis=0)  # batch norm of numbers that are not uniform
    works = abs(skewed.mean()) < 1e-6 and abs(skewed.std() - 1) < 1e-3

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="sequence 0", values=x[0], rows=words(seed)),
                "→",
                Matrix(title="layer norm: each row", values=layer[0], rows=words(seed)),
                "≠",
                Matrix(title="batch norm: each cell over 32 sequences", values=batch[0], rows=words(seed)),
            ],
            theme=theme,
        )

    axes = max(spread.values()) < 1e-5 < min(crossed.values())
    return Finding(
        judge(False, under_condition=bool(axes and works)),
        f"means 0 over features, up to {crossed['layer']:.2f} over the batch",
        f"After layer norm the mean over the features is 0 (to **{format_number(spread['layer'], 1)}**), and over the "
        f"batch up to **{crossed['layer']:.2f}**. After batch norm it is the reverse: {crossed['batch']:.2f} and "
        f"{format_number(spread['batch'], 1)}. Batch norm of 4,096 numbers from an exponential distribution has mean 0 "
        "and deviation 1, too.",
        draw,
        "“uniform” means one mean and variance for the whole batch",
    )


def _sentences(seed: int) -> Finding:
    x = block(seed).attn_out.astype(float) + article_run(seed).trace.embedded
    changed = x.copy()
    changed[1] += 5 * np.random.default_rng(seed).standard_normal(x[1].shape)
    layer = np.abs(normalize(changed)[0] - normalize(x)[0])
    batch = np.abs(normalize(changed, axis=0)[0] - normalize(x, axis=0)[0])
    means, stds = (f(normalize(x), axis=-1) for f in (np.mean, np.std))

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="change of sequence 0, layer norm", values=layer, rows=words(seed)),
                "≠",
                Matrix(title="change of sequence 0, batch norm", values=batch, rows=words(seed)),
            ],
            theme=theme,
        )

    kept = bool(np.abs(means).max() > 1e-3 or np.ptp(stds) > 1e-3)
    return Finding(
        judge(bool(layer.max() == 0 and kept), under_condition=bool(layer.max() == 0 and batch.max() > 0.01)),
        f"change {layer.max():.0f} against {batch.max():.2f}",
        f"When numbers of sequence 1 change, the normed sequence 0 changes by **{layer.max():.0f}** with layer norm "
        f"and by up to **{batch.max():.2f}** with batch norm. After layer norm all rows have mean 0 and deviation 1 "
        f"(to {format_number(np.ptp(stds), 1)}).",
        draw,
        "it means that sequences are not mixed: the mean and scale of each row are removed",
    )


def _steps(seed: int) -> Finding:
    layer = block(seed)
    x = layer.attn_out.astype(float) + article_run(seed).trace.embedded
    normed = normalize(x)
    error = np.abs(normed - layer.mlp_in).max()
    means, stds = normed.mean(-1), normed.std(-1)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="input", values=x[0], rows=words(seed)),
                "→",
                bar_panel(x[0].mean(-1), words(seed), "mean of each row", theme),
                bar_panel(x[0].std(-1), words(seed), "std of each row", theme),
                "→",
                Matrix(title="Output of the Layer Normalization", values=normed[0], rows=words(seed)),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool(error < 1e-4 and np.abs(means).max() < 1e-6 and np.abs(stds - 1).max() < 1e-3)
              and layer.mlp_in.shape == (32, 10, 64)),
        str(layer.mlp_in.shape),
        "Each row is normed by its own mean and deviation, in all 32 sequences; this equals the encoder's norm to "
        f"**{format_number(error, 1)}**. The shape is **{layer.mlp_in.shape}**, and each row has mean 0 (to "
        f"{format_number(np.abs(means).max(), 1)}) and deviation 1.",
        draw,
    )  # fmt: skip


def _scalar(seed: int) -> Finding:
    gamma, beta = parameter(seed, "norm1.scale"), parameter(seed, "norm1.bias")
    normed = normalize(article_run(seed).trace.embedded[0].astype(float))
    trained = 1 + 0.5 * np.random.default_rng(seed).standard_normal(64)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="norm", values=normed, rows=words(seed)),
                "⊙",
                Matrix(title="γ, one for each dimension", values=trained[None], rows=["γ"], row_axis="row"),
                "=",
                Matrix(title="norm ⊙ γ", values=normed * trained, rows=words(seed)),
                "≠",
                Matrix(title="norm · 1.5, a scalar", values=normed * 1.5, rows=words(seed)),
            ],
            theme=theme,
        )

    return Finding(
        judge(gamma.size == beta.size == 1),
        f"γ {gamma.shape}, β {beta.shape}",
        f"The scale has shape **{gamma.shape}** and the shift **{beta.shape}**: one number for each of the 64 "
        f"dimensions. They start at {gamma[0]:.0f} and {beta[0]:.0f}; the figure shows a drawn scale.",
        draw,
    )


LAYER_NORM_ITEMS = (
    Item(
        "no-explosion",
        "Values that explode",
        "claim",
        (Quotation("Layer normalization helps ensure that the values propagated through the model do not “explode” "
                   "(tend toward infinity), which could easily happen in attention blocks, where several matrices are "
                   "multiplied during each forward pass.", T),),
        _explosion,
        "Lengths grow or shrink by a factor at each matrix; here the factor is 2. After a layer norm with scale 1, "
        "every row has the length √d.",
        "add_and_norm",
    ),
    Item(
        "batch-norm",
        "Batch norm and layer norm",
        "claim",
        (Quotation("Unlike batch normalization, which normalizes across the batch dimension assuming a uniform "
                   "distribution, layer normalization operates across the features.", T),
         Quotation("While Batch Normalization normalizes across the batch dimension, Layer Normalization normalizes "
                   "across the feature dimension.", WALKTHROUGH)),
        _batch_norm,
        "The axes are as the article says. Batch norm assumes no distribution: it sets a mean and a variance, whatever "
        "the shape of the numbers.",
        "add_and_norm",
    ),
    Item(
        "sentence-characteristics",
        "Each sentence by itself",
        "claim",
        (Quotation("layer normalization standardizes data to a consistent scale without conflating distinct sentence "
                   "characteristics, maintaining the unique distribution of each.", T),),
        _sentences,
        "Layer norm reads one row at a time, so no sentence can affect another. It also makes the mean and the scale "
        "of all rows equal: what remains of a row is its direction around the mean.",
        "add_and_norm",
    ),
    Item(
        "layer-norm-steps",
        "Layer norm, step by step",
        "figure",
        (Quotation("1. Compute the mean and variance across the embeddings dimension (i.e. for each row)\n2. Normalize "
                   "each row independtly:\n…\n4. Repeat for each batch", T),
         Quotation("Output of the Layer Normalization\n(32, 10, 64)", WALKTHROUGH, "code"),
         Quotation("# computing the mean and variance of the features\n# assuming that the embedding dimension comes "
                   "last",
                   WALKTHROUGH, "code")),
        _steps,
        "The code adds ε = 1e-6 to the variance before the root, which the figure leaves out. “Each batch” means each "
        "sequence of the batch.",
        "add_and_norm",
    ),
    Item(
        "scale-and-shift",
        "Scale and shift",
        "figure",
        (Quotation("3. Scale and shift using learned (scalar) parameters:", T),
         Quotation("we initialize the learnable parameters alpha and beta and normalize along the desired feature "
                   "axis.",
                   T),
         Quotation('gamma = hk.get_parameter(\n    "gamma", shape=(x.shape[-1],), '
                   'init=hk.initializers.Constant(1.0)\n)',
                   NORM_MODULE, "code")),
        _scalar,
        "A scalar would stretch all dimensions alike. The code names the scale gamma, where text and figure say alpha.",
        "add_and_norm",
    ),
)  # fmt: skip
