"""The Annotated Transformer in Flax linen: scaled embeddings, sinusoids, and dropout that is switched off.

Where its text and its code agree but differ from the paper, "as intended" follows the paper.
"""

from dataclasses import replace

from encoder_core.config import EncoderConfig
from encoder_core.recipes.example import Example
from encoder_core.recipes.recipe import Note, Recipe

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
# deterministic=True switches the tutorial's dropout off, even in training.
WRITTEN = replace(INTENDED, embedding_scale="inv_sqrt_d", dropout=0.0, dropout_at=())

ANNOTATED = Recipe(
    name="annotated",
    title="The Annotated Transformer in Flax",
    library="Flax linen",
    description="The embedding and the position encoding of the Annotated Transformer. Its blocks are unfinished; "
    "here, one post-norm block of the same sizes follows.",
    source="https://github.com/ShawonAshraf/annotated-transformer-flax",
    variants={"as intended": INTENDED, "as written": WRITTEN},
    example=Example(1, 100, "every id", None, "one sentence of all 100 ids in order; no mask"),
    embedding_std=INTENDED.d_model**-0.5,
    notes=(
        Note(
            "Divided, not multiplied",
            "“The embeddings are scaled by a factor of 1/√D_model”",
            "`return embeddings / jnp.sqrt(self.d_model)`, as the text says. linen draws rows with a standard "
            "deviation of 1/√20, so the scaled embedding has one of 1/20; the paper's factor would give 1. The root "
            "mean square of the positions is 0.71.",
            paper="“In the embedding layers, we multiply those weights by √d_model.” (section 3.4)",
            differs_from="paper",
            as_intended=INTENDED,
            as_written=replace(INTENDED, embedding_scale="inv_sqrt_d"),
            tensor="scaled_embedding",
        ),
        Note(
            "Dropout that is never applied",
            "It does not mention dropout.",
            "`nn.Dropout(self.dropout, deterministic=True)`, with a default rate of 0.1: `deterministic=True` switches "
            "it off, even in training. As intended, one number in ten is dropped in training, on average; as "
            "written, none.",
            paper="“we apply dropout to the sums of the embeddings and the positional encodings”, with “a rate of "
            "P_drop = 0.1” (section 5.4)",
            differs_from="paper",
            rows=("apply-dropout",),
        ),
        Note(
            "Frequencies by exp and log",
            "It gives no formula.",
            "The angle is pos · exp(−2i log(10000) / d_model), which equals pos / 10000^(2i / d_model).",
            paper="PE(pos, 2i) = sin(pos / 10000^(2i / d_model)) (section 3.5)",
            differs_from="paper",
        ),
        Note(
            "The blocks are unfinished",
            "“The outputs from the layer are fed through an additional Residual (additive) and LayerNorm layer.”",
            "`x + LayerNorm(self.normalised_shape)(x)` adds a norm's output to its own input; "
            "`[nn.Dense(self.d_model)] * 3` is one projection for queries, keys and values; `jnp.concat(score)` "
            "concatenates the heads along the batch instead of side by side; the ReLU follows the second linear layer. "
            "These blocks do not form an encoder and are not reproduced.",
            paper="“the output of each sub-layer is LayerNorm(x + Sublayer(x))” (section 3.1)",
            rows=("add-and-norm", "three-dense-layers", "concat-of-heads", "relu-after-second"),
        ),
    ),
)
