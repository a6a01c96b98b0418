"""The glossary: one definition of each term, and the marks that explain a term within a text.

A text marks a term as `[[head]]`, or as `[[head|heads]]` where another word is shown.
"""

import re
from dataclasses import dataclass
from typing import Literal
from urllib.parse import quote

Identity = Literal["query", "key", "value", "attention"]
IDENTITY_COLOURS: dict[str, str] = {"query": "blue", "key": "red", "value": "green", "attention": "violet"}

# Terms that mean the same in every text about encoders, so `mark_terms` need not understand the text.
_UNAMBIGUOUS = ("cosine", "d_head", "d_model", "entropy", "feed-forward network", "gradient", "layer norm",
                "one-hot vector", "residual stream", "softmax")  # fmt: skip
_MENTION = re.compile(rf"\b({'|'.join(_UNAMBIGUOUS)})s?\b", re.IGNORECASE)
_MARK = re.compile(r"\[\[(\[\w+\]|[^\]|]+)(?:\|([^\]]+))?\]\]")


@dataclass(frozen=True)
class GlossaryEntry:
    """A term with its definition, which marks the other terms that it uses.

    identity  the tensor whose colour the term has
    """

    name: str
    definition: str
    identity: Identity | None = None


GLOSSARY: dict[str, GlossaryEntry] = {
    term.name: term
    for term in (
        GlossaryEntry("token", "A piece of the text: a word, a part of a rare word, a letter or a sign. Its id is its "
                      "number in the [[vocabulary]]."),
        GlossaryEntry("vocabulary", "All the [[token|tokens]] that an encoder can read, each with its id."),
        GlossaryEntry("[CLS]", "A special [[token]] that BERT's tokenizer puts at the beginning of every text. It "
                      "stands for no word."),
        GlossaryEntry("[SEP]", "A special [[token]] that BERT's tokenizer puts at the end of every text. It stands for "
                      "no word."),
        GlossaryEntry("[PAD]", "A special [[token]] that fills up the shorter sentences of a batch, so that all have "
                      "the same length. A padding [[mask]] hides it from every [[query]]."),
        GlossaryEntry("vector", "A row of numbers. The encoder has one for each [[token]] before and after every "
                      "[[layer]]."),
        GlossaryEntry("embedding", "The [[vector]] of a [[token]] before the encoder computes anything: its row of a "
                      "table with one row for each token of the [[vocabulary]]."),
        GlossaryEntry("one-hot vector", "A [[vector]] with one number for each [[token]] of the [[vocabulary]]: 1 at "
                      "the token's id, 0 elsewhere."),
        GlossaryEntry("position encoding", "A [[vector]] for each position in the text, added to the [[embedding]] of "
                      "the [[token]] that stands there."),
        GlossaryEntry("d_model", "The number of dimensions of each [[vector]] in the [[residual stream]]."),
        GlossaryEntry("residual stream", "The [[vector]] of each [[token]] on its way through the layers. Attention "
                      "and the [[feed-forward network]] add their results to it."),
        GlossaryEntry("parameter", "A number of the encoder that training changes and the text does not: an entry of a "
                      "matrix, a bias, or an entry of the table of [[embedding|embeddings]]."),
        GlossaryEntry("attention", "The step in which a [[token]] receives information from the tokens it can see: a "
                      "sum of their [[value|values]], each multiplied by a [[weight]].", "attention"),
        GlossaryEntry("query", "What a [[token]] searches for: a [[vector]] that is compared with the [[key]] of every "
                      "token.", "query"),
        GlossaryEntry("key", "What a [[token]] is compared by: a [[vector]] that every [[query]] is compared with.",
                      "key"),
        GlossaryEntry("value", "What a [[token]] passes on to a token that attends to it: a [[vector]], which is "
                      "multiplied by a [[weight]].", "value"),
        GlossaryEntry("head", "One computation of [[attention]] in a layer, usually one of several, with its own "
                      "[[query|queries]], [[key|keys]] and [[value|values]]."),
        GlossaryEntry("d_head", "The number of dimensions of a [[query]], a [[key]] or a [[value]] in one [[head]]."),
        GlossaryEntry("score", "How well a [[query]] matches a [[key]]: the dot product of the two, usually divided by "
                      "the square root of [[d_head]].", "attention"),
        GlossaryEntry("mask", "Which [[key|keys]] each [[query]] may attend to. A causal mask hides the keys of later "
                      "[[token|tokens]], a padding mask those that only fill up short sentences."),
        GlossaryEntry("softmax", "The function that turns a row of scores into weights: the exponential of each "
                      "[[score]], divided by the sum of all exponentials of the row."),
        GlossaryEntry("temperature", "A number by which [[score|scores]] are divided before [[softmax]]. Above 1, the "
                      "[[weight|weights]] of a row are more alike than without it; below 1, they differ more."),
        GlossaryEntry("weight", "The share of one [[key]] in what a [[query]] receives: from 0 to 1, and 1 in total "
                      "over the visible keys, before dropout. (The learned numbers of a weight matrix are called "
                      "[[parameter|parameters]] here.)", "attention"),
        GlossaryEntry("entropy", "How evenly a row of weights is spread, in bits: 0 if one [[key]] has the whole "
                      "[[weight]], log₂ n if n keys have equal ones."),
        GlossaryEntry("dropout", "In training, sets numbers chosen at random to 0 and divides the others by the share "
                      "that is kept. Where an encoder is only used, nothing is dropped."),
        GlossaryEntry("layer norm", "Shifts and scales the numbers of each [[token]] to mean 0 and variance 1, then "
                      "multiplies each dimension by a parameter γ and adds a parameter β."),
        GlossaryEntry("feed-forward network", "Two linear layers with an [[activation]], applied to the [[vector]] of "
                      "each [[token]] separately. Formulas call it FFN, the names of tensors mlp."),
        GlossaryEntry("MLP", "Multilayer perceptron, another name of the [[feed-forward network]], which the names of "
                      "its tensors contain."),
        GlossaryEntry("activation", "A function that is not linear, such as ReLU or GELU, applied to each number "
                      "separately."),
        GlossaryEntry("layer", "One of the equal parts that an encoder is a stack of: [[attention]] and a "
                      "[[feed-forward network]], each with a residual sum and a [[layer norm]]. Many tutorials call it "
                      "a block. (A linear layer is a single product with a matrix.)"),
        GlossaryEntry("hidden state", "The [[vector]] of a [[token]] after one of the layers."),
        GlossaryEntry("cosine", "How alike the directions of two [[vector|vectors]] are: their dot product divided by "
                      "both lengths. 1 in the same direction, 0 at a right angle, −1 in opposite directions."),
        GlossaryEntry("rollout", "An estimate of how much of each input [[token]] is in each vector after a layer, "
                      "which combines the [[attention]] of all layers up to it."),
        GlossaryEntry("ablation", "Switching a part off, such as a [[head]], to see how much the output depends on "
                      "it."),
        GlossaryEntry("logit", "The number that a prediction gives to one [[token]] of the [[vocabulary]], before "
                      "[[softmax]] turns all of them into probabilities."),
        GlossaryEntry("logit lens", "A prediction from the [[hidden state]] of an earlier [[layer]], as if that layer "
                      "were the last one."),
        GlossaryEntry("loss", "A number that says how far the outputs are from the right ones; training makes it "
                      "smaller. That of the runs on the page Training is the mean of −ln p, where p is the probability "
                      "of a right output."),
        GlossaryEntry("gradient", "How fast a result changes with each of the numbers that it is computed from. A step "
                      "of training changes each [[parameter]] according to the gradient of the [[loss]]."),
        GlossaryEntry("FLOP", "Floating-point operation: one addition or multiplication of two numbers. The counts "
                      "here are those of matrix products."),
        GlossaryEntry("seed", "The number from which a sequence of random numbers is computed: the same seed gives the "
                      "same ones, such as the parameters of an encoder before training."),
    )
}  # fmt: skip


