"""The README names files and folders that exist, its examples run, and its figures are those of docs/benchmarks.md."""

import ast
import importlib
import json
import re
import textwrap
from pathlib import Path

import numpy as np
import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`((?:dashboard|deploy|encoder_core|pages|tests|benchmarks|streamlit_app)[\w/.]*)`")
BENCHMARKS = (ROOT / "docs" / "benchmarks.md").read_text(encoding="utf-8")
PATHS = sorted(set(NAMED.findall(README + BENCHMARKS)))
MODULES = sorted(set(re.findall(r"python -m ([\w.]+)", README + BENCHMARKS)))
MAIN_ROWS = README.split("## Benchmarks")[1].split("|---|---|---|---|\n")[1].split("\n\n")[0].splitlines()
EXAMPLE = textwrap.dedent(README.split("## In a notebook")[1].split("\nA trace holds")[0])
EXPORT_EXAMPLE = textwrap.dedent(README.split("\nIn Python:\n")[1].split("\n## Axes")[0])


def example_of(module):
    """The indented part of the docstring that begins with an import; None if there is none."""
    docstring = ast.get_docstring(ast.parse(module.read_text(encoding="utf-8"))) or ""
    example = re.search(r"(?m)^    (?:from|import) .*(?:\n(?:    .*)?)*", docstring)
    return example and textwrap.dedent(example[0])


EXAMPLES = {
    ".".join(module.relative_to(ROOT).with_suffix("").parts): example
    for module in sorted((ROOT / "encoder_core").rglob("*.py"))
    if (example := example_of(module))
}


@pytest.mark.parametrize("path", [path for path in PATHS if "/" in path])
def test_what_the_code_map_names_exists(path):
    assert (ROOT / path).exists()


def test_the_places_of_a_what_if_are_those_that_name_one():
    """`ResidualFactor` stands for all of them; tutorials and experiments only use it."""
    section = README.split("**A what-if (an edit)**")[1].split("\n**A stage**")[0]
    named = [
        path.relative_to(ROOT).as_posix()
        for folder in ("encoder_core", "dashboard")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"\bResidualFactor\b", path.read_text(encoding="utf-8"))
    ]
    needed = [path for path in named if not path.startswith(("encoder_core/tutorials/", "encoder_core/experiments/"))]
    assert len(needed) > 5
    assert [path for path in needed if f"`{path}`" not in section] == []


def test_links_inside_the_readme_lead_to_headings():
    headings = re.findall(r"^#+ (.+)$", README, re.MULTILINE)
    anchors = {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}
    links = re.findall(r"\]\(#([^)]+)\)", README)
    assert links
    assert set(links) <= anchors


@pytest.mark.parametrize("module", MODULES)
def test_commands_run_modules_that_exist(module):
    path = ROOT / module.replace(".", "/")
    assert path.with_suffix(".py").is_file() or (path / "__main__.py").is_file()


@pytest.mark.parametrize("row", MAIN_ROWS)
def test_the_figures_of_the_main_benchmarks_are_those_of_the_whole_tables(row):
    label, *cells = cells_of(row)
    (measured,) = [cells_of(line) for line in BENCHMARKS.splitlines() if line.startswith(f"| {label} ")]
    assert re.search(r"\d", cells[0])
    for cell, whole in zip(cells, measured[1:], strict=True):
        assert set(re.findall(r"\d[\d.,]*\d|\d", cell)) <= set(re.findall(r"\d[\d.,]*\d|\d", whole))


def cells_of(row):
    return [cell.strip() for cell in row.strip("|").split("|")]


def test_links_lead_to_files_that_exist():
    links = re.findall(r"\]\((?!http)([^)#]+)\)", README)
    assert "docs/benchmarks.md" in links
    assert all((ROOT / link).is_file() for link in links)


def test_images_exist():
    images = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert len(images) >= 2
    assert all((ROOT / image).is_file() for image in images)


def test_the_example_runs():
    names = {}
    exec(EXAMPLE, names)
    trace, words = names["trace"], names["words"]
    assert round(float(trace.layers[3].pattern[0, 1, words.index("it"), words.index("cat")]), 2) == 0.80


@pytest.mark.parametrize(
    ("statement", "shape"),
    [
        ("trace.layers[3].pattern[0, 1]", (7, 7)),
        ('residual_change(encoder.trace("The black cat"), edited)', (7, 3)),
        ('ablate_heads(encoder, "The black cat")', (6, 8, 3)),
        ('Encoder.recipe("nanolm", "as written").trace(inputs, mask).logits', (8, 10, 100)),
    ],
)
def test_the_example_has_the_shapes_that_it_says(statement, shape):
    before, found, _ = EXAMPLE.partition(statement)
    names = {}
    exec(before, names)
    assert found
    assert eval(statement, names).shape == shape


def test_the_example_of_the_export_writes_a_notebook(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = {}
    exec(EXAMPLE.partition("\nminilm =")[0], names)
    exec(EXPORT_EXAMPLE, names)
    assert json.loads((tmp_path / "encoder.ipynb").read_text(encoding="utf-8"))["cells"]


def test_the_table_of_imports_has_names_of_public_faces():
    table = README.split("| to | import | from |\n|---|---|---|\n")[1].split("\n\n")[0]
    rows = [cells_of(row) for row in table.splitlines()]
    for task, names, module in rows:
        face = importlib.import_module(module.strip("`"))
        assert set(re.findall(r"`(\w+)`", names)) <= set(face.__all__), task
    assert len(rows) >= 10


@pytest.mark.parametrize("module", EXAMPLES)
def test_the_example_of_a_docstring_runs(module):
    names = {}
    exec(
        "from encoder_core import Encoder, EncoderConfig\nencoder = Encoder.random(EncoderConfig(num_layers=4))", names
    )
    exec(EXAMPLES[module], names)
    if derivation := names.get("derivation"):
        np.testing.assert_allclose(derivation.result, derivation.trace_value, rtol=1e-5)
    if run := names.get("run"):
        assert run.step == run.plan.steps
        assert names["encoder"].trace("abc").logits is not None


def test_the_examples_of_docstrings_are_found():
    assert len(EXAMPLES) >= 3
