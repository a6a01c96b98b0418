"""Transitions of the stages of attention: queries, keys and values, scores, softmax, weighted values, heads."""

from dashboard.lessons.transitions.transition import Demonstration, Transition, Why, experiment
from dashboard.models.model import Model
from dashboard.state.choices import TEMPERATURE
from encoder_core.support.wording import format_count

_LOWER_TEMPERATURE = 0.5  # one of the options of the page Softmax


def qkv(model: Model) -> Transition:
    """From one vector for each token to three."""
    return Transition(
        "Tokens exchange information in [[attention]] only. For it, each [[head]] maps every vector x to "
        f"three vectors of {format_count(model.config.d_head, 'number')}, a [[query]], a [[key]] "
        "and a "
        "[[value]].",
        "The next stage needs Q and K, because each query is compared with each key. V is used after softmax.",
        "Why three?",
        [
            Why(
                "Why three projections?",
                "With one matrix for queries and keys, the dot product of two tokens would be the same in both "
                "directions. With two, “it” can search for “cat” while “cat” searches for something else. With a third "
                "one, what a token passes on can differ from what it is compared by.",
                Demonstration("Compare both directions in Scores", "scaled_scores"),
            )
        ],
    )


def _hidden_keys(model: Model) -> str:
    mask, real = model.trace.mask, model.trace.real
    if mask.all():
        return "No key is masked."
    if not mask.any():
        return "The [[mask]] hides every key from every query."
    if (mask == real[:, None, None]).all():
        recipe = model.settings.recipe
        if recipe and recipe.example.mask == "random keys":
            hidden = "hides the same random keys from every query; this app names them \\[PAD]."
            return f"In each sentence, the [[mask]] {hidden}"
        return "The [[mask]] hides padding from every query."
    return "The [[mask]] hides some keys from some queries."


def scaled_scores(model: Model) -> Transition:
    """From queries and keys to a score for each pair."""
    d_head, seq = model.config.d_head, model.batch.ids.shape[1]
    is_scaled = model.run.scales_scores
    root = f"√{d_head}"
    exception = "" if is_scaled else " In this model the scores are not divided."
    if is_scaled and d_head == 1:
        exception = " Here √1 = 1 changes nothing."
    return Transition(
        f"Each token has a query and a key of {format_count(d_head, 'number')}, but nothing says yet how well a "
        "[[query]] "
        "matches a [[key]]: the [[score]] of a pair is their dot product"
        + (f", divided by {root}. " if is_scaled else ". ")
        + _hidden_keys(model),
        f"The next stage needs {format_count(seq, 'score')} for each query; a masked key has the score −∞, unless you "
        "set it.",
        f"Why {root}?" if is_scaled else "Why divide scores?",
        [
            Why(
                f"Why {'' if is_scaled else 'do other encoders '}divide by √d_head = {root}?",
                f"A dot product is a sum of {format_count(d_head, 'product')}. If the components of queries and keys "
                f"are independent, with mean 0 and variance 1, the variance of the sum is {d_head}. The larger the "
                "differences between scores, the closer softmax, the step of the next stage, is to choosing a single "
                "key, where its [[gradient]] is nearly 0, so that training hardly changes it. "
                f"Divided by {root}, the variance is 1 for any width of a head.{exception}",
                experiment("score-scaling"),
            )
        ],
    )


