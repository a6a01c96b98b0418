"""Flax NNX: attention by hand, a fused projection of queries, keys and values, three post-norm blocks."""

from dataclasses import replace

from encoder_core.config import EncoderConfig
from encoder_core.recipes.example import Example
from encoder_core.recipes.recipe import Demo, Note, Recipe

INTENDED = EncoderConfig(
    vocab_size=32,  # one row of the table for each token of the batch
    max_len=64,
    d_model=64,
    num_heads=4,
    d_ff=256,
    num_layers=3,
    norm="post",
    norm_eps=1e-6,
    activation="gelu_tanh",
    positions="none",
    dropout=0.1,
    dropout_at=("attn_out", "mlp_act", "mlp_out"),
)
WRITTEN = replace(INTENDED, activation_after="second_linear", attention_read_out="input")

_ROWS = "each token a different row drawn from a normal distribution"
_BLOCK = replace(INTENDED, vocab_size=20, d_model=16, d_ff=64, num_layers=1)
_CAUSAL = Example(2, 10, "rows", "causal", f"2 sentences of 10 tokens, {_ROWS}; no token attends to a later one")
_ATTENTION_ONLY = replace(_BLOCK, vocab_size=5, d_model=4, num_heads=1, use_bias=False, dropout=0.0)

NNX = Recipe(
    name="nnx",
    title="A Transformer encoder in Flax NNX",
    library="Flax NNX",
    description="Scaled dot-product attention, multi-head attention, an encoder block and an encoder of three blocks, "
    "each followed by an example on random rows.",
    source="https://transformernnx.readthedocs.io/en/latest/api/Encoder.html",
    variants={"as intended": INTENDED, "as written": WRITTEN},
    example=Example(2, 16, "rows", None, f"2 sentences of 16 tokens, {_ROWS}; no mask"),
    has_table=False,
    notes=(
        Note(
            "GELU after the second linear layer",
            "“Two linear layers with a ReLU/GELU activation in between.”",
            "The loop `for l in self.linear` runs the list [linear, dropout, linear], and "
            "`linear_out = nnx.gelu(linear_out)` follows it: one GELU, applied to the output of the second linear "
            "layer. In evaluation mode, nothing is between the two linear layers, so they are one affine map, and no "
            "number that the network adds to the residual stream is below −0.171.",
            paper="“This consists of two linear transformations with a ReLU activation in between.” (section 3.3)",
            as_intended=INTENDED,
            as_written=replace(INTENDED, activation_after="second_linear"),
            tensor="mlp_out",
            demonstration="one affine map",
        ),
        Note(
            "The attention read-out does not go through the stack",
            "“Extracts the attention weights from each encoder block.”",
            "`block.mha(x, mask=mask)` is called with the same `x`, the encoder's input, for every block, instead of "
            "the output of the previous block. The encoder uses the weights of the first block, but not those of the "
            "other blocks. The encoder's output does not change.",
            as_intended=INTENDED,
            as_written=replace(INTENDED, attention_read_out="input"),
            tensor="pattern",
        ),
        Note(
            "One projection for queries, keys and values",
            "“Split Q, K, V into multiple heads.”",
            "The one projection is split into heads first, and `jnp.array_split(qkv, 3, axis=-1)` splits each head's "
            "slice into thirds: columns 0 to 15 of the fused kernel are the first head's queries, 16 to 31 its keys, "
            "32 to 47 its values, then comes the second head.",
            rows=("split-heads",),
        ),
        Note(
            "The attention demo attends to itself",
            "“Create random tensors for q, k, v”",
            "`jax.random.normal(key, ...)` is called three times with the same key, so all three are equal: each "
            "token's largest dot product tends to be the one with itself.",
            rows=("same-key",),
        ),
    ),
    demos={
        "attention": Demo(
            "attention",
            "Scaled dot-product attention",
            "Attention over 5 tokens of width 4, with queries = keys = values = the rows themselves.",
            _ATTENTION_ONLY,
            Example(1, 5, "rows", "causal", f"5 tokens, {_ROWS}; no token attends to a later one"),
            projects=False,
        ),
        "multi-head": Demo(
            "multi-head",
            "Multi-head attention",
            "Four heads over rows of width 16: one heatmap for each head and sentence.",
            _BLOCK,
            _CAUSAL,
        ),
        "block": Demo(
            "block",
            "Encoder block",
            "One block of width 16 with a hidden width of 64: its input beside its output.",
            _BLOCK,
            _CAUSAL,
            written=replace(_BLOCK, activation_after="second_linear"),
        ),
    },
)
