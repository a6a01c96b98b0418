"""Softmax weights: exp of the scores, divided by their sum, so that each row adds up to one."""

from functools import partial

import numpy as np
import streamlit as st
from jaxtyping import Float

from dashboard import focus, frame
from dashboard.focus import Focus
from dashboard.frame import Question, Shape, Table, plain
from dashboard.picture import picture
from dashboard.stages import stage_named
from encoder_core import EncoderTrace, Temperature, blocks, recompute
from encoder_core.analysis import SoftmaxSteps, entropy, largest_entropy, softmax_steps
from encoder_core.figures import heatmap, row_bars, span_of, written

TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)

current = frame.begin()
seq = current.batch.ids.shape[1]

frame.heading(
    stage_named("softmax"),
    "Each row of scores becomes :violet[**attention**] weights: none is negative, and together they are 1. "
    "exp turns a difference between two scores into a ratio of two weights.",
    [Shape("scores", (seq, seq), "attention")],
    [Shape("weights", (seq, seq), "attention")],
)


def controls(at: Focus) -> tuple[float, bool, EncoderTrace]:
    """The temperature, whether colours run up to 1, and the forward pass at that temperature."""
    with st.container(horizontal=True, vertical_alignment="bottom", gap="medium", key="softmax_controls"):
        temperature = st.select_slider(
            "Temperature T", TEMPERATURES, 1.0, key="softmax_temperature", persist_state="session", width=260,
            help="Scores are divided by T before softmax, in every layer. Below 1: sharper. Above 1: flatter.",
        )  # fmt: skip
        hide = st.toggle(
            f"Hide every key from “{plain(at.labels[at.token])}”", key="softmax_hide_row", persist_state="session",
            help="A row that is masked everywhere has nothing to share out: it gives zeros, not 0 / 0.",
        )  # fmt: skip
        to_one = st.toggle("Colours up to 1", key="softmax_to_one", persist_state="session", help="Else up to the "
                           "largest weight of this head, so that small differences are seen.")  # fmt: skip
        trace = current.trace
        if hide or temperature != 1:
            mask = trace.mask.copy()
            mask[at.sentence, :, at.token] &= not hide
            trace = current.encoder.trace(current.batch, mask, [Temperature(temperature)])
        st.space("stretch")
        frame.recomputed(recompute.softmax(trace.layers[at.layer], temperature))
    return temperature, to_one, trace


@st.fragment
def body() -> None:
    at = focus.pick(current, "layer", "head", "token", "key_token")
    temperature, to_one, trace = controls(at)
    layer = trace.layers[at.layer]
    scores, weights = layer.scores[at.sentence, at.head], layer.pattern[at.sentence, at.head]
    visible = np.isfinite(scores)
    row, shown = scores[at.token], visible[at.token]
    steps = softmax_steps(row, temperature)
    tokens, theme = at.labels, frame.theme()
    shifted_name = "s − max" if temperature == 1 else "(s − max) / T"
    column = partial(row_bars, rows=tokens, hidden=~shown, marks=[at.key_token], theme=theme)
    signed = partial(column, span=span_of(row, steps.shifted))
    share = partial(column, colour="attention", number_format=".3f")
    picture(
        [
            signed(row, title="score s", foot=f"max {written(row.max(), '.2f')}" if steps.total else "no visible key"),
            "→",
            signed(steps.shifted, title=shifted_name, foot="max 0" if steps.total else ""),
            "→",
            share(steps.exp, title="exp", foot=f"sum {steps.total:.3f}"),
            "→",
            share(weights[at.token], title="weight", title_colour="attention",
                  foot=f"sum {weights[at.token].sum():.3f}"),
            "→",
            heatmap(weights, tokens, tokens, title="all weights", title_colour="attention", row_axis="query",
                    column_axis="key", kind="weights", limit=1.0 if to_one else float(weights.max()) or 1.0,
                    mask=visible, marks=[(at.token, None), (at.token, at.key_token)], theme=theme),
            row_bars(entropy(weights), tokens, title="entropy, bits", row_axis="query", colour="muted",
                     span=(0.0, max(1.0, float(np.log2(seq)))), ends=largest_entropy(visible), marks=[at.token],
                     foot="❘ log₂ visible", theme=theme),
        ],
        key="softmax_picture",
    )  # fmt: skip
    st.caption(explain(at, row, steps, weights[at.token]))
    if temperature != 1 and at.layer > 0:
        st.caption("The temperature acts in every layer, so what reaches this layer, and its scores, changed as well.")
    frame.depths(
        {
            "this row": Table(
                np.stack([row, steps.shifted, steps.exp, weights[at.token]], axis=1),
                tokens,
                ["score s", shifted_name, "exp", "weight"],
            ),
            "weights": Table(weights, tokens, tokens),
            "entropy": Table(
                np.stack([entropy(weights), largest_entropy(visible)], axis=1), tokens, ["bits", "log₂ of visible keys"]
            ),
        },
        rf"\underbrace{{A_{{ij}}}}_{{{seq}\times{seq}}} = \frac{{e^{{(s_{{ij}} - m_i) / T}}}}"
        rf"{{\sum_{{k=1}}^{{{seq}}} e^{{(s_{{ik}} - m_i) / T}}}}"
        rf"\\[1em] m_i = \max_k s_{{ik}}, \quad T = {temperature:g}"
        r"\\[1em] H_i = -\sum_j A_{ij} \log_2 A_{ij} \text{ bits}",
        [blocks.softmax, softmax_steps, entropy],
        question(at, row, temperature),
    )


