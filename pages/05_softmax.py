"""Softmax weights: exp of the scores, divided by their sum, so that each row adds up to one."""

import math

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.components.plot import plot
from dashboard.inspect.depths import Table, render_depths
from dashboard.inspect.questions import Question
from dashboard.lessons.softmax import conventions, what_if
from dashboard.markdown import plain
from dashboard.page_list import stage_named
from dashboard.selection import focus
from dashboard.selection.focus import Focus
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.weights_scale import weights_limit
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.theme import current_theme
from encoder_core import blocks
from encoder_core.analysis import SoftmaxSteps, entropy, largest_entropy, softmax_steps
from encoder_core.figures import format_calculation, format_fixed, format_number
from encoder_core.scenes import softmax as scenes
from encoder_core.scenes.position import head_slice

LARGEST_EXPONENT, MORE = 13, "more than 400,000"  # e ** 13 is 442,413

current = frame.begin()
seq = current.batch.ids.shape[1]

frame.heading(
    stage_named("softmax"),
    "Each row of scores becomes :violet[**attention**] weights: none is negative, and in a row with a visible "
    "key they add up to 1. exp turns a difference between two scores into a ratio of two weights.",
    [Shape("scores", (seq, seq), "attention")],
    [Shape("weights", (seq, seq), "attention")],
)


def body() -> None:
    at = focus.pick(current, "layer", "head", "token", "key_token")
    run = what_if(current, at)
    layer, temperature = run.trace.layers[at.layer], run.effects.temperature
    inspection = inspect_cell(current, at, head_slice("pattern", at).cell(at.token, at.key_token), run)
    scores, weights = layer.scores[at.sentence, at.head], layer.pattern[at.sentence, at.head]
    row, tokens = scores[at.token], at.labels
    steps = softmax_steps(row, temperature)
    shifted = "s − max" if temperature == 1 else "(s − max) / T"
    above = st.container()  # the picture stands above the choice of its colours
    parts = scenes.step_by_step(
        scores, weights, steps, at, shifted=shifted, tokens=tokens, limit=weights_limit(weights), theme=current_theme(),
    )  # fmt: skip
    with above:
        plot(parts, key="softmax_plot", inspection=inspection)
    dropped = run.trace.kept is not None and run.trace.kept.layers[at.layer].pattern is not None
    st.caption(explain(at, steps) + " In training mode, dropout acts on the weights after that." * dropped)
    if not np.isfinite(row).any():
        st.markdown(conventions(seq))
    if temperature != 1 and at.layer > 0 and current.config.attention_read_out == "stack":
        st.caption("The temperature acts in every layer, so it can change what reaches this layer, and its scores.")
    columns = np.stack([row, steps.shifted, steps.exp, weights[at.token]], axis=1)
    spread = np.stack([entropy(weights), largest_entropy(np.isfinite(scores))], axis=1)
    render_depths(
        {
            "this row": Table(columns, tokens, ["score s", shifted, "exp", "weight"]),
            "weights": Table(weights, tokens, tokens),
            "entropy": Table(spread, tokens, ["bits", "log₂ of visible keys"]),
        },
        rf"\underbrace{{A_{{ij}}}}_{{{seq}\times{seq}}} = \frac{{e^{{(s_{{ij}} - m_i) / T}}}}"
        rf"{{\sum_{{k=1}}^{{{seq}}} e^{{(s_{{ik}} - m_i) / T}}}}"
        rf"\\[1em] m_i = \max_k s_{{ik}}, \quad T = {temperature:g}"
        r"\\[1em] H_i = -\sum_j A_{ij} \log_2 A_{ij} \text{ bits}",
        [blocks.softmax, softmax_steps, entropy],
        question(at, row, temperature),
        inspection,
    )


