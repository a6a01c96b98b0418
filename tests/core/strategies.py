"""Hypothesis strategies: encoders over the whole range of the walkthrough."""

from typing import get_args

from hypothesis import strategies as st

from encoder_core import EncoderConfig
from encoder_core import config as fields

VOCAB = 50
seeds = st.integers(0, 2**32 - 1)
mask_names = st.sampled_from([None, "causal"])  # ids have no padding


@st.composite
def configs(draw, *, max_layers: int = 12, free_qkv_dim: bool = False) -> EncoderConfig:
    """d_model up to 256, 1 to 16 heads, d_ff up to 1024, 64 tokens, and all other options.

    d_model is a multiple of the number of heads; with `free_qkv_dim`, qkv_dim is, and d_model is any number.
    """
    num_heads = draw(st.integers(1, 16), label="num_heads")
    multiple = st.integers(1, 256 // num_heads).map(lambda d_head: d_head * num_heads)
    d_model = draw(st.integers(1, 256) if free_qkv_dim else multiple, label="d_model")
    return EncoderConfig(
        vocab_size=VOCAB,
        max_len=64,
        d_model=d_model,
        num_heads=num_heads,
        qkv_dim=draw(multiple, label="qkv_dim") if free_qkv_dim else None,
        d_ff=draw(st.integers(1, 1024), label="d_ff"),
        num_layers=draw(st.integers(1, max_layers), label="num_layers"),
        norm=draw(st.sampled_from(get_args(fields.Norm))),
        final_norm=draw(st.booleans()),
        norm_eps=draw(st.sampled_from([1e-6, 1e-5, 1e-3])),
        activation=draw(st.sampled_from(get_args(fields.Activation))),
        positions=draw(st.sampled_from(get_args(fields.Positions))),
        position_layout=draw(st.sampled_from(get_args(fields.PositionLayout))),
        embedding_scale=draw(st.sampled_from(get_args(fields.EmbeddingScale))),
        use_bias=draw(st.booleans()),
        scale_scores=draw(st.booleans()),
        output_head=draw(st.booleans()),
    )
