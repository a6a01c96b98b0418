"""The rows on the attention of one word: what a weight means, and "it" and "jumped" in a trained model."""

from functools import lru_cache

import numpy as np

from encoder_core.encoder import Encoder
from encoder_core.figures import HeatmapStyle, Line, RowBarsStyle, ThemeName, heatmap, row_bars
from encoder_core.scenes import recipes as scenes
from encoder_core.scenes.items import HEIGHT
from encoder_core.support.wording import head_name
from encoder_core.tutorials.article.models import T, block, words
from encoder_core.tutorials.article.trained import NOT_LOADED, Sentence, in_trained, in_untrained
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

CONTEXT = ("cat", "on", "sofa")
DRAWN = {"it": ("cat", "black", "asleep", "tired"), "jumped": ("cat", "on", "sofa", "fell")}
_UNTRAINED = "the model is trained, and one reads particular heads"


def _importance(seed: int) -> Finding:
    layer = block(seed)
    weights, v, z = layer.pattern, layer.v, layer.z
    distances = np.linalg.norm(z[..., None, :] - v[..., None, :, :], axis=-1)  # batch, head, query, key
    effects = weights / (1 - weights) * distances  # |z without the key - z|: the other weights grow to a sum of one
    agree = int((weights.argmax(-1) == effects.argmax(-1)).sum())
    rows = weights[..., 0].size

    def draw(theme: ThemeName) -> Line:
        columns = {
            "weights of word 1, head 1": weights[0, 0, 0],
            "change of its result without the key": effects[0, 0, 0],
        }
        return [
            row_bars(values, words(seed), title=title, marks=[int(values.argmax())],
                     style=RowBarsStyle(colour="attention", span=(0.0, float(values.max())), height=HEIGHT, weight=20,
                                        theme=theme))
            for title, values in columns.items()
        ]  # fmt: skip

    return Finding(
        judge(agree == rows, under_condition=agree > rows / 2),
        f"same word in {agree} of {rows} rows",
        f"In **{agree}** of {rows} rows (32 sequences, 4 heads, 10 words), the word of the largest weight is also the "
        "one whose removal changes the head's result most.",
        draw,
        "importance means the weight",
    )


def _columns(sentence: Sentence, query: str, place: tuple[int, int], theme: ThemeName) -> Line:
    one, mean = sentence.pattern[place], sentence.pattern[place[0]].mean(axis=0)
    at = sentence.tokens.index(query)
    titles = f"“{query}”, {head_name(*place)}", f"mean of the heads of layer {place[0] + 1}"
    return scenes.attention_vector(
        dict(zip(titles, (one[at], mean[at]), strict=True)), tokens=sentence.tokens, theme=theme
    )


def _it(seed: int) -> Finding:
    return _it_in(in_untrained(seed), is_trained=False)


@lru_cache(maxsize=1)
def _trained_it(trained: Encoder) -> Finding:
    return _it_in(in_trained(trained), is_trained=True)


def _it_in(sentence: Sentence, *, is_trained: bool) -> Finding:
    cat, sofa = (sentence.weight("it", [word]) for word in ("cat", "sofa"))
    ranks, heads = sentence.ranks("it", "cat"), cat.size
    best = np.unravel_index(int(cat.argmax()), cat.shape)
    place = (int(best[0]), int(best[1]))
    first = int((ranks == 1).sum())

    def draw(theme: ThemeName) -> Line:
        return _columns(sentence, "it", place, theme)

    if is_trained:
        by_layer = ", ".join(str(count) for count in (cat > sofa).sum(axis=1))
        return Finding(
            judge(first == heads, under_condition=bool(cat[place] > 0.5 and first > 0)),
            f"cat first in {first} of {heads} heads",
            f"“it” gives “cat” more weight than “sofa” in **{int((cat > sofa).sum())}** of {heads} heads (by layer: "
            f"{by_layer} of 12), and the largest of all other words in **{first}**. In {head_name(*place)} it is "
            f"**{cat[place]:.2f}**; averaged over all heads, cat has {cat.mean():.3f} and sofa {sofa.mean():.3f}.",
            draw,
            f"one reads particular heads, such as {head_name(*place)}",
        )
    return Finding(
        judge(first == heads, under_condition=True),
        f"untrained: first in {first} of {heads} heads",
        f"Before training, “cat” has the largest weight of all other words in **{first}** of {heads} heads, which "
        f"drawn numbers decide. {NOT_LOADED}",
        draw,
        _UNTRAINED,
    )


def _jumped(seed: int) -> Finding:
    return _jumped_in(in_untrained(seed), is_trained=False)


@lru_cache(maxsize=1)
def _trained_jumped(trained: Encoder) -> Finding:
    return _jumped_in(in_trained(trained), is_trained=True)


