"""Claim 5: attention mixes tokens, the feed-forward network does not."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from encoder_core.config import EncoderConfig
from encoder_core.encoder import Encoder
from encoder_core.experiments.experiment import (
    Control,
    Experiment,
    Measurement,
    Option,
    Setup,
    quote_with_bold,
    seed_control,
    verdict_if,
)
from encoder_core.figures import HeatmapStyle, Line, ThemeName, heatmap
from encoder_core.inputs.masks import MaskSpec
from encoder_core.support.number_format import format_number
from encoder_core.trace import EncoderTrace

SENTENCE = ["the", "black", "cat", "jumped", "on", "the", "sofa"]
_CONFIG = EncoderConfig(vocab_size=len(SENTENCE) + 1, max_len=16, d_model=32, num_heads=4, d_ff=64, num_layers=2)
_REPLACED_BY = len(SENTENCE)  # the id of a word that is not in the sentence
_ROUNDING = 1e-5
_HEIGHT = 320


def stage_tensors(trace: EncoderTrace) -> dict[str, Float[np.ndarray, "seq width"]]:
    """The tensors of the first sentence that have one row per token, in the order of the computation."""
    tensors = {"embedded": trace.embedded[0]}
    for number, layer in enumerate(trace.layers, 1):
        tensors |= {
            f"values {number}": layer.v[0].swapaxes(0, 1).reshape(len(trace.embedded[0]), -1),
            f"attention {number}": layer.attn_out[0],
            f"FFN {number}": layer.mlp_out[0],
            f"output {number}": layer.resid_post[0],
        }
    return tensors


@lru_cache(maxsize=64)
def row_changes(token: int, causal: bool, seed: int) -> dict[str, Float[np.ndarray, "seq"]]:
    """By how much each row of each tensor changes when one token (counted from 0) is replaced, as a length."""
    encoder = Encoder.random(_CONFIG, seed)
    mask: MaskSpec = "causal" if causal else None
    ids = np.arange(len(SENTENCE), dtype=np.int32)[None]
    other = ids.copy()
    other[0, token] = _REPLACED_BY
    before, after = (stage_tensors(encoder.trace(rows, mask)) for rows in (ids, other))
    return {name: np.linalg.norm(after[name] - before[name], axis=-1) for name in before}


def changed_rows(changes: Float[np.ndarray, "seq"]) -> int:
    """The number of rows that change by more than rounding."""
    return int((changes > _ROUNDING).sum())


def _measure(setup: Setup) -> Measurement:
    token, causal, seed = int(setup["token"]) - 1, setup["mask"] == "causal", int(setup["seed"])
    changes = row_changes(token, causal, seed)
    counts = {name: changed_rows(rows) for name, rows in changes.items()}
    expected = (1, len(SENTENCE) - token, len(SENTENCE))
    answer = expected.index(counts["attention 1"])
    all_seeds = [changed_rows(row_changes(token, causal, s)["attention 1"]) for s in range(5)]

    def draw(theme: ThemeName) -> Line:
        matrix = np.stack(list(changes.values()), axis=1).astype(np.float32)
        style = HeatmapStyle(kind="lengths", limit=float(matrix.max()), row_axis="token", column_axis="stage",
                             show_values=True, height=_HEIGHT, theme=theme)  # fmt: skip
        return [
            heatmap(matrix, SENTENCE, list(changes), title="change of each row", marks=[(token, None)], style=style)
        ]

    return Measurement(
        answer,
        f"{counts['attention 1']} of {len(SENTENCE)} rows change after the first attention, in each of "
        f"{len(all_seeds)} encoders"
        if len(set(all_seeds)) == 1
        else f"{min(all_seeds)} to {max(all_seeds)} rows",
        f"“{SENTENCE[token]}” is replaced. **{counts['embedded']}** row of the embeddings changes, and "
        f"**{counts['values 1']}** row of the values. After the first attention **{counts['attention 1']}** rows have "
        f"changed, by {format_number(float(changes['attention 1'][token]), 2)} in the token's own row. The projections "
        "of a layer and its feed-forward network work on each row alone: a row changes there only if its input did.",
        draw,
        verdict_if(counts["values 1"] == 1 and counts["attention 1"] == (expected[1] if causal else expected[2])),
    )


def _given(setup: Setup) -> str:
    return f"{quote_with_bold(SENTENCE, int(setup['token']) - 1)}: the word in bold is replaced by another one."


EXPERIMENT = Experiment(
    number=5,
    name="token-mixing",
    title="Only attention mixes tokens",
    claim="Attention is the only step in which tokens exchange information. The feed-forward network sees one token at "
    "a time.",
    hypothesis="After a token is replaced, one row of the embeddings and of the values changes. After attention, all "
    "rows that can attend to the token have changed, and no step in between adds a row.",
    question="Token {token} of seven is replaced. Mask: {mask}. Which rows of the first attention's output change?",
    options=(
        Option("Only its own row", "Its key and value are read by other queries as well."),
        Option("Its own row and all later ones", "With a causal mask, the tokens before it cannot attend to it."),
        Option("All rows", "Without a mask every query attends to every key, so each output contains a bit of every "
               "value."),
    ),
    controls=(
        Control("token", "Replaced token", tuple(range(2, len(SENTENCE))), 3),
        Control("mask", "Mask", ("none", "causal"), "none"),
        seed_control("Seed of the parameters"),
    ),
    measure=_measure,
    given=_given,
    limits="That a row changes does not mean that it changes much, or that the change is useful. Layer norm works on "
    "each row alone, too.",
    code=(row_changes, stage_tensors),
    stage="feed_forward",
    source="Vaswani et al. 2017, section 3.3: “applied to each position separately and identically”",
)  # fmt: skip
