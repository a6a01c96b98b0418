"""dm-haiku: six post-norm blocks in training and in evaluation mode, with a random padding mask."""

from dataclasses import replace

from encoder_core.config import EncoderConfig
from encoder_core.recipes.example import Example
from encoder_core.recipes.recipe import Note, Recipe

CONFIG = EncoderConfig(
    vocab_size=24,  # one row of the table for each token of the batch
    max_len=64,
    d_model=64,
    num_heads=8,
    d_ff=128,
    num_layers=6,
    norm="post",
    norm_eps=1e-5,
    activation="relu",
    positions="none",
    dropout=0.1,
    dropout_at=("attn_out", "mlp_act", "mlp_out"),
)

HAIKU = Recipe(
    name="haiku",
    title="Yet another JAX Transformer: the encoder",
    library="dm-haiku",
    description="A post-norm encoder of six blocks, run on random rows with a random padding mask, in training mode "
    "and in evaluation mode.",
    source="https://g8a9.github.io/yet_another_jax_transformer/docs/03_transformer_encoder/encoder.html",
    variants={"as intended": CONFIG, "as written": CONFIG},
    example=Example(
        2,
        12,
        "rows",
        "random keys",
        "2 sentences of 12 tokens, each a different row drawn from a normal distribution; each key is hidden with "
        "probability 1/2, at least one is visible",
    ),
    has_table=False,
    notes=(
        Note(
            "The table of positions stays zero",
            "The encodings are “pre-computed and added to the token embeddings at the beginning of the forward pass”.",
            "`pe.at[...].set(...)` returns a new array, which the code discards, so zeros are added. The encoder's own "
            "example starts from random rows and does not use the table, so this recipe has one variant.",
            as_intended=replace(CONFIG, positions="sinusoidal"),
            as_written=CONFIG,
            tensor="position_encoding",
            why_one_variant="the tutorial's encoder does not contain the table of positions, and its example, which "
            "this recipe runs, starts from random rows",
        ),
        Note(
            "1000 or 10000",
            "The formula divides the position by 1000^(2i / d_model).",
            "The code has 10000, as the paper does.",
            rows=("formula-1000",),
        ),
    ),
)
