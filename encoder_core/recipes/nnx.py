"""Flax NNX: attention by hand, a fused projection of queries, keys and values, three post-norm blocks."""

from dataclasses import replace

from encoder_core.config import EncoderConfig
from encoder_core.recipes.recipe import Demo, Example, Note, Recipe

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

_ROWS = "each token a row of its own from a normal distribution"
_BLOCK = replace(INTENDED, vocab_size=20, d_model=16, d_ff=64, num_layers=1)
_CAUSAL = Example(2, 10, "rows", "causal", f"2 sentences of 10 tokens, {_ROWS}; no token sees a later one")
_ALONE = replace(_BLOCK, vocab_size=5, d_model=4, num_heads=1, use_bias=False, dropout=0.0)

NNX = Recipe(
    name="nnx",
    title="A Transformer encoder in Flax NNX",
    library="Flax NNX",
    builds="Scaled dot-product attention, multi-head attention, an encoder block and an encoder of three blocks, "
    "each tried on random rows as soon as it is written.",
    source="https://transformernnx.readthedocs.io/en/latest/api/Encoder.html",
    variants={"as intended": INTENDED, "as written": WRITTEN},
    example=Example(2, 16, "rows", None, f"2 sentences of 16 tokens, {_ROWS}; no mask"),
    has_table=False,
    notes=(
        Note(
            "GELU after every element of the list",
            "The feed-forward network is two linear layers with one activation between them.",
            "The activation follows every element of the list [linear, dropout, linear]: it is applied three times, "
            "the last time to what is added to the residual stream, which can then hardly fall below zero.",
            as_intended=INTENDED,
            as_written=replace(INTENDED, activation_after="second_linear"),
            shows="mlp_out",
        ),
        Note(
            "The attention read-out does not go through the stack",
            "The weights of each block are those it uses when the encoder runs.",
            "Every block is given the encoder's input instead of what the block before it gave. The first block's "
            "weights are right, the others' are weights that the encoder never uses. The output is not touched.",
            as_intended=INTENDED,
            as_written=replace(INTENDED, attention_read_out="input"),
            shows="pattern",
        ),
        Note(
            "One projection for queries, keys and values",
            "The result is split into queries, keys and values.",
            "It is split into heads first, and each head's slice into thirds: columns 0 to 15 of the fused kernel are "
            "the first head's queries, 16 to 31 its keys, 32 to 47 its values, then comes the second head.",
        ),
        Note(
            "The attention demo attends to itself",
            "Queries, keys and values are three random tensors.",
            "All three are drawn from the same key, so they are equal: each token's largest dot product tends to be "
            "the one with itself.",
        ),
    ),
    demos={
        "attention": Demo(
            "attention",
            "Scaled dot-product attention",
            "Attention over 5 tokens of width 4, with queries = keys = values = the rows themselves.",
            _ALONE,
            Example(1, 5, "rows", "causal", f"5 tokens, {_ROWS}; no token sees a later one"),
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
        ),
    },
)
