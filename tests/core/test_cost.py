"""Parameters and operations of an encoder, with formulas that are derived by hand."""

from hypothesis import given
from hypothesis import strategies as st

from encoder_core import Encoder, EncoderConfig
from encoder_core.parameters.cost import flops_by_part, parameters_by_part, trace_bytes
from tests.core.strategies import configs


def test_parameters_of_a_small_gpt():
    """The nanolm tutorial counts 3,426,468 parameters, 13.07 MiB, with 32 features for all heads together."""
    config = EncoderConfig(
        vocab_size=100,
        max_len=64,
        d_model=256,
        num_heads=8,
        qkv_dim=32,
        d_ff=1024,
        num_layers=6,
        norm="pre",
        final_norm=True,
        positions="learned",
        output_head=True,
    )
    assert parameters_by_part(config) == {
        "embedding": 100 * 256,
        "positions": 64 * 256,
        "attention": 6 * (3 * (256 * 32 + 32) + 32 * 256 + 256),
        "feed-forward": 6 * (256 * 1024 + 1024 + 1024 * 256 + 256),
        "norms": 6 * 4 * 256 + 2 * 256,
        "output head": 256 * 100 + 100,
    }
    encoder = Encoder.random(config)
    assert encoder.num_parameters == 3_426_468
    assert round(encoder.num_bytes / 2**20, 2) == 13.07
    assert encoder.trace([["the cat"][0]] * 8).logits.shape == (8, 2, 100)


def test_the_norm_of_the_embedding_is_one_of_the_norms():
    """all-MiniLM-L6-v2 with 64 of its positions."""
    config = EncoderConfig(
        vocab_size=30522, d_model=384, num_heads=12, d_ff=1536, num_layers=6, positions="learned", embedding_norm=True
    )
    assert parameters_by_part(config) == {
        "embedding": 30522 * 384,
        "positions": 64 * 384,
        "attention": 6 * 4 * (384 * 384 + 384),
        "feed-forward": 6 * (384 * 1536 + 1536 + 1536 * 384 + 384),
        "norms": 2 * 384 + 6 * 4 * 384,
    }
    assert sum(parameters_by_part(config).values()) == 22_392_576


@given(configs(free_qkv_dim=True))
def test_the_parts_add_up_to_the_arrays(config):
    encoder = Encoder.random(config)
    assert encoder.num_parameters == sum(array.size for array in encoder.parameters().values())
    assert encoder.num_bytes == sum(array.nbytes for array in encoder.parameters().values())
    assert encoder.num_parameters == sum(encoder.parameters_by_part.values())


@given(configs(free_qkv_dim=True))
def test_num_parameters_by_formula(config):
    d, qkv, ff, vocab = config.d_model, config.qkv_width, config.d_ff, config.vocab_size
    bias = 1 if config.use_bias else 0
    block = 3 * (d * qkv + bias * qkv) + qkv * d + bias * d + d * ff + bias * ff + ff * d + bias * d + 4 * d
    total = vocab * d + config.num_layers * block
    total += config.max_len * d if config.positions == "learned" else 0
    total += 2 * d if config.final_norm else 0
    total += d * vocab + bias * vocab if config.output_head else 0
    assert Encoder.random(config).num_parameters == total


def test_flops_by_hand():
    """d_model 2, d_ff 3, 2 tokens: four products (2, 2) (2, 2) are 4 * 2 * 8, and so on."""
    config = EncoderConfig(vocab_size=5, d_model=2, num_heads=1, d_ff=3, num_layers=1, output_head=True)
    assert flops_by_part(config, seq=2) == {
        "projections": 4 * 2 * 2 * 2 * 2,
        "scores": 2 * 2 * 2 * 2,
        "values": 2 * 2 * 2 * 2,
        "feed-forward": 2 * (2 * 2 * 2 * 3),
        "output head": 2 * 2 * 2 * 5,
    }


@given(configs(free_qkv_dim=True), st.integers(1, 64), st.integers(1, 8))
def test_flops_count_every_matrix_product(config, seq, batch):
    n, d, qkv, ff = seq, config.d_model, config.qkv_width, config.d_ff
    products = config.num_layers * [
        *[(n, d, qkv)] * 3,
        *[(n, qkv // config.num_heads, n)] * config.num_heads,
        *[(n, n, qkv // config.num_heads)] * config.num_heads,
        (n, qkv, d),
        (n, d, ff),
        (n, ff, d),
    ]
    products += [(n, d, config.vocab_size)] if config.output_head else []
    assert Encoder.random(config).flops(seq, batch) == batch * sum(2 * m * k * p for m, k, p in products)


def test_memory_of_a_trace_by_hand():
    """Of each token, a layer has 7 rows of d_model, 5 of qkv_dim, 2 of d_ff and 3 of a number for each key and head;
    5 rows of d_model are outside the layers. 4 bytes each, for 2 sentences of 3 tokens."""
    config = EncoderConfig(vocab_size=5, d_model=8, qkv_dim=6, num_heads=2, d_ff=10, num_layers=4)
    per_token = 4 * (7 * 8 + 5 * 6 + 2 * 10 + 3 * 2 * 3) + 5 * 8
    assert per_token == 536
    assert trace_bytes(config, 3, 2) == 4 * 2 * 3 * per_token
