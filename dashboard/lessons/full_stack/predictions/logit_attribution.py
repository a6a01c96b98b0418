"""Direct logit attribution: how much each component of the model contributes to one logit."""

import numpy as np

from dashboard.components.plot import render_plot
from dashboard.inspect.depths import NumberTable
from dashboard.inspect.predict_first import ask_first
from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.full_stack.predictions.output_token import chance_note, output_name
from dashboard.lessons.full_stack.view import Depths, depth_question
from dashboard.markdown import escape_token
from dashboard.models.ablation import output_without_head
from dashboard.models.model import Model
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import drop_cell, inspect_cell, set_inspected_cell
from dashboard.shell import frame
from dashboard.state.choices import NEURON
from dashboard.state.session import session
from dashboard.theme import current_theme
from encoder_core import EncoderConfig
from encoder_core.analysis import LogitAttribution, logit_attribution, neuron_contributions
from encoder_core.blocks import output_logits
from encoder_core.explain import Cell
from encoder_core.explain.rules import BY_CONTRIBUTION
from encoder_core.figures import Selection, dimensions
from encoder_core.scenes import predictions as scenes
from encoder_core.support.number_format import format_fixed, format_number, latex_with_shape
from encoder_core.support.wording import numbered

_TIE = 0.01  # changes of a logit that differ by less than this fraction of the contribution count as equal
_SHOWN = 0.005  # smaller contributions are 0.00 in the caption
_ROUNDING = 1e-5  # a contribution below this fraction of the logit is no larger than rounding differences


def render_logit_attribution(current: Model, at: Focus, output_id: int) -> Depths:
    """The contributions to the [[logit]] of an output token, and those of the neurons of the selected layer."""
    run, place = current.run, (at.token, output_id)
    attribution = logit_attribution(run, *place, at.sentence)
    neurons = neuron_contributions(run, *place, at.layer, at.sentence)
    question = _ablation_question(current, at, attribution, output_id)
    ask_first(question, "Logit attribution")
    inspection = inspect_cell(current, at, Cell("logits", (at.sentence, *place)), method=BY_CONTRIBUTION)

    def select(selection: Selection) -> None:
        """Inspect the activation of a neuron; elsewhere, select the layer and the head, and inspect the logit."""
        if "neuron" in selection:
            session().set(NEURON, selection["neuron"])
            set_inspected_cell(Cell("mlp_act", (at.sentence, at.token, selection["neuron"]), at.layer))
        else:
            drop_cell()
            focus.move_focus(selection)

    parts = scenes.logit_attribution(attribution, neurons, current.vocabulary[output_id], at, theme=current_theme())
    render_plot(parts, key="full_stack_attribution_plot", on_click=select)
    frame.render_explained(_describe(current, at, attribution, output_id))
    layers = numbered("layer", current.config.num_layers)
    heads = numbered("head", current.config.num_heads)
    tables = {"heads": NumberTable(attribution.heads, layers, heads, first=None)}
    if neurons is not None:
        tables[f"neurons of layer {at.layer + 1}"] = NumberTable(
            neurons.neurons[:, None], dimensions(len(neurons.neurons)), ["contribution"], first=None
        )
    return Depths(
        tables,
        _formula(current.config),
        [logit_attribution, neuron_contributions],
        question,
        inspection,
    )


def _formula(config: EncoderConfig) -> str:
    """The sum of a logit and, where norms follow, the sum that a norm is."""
    text = r"\mathrm{logits}_{tv} &= \sum_c \mathrm{contribution}_c"
    if _has_norms_after_components(config):
        shape = (1, config.d_model)
        component, gamma, beta = (latex_with_shape(symbol, shape) for symbol in ("c", r"\gamma", r"\beta"))
        total = rf"{beta} + \sum_c \frac{{c - \bar c}}{{\sigma}} {gamma}"
        text = rf"{text} \\ \mathrm{{norm}}\Bigl(\sum_c {component}\Bigr) &= {total}"
    return rf"\begin{{aligned}} {text} \end{{aligned}}"


def _has_norms_after_components(config: EncoderConfig) -> bool:
    return config.norm == "post" or config.final_norm


def _describe(current: Model, at: Focus, attribution: LogitAttribution, output_id: int) -> str:
    """Caption: the sum, the largest contributions, and what a contribution is not."""
    ordered = sorted(attribution.contributions(), key=lambda part: -abs(part.value))[:3]
    values = [f"{part.name}: {format_fixed(part.value, 2)}" for part in ordered if abs(part.value) >= _SHOWN]
    largest = f" Largest: {'; '.join(values)}." if values else ""
    difference = format_number(abs(attribution.total - attribution.logit), 1)
    norms = ""
    if _has_norms_after_components(current.config):
        which = "all later norms" if current.config.norm == "post" else "the final norm"
        norms = f" Each component passes through {which} with the standard deviation of this run."
    return (
        f"The contributions to the logit of {output_name(current, output_id)} at "
        f"“{escape_token(at.labels[at.token])}” add up to {format_fixed(attribution.total, 3)}; the logit is "
        f"{format_fixed(attribution.logit, 3)} (rounding difference {difference}).{largest}{norms} A "
        "contribution is direct: what later parts compute from it is not included. Click a cell to select its layer "
        f"and head, or a neuron for its derivation.{chance_note(current)}"
    )


def _ablation_question(current: Model, at: Focus, attribution: LogitAttribution, output_id: int) -> Question:
    """How does the logit change without the selected head, compared with the contribution of the head?"""
    contribution = float(attribution.heads[at.layer, at.head])
    head = f"head {at.head + 1} of layer {at.layer + 1}"
    row = output_without_head(current, at.sentence, at.layer, at.head)[at.token]
    change = float(output_logits(row, current.parameters)[output_id]) - attribution.logit
    if abs(contribution) <= max(1e-3 * np.abs(attribution.heads).max(), _ROUNDING * abs(attribution.logit)):
        return depth_question(current)
    verb, opposite, size = ("falls", "rises", contribution) if contribution > 0 else ("rises", "falls", -contribution)
    moved = -change if contribution > 0 else change  # in the direction of the options
    place = 1 if abs(moved - size) <= _TIE * size else 0 if moved > size else 2
    later = f"{_later_parts(current, at)} get another input without the head"
    small = f"this changes the logit by at most {_TIE:.0%} of the contribution"
    weaker = "this makes the effect no larger" if moved >= 0 else f"because of them, it {opposite}"
    figure = "the caption: a contribution is direct, and what later parts compute from it is not included"
    amount = format_number(size, 3)
    options = [
        WrongOption(
            f"it {verb} by more",
            f"{later}; here, {weaker if place == 2 else small}.",
            figure,
        ),
        WrongOption(
            f"it {verb} by about {amount}", f"{later}, so its contribution is not the effect of removing it.", figure
        ),
        WrongOption(
            f"it {verb} by less, or even {opposite}",
            f"{later}; here, {'this makes the effect no smaller' if place == 0 else small}.",
            figure,
        ),
    ]
    right = options.pop(place)
    why = f"{later}; here, {small}." if place == 1 else f"{later}, and the norms divide by another standard deviation."
    return Question(
        f"{head} contributes {format_number(contribution, 3)} to the logit of {output_name(current, output_id)}. "
        "The head is switched off: how does the logit change?",
        right.text,
        f"It changes by {format_number(change, 3)}. {why}",
        options,
    )


def _later_parts(current: Model, at: Focus) -> str:
    """The parts of the model that use the output of a head of the selected layer."""
    is_last = at.layer == current.config.num_layers - 1
    return f"The feed-forward network of its layer{' and later norms' if is_last else ', later layers and norms'}"
