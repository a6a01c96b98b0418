"""Files that no encoder can be loaded from, and encoders that cannot be saved: each gets a sentence."""

import json
import os
import pickle
from dataclasses import asdict

import numpy as np
import pytest
from safetensors.numpy import load, save_file

from encoder_core import Encoder, EncoderConfig, WordTokenizer
from encoder_core.encoder import file as encoder_file
from encoder_core.inputs.task_tokenizer import TaskTokenizer, split_letters

CONFIG = EncoderConfig(vocab_size=8, max_len=6, d_model=4, num_heads=2, d_ff=4, num_layers=1, dropout=0.1)
ENCODER = Encoder.random(CONFIG, tokenizer=WordTokenizer(["the", "cat"]))
PARAMETERS = {name: array.copy() for name, array in ENCODER.parameters().items()}
TOKENIZER = {"kind": "words", "vocabulary": ["[PAD]", "[UNK]", "the"]}
TASK = {
    "kind": "task", "vocabulary": ["[PAD]", "a", "b"], "inputs": ["a"], "rule": "a", "max_len": 3, "split": "letters",
    "unknown": None,
}  # fmt: skip
TABLE = "token_embedding"

pytestmark = pytest.mark.usefixtures("unchecked")


def write(path, parameters=PARAMETERS, **changed):
    """The file of an encoder with other metadata; None leaves them out."""
    metadata = {"config": json.dumps(asdict(CONFIG)), "tokenizer": json.dumps(TOKENIZER)} | changed
    save_file(parameters, path, {name: text for name, text in metadata.items() if text is not None})


def refuses(message):
    return pytest.raises(ValueError, match=rf"^encoder\.safetensors: {message}")


def test_the_file_of_the_test_is_that_of_an_encoder(tmp_path):
    path = tmp_path / "encoder.safetensors"
    write(path)
    assert Encoder.load(path).trace("the cat").ids.tolist() == [[2, 1]]
    write(path, tokenizer="null")
    assert Encoder.load(path).tokenizer is None
    with pytest.raises(ValueError, match="text needs a tokenizer"):
        Encoder.load(path).trace("the cat")
    write(path, tokenizer=json.dumps(TASK))
    assert Encoder.load(path).trace("aA").ids.tolist() == [[1, 1]]
    halves = {name: array.astype(np.float16) for name, array in PARAMETERS.items()}
    write(path, halves)
    np.testing.assert_array_equal(Encoder.load(path).parameters()[TABLE], halves[TABLE].astype(np.float32))


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        ({TABLE: None}, r"1 missing parameter\(s\): token_embedding\.$"),
        ({"bias": np.zeros(2, np.float32)}, r"1 unknown parameter\(s\): bias\.$"),
        (
            {TABLE: np.zeros((8, 5), np.float32)},
            r"parameter 'token_embedding': shape=\(8, 5\) is invalid: allowed is \(8, 4\)\.$",
        ),
        ({TABLE: np.full((8, 4), np.nan, np.float32)}, "parameter 'token_embedding' contains values that are not fin"),
        ({TABLE: np.full((8, 4), 1e300)}, "parameter 'token_embedding' contains values that are not finite in float32"),
        (
            {TABLE: np.zeros((8, 4), np.int32)},
            "parameter 'token_embedding' is stored as I32: allowed are F16",
        ),
    ],
)
def test_other_tensors(tmp_path, changed, message):
    path = tmp_path / "encoder.safetensors"
    write(path, {name: array for name, array in (PARAMETERS | changed).items() if array is not None})
    with refuses(message):
        Encoder.load(path)


