"""The rows of the notebook's model: sequence in and out, positions, attention, feed-forward network, logits."""

import numpy as np
from scipy.special import softmax

from encoder_core.analysis import entropy, relative_change
from encoder_core.figures import Line, MosaicStyle, RowBarsStyle, ThemeName, TileGrid, mosaic, row_bars, tile_titles
from encoder_core.parameters import parameter_shapes
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_fixed, format_number
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.forward import CONFIG, embed, forward
from encoder_core.tutorials.nanolm.models import MODEL, NANOLM, parameters_of, runs

_NUMBERS = [str(number + 1) for number in range(10)]
_IDS = [str(index) for index in range(CONFIG.vocab_size)]


def _sequence_to_sequence(seed: int) -> Finding:
    run = runs(seed).ids
    shapes = run.embedded.shape[:2], run.logits.shape
    stacks = {name.split(".")[2] for name in parameter_shapes(CONFIG) if name.startswith("layers.0.")}
    one_stack = stacks == {"attention", "mlp", "norm1", "norm2"}

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="embedding + position", values=run.embedded[0], own_scale=True),
                "→",
                Matrix(title="logits", values=run.logits[0], column_axis="id", columns=_IDS, own_scale=True),
            ],
            theme=theme,
        )

    return Finding(
        judge(shapes[1][:2] != shapes[0] or not one_stack, under_condition=shapes[1][:2] == shapes[0]),
        f"{shapes[0]} → {shapes[1]}",
        f"Ids of the shape **{shapes[0]}** give logits of the shape **{shapes[1]}**: one row for each token read. A "
        "block has one attention layer, one feed-forward network and two norms; no block attends to a second sequence.",
        draw,
        condition="the output has one row for each token of the input",
    )


def _order_from_positions(seed: int) -> Finding:
    """The last token's logits after the nine tokens before it are exchanged, with and without table and mask."""
    parameters = parameters_of(seed)
    ids = NANOLM.inputs(seed).inputs.ids[:1]
    both = np.concatenate([ids, np.concatenate([ids[:, :9][:, ::-1], ids[:, 9:]], axis=1)])
    changes = {}
    for name, positions, causal in (("both", True, True), ("table only", True, False), ("mask only", False, True),
                                    ("neither", False, False)):  # fmt: skip
        logits = forward(parameters, embed(parameters, both, positions=positions), causal=causal).logits[:, -1]
        changes[name] = relative_change(logits[0], logits[1])

    def draw(theme: ThemeName) -> Line:
        values = np.array([*changes.values()])
        style = RowBarsStyle(row_axis="", colour="muted", span=(0.0, float(values.max())), height=180, theme=theme)
        return [row_bars(values, [*changes], title="change of the last token's logits", style=style)]

    return Finding(
        judge(changes["both"] > 0.05 and changes["neither"] < 1e-4),
        f"change {changes['both']:.0%}; without both {format_number(changes['neither'], 1)}",
        f"The nine tokens before the last one are put in reverse order. Its logits change by **{changes['both']:.0%}** "
        f"of their length. Without the position table they still change, by **{changes['mask only']:.0%}**; without "
        f"table and causal mask by **{format_number(changes['neither'], 1)}**.",
        draw,
    )


def _different_parts(seed: int) -> Finding:
    patterns = np.stack([block.pattern[0] for block in runs(seed).ids.blocks])
    weights, later = patterns[0], np.triu(np.ones((10, 10), bool), 1)
    effective = 2 ** entropy(patterns)[..., 1:].astype(float)  # token 1 sees only itself
    elsewhere = float((patterns[:, :, 1:].argmax(axis=-1) != np.arange(1, 10)).mean())

    def draw(theme: ThemeName) -> Line:
        grid = TileGrid([""], tile_titles("head", CONFIG.num_heads), selected=None)
        mask = np.broadcast_to(np.tri(10, dtype=bool), weights.shape)
        return [
            mosaic(weights[None], grid, _NUMBERS, _NUMBERS, title="weights of layer 1", mask=mask[None],
                   style=MosaicStyle(limit=1.0, height=160, title_colour="attention", theme=theme))
        ]  # fmt: skip

    largest_later = float(patterns[..., later].max())
    return Finding(
        judge(elsewhere > 0.5 and largest_later == 0),
        f"{elsewhere:.0%} look elsewhere",
        f"In **{elsewhere:.0%}** of all rows of the {CONFIG.num_layers} layers and {CONFIG.num_heads} heads (without "
        "token 1, which sees only itself), the largest weight is on another token. A row distributes its weight over "
        f"**{effective.mean():.1f}** keys on average (2 to the power of its entropy). Later tokens get "
        f"**{largest_later:g}**.",
        draw,
    )


