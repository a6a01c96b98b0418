"""Names and descriptions of encoders in notebooks: full, pinned, and never code or markdown."""

import html
from dataclasses import replace

import pytest

from encoder_core.export import FromFile, Pretrained, encoder_core_notebook
from encoder_core.export.plain.parameters import parameter_cells
from encoder_core.pretrained.find import KNOWN
from tests.core.export.subjects import MINILM, random_subject


def test_a_short_name_is_written_with_its_owner_and_revision():
    trained = Pretrained("all-MiniLM-L6-v2")
    assert trained == Pretrained(MINILM)
    source = parameter_cells(replace(random_subject(), origin=trained))[1].source
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
