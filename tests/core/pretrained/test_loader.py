"""A BERT in a folder becomes an encoder that computes what transformers computes."""

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from transformers import BertForMaskedLM

from encoder_core import Dropout, Encoder, EncoderConfig, SetEmbedded
from encoder_core.inputs.positions import sinusoids
from encoder_core.parameters import parameter_shapes
from encoder_core.pretrained import PretrainedError, WordPieceTokenizer, on_this_machine
from tests.core.pretrained.parity import assert_same
from tests.core.pretrained.tiny import PIECES, save_tiny, tokenizer

TEXTS = ["The cat walked.", "The cat sat, walking on the cat"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return save_tiny(tmp_path_factory.mktemp("tiny"))


@pytest.fixture(scope="module")
def encoder(folder):
    return Encoder.pretrained(folder)


def test_it_computes_what_transformers_computes(encoder, folder):
    batch = encoder.tokenizer(TEXTS)
    assert_same(encoder.trace(TEXTS, "padding"), batch, folder)
    assert_same(encoder.trace(batch, "padding"), batch, folder)


@pytest.mark.parametrize(
    "changed",
    [
        {"hidden_act": "relu", "layer_norm_eps": 1e-3},
        {"hidden_act": "gelu_new"},
        {"type_vocab_size": 1, "num_hidden_layers": 1},
        {"model_class": BertForMaskedLM},
        # Beyond the capacities of the sliders: a program of its own.
        {"hidden_size": 272, "num_attention_heads": 17, "initializer_range": 0.05},
    ],
)
def test_other_kinds_of_bert(changed, tmp_path):
    folder = save_tiny(tmp_path, **changed)
    encoder = Encoder.pretrained(str(folder))
    assert_same(encoder.trace(TEXTS, "padding"), encoder.tokenizer(TEXTS), folder)
    assert list(encoder.parameters()) == list(parameter_shapes(encoder.config))


def test_old_names_of_the_norms(folder, tmp_path):
    tensors = load_file(folder / "model.safetensors")
    old = {}
    for name, array in tensors.items():
        of_old = name.replace("LayerNorm.weight", "LayerNorm.gamma").replace("LayerNorm.bias", "LayerNorm.beta")
        old[f"bert.{of_old}"] = array
    assert "bert.encoder.layer.2.output.LayerNorm.gamma" in old
    save_file(old, tmp_path / "model.safetensors")
    for name in ("config.json", "tokenizer.json"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    assert_same(Encoder.pretrained(tmp_path).trace(TEXTS[0]), Encoder.pretrained(folder).tokenizer(TEXTS[0]), folder)


def test_the_config(encoder):
    config = encoder.config
    sizes = (config.vocab_size, config.max_len, config.d_model, config.num_heads, config.d_ff, config.num_layers)
    assert sizes == (20, 16, 12, 4, 20, 3)
    assert (config.norm, config.norm_eps, config.activation, config.positions) == ("post", 1e-12, "gelu", "learned")
    assert config.embedding_norm
    assert config.dropout == 0.1
    assert set(config.dropout_at) == {"embedded", "pattern", "attn_out", "mlp_out"}


def test_the_embedding_is_derivable_from_the_trace(encoder):
    trace = encoder.trace(TEXTS, "padding")
    np.testing.assert_array_equal(trace.embedding_sum, trace.scaled_embedding + trace.position_encoding)
    parameters = encoder.parameters()
    rows = trace.embedding_sum.astype(float)
    normalised = (rows - rows.mean(-1, keepdims=True)) / np.sqrt(rows.var(-1, keepdims=True) + 1e-12)
    again = normalised * parameters["embedding_norm.scale"] + parameters["embedding_norm.bias"]
    np.testing.assert_allclose(trace.embedded, again, atol=1e-5)
    np.testing.assert_array_equal(trace.layers[0].resid_pre, trace.embedded)
    assert not trace.embedding_sum.flags.writeable


def test_the_embedding_norm_comes_before_dropout_and_edits(encoder):
    plain = encoder.trace(TEXTS[0])
    dropped = encoder.trace(TEXTS[0], edits=[Dropout(0)])
    kept = dropped.kept.embedded
    np.testing.assert_array_equal(dropped.embedded[~kept], 0)
    np.testing.assert_allclose(dropped.embedded[kept], plain.embedded[kept] / 0.9, rtol=1e-5)
    edited = encoder.trace(TEXTS[0], edits=[SetEmbedded(0, 1, 2, 5.0)])
    assert edited.embedded[0, 1, 2] == 5
    outputs = encoder.outputs_with_edits(TEXTS[0], edit_lists=[[SetEmbedded(0, 1, 2, 5.0)]])
    np.testing.assert_allclose(outputs, [plain.output[0], edited.output[0]], atol=1e-6)


def test_without_an_embedding_norm_there_is_no_sum_to_show():
    config = EncoderConfig(max_len=8)
    assert Encoder.random(config).trace("a b").embedding_sum is None
    normed = Encoder.random(EncoderConfig(max_len=8, embedding_norm=True))
    trace = normed.trace("a b")
    np.testing.assert_allclose(trace.embedded.mean(-1), 0, atol=1e-6)
    np.testing.assert_allclose(trace.embedding_sum, trace.token_embedding + sinusoids(2, config.d_model))


def test_the_layers_of_a_model_with_a_program_of_its_own_are_in_memory_once(tmp_path):
    encoder = Encoder.pretrained(save_tiny(tmp_path, hidden_size=272, num_attention_heads=17))
    parameters = encoder.parameters()
    (state,) = encoder._stacked.states
    for layer in range(encoder.config.num_layers):
        held = np.asarray(state["layers"][layer]["mlp"]["up"]["kernel"][...])
        assert np.shares_memory(parameters[f"layers.{layer}.mlp.up.kernel"], held)
    assert not any(array.flags.writeable for array in parameters.values())
    copy = Encoder.from_parameters(encoder.config, parameters, tokenizer=encoder.tokenizer)
    np.testing.assert_array_equal(copy.trace(TEXTS[0]).output, encoder.trace(TEXTS[0]).output)


def test_text_to_pieces(encoder):
    batch = encoder.tokenizer(TEXTS)
    assert batch.tokens[0] == ("[CLS]", "the", "cat", "walk", "##ed", ".", "[SEP]", *["[PAD]"] * 4)
    assert batch.tokens[1] == ("[CLS]", "the", "cat", "sat", ",", "walk", "##ing", "on", "the", "cat", "[SEP]")
    assert batch.truncated == (0, 0)
    np.testing.assert_array_equal(batch.real.sum(1), [7, 11])
    assert encoder.tokenizer.vocabulary == tuple(PIECES)
    assert len(encoder.tokenizer) == len(PIECES)
    assert encoder.tokenizer.id_of("cat") == PIECES.index("cat")
    assert encoder.tokenizer.id_of("dog") is None
    assert encoder.tokenizer("the \ud800 dog 😀").tokens == (("[CLS]", "the", "[UNK]", "[UNK]", "[SEP]"),)


def test_too_long_keeps_the_end_sign_and_says_how_much_was_cut(encoder):
    batch = encoder.tokenizer(["the cat sat", "cat"], max_len=4)
    assert batch.tokens == (("[CLS]", "the", "cat", "[SEP]"), ("[CLS]", "cat", "[SEP]", "[PAD]"))
    assert batch.truncated == (1, 0)
    with pytest.warns(UserWarning, match="truncated to max_len=16 tokens: 6 left out"):
        trace = encoder.trace("cat " * 20)
    assert trace.tokens[0] == ("[CLS]", *["cat"] * 14, "[SEP]")


@pytest.mark.parametrize(
    ("texts", "message"), [("", "text 1"), (["a", " \n"], "text 2"), ("\ud800", "text 1"), ([], "no text")]
)
def test_nothing_to_read(texts, message, encoder):
    with pytest.raises(ValueError, match=message):
        encoder.tokenizer(texts)


def test_a_shorter_limit(folder):
    encoder = Encoder.pretrained(folder, max_len=5)
    assert encoder.config.max_len == 5
    assert encoder.parameters()["position_embedding"].shape == (5, 12)
    with pytest.raises(ValueError, match="max_len=2 must be a whole number from 3"):
        Encoder.pretrained(folder, max_len=2)


@pytest.mark.parametrize("limit", [0, -1, 1, 2, 3.5, "4", True])
def test_a_batch_has_room_for_one_piece(limit, encoder, unchecked):
    with pytest.raises(ValueError, match=r"max_len=.* is invalid: allowed are whole numbers from 3"):
        encoder.tokenizer("the cat", max_len=limit)


@pytest.mark.parametrize("text", [None, 3, ["cat"]])
def test_pieces_are_those_of_a_text(text, encoder, unchecked):
    with pytest.raises(ValueError, match=r"text=.* is invalid: allowed are strings"):
        encoder.tokenizer.pieces(text)
    with pytest.raises(ValueError, match=r"piece=.* is invalid: allowed are strings"):
        encoder.tokenizer.id_of(text)
    with pytest.raises(ValueError, match=r"tokenizer=.* is invalid: allowed are tokenizers of the library"):
        WordPieceTokenizer(text)


def test_the_owner_of_a_known_model_can_be_left_out_of_the_allowed_ones():
    short = "paraphrase-MiniLM-L3-v2"
    with pytest.raises(PretrainedError) as error:
        Encoder.pretrained(short, allowed=[short], max_bytes=0, offline=True)
    assert "may not be downloaded" not in str(error.value)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"allowed": "all-MiniLM-L6-v2"}, "allowed='all-MiniLM-L6-v2' is invalid: allowed are None and lists of names"),
        ({"allowed": 3}, "allowed=3 is invalid: allowed are None and lists of names"),
        ({"max_bytes": None}, "max_bytes=None is invalid: allowed are numbers from 0"),
        ({"offline": "no"}, "offline='no' is invalid: allowed are True, False"),
        ({"offline": np.ones(2)}, "offline=array.* is invalid: allowed are True, False"),
        ({"max_bytes": -1}, "max_bytes=-1 is invalid: allowed are numbers from 0"),
        ({"progress": "bar"}, "progress='bar' is invalid: allowed are None and functions"),
    ],
)
def test_arguments_of_a_wrong_type(arguments, message, folder, unchecked):
    with pytest.raises(ValueError, match=message):
        Encoder.pretrained(folder, **arguments)
    with pytest.raises(ValueError, match="name_or_folder=3 is invalid: allowed are names of models and folders"):
        on_this_machine(3)


def test_the_tokenizer_of_the_caller_is_not_changed():
    given = tokenizer()  # pads to 10 pieces and cuts after 4
    wordpiece = WordPieceTokenizer(given)
    expected = (("[CLS]", "the", "cat", "sat", ".", "[SEP]"),)
    assert wordpiece("the cat sat.").tokens == expected
    assert (given.padding["length"], given.truncation["max_length"]) == (10, 4)
    given.enable_truncation(3)
    assert wordpiece("the cat sat.").tokens == expected
    assert repr(wordpiece) == "WordPieceTokenizer(vocab_size=14)"
