"""Sections of the softmax page: temperature and mask, a row in words, a row without a visible key, the question."""

import math

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard.inspect.cell_edit import sets_score_of
from dashboard.inspect.edit_text import describe_reason
from dashboard.inspect.questions import Question, WrongOption, without_duplicates
from dashboard.markdown import escape_token, names_of_two
from dashboard.models.model import Model
from dashboard.selection.focus import Focus
from dashboard.shell import frame
from dashboard.state.choices import HIDE_ROW, TEMPERATURE, TEMPERATURES
from dashboard.state.widgets import bind_widget
from encoder_core import Edit, Run, Temperature
from encoder_core.analysis import SoftmaxSteps, entropy, softmax_steps
from encoder_core.edits.compatible import IgnoredEdit
from encoder_core.explain import recompute
from encoder_core.support.number_format import format_calculation, format_fixed, format_number

_MAX_EXPONENT, _MORE = math.log(400_000), "more than 400,000"


def render_temperature_and_mask(current: Model, at: Focus) -> Run:
    """Render the controls and the badge; return the forward pass with these settings and the model's edits.

    A row whose keys are all masked keeps none of the scores that edits set, because they would unmask keys.
    """
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="softmax_controls"):
        temperature = st.select_slider(
            "Temperature T, in every layer", TEMPERATURES, width=260, **bind_widget(TEMPERATURE),
            help="Divides the scores by T before softmax, in every layer, on this page only. T < 1: "
            "sharper. T > 1: flatter.",
        )  # fmt: skip
        hide = st.toggle(
            f"Mask every key for “{escape_token(at.labels[at.token])}”", **bind_widget(HIDE_ROW),
            help="On this page only. The weights of a row without a visible key are a convention. The table below the "
            "figure shows three.",
        )  # fmt: skip
        run, problems, unused = current.run, tuple[IgnoredEdit, ...](), list[Edit]()
        if hide or temperature != 1:
            mask = run.trace.mask.copy()
            mask[at.sentence, :, at.token] &= not hide
            unused = [edit for edit in current.edits if hide and sets_score_of(edit, at)]
            used = [edit for edit in current.edits if edit not in unused]
            edits = (*used, *((Temperature(temperature),) if temperature != 1 else ()))
            run, problems = current.encoder.run_with_compatible_edits(current.batch, mask, edits)
        st.space("stretch")
        frame.render_recompute_badge(lambda: recompute.softmax(run, at.layer))
    for problem in problems:  # only the temperature is new: the other edits of the model fit each other
        reason = describe_reason(problem, current)
        st.warning(f"The temperature of this page is ignored: {reason}", icon=":material/info:")
    _explain_edits(current, run, temperature, hide)
    if unused:
        st.caption(
            f"While every key for “{escape_token(at.labels[at.token])}” is masked, your edits of its scores have no "
            "effect on this page."
        )
    return run


def _explain_edits(current: Model, run: Run, temperature: float, hide: bool) -> None:
    """What the temperature of the edits and the settings of this page have to do with each other."""
    edited, total = current.run.effects.temperature, run.effects.temperature
    notes = []
    if edited != 1 and (temperature == 1 or total != edited):  # else this page's does not fit, which is said above
        factors = f"{format_number(edited, 3)} (your edits) × {format_number(temperature, 3)} (this page)"
        notes.append(f"Both temperatures divide the scores: T = {factors} = {format_number(total, 3)}.")
    if current.edits and (hide or temperature != 1):
        notes.append("“Effect of your edits” shows them without the settings of this page.")
    if notes:
        st.caption(" ".join(notes))


def masked_row_table(count: int) -> str:
    """A table of the weights of a row whose `count` keys are all masked, for three ways to mask."""
    finite = softmax_steps(np.full(count, -1e9)).weights
    infinite = softmax_steps(np.full(count, -np.inf)).weights
    return "\n".join(
        [
            "| a masked score is | each weight | sum | where |",
            "|:--|--:|--:|:--|",
            f"| −∞, with 0 / 0 = 0 | {format_number(infinite[0], 3)} | {format_number(infinite.sum(), 3)} | this app |",
            f"| −10⁹ | {format_number(finite[0], 3)} | {format_number(finite.sum(), 3)} | nnx, haiku, annotated |",
            "| −∞ | NaN: 0 / 0 | NaN | PyTorch's softmax |",
        ]
    )


def describe_row(at: Focus, steps: SoftmaxSteps) -> str:
    """The weight of the selected key and the entropy of the row, both before dropout, with marks of the glossary."""
    query, key = names_of_two(at.labels, at.token, at.key_token)
    count = int(np.isfinite(steps.shifted).sum())
    if not count:
        return (
            f"Every key is masked for {query}. The result of softmax is then a convention: this app sets every "
            "weight to 0."
        )
    shifted, exp, weight = (float(column[at.key_token]) for column in (steps.shifted, steps.exp, steps.weights))
    weight_text = f"{key[0].upper()}{key[1:]} is masked: exp(−∞) = 0, so its weight is **0**."
    if np.isfinite(shifted):
        quotient = format_calculation([exp, float(steps.total)], weight, lambda a, b: a / b)
        power = format_calculation([shifted], exp, math.exp, digits=quotient.digits)
        total = quotient.operands[1]
        # Softmax over several numbers gives none of them exactly 0 or 1.
        is_rounded = count > 1 and quotient.result in ("0", "1")
        relations = "≈" if power.result == "0" else power.relation, "≈" if is_rounded else quotient.relation
        weight_text = (
            f"Selected cell, {query} → {key}: exp({power.operands[0]}) / {total} {relations[0]} "
            f"{power.result} / {total} {relations[1]} **{quotient.result}**."
        )
    bits = float(entropy(steps.weights))
    return (
        f"{weight_text} The [[entropy]] of the row, **{format_fixed(bits, 2)} bits**, measures how spread out it is: "
        f"as if {2**bits:.1f} keys had equal weights. Its maximum, with {count} visible, is log₂ {count} = "
        f"{np.log2(count):.2f}."
    )


