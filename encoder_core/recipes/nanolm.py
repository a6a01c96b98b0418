"""NanoLM in Flax linen: a small causal language model with pre-norm blocks and a vocabulary head."""

from dataclasses import replace

from encoder_core.config import EncoderConfig
from encoder_core.recipes.example import Example
from encoder_core.recipes.recipe import Demo, Note, Recipe

INTENDED = EncoderConfig(
    vocab_size=100,
    max_len=64,
    d_model=256,
    num_heads=8,
    qkv_dim=256,
    d_ff=1024,
    num_layers=6,
    norm="pre",
    final_norm=True,
    norm_eps=1e-6,
    activation="relu",
    positions="learned",
    dropout=0.2,
    dropout_at=("pattern", "mlp_act"),
    output_head=True,
)
WRITTEN = replace(INTENDED, qkv_dim=32)

_ATTENTION_ONLY = EncoderConfig(
    vocab_size=5, max_len=64, d_model=4, num_heads=1, d_ff=16, num_layers=1, positions="none", use_bias=False
)

NANOLM = Recipe(
    name="nanolm",
    title="NanoLM: a small language model",
    library="Flax linen",
    description="Six causal pre-norm blocks between learned embeddings and a vocabulary head, which gives logits for "
    "the next token at every position. The sizes (100 tokens, batch 8) are those of a tutorial that was not found "
    "again; the source is optax's notebook (65 characters, batch 128).",
    # The last commit that changed the notebook (June 2025). In August 2026, main (2edbcbe2) still had it in Flax linen.
    source="https://github.com/google-deepmind/optax/blob/8ccb2c270db2be312b00df869678b3c6e539614b/examples/nanolm.ipynb",
    variants={"as intended": INTENDED, "as written": WRITTEN},
    example=Example(
        8, 10, "random ids", "causal", "8 sentences of 10 random ids below 100; no token attends to a later one"
    ),
    embedding_std=INTENDED.d_model**-0.5,
    notes=(
        Note(
            "Heads of 4, not of 32",
            "`HEAD_SIZE = 32`: “Size of the heads for the transformer model”, and there are 8.",
            "`qkv_features=self.head_size` is the width of all heads together, so each has 32 / 8 = 4. Q and K of one "
            "head then have 4 columns, and Q Kᵀ of one head has a rank of at most d_head = 4. The attention kernels "
            "have an eighth of the parameters.",
            as_intended=INTENDED,
            as_written=WRITTEN,
            tensor="pattern",
            demonstration="rank of a head",
        ),
    ),
    demos={
        "worked example": Demo(
            "worked example",
            "Attention by hand",
            "Five tokens of four dimensions, 0.1 to 2.0; tokens 1, 2 and 3 attend with the identity as projections.",
            _ATTENTION_ONLY,
            Example(1, 3, "these ids", None, "tokens 1, 2 and 3 of five; no mask", ids=(1, 2, 3)),
            table=tuple(tuple((4 * row + column + 1) / 10 for column in range(4)) for row in range(5)),
            projects=False,
        ),
        "one-hot": Demo(
            "one-hot",
            "A lookup is a product with a one-hot vector",
            "Ten tokens of three dimensions; the one-hot vector of token 2 times the table.",
            replace(_ATTENTION_ONLY, vocab_size=10, d_model=3),
            Example(1, 1, "these ids", None, "token 2 of ten", ids=(2,)),
        ),
    },
)
