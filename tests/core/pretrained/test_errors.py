"""What cannot be used is refused in one sentence that names what is wrong."""

import pickle
import sys

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file
from tokenizers import Tokenizer, models

from encoder_core import Encoder
from encoder_core.pretrained import PretrainedError
from encoder_core.pretrained.find import on_this_machine
from tests.core.pretrained.tiny import change_config, save_tiny


@pytest.fixture
def folder(tmp_path):
    return save_tiny(tmp_path)


def refused(what, *, match):
    with pytest.raises(PretrainedError, match=match) as error:
        Encoder.pretrained(what, offline=True)
    message = str(error.value)
    assert message.endswith((".", ")"))
    assert "\n" not in message
    assert isinstance(error.value, ValueError)


@pytest.mark.parametrize("name", ["config.json", "model.safetensors", "tokenizer.json"])
def test_a_missing_file(folder, name):
    (folder / name).unlink()
    refused(folder, match=f"has no {name}")


def test_a_pickle_is_never_read(folder):
    class Bomb:
        def __reduce__(self):
            return (sys.exit, ("it was run",))

    weights = folder / "model.safetensors"
    weights.unlink()
    (folder / "pytorch_model.bin").write_bytes(pickle.dumps(Bomb()))
    refused(folder, match=r"only as a pickle file, .* model.safetensors is needed")
    weights.write_bytes(pickle.dumps(Bomb()))
    refused(folder, match="not a safetensors file")


@pytest.mark.parametrize("kept", [0, 7, 200, -1])
def test_a_truncated_file(folder, kept):
    path = folder / "model.safetensors"
    path.write_bytes(path.read_bytes()[:kept])
    refused(folder, match="truncated")


def test_several_files(folder):
    (folder / "model.safetensors").rename(folder / "model-00001-of-00002.safetensors")
    (folder / "model.safetensors.index.json").write_text("{}")
    refused(folder, match="several files")


def change_tensors(folder, change):
    tensors = load_file(folder / "model.safetensors")
    change(tensors)
    save_file(tensors, folder / "model.safetensors")


QUERY = "encoder.layer.1.attention.self.query.weight"


def test_a_wrong_shape(folder):
    change_tensors(folder, lambda tensors: tensors.update({QUERY: np.zeros((12, 10), np.float32)}))
    refused(folder, match=rf"'{QUERY}' .* has shape \(12, 10\), but config.json requires \(12, 12\)")


def test_sizes_of_the_config_that_are_not_those_of_the_file(folder):
    change_config(folder, vocab_size=10**6)
    refused(folder, match=r"shape \(20, 12\), but config.json requires \(1000000, 12\)")
    change_config(folder, vocab_size=10**9)
    refused(folder, match="vocab_size=1000000000 is invalid: allowed are whole numbers from 1 to 1000000")


def test_missing_tensors(folder):
    change_tensors(folder, lambda tensors: (tensors.pop(QUERY), tensors.pop("embeddings.LayerNorm.bias")))
    refused(folder, match=rf"lacks 2 of the tensors of a BERT: embeddings.LayerNorm.bias, {QUERY}")


def test_numbers_of_another_type_or_not_finite(folder):
    change_tensors(folder, lambda tensors: tensors.update({QUERY: np.zeros((12, 12), np.int32)}))
    refused(folder, match="stored as I32")
    change_tensors(folder, lambda tensors: tensors.update({QUERY: np.full((12, 12), np.nan, np.float32)}))
    refused(folder, match="not finite")


@pytest.mark.parametrize(
    ("changed", "match"),
    [
        ({"model_type": "gpt2"}, "'gpt2'; only BERT"),
        ({"model_type": "roberta"}, "'roberta'; only BERT"),
        ({"model_type": None}, "type None"),
        ({"position_embedding_type": "relative_key"}, "'relative_key'"),
        ({"is_decoder": True}, "a decoder"),
        ({"hidden_act": "silu"}, "hidden_act='silu' .* not one of relu, gelu"),
        ({"hidden_act": ["gelu"]}, "hidden_act"),
        ({"hidden_size": None}, "has no 'hidden_size'"),
        ({"hidden_size": "12"}, "d_model='12' is invalid: allowed are whole numbers"),
        ({"num_attention_heads": 5}, "num_heads=5 is invalid: allowed are divisors of"),
        ({"max_position_embeddings": "many"}, "config.json is not valid"),
        ({"vocab_size": 3}, "14 pieces, more than the vocab_size=3"),
    ],
)
def test_another_architecture(folder, changed, match, unchecked):
    change_config(folder, **changed)
    refused(folder, match=match)


@pytest.mark.parametrize(
    ("text", "match"), [("{", "is not JSON"), ("[1]", "not a JSON object"), ("\xff", "is not JSON")]
)
def test_a_damaged_config(folder, text, match):
    (folder / "config.json").write_text(text, encoding="latin-1")
    refused(folder, match=match)


def test_a_damaged_or_foreign_tokenizer(folder):
    path = folder / "tokenizer.json"
    path.write_text("{")
    refused(folder, match="tokenizer.json cannot be read")
    Tokenizer(models.BPE({"a": 0}, [])).save(str(path))
    refused(folder, match="splits text by BPE; only WordPiece")
    Tokenizer(models.WordPiece({"[PAD]": 0, "[UNK]": 1, "a": 2}, unk_token="[UNK]")).save(str(path))
    refused(folder, match=r"\[CLS\] before a text")


@pytest.mark.parametrize(
    "name", ["../up", "a/b/c", "", "a b", "/no/such/folder", "a\x00b", "~nosuchuser_x", "a/" + "b" * 300 + "/c"]
)
def test_neither_a_folder_nor_a_name(name):
    refused(name, match="neither a folder nor the name of a model")


def test_a_name_that_is_too_long_for_a_folder():
    refused("a" * 300, match=r"'a{300}' is not on this machine, and downloads are switched off")


@pytest.mark.parametrize("name", ["~nosuchuser_x", "a" * 300, "a\x00b", "~"])
def test_what_is_no_folder_is_not_on_this_machine(name):
    assert on_this_machine(name) is (name == "~")
