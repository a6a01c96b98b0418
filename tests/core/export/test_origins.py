"""Names and descriptions of encoders in notebooks: full, pinned, and never code or markdown."""

import html
from dataclasses import replace

import numpy as np
import pytest

from encoder_core import Encoder
from encoder_core.export import FromFile, Pretrained, Random, SomeRecipe, Subject, encoder_core_notebook
from encoder_core.export.plain.parameters import parameter_cells
from encoder_core.parameters import draw_parameters
from encoder_core.pretrained.find import KNOWN
from tests.core.export.subjects import CONFIG, MINILM, TEXT, TOKENIZER, random_subject


def test_a_short_name_is_written_with_its_owner_and_revision():
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
