"""The rows on the heads: what each of them reads, its width and its weights."""

import numpy as np
from jaxtyping import Float

from encoder_core.analysis import softmax
from encoder_core.figures import Line, MosaicStyle, ThemeName, TileGrid, Window, mosaic
from encoder_core.scenes.items import HEIGHT, Matrix, line_of
from encoder_core.support.wording import numbered
from encoder_core.tutorials.article.models import (
    ATTENTION_MODULE,
    WALKTHROUGH,
    Rows,
    T,
    article_run,
    bar_panel,
    block,
    parameter,
    words,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

HEADS, WIDTH, D_K = 4, 64, 16


def per_head(kernel: Rows) -> Float[np.ndarray, "head d_model d_k"]:
    """A kernel of all heads side by side as one matrix for each head, the article's shape."""
    return kernel.reshape(WIDTH, HEADS, D_K).transpose(1, 0, 2)


def head_tiles(tiles: Float[np.ndarray, "head row column"], title: str, theme: ThemeName, *, weights: bool) -> Line:
    """One tile for each head."""
    grid = TileGrid([""], numbered("head", len(tiles)), "row", "head")
    style = MosaicStyle(kind="weights" if weights else "signed", row_axis="query" if weights else "dimension",
                        column_axis="key" if weights else "dimension", height=HEIGHT, theme=theme)  # fmt: skip
    rows, columns = (Window(0, size) for size in tiles.shape[1:])
    return [mosaic(tiles[None], grid, rows, columns, title=title, style=style)]


def _fraction(seed: int) -> Finding:
    kernels = per_head(parameter(seed, "attention.query.kernel"))
    read = (kernels != 0).any(axis=2).sum(axis=1)

    def draw(theme: ThemeName) -> Line:
        return head_tiles(kernels, "W_Q (4, 64, 16): rows are the dimensions of the embedding", theme, weights=False)

    return Finding(
        judge(bool((read < WIDTH).all())),
        f"each head reads {read[0]} of {WIDTH}",
        f"Every head reads **{read.min()}** of {WIDTH} dimensions of the embeddings and projects them to **{D_K}**.",
        draw,
    )


def _robust(seed: int) -> Finding:
    layer, kernel = block(seed), parameter(seed, "attention.out.kernel")
    parts = np.stack([layer.z[:, h] @ kernel[D_K * h : D_K * (h + 1)] for h in range(HEADS)])
    change = np.linalg.norm(parts.reshape(HEADS, -1), axis=1) / np.linalg.norm(parts.sum(axis=0))
    patterns = layer.pattern[0]
    differences = np.abs(patterns[:, None] - patterns[None]).mean(axis=(2, 3))[np.triu_indices(HEADS, 1)]

    def draw(theme: ThemeName) -> Line:
        names = numbered("head", HEADS)
        return [*head_tiles(patterns, "attention weights of sequence 0", theme, weights=True), "",
                bar_panel(change, names, "relative change without the head", theme)]  # fmt: skip

    return Finding(
        judge(False, under_condition=bool(change.max() < 1 and differences.min() > 0)),
        f"{change.min():.2f} to {change.max():.2f} without one head",
        f"Each of the four heads computes **one** matrix of weights; two of them differ by **{differences.min():.3f}** "
        f"to {differences.max():.3f} on average. Without one head, the output of attention changes by "
        f"**{change.min():.2f}** to **{change.max():.2f}** of its size; with a single head it would be 1.",
        draw,
        "robust means that to lose one head is not to lose all",
    )


def _ratio(seed: int) -> Finding:
    layer = block(seed)
    text, code = HEADS / WIDTH, WIDTH // HEADS

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [Matrix(title=f"result of head {head + 1} (10, {code})", values=layer.z[0, head], rows=words(seed))
             for head in range(HEADS)],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(text == layer.q.shape[-1]),
        f"{HEADS} / {WIDTH} = {text:g}, not {code}",
        f"n_heads / embed_dim is {HEADS} / {WIDTH} = **{text:g}**. The code computes embed_dim / n_heads = **{code}**, "
        f"the width of each head here.",
        draw,
    )


def _weight_shapes(seed: int) -> Finding:
    shapes = [per_head(parameter(seed, f"attention.{name}.kernel")).shape for name in ("query", "key", "value")]

    def draw(theme: ThemeName) -> Line:
        parts: list[Matrix | str] = []
        for name, letter in (("query", "Q"), ("key", "K"), ("value", "V")):
            kernel = per_head(parameter(seed, f"attention.{name}.kernel"))[0]
            parts += ["", Matrix(title=f"W_{letter} of head 1 {kernel.shape}", values=kernel, row_axis="dimension",
                                 title_colour=name)]  # fmt: skip
        return line_of(parts[1:], theme=theme)

    return Finding(
        judge(shapes == [(4, 64, 16)] * 3),
        str(shapes[0]),
        f"Cut into heads, W_Q, W_K and W_V have the shapes **{shapes[0]}**, **{shapes[1]}** and **{shapes[2]}**.",
        draw,
    )


