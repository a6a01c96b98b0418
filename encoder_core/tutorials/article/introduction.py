"""The rows of the introduction, of Main parameters and of the words' indices."""

import numpy as np
from jaxtyping import Bool

from encoder_core.figures import Line, ThemeName
from encoder_core.recipes.article import POEM
from encoder_core.recipes.example import vocabulary_of, words_of
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.models import (
    WALKTHROUGH,
    T,
    article_run,
    bar_panel,
    block,
    normalize,
    words,
)
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

PRINTED_TOKENS = ["cest", "un", "trou", "de", "verdure", "où", "chante", "une", "rivière"]


def steps_to_read(reads: Bool[np.ndarray, "position position"]) -> int:
    """The number of steps until the last position depends on the first one.

    reads  (i, j) is True where position i reads position j in one step
    """
    seen = np.eye(len(reads), dtype=bool)
    for step in range(1, len(reads)):
        seen = seen | (reads.astype(int) @ seen > 0)
        if seen[-1, 0]:
            return step
    raise ValueError("the last position never depends on the first one.")


def _recurrence(seed: int) -> Finding:
    pattern = block(seed).pattern[0, 0]
    seq = len(pattern)
    recurrent = np.eye(seq, dtype=bool) | np.eye(seq, k=-1, dtype=bool)
    steps = steps_to_read(recurrent), steps_to_read(pattern > 0)

    def draw(theme: ThemeName) -> Line:
        reads = Matrix(title=f"recurrence: {steps[0]} steps", values=recurrent.astype(float), kind="weights",
                       row_axis="position", column_axis="other position", show_values=False)  # fmt: skip
        weights = Matrix(title=f"self-attention: {steps[1]} step", values=pattern, kind="weights", row_axis="query",
                         column_axis="key", title_colour="attention")  # fmt: skip
        return line_of([reads, "→", weights], theme=theme)

    return Finding(
        judge(False, under_condition=steps == (seq - 1, 1)),
        f"{steps[0]} steps against {steps[1]}",
        f"A recurrent network needs **{steps[0]}** steps until the state of word {seq} depends on word 1. "
        f"Self-attention needs **{steps[1]}**: all {pattern.size} weights of the first head are above 0.",
        draw,
        "it means a model without recurrence: self-attention itself is older",
    )


def _main_parameters(seed: int) -> Finding:
    trace = article_run(seed).trace
    ids = trace.ids
    assert ids is not None

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title=f"ids {ids.shape}", values=ids.astype(float), row_axis="sentence",
                       column_axis="token", own_scale=True),
                "→",
                Matrix(title=f"output, dimension 0 of {trace.output.shape[-1]}", values=trace.output[..., 0],
                       row_axis="sentence", column_axis="token", own_scale=True),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(ids.shape == (32, 10) and trace.output.shape == (32, 10, 64)),
        f"ids {ids.shape}",
        f"The batch has **{ids.shape[0]}** sequences of **{ids.shape[1]}** words; the output has shape "
        f"**{trace.output.shape}**.",
        draw,
    )


def _architecture(seed: int) -> Finding:
    trace, layer = article_run(seed).trace, block(seed)
    middle, output = normalize(trace.embedded + layer.attn_out), normalize(layer.mlp_in + layer.mlp_out)
    error = max(np.abs(middle - layer.mlp_in).max(), np.abs(output - trace.output).max())
    before = np.abs(normalize(trace.embedded) - layer.attn_in).max()

    def draw(theme: ThemeName) -> Line:
        stages = {
            "embeddings + positions": trace.embedded,
            "attention, add, norm": layer.mlp_in,
            "feed-forward, add, norm": trace.output,
        }
        parts: list[Matrix | str] = []
        for title, values in stages.items():
            parts += ["→", Matrix(title=title, values=values[0], rows=words(seed))]
        return line_of(parts[1:], theme=theme)

    return Finding(
        judge(error < 1e-4 < before),
        f"largest difference {format_number(error, 1)}",
        "Each norm stands after its sum: computed in the order of the figure, the two results differ by at most "
        f"**{format_number(error, 1)}** from those of the encoder. The code has **{len(trace.layers)}** block.",
        draw,
    )


def _tokens(seed: int) -> Finding:
    poem = words_of(POEM)
    vocabulary = vocabulary_of(POEM)
    counts = [poem.count(word) for word in poem[:9]]

    def draw(theme: ThemeName) -> Line:
        return [bar_panel(np.array(counts), poem[:9], "How often the first nine words occur in the poem", theme)]

    return Finding(
        judge(poem[:9] == PRINTED_TOKENS),
        ", ".join(poem[:3]) + ", …",
        f"Lower case without punctuation: the first nine words are **{', '.join(poem[:9])}**. The poem has "
        f"**{len(poem)}** words, **{len(vocabulary)}** of them different.",
        draw,
    )