def config(**changed):
    return json.dumps({name: value for name, value in (asdict(CONFIG) | changed).items() if value != "none at all"})


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (None, "the metadata have no 'config': allowed are files of Encoder.save"),
        ("{", r"'config' in the metadata is not JSON \("),
        ("[" * 9_000, r"'config' in the metadata is not JSON \("),
        ("[" * 11_000, "'config' in the metadata has 11,000 characters: allowed are at most 10,000"),
        ("[]", r"config=\[\] is invalid: allowed are objects of JSON"),
        (
            config(norm="none at all"),
            r"config lacks \['norm'\] and has \[\]: allowed are the fields of Enc",
        ),
        (config(__class__="os.system"), r"config lacks \[\] and has \['__class__'\]: allowed are"),
        (config(d_model="4"), "d_model='4' is invalid: allowed are whole numbers from 1 to 1000000"),
        (config(d_model=10**400), "d_model=1000.*… is invalid: allowed are whole numbers from 1 to 1000000"),
        (config(norm_eps=float("nan")), "norm_eps=nan is invalid"),
        (config(num_layers=1_000), r"15984 missing parameter\(s\)"),
        (
            config(vocab_size=10**6),
            r"parameter 'token_embedding': shape=\(8, 4\) is invalid: allowed is \(1000000",
        ),
    ],
)
def test_other_configurations(tmp_path, text, message):
    path = tmp_path / "encoder.safetensors"
    write(path, config=text)
    with refuses(message):
        Encoder.load(path)


@pytest.mark.parametrize(
    ("data", "message"),
    [
        ([], r"tokenizer=\[\] is invalid: allowed are null and objects of JSON"),
        ({}, "kind=None is invalid: allowed are 'words', 'wordpiece', 'task'"),
        (TOKENIZER | {"kind": "pickle"}, "kind='pickle' is invalid: allowed are 'words', 'wordpiece', 'task'"),
        (TOKENIZER | {"x": 1}, r"tokenizer lacks \[\] and has \['x'\]: allowed are the fields"),
        (TOKENIZER | {"vocabulary": "abc"}, "vocabulary='abc' is invalid: allowed are lists of tokens"),
        (
            TOKENIZER | {"vocabulary": ["a", 1]},
            r"vocabulary\[1\]=1 is invalid: allowed for vocabulary are lists of tok",
        ),
        (
            TOKENIZER | {"vocabulary": ["a"]},
            r"vocabulary=\['a'\] is invalid: allowed are .* that begin with \[PAD\]",
        ),
        ({"kind": "wordpiece", "json": 3}, "json=3 is invalid: allowed are strings"),
        ({"kind": "wordpiece", "json": "{}"}, "the text of the tokenizer cannot be read"),
        (TASK | {"split": "eval"}, "split='eval' is invalid: allowed are 'letters', 'plain words', 'masked text'"),
        (TASK | {"inputs": ["c"]}, r"inputs=\['c'\] is invalid: allowed are tokens of the vocabulary"),
        (
            TASK | {"vocabulary": ["a", "a"]},
            "vocabulary=.* is invalid: allowed are lists of different tokens",
        ),
        (TASK | {"unknown": "c"}, "unknown='c' is invalid: allowed are null and tokens of the vocabulary"),
        (TASK | {"max_len": 0}, "max_len=0 is invalid: allowed are whole numbers from 1"),
        (TASK | {"rule": None}, "rule=None is invalid: allowed are strings"),
    ],
)
def test_other_tokenizers(tmp_path, data, message):
    path = tmp_path / "encoder.safetensors"
    write(path, tokenizer=json.dumps(data))
    with refuses(message):
        Encoder.load(path)


def test_a_tokenizer_of_more_tokens_than_the_table(tmp_path):
    write(tmp_path / "encoder", tokenizer=json.dumps(TOKENIZER | {"vocabulary": ["[PAD]", "[UNK]", *"abcdefgh"]}))
    with pytest.raises(ValueError, match=r"len\(tokenizer\)=10 is invalid: allowed are at most vocab_size=8 tokens"):
        Encoder.load(tmp_path / "encoder")


