"""The Annotated Transformer in Flax linen: embeddings scaled by sqrt(d_model), sinusoids, dropout after the sum."""

from dataclasses import replace

from encoder_core.config import EncoderConfig
from encoder_core.recipes.recipe import Example, Note, Recipe

INTENDED = EncoderConfig(
    vocab_size=100,
    max_len=100,
    d_model=20,
    num_heads=4,
    d_ff=80,
    num_layers=1,
    norm="post",
    norm_eps=1e-6,
    activation="relu",
    positions="sinusoidal",
    position_layout="interleaved",
    embedding_scale="sqrt_d",
    dropout=0.1,
    dropout_at=("embedded",),
)
WRITTEN = replace(INTENDED, embedding_scale="inv_sqrt_d")

ANNOTATED = Recipe(
    name="annotated",
    title="The Annotated Transformer in Flax",
    library="Flax linen",
    builds="The embedding and the position encoding of the Annotated Transformer; its blocks are unfinished, and here "
    "one post-norm block of its sizes follows.",
    source="https://github.com/ShawonAshraf/annotated-transformer-flax",
    variants={"as intended": INTENDED, "as written": WRITTEN},
    example=Example(1, 100, "every id", None, "one sentence of all 100 ids in order; no mask"),
    embedding_std=INTENDED.d_model**-0.5,
    notes=(
        Note(
            "Divided, not multiplied",
            "The paper multiplies embeddings by sqrt(d_model) (section 3.4).",
            "They are divided by it. New rows have a standard deviation of 1/sqrt(20) in linen, so what is added to "
            "the positions is 1/20 in size instead of 1: the sum is next to nothing but positions.",
            as_intended=INTENDED,
            as_written=WRITTEN,
            shows="scaled_embedding",
        ),
        Note(
            "Frequencies by exp and log",
            "Angles are pos / 10000^(2i / d_model).",
            "They are pos * exp(-2i log(10000) / d_model), which is the same number.",
        ),
        Note(
            "The blocks are unfinished",
            "Queries, keys and values have a projection each; heads are put side by side; norms follow residual sums.",
            "All three share one projection, heads are laid along the batch, and a norm's output is added to its own "
            "input. These blocks give no encoder, and are not reproduced.",
        ),
    ),
)
