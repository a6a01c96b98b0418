"""The README names files and folders that exist, and its example runs."""

import re
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text(encoding="utf-8")
NAMED = re.compile(r"`((?:dashboard|deploy|encoder_core|pages|tests|benchmarks|streamlit_app)[\w/.]*)`")
PATHS = sorted(set(NAMED.findall(README)))
EXAMPLE = textwrap.dedent(README.split("## In a notebook")[1].split("\nA trace holds")[0])


@pytest.mark.parametrize("path", [path for path in PATHS if "/" in path])
def test_what_the_code_map_names_exists(path):
    assert (ROOT / path).exists()


def test_images_exist():
    images = re.findall(r"!\[[^]]+\]\(([^)]+)\)", README)
    assert len(images) >= 2
    assert all((ROOT / image).is_file() for image in images)


def test_the_example_runs():
    names = {}
    exec(EXAMPLE, names)
    trace, words = names["trace"], names["words"]
    assert round(float(trace.layers[3].pattern[0, 1, words.index("it"), words.index("cat")]), 2) == 0.80