class Exploit:
    def __reduce__(self):
        return os.mkdir, ("exploited",)


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"PK\x03\x04", pickle.dumps(Exploit())])
def test_what_is_no_such_file(tmp_path, content, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "encoder.safetensors"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=r"^encoder\.safetensors is truncated or not a safetensors file"):
        Encoder.load(path)
    ENCODER.save(path)
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(ValueError, match=r"^encoder\.safetensors is truncated or not a safetensors file"):
        Encoder.load(path)
    assert [entry.name for entry in tmp_path.iterdir()] == ["encoder.safetensors"]


@pytest.mark.parametrize("path", [None, 3, b"encoder"])
def test_a_path_is_text(path):
    for call in (Encoder.load, ENCODER.save):
        with pytest.raises(ValueError, match=r"path=.* is invalid: allowed are paths of files"):
            call(path)


def test_other_paths(tmp_path):
    for path in (tmp_path / "none", tmp_path, "a\0b"):
        with pytest.raises(ValueError, match=r"is no file: allowed are files of Encoder\.save"):
            Encoder.load(path)
    with pytest.raises(ValueError, match=r"path='~no_such_user/x' is invalid"):
        Encoder.load("~no_such_user/x")
    with pytest.raises(FileNotFoundError):
        ENCODER.save(tmp_path / "none" / "encoder")


def test_a_file_is_replaced_as_a_whole(tmp_path, monkeypatch):
    path, link = tmp_path / "encoder.safetensors", tmp_path / "link"
    ENCODER.save(path)
    path.chmod(0o640)
    link.symlink_to(path)
    before = path.read_bytes()

    def write_half(self, content):
        with self.open("wb") as file:
            file.write(content[: len(content) // 2])
        raise OSError("No space left on device")

    other = Encoder.random(CONFIG, seed=1)
    with monkeypatch.context() as full_disk:
        full_disk.setattr("pathlib.Path.write_bytes", write_half)
        with pytest.raises(OSError, match="No space left"):
            other.save(path)
    assert path.read_bytes() == before
    other.save(link)
    np.testing.assert_array_equal(Encoder.load(path).parameters()[TABLE], other.parameters()[TABLE])
    assert (link.is_symlink(), path.stat().st_mode & 0o777) == (True, 0o640)
    assert {entry.name for entry in tmp_path.iterdir()} == {"encoder.safetensors", "link"}


class OtherTokenizer(WordTokenizer):
    pass


@pytest.mark.parametrize(
    "tokenizer",
    [OtherTokenizer(["a"]), TaskTokenizer(("[PAD]", "a"), frozenset("a"), "", 3, lambda text: split_letters(text))],
)
def test_a_tokenizer_of_another_package_is_not_saved(tmp_path, tokenizer):
    encoder = Encoder.random(CONFIG, tokenizer=tokenizer)
    with pytest.raises(ValueError, match=r"tokenizer=.* is invalid: allowed are tokenizers of this package and None"):
        encoder.save(tmp_path / "encoder")
    assert list(tmp_path.iterdir()) == []


def test_a_vocabulary_that_is_too_long_is_not_saved(tmp_path, monkeypatch):
    monkeypatch.setitem(encoder_file._MOST_CHARACTERS, "tokenizer", 20)
    with pytest.raises(ValueError, match="'tokenizer' in the metadata has 65 characters: allowed are at most 20"):
        ENCODER.save(tmp_path / "encoder")


def test_any_words_are_saved(tmp_path):
    words = ["\ud800", "é", "日本", "\0", '"', "\\", "👨‍👩‍👧"]
    Encoder.random(EncoderConfig(vocab_size=9, d_model=4, num_heads=1), tokenizer=WordTokenizer(words)).save(
        tmp_path / "encoder"
    )
    assert Encoder.load(tmp_path / "encoder").tokenizer.vocabulary[2:] == tuple(words)
    assert load((tmp_path / "encoder").read_bytes())[TABLE].shape == (9, 4)
