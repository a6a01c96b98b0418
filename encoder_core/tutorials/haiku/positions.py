"""The rows of the section Positional Encoding."""

import numpy as np

from encoder_core.config import EncoderConfig
from encoder_core.figures import Line, ThemeName
from encoder_core.inputs.dropout import apply_dropout
from encoder_core.inputs.positions import sinusoid_frequency, sinusoid_layout, sinusoids
from encoder_core.parameters import parameter_shapes
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.haiku.models import POSITIONS, D, block, example_input
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel, curve_panel

MAX_LEN = 64


def angles_with_base(base: int, seq: int, pair: int) -> np.ndarray:
    """pos / base^(2i / d_model) for one pair i of dimensions."""
    return np.asarray(np.arange(seq) / base ** (2 * pair / D))


def _no_order(seed: int) -> Finding:
    x, order = example_input(seed), np.random.default_rng(seed).permutation(12)
    everything = np.ones((2, 1, 12), bool)
    encoder = block(seed)
    output = encoder.trace(x, everything).output
    shuffled = encoder.trace(x[:, order], everything).output
    error = float(np.abs(shuffled - output[:, order]).max())
    moved = float(np.abs(shuffled - output).max())

    def draw(theme: ThemeName) -> Line:
        names = [str(i + 1) for i in range(12)]
        parts: Parts = [Matrix(title="output", values=output[0], rows=names), "→",
                        Matrix(title="output of the shuffled tokens", values=shuffled[0],
                               rows=[str(i + 1) for i in order]), "→",
                        Matrix(title="shuffled back", values=shuffled[0][np.argsort(order)], rows=names)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(error < 1e-4 and moved > 0.1),
        f"difference {format_number(error, 1)}",
        "The 12 tokens were shuffled. Each token's output moved with it: the outputs, shuffled back, differ by at "
        f"most **{format_number(error, 2)}**.",
        draw,
    )


def _formula(_: int) -> Finding:
    pair, seq = 12, MAX_LEN
    code = sinusoids(seq, D)[:, 2 * pair]
    written = np.sin(angles_with_base(1_000, seq, pair))
    difference = float(np.abs(code - written).max())

    def draw(theme: ThemeName) -> Line:
        panel = curve_panel({"10000, as in the code": code, "1000, as in the formula": written}, range(seq),
                            title=f"dimension {2 * pair} of the encoding", x_axis="position", y_axis="",
                            theme=theme)  # fmt: skip
        return [panel]

    return Finding(
        judge(difference < 1e-3),
        f"differ by up to {difference:.2f}",
        f"The code has 10000, as the paper does. In dimension {2 * pair}, formula and code differ by up to "
        f"**{difference:.2f}**.",
        draw,
    )


def _stays_zero(_: int) -> Finding:
    intended = sinusoids(MAX_LEN, D)
    table = np.zeros((MAX_LEN, D), np.float32)  # `table.at[...].set(...)` returns a new array, which is not used

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="table as intended", values=intended, row_axis="position"), "≠",
                        Matrix(title="table as written", values=table, row_axis="position")]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(bool(table.any())),
        f"largest number {np.abs(table).max():g}",
        f"The largest number of the table is **{np.abs(table).max():g}** as written and "
        f"**{np.abs(intended).max():g}** as intended.",
        draw,
    )


def _index(_: int) -> Finding:
    pairs, is_cosine = sinusoid_layout(D)
    per_pair = int((pairs == 5).sum())

    def draw(theme: ThemeName) -> Line:
        panel = curve_panel({"i": pairs[:16].astype(float)}, [str(j) for j in range(16)],
                            title="index i of each dimension", x_axis="dimension", y_axis="i", theme=theme)  # fmt: skip
        return [panel]

    return Finding(
        judge(bool((pairs == np.arange(D)).all()), under_condition=per_pair == 2),
        f"i from 0 to {pairs.max()}, {D} dimensions",
        f"The encoding has **{D}** dimensions, and i runs from 0 to **{pairs.max()}**: each i belongs to one sine and "
        f"one cosine. {int(is_cosine.sum())} dimensions are cosines.",
        draw,
        condition="i counts pairs of dimensions: 2i is a sine, 2i+1 a cosine",
    )


def _not_learned(_: int) -> Finding:
    with_sinusoids, without, learned = (
        parameter_shapes(EncoderConfig(d_model=D, num_heads=8, positions=kind))
        for kind in ("sinusoidal", "none", "learned")
    )
    added = len(with_sinusoids) - len(without)
    size = int(np.prod(learned["position_embedding"]))

    def draw(theme: ThemeName) -> Line:
        counts = {"sinusoids": 0.0, "learned table": float(size)}
        return [bar_panel(counts, title="parameters of the position encoding", theme=theme)]

    return Finding(
        judge(added == 0),
        f"{added} parameters",
        f"Sinusoids add **{added}** parameters. A learned table for 64 positions would have **{size:,}**.",
        draw,
    )


