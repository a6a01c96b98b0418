"""The page Take away: its files, made from the current state."""

import io
import json

import numpy as np
import pytest

from dashboard.lessons.take_away import downloads
from dashboard.lessons.take_away.subject import origin_of, subject_of
from dashboard.models.model import model_for
from dashboard.models.story import SENTENCE
from dashboard.models.variants import edited_model
from dashboard.page_list import page_named
from dashboard.selection.focus import Focus
from dashboard.state import link
from dashboard.state.setting_parameters import DEFAULTS
from dashboard.state.settings import Settings
from encoder_core import HeadFactor
from encoder_core.export import FromFile, Random, SomeRecipe, encoder_core_notebook
from encoder_core.inputs.custom_mask import CustomMask
from tests.pages.app import opened, rendered

PAGE = page_named("take_away")


def model(**settings):
    return model_for(Settings.from_state(DEFAULTS | settings))


def names(at):
    return [button.proto.label for button in at.get("download_button")]


def test_every_file_is_offered_and_made_only_on_click(framed, monkeypatch):
    for name in ("plain_notebook", "trace_npz", "report_html"):
        monkeypatch.setattr(downloads, name, lambda *_: pytest.fail("made without a click"))
    at = opened(PAGE, edits="head.0.0=0")
    assert names(at) == ["Plain JAX and Flax", "With encoder_core", "Trace, NumPy (.npz) · about 1.02 MB",
                         "Trace, safetensors · about 1.02 MB", "Parameters · about 807 kB",
                         "Report (.html)"]  # fmt: skip
    assert all(button.proto.deferred_file_id for button in at.get("download_button"))
    assert "your 1 edit." in "\n".join(rendered(at))


def test_a_file_beyond_the_limit_has_a_sentence(framed, monkeypatch):
    monkeypatch.setattr(downloads, "MAX_BYTES", 500_000)
    at = opened(PAGE, text=SENTENCE)
    assert "Parameters: 805 kB is more than the limit of 500 kB." in "\n".join(rendered(at))
    assert len(names(at)) == 5
    two_sentences = "\n".join(rendered(opened(PAGE)))
    assert "1.02 MB is more than the limit of 500 kB. Fewer or shorter sentences make it smaller." in two_sentences


def test_the_files_are_those_of_the_state():
    edited = edited_model(
        model(text="The cat sat on the mat, as it was tired\n…\nIt slept").settings, (HeadFactor(0, 0, 0.0),)
    )
    subject = subject_of(edited, "http://localhost/")
    at = Focus(1, 3, 2, 0, 0, edited.batch.tokens[1])
    files = {file.name: file for file in [*downloads.notebooks(), *downloads.arrays(edited), *downloads.reports(at)]}
    content = {name: file.make(subject) for name, file in files.items()}
    notebook = json.loads(content["encoder.ipynb"])
    assert notebook["nbformat"] == 4
    assert "http://localhost/" in "".join(notebook["cells"][0]["source"])
    with np.load(io.BytesIO(content["trace.npz"])) as trace:
        assert np.array_equal(trace["output"], edited.trace.output)
    assert b"sentence 2 of 3, layer 4, head 3" in content["encoder-report.html"]
    ratios = {file.name: len(content[file.name]) / file.num_bytes for file in files.values() if file.num_bytes}
    assert all(0.8 < ratio < 1.2 for ratio in ratios.values()), ratios


@pytest.mark.parametrize(
    "settings",
    [
        {"text": "One <b>line\n\nand 'another'"},
        {"mask": "custom", "custom_mask": CustomMask("2", "window"), "text": "a b c d e f g"},
        {"encoder": "nnx", "recipe_mask": "causal", "seed": 2},
        {"norm": "pre", "bias": False, "positions": "learned", "scale": "sqrt_d"},
    ],
)
def test_the_settings_are_those_of_the_notebook(settings):
    subject = subject_of(model(**settings))
    namespace = {}
    for cell in encoder_core_notebook(subject).cells:  # compares with the run
        if cell.cell_type == "code":
            exec(cell.source, namespace)
    assert np.array_equal(namespace["trace"].ids, subject.run.trace.ids)


def test_the_origin_of_an_encoder():
    assert origin_of(model(encoder="reverse")) == FromFile("small trained encoder reverse")
    assert origin_of(model(seed=3)) == Random(3)
    assert origin_of(model(encoder="nanolm", variant="as written", seed=3)) == SomeRecipe("nanolm", "as written", 3)


@pytest.mark.parametrize(
    ("url", "address"),
    [
        ("http://host:8501/softmax", "http://host:8501"),
        ("https://host/app/take_away/", "https://host/app"),
        ("https://host/app/start", "https://host/app"),
        ("https://host/first", "https://host"),
        ("http://host", "http://host"),
        ("javascript:alert(1)", ""),
        (None, ""),
    ],
)
def test_the_address_of_the_app(monkeypatch, url, address):
    monkeypatch.setattr(link.st, "context", type("Context", (), {"url": url}))
    assert link.app_address() == address


@pytest.mark.parametrize(("encoder", "is_said"), [("reverse", True), ("random", False), ("nanolm", False)])
def test_both_notebooks_of_a_file_need_it(framed, encoder, is_said):
    (text,) = [text for text in rendered(opened(PAGE, encoder=encoder)) if "**With encoder_core**" in text]
    assert ("for the folder of this project. It reads the file “Parameters”, too." in text) == is_said
    assert is_said == ("parameters.safetensors" in str(encoder_core_notebook(subject_of(model(encoder=encoder)))))