def softmax(model: Model) -> Transition:
    """From scores to weights."""
    seq = model.batch.ids.shape[1]
    of_layers = (
        "so only in layer 1 are the scores certain to stay the same"
        if model.config.attention_read_out == "stack"
        else "and here each layer shown has the encoder's input, so all scores stay the same"
    )
    scores = (
        "The query has 1 score of any size, but a mixture needs shares: [[softmax]] turns visible scores into "
        "[[weight|attention weights]] that add up to 1, so a single visible key gets the weight 1."
        if seq == 1
        else f"Each query has {seq:,} scores of any size, but a mixture needs shares: [[softmax]] turns the visible "
        "ones, if there are any, into [[weight|attention weights]], none negative, that add up to 1."
    )
    return Transition(
        scores,
        f"The next stage needs the weights: {format_count(seq, 'number')} for each query.",
        "Why exp, why the maximum?",
        [
            Why(
                "Why exp?",
                "exp is positive for every finite score, so no weight is negative, and a larger score always gets a "
                "larger weight. A difference of two scores becomes a ratio of two weights: at temperature 1, a score "
                "that is larger by 1 gives 2.72 times the weight. At temperature 0.5, the same scores give the square "
                f"of each ratio. (This page applies it in every layer, {of_layers}.)",
                Demonstration(f"Set the temperature to {_LOWER_TEMPERATURE:g}", "softmax",
                              [(TEMPERATURE, _LOWER_TEMPERATURE)]),
            ),
            Why(
                "Why subtract the maximum?",
                "In 32-bit floating point, exp of 89 is already infinite, and ∞ / ∞ is not a number. The same number "
                "subtracted from all scores of a row divides every exponential by the same factor, which cancels. "
                "After the maximum is subtracted, the largest exponential is 1.",
                experiment("softmax-maximum"),
            ),
        ],
    )  # fmt: skip


def weighted_values(model: Model) -> Transition:
    """From weights to a mixture of value rows."""
    config, seq = model.config, model.batch.ids.shape[1]
    d_head, heads = config.d_head, config.num_heads
    factor = "; the factor that you set for a head multiplies its sum" if model.run.effects.head_factors else ""
    of_heads = f"all {heads} heads, {heads} × {d_head} = {config.qkv_width} numbers" if heads > 1 else (
        f"the only head, {format_count(d_head, 'number')}")  # fmt: skip
    return Transition(
        f"Each query has {format_count(seq, 'weight')}, which {'says' if seq == 1 else 'say'} how much to take from "
        "each token, but not what: each [[weight]] multiplies the [[value]] row of its token, and the products add up "
        f"to z, {format_count(d_head, 'number')} for each query{factor}.",
        f"The next stage needs z of {of_heads} for each token.",
        "Why V?",
        [
            Why(
                "Why is V separate from x?",
                f"x has {format_count(config.d_model, 'number')}, and W_V computes the {d_head} that this head "
                "passes on. So "
                "a token can be found by one property, through its key, and pass on another one. If x itself were "
                "mixed, every head would pass on the same things, with other weights.",
                Demonstration("Compare K and V of this head", "qkv"),
            )
        ],
    )


def multi_head(model: Model) -> Transition:
    """From single heads to the output of attention."""
    config = model.config
    heads, width, d_model = config.num_heads, config.qkv_width, config.d_model
    if heads > 1:
        opening = (
            "One head has one row of weights for each query, so it mixes the tokens in a single way: this model has "
            f"{heads} [[head|heads]] in each layer, each with {config.d_head} of {width} columns of Q, K and V, and "
            f"$W_O$ combines their outputs into {format_count(d_model, 'number')} for each token."
        )
    else:
        opening = (
            f"z has {format_count(width, 'number')} for each token, but it is not yet in the terms of the "
            "[[residual stream]]: $W_O$ maps the outputs of all heads, in this model of a single [[head]], to "
            f"{format_count(d_model, 'number')}."
        )
    return Transition(
        opening,
        f"The next stage needs attn_out, which is as wide as x: {format_count(d_model, 'number')} for each token, so "
        "that the "
        "two can be added.",
        "Why several heads?",
        [
            Why(
                "Why several heads?",
                "The weights of a row add up to 1, so in one head a token that needs two others, such as its verb and "
                "its adjective, must divide its attention between them. Several heads attend to different tokens at "
                "the same time. They split the same matrices, so at the same width they have no more parameters than "
                "one head; each of them is narrower.",
                experiment("head-count"),
            )
        ],
    )