def _frequencies(_: int) -> Finding:
    frequency = sinusoid_frequency(np.arange(D // 2), D)
    wavelength = 2 * np.pi / frequency

    def draw(theme: ThemeName) -> Line:
        encoding = sinusoids(MAX_LEN, D)
        panel = curve_panel({f"dimension {j}": encoding[:, j] for j in (0, 8, 16, 32)}, range(MAX_LEN),
                            title="four dimensions of the encoding", x_axis="position", y_axis="",
                            theme=theme)  # fmt: skip
        return [panel]

    return Finding(
        judge(len(np.unique(frequency)) == D // 2),
        f"{len(np.unique(frequency))} frequencies",
        f"The {D} dimensions have **{len(np.unique(frequency))}** frequencies; their wavelengths grow from "
        f"**{wavelength[0]:.2f}** to **{wavelength[-1]:,.0f}** positions.",
        draw,
    )


def _dropped_sum(seed: int) -> Finding:
    x, encoding = example_input(seed)[0], sinusoids(12, D)
    kept = np.random.default_rng((seed, 1)).random((12, D)) >= 0.1
    total = apply_dropout(x + encoding, kept, 1 / 0.9)
    encoding_only = x + apply_dropout(encoding, kept, 1 / 0.9)
    lost, kept_rows = int((total[~kept] == 0).sum()), int((encoding_only[~kept] == x[~kept]).sum())

    def draw(theme: ThemeName) -> Line:
        code, sentence = total[:, :24], encoding_only[:, :24]
        parts: Parts = [Matrix(title="dropout of the sum: the code", values=code, mask=kept[:, :24]), "≠",
                        Matrix(title="dropout of the encoding: the sentence", values=sentence)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(bool((total[~kept] == x[~kept]).all())),
        f"{lost} of {int((~kept).sum())} sums become 0",
        f"At rate 0.1, dropout hits **{int((~kept).sum())}** of {kept.size} numbers. In the code, **{lost}** sums "
        f"become 0 (hatched), so the embedding is lost as well. Dropout of the encoding alone would leave the "
        f"embedding in **{kept_rows}** of them.",
        draw,
    )


POSITION_ITEMS = (
    Item(
        "no-order",
        "Attention does not see the order",
        "claim",
        (Quotation("since the model has no memory (no recurrent/convolutional layers), it can not take into account "
                   "the order of the sequence elements.", POSITIONS),
         Quotation("The position of words in the sequence is thus not encoded explicitly by the model.", POSITIONS)),
        _no_order,
        "Without a position encoding and with all keys visible, a block treats the tokens as a set. The tutorial's "
        "class of the encoder is such a model: it adds no positions. The table that would be added before it stays "
        "zero.",
        "positions",
    ),
    Item(
        "varying-frequencies",
        "Sinusoids with varying frequencies",
        "claim",
        (Quotation("Following the original paper, positional encodings are generated with multiple sinusoidal "
                   "functions with varying frequencies.", POSITIONS),),
        _frequencies,
        "Low dimensions change from position to position, high ones hardly within a sentence. This is the encoding as "
        "intended.",
        "positions",
    ),
    Item(
        "formula-1000",
        "1000 or 10000",
        "claim",
        (Quotation(r"\text{PE}(pos, 2i) = \sin \left( \frac{pos}{1000^{2i/d_{\text{model}}}} \right)", POSITIONS,
                   "formula"),
         Quotation("jnp.arange(0, self.d_model, 2) * (-jnp.log(10000.0) / self.d_model)", POSITIONS, "code")),
        _formula,
        "A zero is missing in the formula. A smaller base gives shorter wavelengths in all pairs but the first.",
        "positions",
    ),
    Item(
        "index-of-position-vector",
        "What i counts",
        "claim",
        (Quotation("where pos is the position of the element in the sequence, d_model is the model's embedding "
                   "dimension, and i is the index of the position vector.", POSITIONS),),
        _index,
        "The two dimensions of a pair share one frequency.",
        "positions",
    ),
    Item(
        "not-learned",
        "Not a learned parameter",
        "claim",
        (Quotation("Note that this is not a learned parameter; the values are pre-computed and added to the token "
                   "embeddings at the beginning of the forward pass.", POSITIONS),),
        _not_learned,
        "The values follow from the formula. In the code as written, the values that are added are zeros.",
        "positions",
    ),
    Item(
        "table-stays-zero",
        "The table of positions stays zero",
        "claim",
        (Quotation(":return: The input sequence with positional encoding.", POSITIONS, "code"),
         Quotation("pe.at[:, 0::2].set(jnp.sin(position * div_term))\n"
                   "pe.at[:, 1::2].set(jnp.cos(position * div_term))", POSITIONS, "code")),
        _stays_zero,
        "JAX arrays cannot be changed: `pe.at[...].set(...)` returns a new array, and the code does not use it. "
        "`pe = pe.at[...].set(...)` would.",
        "positions",
    ),
    Item(
        "dropout-on-positions",
        "Dropout of the positional encodings",
        "claim",
        (Quotation("Note that, we can optionally apply dropout to the positional encodings during training",
                   POSITIONS),
         Quotation("x = x + self.pe[:, : x.shape[1]]\nif is_train:\n"
                   "    return hk.dropout(hk.next_rng_key(), self.p_dropout, x)", POSITIONS, "code")),
        _dropped_sum,
        "The code applies dropout to the sum of embedding and encoding, as the paper does (section 5.4).",
        "positions",
    ),
)  # fmt: skip