def _scale(seed: int) -> Finding:
    x = article_run(seed).trace.embedded[0].astype(float)
    weights = np.random.default_rng(seed).standard_normal((2, HEADS, WIDTH, D_K))
    q, k = (x @ w for w in weights)
    scores = {name: q @ k.swapaxes(-1, -2) / np.sqrt(D_K) * factor**2 for name, factor in
              (("without scale", 1.0), ("scale 1/√64", 0.125), ("scale 1e-2", 1e-2))}  # fmt: skip
    largest = {name: softmax(each).max(axis=-1).mean() for name, each in scores.items()}
    std = {name: each.std() for name, each in scores.items()}

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"{name}: largest {largest[name]:.2f}", values=softmax(each[0]), kind="weights",
                       row_axis="query", column_axis="key", show_values=False)
                for name, each in scores.items()
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(bool(weights.std() < 0.02)),
        f"weights of ±{weights.std():.2f}, not ±0.01",
        "With the notebook's standard normal weights, the scores have a standard deviation of "
        f"**{std['without scale']:.0f}** and the largest weight of a row is **{largest['without scale']:.2f}** on "
        f"average. With the scale 1e-2 of the comment the deviation is **{std['scale 1e-2']:.3f}**, and all weights "
        "are about 0.1.",
        draw,
    )


def _initializer(seed: int) -> Finding:
    fan_in, fan_out = WIDTH, D_K
    docstring = float(np.sqrt(3 / ((fan_in + fan_out) / 2)))
    # Haiku counts the axes before the last two as a receptive field, which multiplies both fans.
    haiku = float(np.sqrt(3 / ((HEADS * fan_in + HEADS * fan_out) / 2)))
    drawn = np.random.default_rng(seed).uniform(-1, 1, (HEADS, WIDTH, D_K))

    def draw(theme: ThemeName) -> Line:
        parts: list[Matrix | str] = [
            Matrix(title=f"W_Q of head 1, limit {limit:.4f}", values=limit * drawn[0], row_axis="dimension")
            for limit in (docstring, haiku)
        ]
        return line_of([parts[0], "≠", parts[1]], theme=theme)

    return Finding(
        judge(abs(docstring - haiku) < 1e-3, under_condition=abs(docstring / haiku - 2) < 1e-9),
        f"limit {haiku:.4f}, not {docstring:.4f}",
        f"For one head, the average of 64 inputs and 16 outputs is 40 and the limit √(3/40) = **{docstring:.4f}**. "
        f"Haiku multiplies both by the four heads of the first axis: the limit is √(3/160) = **{haiku:.4f}**.",
        draw,
        "the units of all four heads are counted together",
    )


HEAD_ITEMS = (
    Item(
        "fraction-of-embeddings",
        "Each head and a fraction of the embeddings",
        "claim",
        (Quotation("The computation of attention scores is usually executed multiple times in parallel, each time with "
                   "a fraction of the embeddings.", T),),
        _fraction,
        "The fraction is the width of the result, 16 of 64. To get there, every head has a matrix that reads the whole "
        "embedding.",
        "multi_head",
    ),
    Item(
        "robust",
        "Several representations in parallel",
        "claim",
        (Quotation("This mechanism is called “Multi-Head Attention” and enables each head to learn several different "
                   "representations of the data in parallel, leading to a more robust model.", T),),
        _robust,
        "Several representations come from several heads, one from each. Whether a trained model needs all of them is "
        "measured on the page of the heads, where each can be switched off.",
        "multi_head",
    ),
    Item(
        "dk-ratio",
        "The width of a head",
        "claim",
        (Quotation("d_k can be set as the ratio between the number of heads and the dimension of the embeddings (d_k = "
                   "n_heads/embed_dim).", T),
         Quotation("D_K = int(EMBED_DIM / N_HEADS)", WALKTHROUGH, "code")),
        _ratio,
        "The fraction is upside down in the text, not in the code.",
        "multi_head",
    ),
    Item(
        "weight-shapes",
        "Shapes of the weights",
        "printed result",
        (Quotation("jax.tree_map(lambda x: x.shape, [WQ, WK, WV])\n[(4, 64, 16), (4, 64, 16), (4, 64, "
                   "16)]", WALKTHROUGH,
                   "code"),
         Quotation("These vectors have shapes (n_heads, embed_dim, d_k).", T)),
        _weight_shapes,
        "Three axes, one matrix of 64 × 16 for each head. The encoder here keeps the four side by side as one kernel "
        "of 64 × 64: the numbers are the same.",
        "qkv",
    ),
    Item(
        "weight-scale",
        "The scale of the random weights",
        "claim",
        (Quotation("def init_attention_weights(key, embed_dim, d_k, n_heads, scale=1e-2):", WALKTHROUGH, "code"),
         Quotation("weights = random.normal(subkey, (3, embed_dim, d_k, n_heads))  # * scale", WALKTHROUGH, "code")),
        _scale,
        "The product with the scale is commented out. Without it, nearly each row gives its whole weight to one key "
        "before anything is learned, and the gradient of such a softmax is close to 0. With 1e-2 nearly all keys count "
        "the same. The article's module draws with variance scaling instead.",
        "softmax",
    ),
    Item(
        "initializer",
        "Variance scaling of the weights",
        "claim",
        (Quotation("The initializer first computes the scaling factor s = scale / n, where n is:\n    - Number of "
                   "input units in the weight tensor, if mode = fan_in.\n    - Number of output units, if mode = "
                   "fan_out.\n    - Average of the numbers of input and output units, if mode = fan_avg.",
                   ATTENTION_MODULE, "code"),
         Quotation('init = hk.initializers.VarianceScaling(\n    scale=1.0, mode="fan_avg", distribution="uniform"\n)',
                   ATTENTION_MODULE, "code")),
        _initializer,
        "Haiku takes the last two axes as inputs and outputs and the axes before them as a receptive field, as in a "
        "convolution. The weights of a head are half as large as those of a separate 64 × 16 matrix.",
        "qkv",
    ),
)  # fmt: skip