def _indices(seed: int) -> Finding:
    run = article_run(seed)
    ids, table = run.trace.ids, run.parameters["token_embedding"]
    assert ids is not None
    order = np.random.default_rng(seed).permutation(len(table))  # another order of the set: id -> new id
    renamed = np.empty_like(table)
    renamed[order] = table
    first, second = table[ids[0]], renamed[order[ids[0]]]
    same = np.array_equal(table[ids], renamed[order[ids]])

    def draw(theme: ThemeName) -> Line:
        names = words(seed)
        numbers = [
            Matrix(
                title=title,
                values=indices[:, None].astype(float),
                rows=names,
                columns=["id"],
                column_axis="id",
                own_scale=True,
                show_values=False,
            )
            for title, indices in (("one order", ids[0]), ("another order", order[ids[0]]))
        ]
        rows = [Matrix(title="embeddings", values=rows, rows=names) for rows in (first, second)]
        return line_of([numbers[0], "→", rows[0], "=", rows[1], "←", numbers[1]], theme=theme)

    return Finding(
        judge(ids.shape == (32, 10) and ids.max() < len(table) and same),
        f"ids {ids.shape}, 0 to {len(table) - 1}",
        f"32 stretches of 10 words become ids of shape **{ids.shape}**. With the words in another order, "
        f"**{int((order[ids[0]] != ids[0]).sum())}** of 10 ids of the first sequence differ and, with the table in "
        "that order, **none** of the looked-up rows.",
        draw,
    )


INTRODUCTION_ITEMS = (
    Item(
        "recurrence",
        "Attention in place of recurrence",
        "claim",
        (Quotation("Succeeding to former state-of-the-art architectures relying on recurrence such as Long Short-Term "
                   "Memory (LSTM) networks or Gated Recurrent Units (GRU), Transformers introduce the concept of "
                   "self-attention", T),),
        _recurrence,
        "What was new is a model of attention alone. Vaswani et al. 2017 name earlier uses of self-attention in their "
        "section 2 and compare these path lengths in their table 1.",
        "softmax",
    ),
    Item(
        "main-parameters",
        "Batch size and sequence length",
        "printed result",
        (Quotation("In this article, we’ll use batch_size=32 and seq_len=10, which means that our encoder will "
                   "simultaneously process 32 sequences of 10 words.", T),
         Quotation("encoded_sequences.shape\n(32, 10)", WALKTHROUGH, "code")),
        _main_parameters,
        "Both numbers are fixed in the article's modules: `reshape(self.batch_size, self.seq_len, -1)` fails for a "
        "batch of another size. The encoder of this page takes any batch.",
        "embedding",
    ),
    Item(
        "architecture",
        "The Transformer encoder",
        "figure",
        (Quotation("The Transformer Encoder\nInput Sequences … Embedding Layer … Positional Encodings … Multi-Head "
                   "Attention … Res. Connection Layer Norm … Feed Forward Network … Res. Connection Layer Norm … x "
                   "N_cells", T),),
        _architecture,
        "This order, with the norm after each residual sum, is called post-norm. The figure repeats the block "
        "N_cells times; the article's code has one block.",
        "map",
    ),
    Item(
        "tokens",
        "The first nine tokens",
        "printed result",
        (Quotation("tokens[:9]\n['cest', 'un', 'trou', 'de', 'verdure', 'où', 'chante', 'une', 'rivière']", WALKTHROUGH,
                   "code"),),
        _tokens,
        "Removing every sign of `string.punctuation` also removes apostrophes and hyphens: “C'est” becomes “cest”, and "
        "“berce-le” becomes “bercele”.",
        "embedding",
    ),
    Item(
        "indices",
        "An index for each unique word",
        "claim",
        (Quotation("collecting a set of unique words in our dataset, and assigning an index to each of them. Then we "
                   "would sample 32 sequences of 10 words and replace each word with its index in the vocabulary. This "
                   "procedure would provide us with an array of shape (batch_size, seq_len), as expected.", T),
         Quotation("token_to_indices = {token: idx for idx, token in enumerate(set(tokens))}", WALKTHROUGH, "code")),
        _indices,
        "Any order of the words serves, because an id only names a row of the table. The order of a Python set of "
        "strings changes from run to run, so the notebook's ids, and the rows that they select, do too. Here the words "
        "are numbered in order of first appearance.",
        "embedding",
    ),
)  # fmt: skip