def without_marks(text: str) -> str:
    """The text without the marks."""
    return _MARK.sub(lambda match: match[2] or match[1], text)


def mark_terms(text: str) -> str:
    """The text of `encoder_core`, which has no marks, with a mark at the first mention of each unambiguous term."""
    marked: set[str] = set()

    def mark(match: re.Match[str]) -> str:
        name = match[1].lower()
        if name in marked:
            return match[0]
        marked.add(name)
        return f"[[{name}|{match[0]}]]"

    return _MENTION.sub(mark, text)


def explain_terms(text: str) -> str:
    """The text as markdown: each marked term is a link, which dashboard/components/term_tips makes a button.

    Raises KeyError if a marked term is not in the glossary.
    """
    return _MARK.sub(lambda match: _link(GLOSSARY[match[1]], match[2] or match[1]), text)


def definitions() -> dict[str, str]:
    """The definitions without marks, by the targets of the links that `explain_terms` makes."""
    return {_target(term): without_marks(term.definition) for term in GLOSSARY.values()}


def _target(term: GlossaryEntry) -> str:
    return f"#term-{quote(term.name)}"


def _link(term: GlossaryEntry, text: str) -> str:
    link = f"[{text}]({_target(term)})"
    return f":{IDENTITY_COLOURS[term.identity]}[**{link}**]" if term.identity else link