def weight_question(
    at: Focus, row: Float[np.ndarray, "key"], temperature: float, has_dropout: bool = False
) -> Question:
    """About the ratio of two weights; other questions if no two visible keys have clearly different scores.

    has_dropout  whether dropout changes the weights after softmax
    """
    visible = np.flatnonzero(np.isfinite(row)).tolist()
    if not visible:
        return _masked_row_question()
    best, least = max(visible, key=row.__getitem__), min(visible, key=row.__getitem__)
    if _is_same_weight(row, best, least, temperature):
        return _shift_question(at, len(visible), temperature)
    is_candidate = at.key_token in visible and not _is_same_weight(row, best, at.key_token, temperature)
    other = at.key_token if is_candidate else least
    gap = float(row[best]) - float(row[other])
    higher, lower = names_of_two(at.labels, best, other)
    query = escape_token(at.labels[at.token])
    temperature_text, divided = ("", "") if temperature == 1 else (f", at T = {temperature:g}", f" / {temperature:g}")
    gap_text, power = _exponential(gap, temperature)
    right = _times(gap / temperature, math.e)
    wrong = [
        WrongOption(
            f"{format_number(gap, 3)} times",
            "This is the difference of the scores. Softmax takes its exponential.",
            "the columns s − max and exp of the row",
        ),
        WrongOption(
            _times(gap / temperature, 10.0),
            "This would be the ratio with powers of 10. Softmax uses powers of e.",
            "the formula: e is the base of every power",
        ),
        WrongOption(
            "the same weight",
            "Equal weights need equal scores.",
            "the two scores: the smaller one has a smaller exponential",
        ),
    ]
    return Question(
        f"for “{query}” as the query, the score of {higher} is higher than that of {lower} by {gap_text}. How many "
        f"times as much weight does it get{temperature_text}{', before dropout' * has_dropout}?",
        right,
        f"exp({gap_text}{divided}) {power}: a difference of scores becomes a ratio of weights.",
        without_duplicates(right, wrong),
    )


def _is_same_weight(row: Float[np.ndarray, "key"], best: int, other: int, temperature: float) -> bool:
    """Whether the ratio of two weights is 1 as displayed."""
    return _times(float(row[best] - row[other]) / temperature, math.e) == _times(0.0, math.e)


def _masked_row_question() -> Question:
    return Question(
        "every key of this row is masked. If masked scores were −10⁹ instead of −∞, what would each weight be?",
        "the same positive number for every key",
        "exp(−10⁹ − (−10⁹)) = exp(0) = 1 for each key, so all weights are equal.",
        [
            WrongOption(
                "0, as here",
                "Softmax subtracts the maximum of the row, which would be −10⁹ as well.",
                "the table below the figure, first and second row",
            ),
            WrongOption(
                "not a number",
                "−10⁹ is finite, so its exponential after the subtraction and the sum are finite, too.",
                "the table below the figure, last row: only −∞ gives 0 / 0",
            ),
        ],
    )


def _shift_question(at: Focus, count: int, temperature: float) -> Question:
    """For a row of one visible key, or of keys with almost equal scores."""
    power = "e¹⁰" if temperature == 1 else "e^(10 / T)"
    return Question(
        f"10 is added to the score of each of the {count} visible keys of “{escape_token(at.labels[at.token])}”. What "
        "happens to their weights?"
        if count > 1
        else f"only one key is visible to “{escape_token(at.labels[at.token])}”. 10 is added to its score. What "
        "happens to its weight?",
        "nothing",
        "Every exponential of the row is multiplied by the same number, and so is their sum. The weights still add up "
        "to 1.",
        [
            WrongOption(
                "it grows" if count == 1 else "each of them grows",
                "The weights of a row always add up to 1, so they cannot all grow.",
                "the formula: the maximum of the row is subtracted first",
            ),
            WrongOption(
                f"it is multiplied by {power}" if count == 1 else f"each is multiplied by {power}",
                "The exponentials are, but they are then divided by their sum, which is multiplied by "
                f"{power} as well.",
                "the column exp and the sum below it",
            ),
        ],
    )


def _times(exponent: float, base: float) -> str:
    """base ** exponent as an option of the question; very large powers are cut off."""
    is_large = exponent * math.log(base) >= _MAX_EXPONENT
    return f"{_MORE if is_large else format_number(base**exponent, 3)} times"


def _exponential(gap: float, temperature: float) -> tuple[str, str]:
    """A difference of scores and its exponential as displayed: "= 1.65" or "is more than 400,000"."""
    if gap / temperature >= _MAX_EXPONENT:
        return format_number(gap, 3), f"is {_MORE}"
    power = format_calculation([gap], math.exp(gap / temperature), lambda gap: math.exp(gap / temperature))
    return power.operands[0], f"{power.relation} {power.result}"