def _after_attention(seed: int) -> Finding:
    block = runs(seed).ids.blocks[0]
    alone = block.attn_out - block.attn_out.mean(axis=-1, keepdims=True)
    alone = alone / alone.std(axis=-1, keepdims=True)
    difference = relative_change(block.mlp_in, alone)
    zeros = float((block.mlp_pre < 0).mean())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="attention's output", values=block.attn_out[0, :, :32], own_scale=True),
                "+",
                Matrix(title="residual", values=block.resid_pre[0, :, :32], own_scale=True),
                "→ norm →",
                Matrix(title="what the network reads", values=block.mlp_in[0, :, :32], own_scale=True),
            ],
            theme=theme,
        )

    return Finding(
        judge(difference < 1e-3, under_condition=0.2 < zeros < 0.8),
        f"differs by {difference:.0%}",
        f"The input of the feed-forward network differs from the norm of attention's output by **{difference:.0%}** of "
        f"its length, because it also contains the residual. ReLU sets **{zeros:.0%}** of the hidden numbers to 0. The "
        "figure shows the first 32 of 256 dimensions, each matrix with its own scale.",
        draw,
        condition="the output of attention is meant with the residual added to it",
    )


def _probabilities(seed: int) -> Finding:
    logits = runs(seed).ids.logits[0]
    weights = softmax(logits.astype(float), axis=-1)
    sums, negative = logits.sum(axis=-1), float((logits < 0).mean())

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="output of the model", values=logits, row_axis="position", column_axis="id", columns=_IDS),
                "→",
                Matrix(title="softmax of it", values=weights, kind="weights", row_axis="position", column_axis="id",
                       columns=_IDS, own_scale=True),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(negative == 0 and bool(np.abs(sums - 1).max() < 1e-3)),
        f"{negative:.0%} are negative",
        f"**{negative:.0%}** of the numbers are negative, and the rows have sums from "
        f"**{format_fixed(sums.min(), 1)}** to **{format_fixed(sums.max(), 1)}**. Softmax turns them into "
        f"probabilities: its rows have the sum **{weights.sum(-1).mean():.4f}**.",
        draw,
    )


LAYER_ITEMS = (
    Item(
        "sequence-to-sequence",
        "A model from sequence to sequence",
        "claim",
        (Quotation("The core of the model is a Transformer architecture, designed for sequence-to-sequence tasks like "
                   "language modeling.", MODEL),),
        _sequence_to_sequence,
        "The term usually means two sequences, such as a sentence and its translation, which an encoder reads and a "
        "decoder writes. A language model has one stack and one sequence.",
        "full_stack",
    ),
    Item(
        "order-from-positions",
        "Positions give a sense of order",
        "claim",
        (Quotation("Positional embeddings are added to provide the model with a sense of order in the sequence.",
                   MODEL),),
        _order_from_positions,
        "Without the table, the causal mask alone tells the order: each token sees another set of tokens. Without "
        "both, the last token reads a set, and no order of the others changes its logits.",
        "positions",
    ),
    Item(
        "different-parts",
        "Attend to different parts",
        "claim",
        (Quotation("This mechanism allows the model to \"attend\" to different parts of the input sequence …", MODEL),),
        _different_parts,
        "The weights are random here, because the model is not trained. That they differ by head and query makes it "
        "possible to learn where to look.",
        "multi_head",
    ),
    Item(
        "after-attention",
        "The network after attention",
        "claim",
        (Quotation("This network processes the output of the attention layer, applying non-linear transformations to "
                   "further learn complex patterns in the data.", MODEL),),
        _after_attention,
        "In a pre-norm block the network reads the residual stream, to which attention has added its output. ReLU is "
        "the non-linear part; the two linear layers around it would be one without it.",
        "feed_forward",
    ),
    Item(
        "output-probabilities",
        "The output as probabilities",
        "claim",
        (Quotation("Finally, a dense layer maps the model's output to the vocabulary size, producing probabilities for "
                   "each "
                   "character as the next potential character.", MODEL),),
        _probabilities,
        "The dense layer produces logits. The loss and the sampling of the notebook apply softmax to them.",
        "softmax",
    ),
)  # fmt: skip