def explain(at: Focus, row: Float[np.ndarray, "key"], steps: SoftmaxSteps, weights: Float[np.ndarray, "key"]) -> str:
    """The arithmetic of the marked key, and what the entropy of the row says."""
    key, query = plain(at.labels[at.key_token]), plain(at.labels[at.token])
    count = int(np.isfinite(row).sum())
    if not count:
        return f"“{query}” sees no key: there is nothing to share out, and every weight is 0."
    if not np.isfinite(row[at.key_token]):
        marked = f"“{key}” is masked: exp(−∞) = 0, so its weight is **0**."
    else:
        marked = (
            f"Marked, “{query}” → “{key}”: exp({written(steps.shifted[at.key_token], '.2f')}) / {steps.total:.3f} = "
            f"{steps.exp[at.key_token]:.3f} / {steps.total:.3f} = **{weights[at.key_token]:.3f}**."
        )
    return (
        f"{marked} Entropy says how spread out a row is: **{entropy(weights):.2f} bits** here, as if the weight were "
        f"shared equally by {2 ** entropy(weights):.1f} of {count} visible keys; at most log₂ {count} = "
        f"{np.log2(count):.2f}."
    )


def question(at: Focus, row: Float[np.ndarray, "key"], temperature: float) -> Question:
    """From the difference of two scores to the ratio of their weights."""
    seen = np.flatnonzero(np.isfinite(row))
    if len(seen) < 2:
        options = ["each 0", "each an equal share", "not a number"] if not len(seen) else ["1", "0.5", "its score"]
        return Question(
            f"what are the weights of a row with {len(seen)} visible keys?" if not len(seen) else
            "this query sees one key only. What is its weight?", options, 0,
            "Nothing is divided by 0." if not len(seen) else "All weights of a row add up to 1.",
        )  # fmt: skip
    best = int(seen[np.argmax(row[seen])])
    other = at.key_token if np.isfinite(row[at.key_token]) and at.key_token != best else int(seen[np.argmin(row[seen])])
    other = other if other != best else int(next(index for index in seen if index != best))
    gap = float(row[best]) - float(row[other])
    right, base_ten = spoken(gap / temperature, np.e), spoken(gap / temperature, 10.0)
    options = list(dict.fromkeys([f"{gap:.3g} times", right, base_ten, "as much"]))
    options = [*options[best % len(options) :], *options[: best % len(options)]]  # not always the same place
    divided = "" if temperature == 1 else f" / {temperature:g}"
    return Question(
        f"“{plain(at.labels[best])}” scores {gap:.3g} more than “{plain(at.labels[other])}”. "
        f"How much more weight does it get{'' if temperature == 1 else f', at T = {temperature:g}'}?",
        options,
        options.index(right),
        f"exp({gap:.3g}{divided}): a difference of scores becomes a ratio of weights.",
    )


def spoken(exponent: float, base: float) -> str:
    """base ** exponent in words, however large."""
    return f"{base**exponent:.3g} times" if exponent < 13 else "more than 400,000 times"


body()