def explain(at: Focus, steps: SoftmaxSteps) -> str:
    """The arithmetic of the marked key, and what the entropy of the row says, both before dropout."""
    key, query = plain(at.labels[at.key_token]), plain(at.labels[at.token])
    count = int(np.isfinite(steps.shifted).sum())
    if not count:
        return (
            f"Every key is masked for “{query}”: there is nothing to share out. What softmax then gives is a "
            "convention; this app takes 0 for every weight."
        )
    shifted, exp, weight = (float(column[at.key_token]) for column in (steps.shifted, steps.exp, steps.weights))
    marked = f"“{key}” is masked: exp(−∞) = 0, so its weight is **0**."
    if np.isfinite(shifted):
        quotient = format_calculation([exp, float(steps.total)], weight, lambda a, b: a / b)
        power = format_calculation([shifted], exp, math.exp, digits=quotient.digits)
        total = quotient.operands[1]
        marked = (
            f"Marked, “{query}” → “{key}”: exp({power.operands[0]}) / {total} {power.relation} "
            f"{power.result} / {total} {quotient.relation} **{quotient.result}**."
        )
    bits = float(entropy(steps.weights))
    return (
        f"{marked} Entropy says how spread out a row is: **{format_fixed(bits, 2)} bits** here, as if the weight were "
        f"shared equally by {2**bits:.1f} of {count} visible keys; at most log₂ {count} = "
        f"{np.log2(count):.2f}."
    )


def question(at: Focus, row: Float[np.ndarray, "key"], temperature: float) -> Question:
    """From the difference of two scores to the ratio of their weights."""
    seen = np.flatnonzero(np.isfinite(row)).tolist()
    if not seen:
        lowest = "an equal share"
        options = ["0, as here", lowest, "not a number"]
        why = "exp(−10⁹ − (−10⁹)) = exp(0) = 1 for each key, so all keys share the weight equally."
        return Question("in this row every key is masked. With −10⁹ in place of −∞, what is each weight?", options,
                        options.index(lowest), why)  # fmt: skip
    if len(seen) == 1:
        options, why = ["1", "0.5", "0"], "Softmax makes the weights of a row add up to 1."
        return Question("this query sees one key only. What weight does softmax give it?", options, 0, why)
    best, least = max(seen, key=row.__getitem__), min(seen, key=row.__getitem__)
    if times(float(row[best] - row[least]) / temperature, math.e) == times(0.0, math.e):
        why = f"Equal scores have equal weights, and {len(seen)} of them add up to 1."
        return Question(f"the {len(seen)} visible keys of this row have almost equal scores. What is each weight, "
                        "rounded?", [f"1/{len(seen)}", "1", "0"], 0, why)  # fmt: skip
    other = next(
        index for index in (at.key_token, least)
        if index in seen and times(float(row[best] - row[index]) / temperature, math.e) != times(0.0, math.e)
    )  # fmt: skip
    gap = float(row[best]) - float(row[other])
    right, base_ten = times(gap / temperature, math.e), times(gap / temperature, 10.0)
    options = list(dict.fromkeys([f"{format_number(gap, 3)} times", right, base_ten, "as much"]))
    options = [*options[best % len(options) :], *options[: best % len(options)]]  # not always the same place
    at_t, divided = ("", "") if temperature == 1 else (f", at T = {temperature:g}", f" / {temperature:g}")
    shown, power = power_in_words(gap, temperature)
    return Question(
        f"“{plain(at.labels[best])}” scores {shown} more than “{plain(at.labels[other])}”. "
        f"How many times as much weight does softmax give it{at_t}?",
        options,
        options.index(right),
        f"exp({shown}{divided}) {power}: a difference of scores becomes a ratio of weights.",
    )


def times(exponent: float, base: float) -> str:
    """base ** exponent in words, however large."""
    is_large = exponent * math.log(base) >= LARGEST_EXPONENT
    return f"{MORE if is_large else format_number(base**exponent, 3)} times"


def power_in_words(gap: float, temperature: float) -> tuple[str, str]:
    """A difference of scores as it is displayed, and what exp makes of it: "= 1.65" or "is more than 400,000"."""
    if gap / temperature >= LARGEST_EXPONENT:
        return format_number(gap, 3), f"is {MORE}"
    power = format_calculation([gap], math.exp(gap / temperature), lambda gap: math.exp(gap / temperature))
    return power.operands[0], f"{power.relation} {power.result}"


frame.interactive(body)
