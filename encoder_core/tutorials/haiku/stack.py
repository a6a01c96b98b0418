"""The rows of the section Transformer Encoder: six blocks, their test, and the two modes side by side."""

import numpy as np

from encoder_core.analysis import relative_change
from encoder_core.config import EncoderConfig
from encoder_core.figures import Line, ThemeName
from encoder_core.parameters.cost import parameters_by_part
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.haiku.models import BLOCK_CONFIG, CONFIG, STACK, encoder_run, example_input
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, bar_panel, curve_panel

# The arguments of the two constructors, without `name`.
BLOCK_ARGUMENTS = ("d_model", "num_heads", "d_ff", "p_dropout")
ENCODER_ARGUMENTS = ("num_layers", "num_heads", "d_model", "d_ff", "p_dropout")


def num_parameters(config: EncoderConfig) -> dict[str, int]:
    """The parameters of the blocks by part; the tutorial's tests have no embedding table."""
    return {part: count for part, count in parameters_by_part(config).items() if part != "embedding"}


def _arguments(seed: int) -> Finding:
    added = set(ENCODER_ARGUMENTS) - set(BLOCK_ARGUMENTS)
    one, six = (sum(num_parameters(config).values()) for config in (BLOCK_CONFIG, CONFIG))

    def draw(theme: ThemeName) -> Line:
        counts = {str(n): float(n * one) for n in range(1, 7)}
        return [bar_panel(counts, title="parameters, by number of blocks", marks=[0, 5], theme=theme)]

    return Finding(
        judge(added == {"num_layers"} and set(BLOCK_ARGUMENTS) < set(ENCODER_ARGUMENTS) and six == 6 * one),
        f"{len(BLOCK_ARGUMENTS)} + {len(added)} arguments",
        f"The encoder has the **{len(BLOCK_ARGUMENTS)}** arguments of the block and `{', '.join(added)}`, in another "
        f"order. It has **{six:,}** parameters, 6 · {one:,}.",
        draw,
    )


def _type_hint(seed: int) -> Finding:
    x = example_input(seed)

    def draw(theme: ThemeName) -> Line:
        ids = np.arange(12, dtype=float)[None]
        parts: Parts = [Matrix(title="List[int]: 12 ids", values=ids, row_axis="sentence", rows=["1"],
                               columns=[str(i + 1) for i in range(12)], column_axis="token", own_scale=True), "≠",
                        Matrix(title=f"x of the test {x.shape}: sentence 1", values=x[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(np.issubdtype(x.dtype, np.integer)),
        f"{x.dtype}, {x.ndim} axes",
        f"The test passes an array of **{x.dtype}** with **{x.ndim}** axes, (B, S, d_model). A list of ids has no axis "
        "of d_model: the embedding comes before the encoder.",
        draw,
    )


def _our_block(seed: int) -> Finding:
    run = encoder_run(seed, seed)
    lengths = [relative_change(layer.resid_pre, layer.resid_post) for layer in run.trace.layers]

    def draw(theme: ThemeName) -> Line:
        changes = {f"block {i}": change for i, change in enumerate(lengths, 1)}
        return [bar_panel(changes, title="relative change of the rows in each block", theme=theme)]

    return Finding(
        judge(len(run.trace.layers) == 1),
        f"{len(run.trace.layers)} blocks",
        f"The code below this sentence runs **{len(run.trace.layers)}** blocks, not one.",
        draw,
    )


def _encoder_test(seed: int) -> Finding:
    out, parts = encoder_run(seed, seed).trace.output, num_parameters(CONFIG)

    def draw(theme: ThemeName) -> Line:
        line: Parts = [Matrix(title="x of sentence 1", values=example_input(seed)[0]), "→",
                Matrix(title="out: six blocks, training mode", values=out[0])]  # fmt: skip
        return line_of(line, theme=theme)

    return Finding(
        judge(out.shape == (2, 12, 64)),
        f"{out.shape}",
        f"The test prints **{out.shape}**. The six blocks have **{sum(parts.values()):,}** parameters: "
        f"{', '.join(f'{count:,} in {part}' for part, count in parts.items())}.",
        draw,
    )


def _last_block(seed: int) -> Finding:
    trace = encoder_run(seed).trace
    difference = float(np.abs(trace.output - trace.layers[-1].resid_post).max())

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="output of block 6", values=trace.layers[-1].resid_post[0]), "=",
                        Matrix(title="output of the encoder", values=trace.output[0])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(difference == 0),
        f"difference {difference:g}",
        f"The output of the encoder and that of block 6 differ by **{difference:g}**: no norm follows.",
        draw,
    )


def _modes(seed: int) -> Finding:
    evaluation, training = encoder_run(seed).trace, encoder_run(seed, seed).trace
    stages = list(zip(evaluation.layers, training.layers, strict=True))
    change = np.array([relative_change(a.resid_post, b.resid_post) for a, b in stages])

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="evaluation", values=evaluation.output[0]), "≠",
                        Matrix(title="training", values=training.output[0]), "",
                        curve_panel({"change": change}, [str(i) for i in range(1, 7)], title="relative change by block",
                                    x_axis="after block", y_axis="", theme=theme)]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(bool((change > 0.01).all())),
        f"outputs differ by {change[-1]:.0%}",
        f"With the rate {CONFIG.dropout}, the outputs of training and evaluation mode differ by **{change[0]:.0%}** "
        f"after block 1 and by **{change[-1]:.0%}** after block 6. This is one draw of dropout, measured over both "
        "sentences of random rows with the mask of the tutorial's test.",
        draw,
    )


STACK_ITEMS = (
    Item(
        "encoder-arguments",
        "The arguments of the encoder",
        "claim",
        (Quotation("This class inputs the same set of parameters as the EncoderBlock class and adds the parameter "
                   "num_layers to specify the number of stacked encoder blocks.", STACK),),
        _arguments,
        "“Parameters” are the arguments of the constructor here. Each block has its own trained parameters.",
        "full_stack",
    ),
    Item(
        "type-hint",
        "The type hint List[int]",
        "claim",
        (Quotation("def __call__(self, x: List[int], mask=None, is_train=True):", STACK, "code"),),
        _type_hint,
        "Python does not check type hints, so the code runs.",
        "embedding",
    ),
    Item(
        "our-encoder-block",
        "Let's run our encoder block",
        "claim",
        (Quotation("Let's run our encoder block.", STACK),
         Quotation("num_layers = 6", STACK, "code")),
        _our_block,
        "The sentence repeats that of the section before; the code tests the whole encoder.",
        "full_stack",
    ),
    Item(
        "test-encoder",
        "Test of the encoder",
        "printed result",
        (Quotation("print(out.shape)", STACK, "code"),
         Quotation("out = transformer_encoder.apply(\n    rng=rng_key, params=params, x=x, mask=mask, is_train=True\n)",
                   STACK, "code")),
        _encoder_test,
        "Six blocks keep the shape as one does.",
        "full_stack",
    ),
    Item(
        "returns-last-block",
        "What the encoder returns",
        "claim",
        (Quotation(":return: The final output of the encoder that contains the last encoder block output.", STACK,
                   "code"),),
        _last_block,
        "It does not only contain the output of the last block: it is that output.",
        "full_stack",
    ),
    Item(
        "training-and-evaluation",
        "Training and evaluation mode",
        "claim",
        (Quotation(":param is_train: Whether the model is in training mode.", STACK, "code"),),
        _modes,
        "Training mode is the default of the code, so a call without `is_train=False` drops numbers. With the same "
        "key, the result is the same each time.",
        "full_stack",
    ),
)  # fmt: skip
