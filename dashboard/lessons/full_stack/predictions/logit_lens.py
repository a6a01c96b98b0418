"""The logit lens: how the prediction develops from layer to layer."""

import numpy as np
from jaxtyping import Float

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.inspect.questions import Question, WrongOption, without_duplicates
from dashboard.lessons.full_stack.predictions.output_token import chance_note, choose_output, output_name
from dashboard.lessons.full_stack.view import Depths, depth_question
from dashboard.markdown import escape_token
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.shell import frame
from dashboard.theme import current_theme
from encoder_core import EncoderConfig
from encoder_core.analysis import logit_lens, rank_of, softmax, top_tokens
from encoder_core.explain import Cell
from encoder_core.figures import Selection, dimensions
from encoder_core.figures.base import label
from encoder_core.scenes import predictions as scenes
from encoder_core.support.number_format import format_probability, latex_range, latex_with_shape

_CLEAR = 1.05  # ratio of two probabilities
_LEAST = 0.1  # probability of a prediction that stands out from chance
_SHARES = (0.2, 0.8)  # limits of the answers, of the probability after the last layer


def render_logit_lens(current: Model, at: Focus, output_id: int) -> Depths:
    """The most probable output token of every position after every layer, and the probability of one output token."""
    lens = logit_lens(current.run, at.sentence)
    question = _shorter_stack_question(current, at, lens[:, at.token])
    ask_first(question, "Logit lens")
    top, probabilities = top_tokens(lens, 1), softmax(lens[:, at.token])
    final_id = int(top.ids[-1, at.token, 0])

    def select(selection: Selection) -> None:
        """Select the position, and follow the most probable token of this stage."""
        if "stage" in selection:
            choose_output(int(top.ids[selection["stage"], selection.get("token", at.token), 0]))
        focus.move_focus(selection)

    series = {f"“{label(current.vocabulary[i])}”": probabilities[:, i] for i in dict.fromkeys((output_id, final_id))}
    series[f"uniform: 1/{lens.shape[-1]}"] = np.full(len(lens), 1 / lens.shape[-1])
    parts = scenes.logit_lens(
        top, series, current.vocabulary, at, real=current.batch.real[at.sentence], theme=current_theme(),
    )  # fmt: skip
    inspection = inspect_cell(current, at, Cell("probabilities", (at.sentence, at.token, output_id)))
    render_plot(parts, key="full_stack_lens_plot", inspection=inspection, on_click=select)
    frame.render_explained(_describe(current, at, lens[:, at.token], output_id))
    stages = ["in", *dimensions(current.config.num_layers, 1)]
    return Depths(
        {
            "most probable": NumberTable(top.probabilities[..., 0], stages, at.labels, first=None),
            output_name(current, output_id): NumberTable(softmax(lens)[..., output_id], stages, at.labels, first=None),
        },
        _formula(current.config),
        [logit_lens],
        question,
        inspection,
    )


def _describe(current: Model, at: Focus, lens: Float[np.ndarray, "stage vocab"], output_id: int) -> str:
    """Caption: the convention, and how the probability and the rank of the output token change."""
    shares, ranks = softmax(lens)[:, output_id], rank_of(lens, output_id)
    name, layers = output_name(current, output_id), current.config.num_layers
    first, last = format_probability(shares[0]), format_probability(shares[-1])
    return (
        f"{_convention(current.config)} The last column is the prediction of the model. At "
        f"“{escape_token(at.labels[at.token])}”, the probability of {name} is {first} before the first layer (rank "
        f"{ranks[0]}) and {last} after layer {layers} (rank {ranks[-1]}). Click a cell to follow its token "
        f"and to see its arithmetic.{chance_note(current)}"
    )


def _convention(config: EncoderConfig) -> str:
    """What the lens applies to the residual stream, in one or two sentences."""
    applied = "the final norm and the output head" if config.final_norm else "the output head"
    text = f"Each column applies {applied} to the [[residual stream]] at that stage; “in” is the input of layer 1."
    if config.norm == "post" and not config.final_norm:
        text += " With post-norm, the output of a layer is already normed"
        text += "." if config.embedding_norm else "; the input of the first layer is not."
    return text