def _jumped_in(sentence: Sentence, *, is_trained: bool) -> Finding:
    worst = np.max([sentence.ranks("jumped", word) for word in CONTEXT], axis=0)
    weight, heads = sentence.weight("jumped", CONTEXT), worst.size
    heads_with_most_weight = [(int(i), int(j)) for i, j in np.argwhere((worst <= 4) & (weight > 0.5))]
    place = max(heads_with_most_weight or [(0, 0)], key=lambda each: weight[each])
    top_three, top_four = int((worst == 3).sum()), int((worst <= 4).sum())

    def draw(theme: ThemeName) -> Line:
        return _columns(sentence, "jumped", place, theme)

    if is_trained:
        names = " and ".join(head_name(*each) for each in heads_with_most_weight)
        return Finding(
            judge(top_four > heads / 2, under_condition=bool(heads_with_most_weight)),
            f"among the top four in {top_four} of {heads} heads",
            f"The three words “cat”, “on” and “sofa” are the first three of the other words in **{top_three}** of "
            f"{heads} heads and among the first four in **{top_four}**. Together they have **{weight[place]:.2f}** of "
            f"the weight in {head_name(*place)}, and {weight.mean():.2f} averaged over all heads "
            f"({3 / len(sentence.tokens):.2f} would be equal weights).",
            draw,
            f"one reads particular heads: {names}",
        )
    return Finding(
        judge(top_four > heads / 2, under_condition=True),
        f"untrained: {weight.mean():.2f} of the weight",
        f"Before training, the three words have **{weight.mean():.2f}** of the weight, averaged over {heads} heads; "
        f"equal weights would be {3 / len(sentence.tokens):.2f}. {NOT_LOADED}",
        draw,
        _UNTRAINED,
    )


def _drawn_rows(seed: int) -> Finding:
    return _drawn_rows_in(in_untrained(seed), f"the untrained model. {NOT_LOADED}")


@lru_cache(maxsize=1)
def _trained_drawn_rows(trained: Encoder) -> Finding:
    return _drawn_rows_in(in_trained(trained), "all-MiniLM-L6-v2.")


def _drawn_rows_in(sentence: Sentence, where: str) -> Finding:
    agreeing = {
        query: np.sum([sentence.ranks(query, word) <= 4 for word in drawn], axis=0) for query, drawn in DRAWN.items()
    }
    best = {query: np.unravel_index(int(count.argmax()), count.shape) for query, count in agreeing.items()}
    counts = {query: int(count.max()) for query, count in agreeing.items()}
    heads = agreeing["it"].size

    def draw(theme: ThemeName) -> Line:
        panels: Line = []
        for query, place in best.items():
            others = sentence.others(query)
            row = sentence.pattern[place][sentence.tokens.index(query)][others]
            style = HeatmapStyle(kind="weights", limit=float(row.max()), column_axis="word", row_axis="query",
                                 title_colour="attention", height=40, weight=30, theme=theme)  # fmt: skip
            names = [sentence.tokens[i] for i in others]
            marks = [(None, names.index(word)) for word in DRAWN[query]]
            title = f"Self-Attention({query}), {head_name(int(place[0]), int(place[1]))}"
            panels += ["", heatmap(row[None], [query], names, title=title, marks=marks, style=style)]
        return panels[1:]

    return Finding(
        judge(min(counts.values()) == 4),
        f"at most {counts['it']} and {counts['jumped']} of 4",
        f"Of the four words that the figure names, at most **{counts['it']}** for “it” and **{counts['jumped']}** for "
        f"“jumped” are among the four largest weights of one head, of {heads} heads in {where}",
        draw,
    )


WORD_ATTENTION_ITEMS = (
    Item(
        "importance",
        "A weight as the importance of a word",
        "claim",
        (Quotation("Attention aims to compute the importance of each word in a sequence, relative to an input word.",
                   T),),
        _importance,
        "A weight says how much of a value a head takes. What the value adds depends on the value, too: a word of a "
        "smaller weight can change the result more.",
        "softmax",
    ),
    Item(
        "it",
        "“it” refers to “cat”",
        "claim",
        (Quotation("“The black cat jumped on the sofa, lied down and fell asleep, as it was tired”.", T),
         Quotation("A well-trained attention model would be able to understand that “it” refers to “cat” and therefore "
                   "assign attention values to the rest of the sentence accordingly.", T)),
        _it,
        "A head in which “it” attends to “cat” is no proof that the model resolves the pronoun; one sentence cannot "
        "show that. The page Full stack shows all layers and heads of the chosen model.",
        "full_stack",
        _trained_it,
    ),
    Item(
        "jumped",
        "“jumped” attends to “cat”, “on” and “sofa”",
        "claim",
        (Quotation("For instance, the attention vector for the word “jumped” would have high values for words like "
                   "“cat” (what jumped?), “on”, and “sofa” (where did it jump?) as these words are relevant to its "
                   "context.",
                   T),),
        _jumped,
        "A model has one attention vector for each layer and head, not one for the word. A mean over heads hides what "
        "one head does.",
        "full_stack",
        _trained_jumped,
    ),
    Item(
        "self-attention-figure",
        "Words with the highest attention value",
        "figure",
        (Quotation("Words with the highest attention value, with respect to “it”:\n[“cat”, “black”, “asleep”, “tired”, "
                   "...]", T),
         Quotation("Words with the highest attention value, with respect to “jumped”:\n[“cat”, “on”, “sofa”, “fell”, "
                   "...]", T)),
        _drawn_rows,
        "The figure is an illustration: no code of the article computes it. As there, the word itself is left out, and "
        "the words that the figure names are outlined here.",
        "softmax",
        _trained_drawn_rows,
    ),
)  # fmt: skip
