"""The tutorial's models and batches, each run once per seed, and the addresses of its sections."""

from dataclasses import replace
from functools import lru_cache

from encoder_core.edits import Dropout
from encoder_core.encoder import Encoder
from encoder_core.inputs.masks import MaskName
from encoder_core.recipes import RECIPES, Variant
from encoder_core.trace import Run

PAGE = "https://transformernnx.readthedocs.io/en/latest/api/Encoder.html"
SELF_ATTENTION = f"{PAGE}#Self-Attention-Mechanism"
SCORES = f"{PAGE}#Step-2:-Calculate-Attention-Scores"
MULTI_HEAD = f"{PAGE}#Multi-Head-Attention"
BLOCK = f"{PAGE}#Encoder-Block"
NORM_POSITION = f"{PAGE}#Design-Debate:-Layer-Norm-Position"
ENCODER = f"{PAGE}#Transformer-Encoder"

NNX = RECIPES["nnx"]


@lru_cache(maxsize=12)
def demo_run(name: str, seed: int, dropout: int | None = None) -> Run:
    """One of the tutorial's smaller examples, with its code: "attention", "multi-head" or "block".

    dropout  the seed of the masks in training mode; None is evaluation mode
    """
    demo = NNX.demos[name]
    batch, mask, _ = demo.inputs(seed)
    edits = [] if dropout is None else [Dropout(dropout)]
    return Encoder.from_parameters(demo.config_of("as written"), demo.parameters(seed)).run(batch, mask, edits)


@lru_cache(maxsize=4)
def encoder_of(seed: int) -> Encoder:
    """The encoder of three blocks of the tutorial's code, with the weights that it uses: each block reads the output of
    the previous one."""
    written = Encoder.recipe("nnx", "as written", seed)
    return written.with_config(replace(written.config, attention_read_out="stack"))


@lru_cache(maxsize=8)
def encoder_run(seed: int, mask: MaskName | None = None) -> Run:
    """`encoder_of` on the tutorial's batch."""
    batch, _, _ = NNX.inputs(seed)
    return encoder_of(seed).run(batch, mask)


@lru_cache(maxsize=4)
def variant_run(seed: int, variant: Variant) -> Run:
    """A variant of the recipe on its batch. As written, the weights are those that the tutorial reads out."""
    batch, mask, _ = NNX.inputs(seed)
    return Encoder.recipe("nnx", variant, seed).run(batch, mask)