def _formula(config: EncoderConfig) -> str:
    stream = latex_with_shape("x^{(l)}_t", (1, config.d_model))
    stream = rf"\text{{norm}}({stream})" if config.final_norm else stream
    d_model, vocab = config.d_model, config.vocab_size
    lens = latex_with_shape(r"\mathrm{lens}^{(l)}_t", (1, vocab))
    kernel = latex_with_shape(r"W_\mathrm{head}", (d_model, vocab))
    bias = " + " + latex_with_shape(r"b_\mathrm{head}", (1, vocab)) if config.use_bias else ""
    return (
        rf"\begin{{aligned}} {lens} &= {stream}\, {kernel}{bias} \\ l &= "
        rf"{latex_range(0, config.num_layers)} \end{{aligned}}"
    )


def _shorter_stack_question(current: Model, at: Focus, lens: Float[np.ndarray, "stage vocab"]) -> Question:
    """Which token does the model predict without its last layer? The lens before that layer, if it is clear."""
    final, before = (top_tokens(row, 3) for row in (lens[-1], lens[-2]))
    answer = int(before.ids[0])
    if before.probabilities[0] < max(_LEAST, _CLEAR * before.probabilities[1]):
        return _last_layer_question(current, at, lens)
    layer = current.config.num_layers
    stage = _stage_before_last(layer)
    place = f"the row of “{escape_token(at.labels[at.token])}”, column “{stage}”"
    reasons = {
        int(final.ids[1]): "The second choice of the whole stack says nothing about a shorter one.",
        int(before.ids[1]): f"Without layer {layer} it is less probable than {output_name(current, answer)}.",
        int(final.ids[0]): f"This is the prediction with layer {layer}, which still changes it here.",
    }
    reasons.pop(answer, None)
    return Question(
        f"layer {layer} is removed; the output head stays. Which token is most probable at "
        f"“{escape_token(at.labels[at.token])}” then?",
        output_name(current, answer),
        f"With a probability of {format_probability(before.probabilities[0])}. The lens at a stage is what the model "
        "would predict if the layers after it were removed.",
        without_duplicates(
            output_name(current, answer),
            [WrongOption(output_name(current, i), reason, place) for i, reason in reasons.items()],
        ),
    )


def _last_layer_question(current: Model, at: Focus, lens: Float[np.ndarray, "stage vocab"]) -> Question:
    """How much of the prediction's probability is there before the last layer? Only if the model has one."""
    probabilities, layer = softmax(lens), current.config.num_layers
    final_id = int(probabilities[-1].argmax())
    before, last = (float(row[final_id]) for row in probabilities[-2:])
    if last < _LEAST:
        return depth_question(current)
    low, high = (f"{limit:.0%}" for limit in _SHARES)
    too_high = (
        f"Before layer {layer} it is {format_probability(before)} only: that layer raises it to "
        f"{format_probability(last)}."
    )
    too_low = f"What precedes layer {layer} contributes to it, too: the lens reads the residual stream at that point."
    options = (f"less than {low} of that", f"{low} to {high} of that", f"more than {high} of that")
    right = sum(before / last > limit for limit in _SHARES)
    name = output_name(current, final_id)
    stage = _stage_before_last(layer)
    return Question(
        f"after the last layer, the most probable token at “{escape_token(at.labels[at.token])}” is {name}, with a "
        f"probability of {format_probability(last)}. How probable is it before layer {layer}?",
        options[right],
        f"Its probability is {format_probability(before)} there. The lens at a stage is what the model would predict "
        "if the layers after it were removed.",
        [
            WrongOption(option, too_low if number < right else too_high, f"the figure: column “{stage}”")
            for number, option in enumerate(options)
            if number != right
        ],
        place=right,
    )


def _stage_before_last(layers: int) -> str:
    """The name of a column of the figure."""
    return f"after layer {layers - 1}" if layers > 1 else "in"
