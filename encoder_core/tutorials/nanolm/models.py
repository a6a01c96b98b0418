"""The notebook's text and addresses, and the model's runs, each computed once per seed."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int
from scipy.special import log_softmax

from encoder_core.parameters import Parameters
from encoder_core.recipes import RECIPES
from encoder_core.tutorials.nanolm.forward import CONFIG, BlockSteps, DropoutMasks, Forward, embed, forward

NANOLM = RECIPES["nanolm"]
PAGE = NANOLM.source
HYPERPARAMETERS = f"{PAGE}#Hyperparameters-and-dataset-download"
DATA = f"{PAGE}#Data-preparation"
MODEL = f"{PAGE}#NanoLM-Model-Definition"
LOSS = f"{PAGE}#State,-Optimizer,-and-Loss-Definition"
TRAINING = f"{PAGE}#Model-training"
GENERATION = f"{PAGE}#Text-generation"

BATCH_SIZE, BLOCK_SIZE, N_ITERATIONS, LEARNING_RATE = 128, 64, 50_000, 5e-3
VOCABULARY = "\n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
# The beginning of the sample that the notebook prints: Shakespeare's Coriolanus.
TEXT = """First Citizen:
Before we proceed any further, hear me speak.

All:
Speak, speak.

First Citizen:
You are all resolved rather to die than to famish?

All:
Resolved. resolved.

First Citizen:
First, you know Caius Marcius is chief enemy to the people.

All:
We know't, we know't.

First Citizen:
Let us kill him, and we'll have corn at our own price.
Is't a verdict?

All:
No more talking on't; let it be done: away, away!

Second Citizen:
One word, good citizens.

First Citizen:
"""


def encode(text: str) -> Int[np.ndarray, "character"]:
    """The ids of characters, as in the notebook: places in the sorted vocabulary."""
    return np.array([VOCABULARY.index(character) for character in text], np.int32)


def decode(ids: Int[np.ndarray, "character"]) -> str:
    """The characters of ids."""
    return "".join(VOCABULARY[index] for index in ids)


class TextBatch(NamedTuple):
    """Stretches of the text as ids: inputs, targets (one character later), and where they start."""

    x: Int[np.ndarray, "batch seq"]
    y: Int[np.ndarray, "batch seq"]
    starts: Int[np.ndarray, "batch"]


def text_batch(seed: int, seq: int = 10) -> TextBatch:
    """8 stretches of the text, as `get_batch` of the notebook takes them from its data."""
    data = encode(TEXT)
    starts = np.random.default_rng(seed).integers(0, len(data) - seq, 8)
    places = starts[:, None] + np.arange(seq)
    return TextBatch(data[places], data[places + 1], starts)


@lru_cache(maxsize=2)
def parameters_of(seed: int) -> Parameters:
    """The recipe's parameters as written, not trained."""
    return NANOLM.parameters("as written", seed)


class Runs(NamedTuple):
    """Forward passes of one seed, each of sentences of 10 tokens.

    ids        the recipe's batch: 8 sentences of random ids
    ones       8 sentences of ones
    unplaced   one sentence of ones, with the position table set to zero
    text       the inputs of `text_batch`
    changed    the first sentence of `ids` ten times: in the one with the index j, token j has another id
    """

    ids: Forward
    ones: Forward
    unplaced: Forward
    text: Forward
    changed: Forward


@lru_cache(maxsize=2)
def runs(seed: int) -> Runs:
    """All of them in one pass, which takes less time than one after another."""
    parameters, ids = parameters_of(seed), NANOLM.inputs(seed).inputs.ids
    ones, changed = np.ones((8, 10), np.int32), np.repeat(ids[:1], 10, axis=0)
    np.fill_diagonal(changed, (np.diagonal(changed) + 1) % CONFIG.vocab_size)
    placed = [embed(parameters, batch) for batch in (ids, ones, text_batch(seed).x, changed)]
    inputs = [*placed[:2], embed(parameters, ones[:1], positions=False), *placed[2:]]
    together = forward(parameters, np.concatenate(inputs))
    ends = np.cumsum([len(batch) for batch in inputs]).tolist()
    return Runs(*(_sentences(together, start, end) for start, end in zip([0, *ends[:-1]], ends, strict=True)))


def _sentences(run: Forward, start: int, end: int) -> Forward:
    """Copies of some sentences: a row that keeps one tensor does not keep those of the other sentences."""
    blocks = [BlockSteps(*(tensor[start:end].copy() for tensor in block)) for block in run.blocks]
    return Forward(run.embedded[start:end].copy(), blocks, run.output[start:end].copy(), run.logits[start:end].copy())


def text_logits(seed: int) -> Float[np.ndarray, "batch seq vocab"]:
    """The logits of the characters for `text_batch`: those of the model's first 65 ids."""
    return runs(seed).text.logits[..., : len(VOCABULARY)]


def dropout_masks(seed: int, batch: int, seq: int, *, shared: bool) -> DropoutMasks:
    """Masks of training mode. `shared`: one mask of the weights for all heads and sentences, as in Flax linen."""
    rng, rate, layers = np.random.default_rng(seed), CONFIG.dropout, CONFIG.num_layers
    heads = (1, 1) if shared else (batch, CONFIG.num_heads)
    pattern = rng.random((layers, *heads, seq, seq), np.float32) >= rate
    return DropoutMasks(pattern, rng.random((layers, batch, seq, CONFIG.d_ff), np.float32) >= rate, rate)


def cross_entropy(
    logits: Float[np.ndarray, "*row vocab"], targets: Int[np.ndarray, "*row"]
) -> Float[np.ndarray, "*row"]:
    """-log softmax(logits)[target] of each row, in float64."""
    log_probabilities = log_softmax(logits.astype(float), axis=-1)
    return -np.take_along_axis(log_probabilities, targets[..., None], axis=-1)[..., 0]
