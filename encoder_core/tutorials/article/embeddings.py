"""The rows of the section Word Embeddings."""

from functools import lru_cache

import numpy as np

from encoder_core.analysis import cosines
from encoder_core.encoder import Encoder
from encoder_core.figures import Line, ThemeName
from encoder_core.parameters import draw_parameters
from encoder_core.pretrained import nearest_words
from encoder_core.recipes.article import INTENDED
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_fixed
from encoder_core.tutorials.article.models import WALKTHROUGH, Rows, T, article_run, bar_panel, words
from encoder_core.tutorials.article.trained import NOT_LOADED
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

PAIRS = (
    ("big", "large"), ("small", "little"), ("happy", "glad"), ("fast", "quick"), ("car", "vehicle"),
    ("house", "home"), ("begin", "start"), ("cat", "dog"), ("king", "queen"), ("river", "stream"),
)  # fmt: skip
# (added, subtracted, expected)
ANALOGIES = (
    (("king", "woman"), ("man",), "queen"),
    (("brother", "woman"), ("man",), "sister"),
    (("bigger", "small"), ("big",), "smaller"),
    (("going", "see"), ("go",), "seeing"),
    (("walked", "swim"), ("walk",), "swam"),
    (("berlin", "japan"), ("germany",), "tokyo"),
    (("paris", "italy"), ("france",), "rome"),
    (("madrid", "france"), ("spain",), "paris"),
)
_TRAINED = "the embeddings are trained"


def _similar_meanings(seed: int) -> Finding:
    table = draw_parameters(INTENDED, seed)["token_embedding"][: 2 * len(PAIRS)]
    return _pairs(table[::2], table[1::2], False, f"before training. {NOT_LOADED}")


@lru_cache(maxsize=1)
def _trained_meanings(trained: Encoder) -> Finding:
    table = trained.parameters()["token_embedding"]
    assert trained.tokenizer is not None
    index = {word: i for i, word in enumerate(trained.tokenizer.vocabulary)}
    first, second = (table[[index[pair[side]] for pair in PAIRS]] for side in (0, 1))
    return _pairs(first, second, True, "in the trained table of all-MiniLM-L6-v2, whose rows have 384 numbers.")


def _pairs(first: Rows, second: Rows, is_trained: bool, where: str) -> Finding:
    square = cosines(first.astype(float), second.astype(float))
    similar, mixed = square.diagonal(), square[~np.eye(len(square), dtype=bool)]
    is_larger = similar.mean() > mixed.mean() + 4 * mixed.std() / np.sqrt(len(similar))

    def draw(theme: ThemeName) -> Line:
        names = [first_word for first_word, _ in PAIRS]
        return [
            bar_panel(similar, names, "cosine of two words of similar meaning", theme),
            "",
            *line_of([Matrix(title="of all first words with all second words", values=square,
                             rows=[a for a, _ in PAIRS], columns=[b for _, b in PAIRS], row_axis="word",
                             column_axis="word", show_values=False)], theme=theme),
        ]  # fmt: skip

    return Finding(
        judge(False, under_condition=is_larger == is_trained),
        f"mean cosine {format_fixed(similar.mean(), 2)}, others {format_fixed(mixed.mean(), 2)}",
        f"The mean cosine of ten pairs of similar words is **{format_fixed(similar.mean(), 2)}**, and "
        f"**{format_fixed(mixed.mean(), 2)}** "
        f"(standard deviation {mixed.std():.2f}) of words from two different pairs, {where}",
        draw,
        _TRAINED,
    )


def _analogies(seed: int) -> Finding:
    vocabulary = tuple(dict.fromkeys(word for plus, minus, answer in ANALOGIES for word in (*plus, *minus, answer)))
    table = draw_parameters(INTENDED, seed)["token_embedding"][: len(vocabulary)]
    start = f"Among {len(vocabulary)} drawn rows (before training), "
    return _answers(table, vocabulary, False, start, f" {NOT_LOADED}")


@lru_cache(maxsize=1)
def _trained_analogies(trained: Encoder) -> Finding:
    assert trained.tokenizer is not None
    table, vocabulary = trained.parameters()["token_embedding"], trained.tokenizer.vocabulary
    return _answers(table, vocabulary, True, f"Among the {len(vocabulary):,} rows of all-MiniLM-L6-v2, ", "")


def _answers(table: Rows, vocabulary: tuple[str, ...], is_trained: bool, start: str, end: str) -> Finding:
    ranks = []
    for plus, minus, answer in ANALOGIES:
        nearest = [neighbour.word for neighbour in nearest_words(table, vocabulary, plus, minus, count=10)]
        ranks.append(nearest.index(answer) + 1 if answer in nearest else 11)
    hits = ranks.count(1)

    def draw(theme: ThemeName) -> Line:
        names = [answer for _, _, answer in ANALOGIES]
        bars = bar_panel(np.array(ranks), names, "place of the expected word (11: beyond the tenth)", theme,
                         marks=tuple(i for i, rank in enumerate(ranks) if rank == 1))  # fmt: skip
        return [bars]

    examples = "; ".join(f"{plus[0]} − {minus[0]} + {plus[1]}" for plus, minus, _ in ANALOGIES[:3])
    return Finding(
        judge(False, under_condition=(hits >= len(ANALOGIES) / 2) == is_trained),
        f"{hits} of {len(ANALOGIES)} analogies",
        f"{start}the expected word is the nearest in **{hits}** of {len(ANALOGIES)} analogies ({examples}; …), with "
        f"the words of the analogy left out.{end}",
        draw,
        _TRAINED,
    )


