"""Names and descriptions of encoders in notebooks: full, pinned, and never code or markdown."""

import html
from dataclasses import replace

import numpy as np
import pytest

from encoder_core import Encoder, TokenBatch
from encoder_core.export import FromFile, Pretrained, Random, SomeRecipe, Subject, encoder_core_notebook
from encoder_core.export.plain.parameters import parameter_cells
from encoder_core.export.run_text import is_text_of
from encoder_core.parameters import draw_parameters
from encoder_core.pretrained import find, model
from encoder_core.pretrained.find import KNOWN
from tests.core.export.subjects import CONFIG, MINILM, TEXT, TOKENIZER, random_subject
from tests.core.pretrained.tiny import save_tiny


def test_a_short_name_is_written_with_its_owner_and_revision(monkeypatch):
    monkeypatch.setattr(model, "on_this_machine", lambda name: False)  # the run is not that of the model
    trained = Pretrained("all-MiniLM-L6-v2")
    assert trained == Pretrained(MINILM)
    given = Encoder.from_parameters(CONFIG, draw_parameters(CONFIG, 0), tokenizer=TOKENIZER)
    source = parameter_cells(Subject(given.run(TOKENIZER(TEXT)), trained, TEXT))[1].source
    assert f"snapshot_download('{MINILM}', revision='{KNOWN[MINILM].revision}', allow_patterns=FILES)" in source


@pytest.mark.parametrize(
    "name", ['x"); print("INJECTED") #', "C:\\new\\model", "owner/model\n", "", "a/b/c", "~", ".."]
)
def test_a_trained_encoder_has_a_name_of_the_hub(name):
    with pytest.raises(ValueError, match=r"name=.* is invalid: allowed are names on the Hugging Face hub"):
        Pretrained(name)


def test_a_folder_is_no_name(tmp_path, monkeypatch):
    (tmp_path / "model").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=r"name='model' is invalid: .*; FromFile is for a folder"):
        Pretrained("model")


def test_a_description_is_no_markdown():
    typed = "<script>x</script> [a](http://b) **c**\n\n# d `e` $f$ www.g.h"
    cell = encoder_core_notebook(replace(random_subject(), origin=FromFile(typed))).cells[0]
    (line,) = (line for line in cell.source.splitlines() if line.startswith("- Encoder: "))
    assert html.unescape(line) == f"- Encoder: {' '.join(typed.split())}"
    assert not set("<>[]*`$:._") & set(line.removeprefix("- Encoder: "))
    assert "# d" not in cell.source


def test_the_origin_is_that_of_the_run():
    drawn = random_subject(seed=1).run
    given = Encoder.from_parameters(CONFIG, draw_parameters(CONFIG, 1), tokenizer=TOKENIZER).run(TOKENIZER(TEXT))
    recipe = Encoder.recipe("nanolm", "as written", seed=2).run(np.array([[0, 1]]))
    for run, origin in ((drawn, Random(1)), (given, Random(1)), (recipe, SomeRecipe("nanolm", "as written", 2))):
        assert Subject(run, origin).origin == origin
    for run, origin in (
        (drawn, Pretrained(MINILM)),
        (drawn, Random(0)),
        (drawn, SomeRecipe("nnx", "as intended", 1)),
        (given, Random(2)),
        (recipe, Random(2)),
        (recipe, SomeRecipe("nanolm", "as written", 3)),
        (recipe, SomeRecipe("nanolm", "as intended", 2)),
        (recipe, SomeRecipe("nnx", "as written", 2)),
    ):
        with pytest.raises(ValueError, match=r"origin=.* is invalid: allowed are (those of|origins with the seed of)"):
            Subject(run, origin)


def test_a_name_of_the_hub_is_that_of_the_encoder_of_the_run(tmp_path, monkeypatch):
    folder = save_tiny(tmp_path)
    monkeypatch.setattr(find, "cached_folder", lambda name, revision: folder)
    tiny, origin = Encoder.pretrained("owner/tiny", offline=True), Pretrained("owner/tiny")
    changed = tiny.parameters() | {"layers.0.mlp.up.bias": np.zeros(20)}
    assert Subject(tiny.run("the cat"), origin, ("The cat",)).origin == origin
    for other in (
        Encoder.from_parameters(CONFIG, draw_parameters(CONFIG, 1), tokenizer=TOKENIZER),
        Encoder.from_parameters(tiny.config, changed, tokenizer=tiny.tokenizer),
        tiny.with_config(replace(tiny.config, num_layers=2)),
    ):
        with pytest.raises(ValueError, match=r"origin=.* is invalid: allowed are those of the run's encoder, and From"):
            Subject(other.run("the cat"), origin)
    (folder / "config.json").write_text("{")  # what cannot be read is not compared
    assert Subject(other.run("the cat"), origin).origin == origin


def test_the_sentences_are_those_of_the_run():
    run = random_subject().run
    for sentences in (
        TEXT[:1],
        (*TEXT, "It"),
        TEXT[::-1],
        ("The black cat", TEXT[1]),
        (TEXT[0] + " again", TEXT[1]),
        ("The black dog jumped on the sofa", TEXT[1]),
    ):
        with pytest.raises(ValueError, match=r"sentences=.* is invalid: allowed are those that the run has tokenized"):
            Subject(run, Random(0), sentences)


@pytest.mark.parametrize(
    ("tokens", "text", "is_its_text"),
    [
        ("[CLS] the cafe walk ##ing . [SEP]", "The Café walking.", True),
        ("[CLS] the cafe walk ##ing . [SEP]", "The Café walked.", False),
        ("[CLS] ω ##αι [SEP]", "ᾦΑΙ", True),  # without its iota, as BERT reads it
        ("[CLS] the [UNK] walk ##ing [SEP]", "the \u2603 x7 walking", True),
        ("[CLS] the [UNK] walk ##ing [SEP]", "the \u2603 x7 walks", False),
        ("[CLS] the [UNK] the [SEP]", "the", False),
        ("[UNK] a [UNK] b", "x a y b", True),
        ("[UNK] a [UNK] b", "x b y a", False),
        ("a b c d e f g h", "a b c d e f g h i", True),  # as many as the encoder can have
        ("a b c", "a b c d", False),
        ("[UNK] " * 8 + "a", "b" * 2_000, False),
    ],
)
def test_the_letters_of_a_text_are_compared(tokens, text, is_its_text):
    words = tuple(tokens.split())
    encoder = Encoder.random(replace(CONFIG, max_len=max(8, len(words))))
    batch = TokenBatch((words,), np.zeros((1, len(words)), int), np.ones((1, len(words)), bool), (0,))
    assert is_text_of(encoder.run(batch), (text,)) is is_its_text