def _embed_shape(seed: int) -> Finding:
    trace, table = article_run(seed).trace, article_run(seed).parameters["token_embedding"]
    embeddings = trace.token_embedding
    ids = trace.ids
    assert ids is not None

    def draw(theme: ThemeName) -> Line:
        lookup = Matrix(title=f"embeddings of sequence 0 {embeddings[0].shape}", values=embeddings[0], rows=words(seed))
        return line_of([Matrix(title=f"table {table.shape}", values=table, row_axis="id"), "→", lookup], theme=theme)

    return Finding(
        judge(embeddings.shape == (32, 10, 64) and np.array_equal(embeddings, table[ids])),
        str(embeddings.shape),
        f"`hk.Embed` has a table of shape **{table.shape}**; the looked-up rows have shape **{embeddings.shape}**, and "
        f"so has the sum with the encodings, **{trace.embedded.shape}**.",
        draw,
    )


def _dummy_shape(seed: int) -> Finding:
    table, ids = article_run(seed).parameters["token_embedding"], article_run(seed).trace.ids
    assert ids is not None
    dummy = np.zeros((32, 10, 64), np.int32)
    looked_up = {"dummy data": (*dummy.shape, table.shape[1]), "ids": (*ids.shape, table.shape[1])}

    def draw(theme: ThemeName) -> Line:
        row = table[dummy[0, 0]]
        return line_of(
            [
                Matrix(title="dummy data: 64 × 64 numbers for one word", values=row, row_axis="row"),
                "≠",
                Matrix(title="ids: 64 numbers for each word", values=table[ids[0]], rows=words(seed)),
            ],
            theme=theme,
        )

    return Finding(
        judge(dummy.shape == ids.shape),
        f"{dummy.shape} ≠ {ids.shape}",
        f"The dummy data have shape **{dummy.shape}**, the ids **{ids.shape}**. A lookup gives each id a row, so the "
        f"dummy data become **{looked_up['dummy data']}** and the ids **{looked_up['ids']}**.",
        draw,
    )


def _learnable(seed: int) -> Finding:
    trace, table = article_run(seed).trace, article_run(seed).parameters["token_embedding"]
    ids = trace.ids
    assert ids is not None
    upstream = np.random.default_rng(seed).standard_normal(trace.embedded.shape)  # of any loss after the lookup
    gradient, first = np.zeros(table.shape), np.zeros(table.shape)
    np.add.at(gradient, ids, upstream)
    np.add.at(first, ids[0], upstream[0])
    updated, occurring = gradient.any(axis=1), np.isin(np.arange(len(table)), ids)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="gradient of the table: one sequence", values=first, row_axis="id"),
                "",
                Matrix(title="all 32 sequences", values=gradient, row_axis="id"),
            ],
            theme=theme,
        )

    exact = np.array_equal(updated, occurring)
    return Finding(
        judge(exact and bool(updated.all() and first.any(axis=1).all()), under_condition=exact),
        f"{int(first.any(axis=1).sum())} of {len(table)} rows for one sequence",
        f"Whatever the loss, one sequence changes **{int(first.any(axis=1).sum())}** of {len(table)} rows of the "
        f"table, the batch of 32 changes **{int(updated.sum())}**: exactly those of the words that occur.",
        draw,
        "the word occurs in the batch",
    )


EMBEDDING_ITEMS = (
    Item(
        "similar-meanings",
        "Similar words have similar coordinates",
        "claim",
        (Quotation("each word is represented by a 64-dimensional vector so that words with similar meanings have "
                   "similar coordinates.", T),),
        _similar_meanings,
        "Drawn rows know nothing of meaning: their cosines scatter around 0 with a standard deviation of about "
        "1/√d. Similarity is a result of training.",
        "embedding",
        _trained_meanings,
    ),
    Item(
        "analogies",
        "Relations between words",
        "figure",
        (Quotation("Moreover, we can manipulate these vectors to extract relations between words, as depicted below.",
                   T),),
        _analogies,
        "A relation is tested as a sum of rows: brother − man + woman should be closest to sister (Mikolov, Yih & "
        "Zweig 2013). With minilm, the embedding page accepts your own "
        "analogies.",
        "embedding",
        _trained_analogies,
    ),
    Item(
        "embed-shape",
        "Shape of the embeddings",
        "printed result",
        (Quotation("embeddings.shape\n(32, 10, 64)", WALKTHROUGH, "code"),
         Quotation("positional_embeddings.shape\n(32, 10, 64)", WALKTHROUGH, "code")),
        _embed_shape,
        "One row of 64 numbers for each id. The positional encodings are added to every sequence, which keeps the "
        "shape.",
        "embedding",
    ),
    Item(
        "dummy-shape",
        "Dummy data for the embedding",
        "claim",
        (Quotation("# param initialization: pass a random key and dummy data with the right shape\n"
                   "params = embed.init(key, jnp.zeros((BATCH_SIZE, SEQ_LEN, EMBED_DIM), dtype=jnp.int32))",
                   WALKTHROUGH, "code"),),
        _dummy_shape,
        "The shape is that of the output, not of the ids. It does no harm: the table is vocabulary × width, whatever "
        "is looked up.",
        "embedding",
    ),
    Item(
        "learnable-embeddings",
        "Embeddings are updated in training",
        "claim",
        (Quotation("These embeddings will be updated along with other learnable parameters during model training", T),),
        _learnable,
        "A lookup is a product with one-hot rows. Its gradient adds the gradient at each position to the row of that "
        "position's word, and leaves all other rows at 0.",
        "embedding",
    ),
)  # fmt: skip
