"""What `pip install .` installs: the package `encoder_core`, and what it needs."""

import ast
import re
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
DEPENDENCIES = PROJECT["project"]["dependencies"]


def imported_packages(folder):
    """The names of the packages that the modules of a folder import, without the standard library."""
    names = set()
    for path in folder.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Import):
                names |= {alias.name.partition(".")[0] for alias in node.names}
            elif isinstance(node, ast.ImportFrom) and not node.level:
                names.add(node.module.partition(".")[0])
    return names - set(sys.stdlib_module_names)


def test_the_package_needs_what_it_imports():
    imported = imported_packages(ROOT / "encoder_core") - {"encoder_core"}
    assert {re.match(r"\w+", line)[0] for line in DEPENDENCIES} == imported


def test_benchmarks_and_deployment_need_no_tests():
    """Tests use the client and the servers of the benchmarks."""
    assert "benchmarks" in imported_packages(ROOT / "tests")
    assert "tests" not in imported_packages(ROOT / "benchmarks") | imported_packages(ROOT / "deploy")


def test_the_app_has_the_same_versions():
    lines = (ROOT / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert [line for line in DEPENDENCIES if line not in lines] == [line for line in DEPENDENCIES if "plotly" in line]


@pytest.mark.parametrize("package", ["plotly", "streamlit"])
def test_the_app_allows_one_minor_version_of_what_it_uses_the_insides_of(package):
    text = (ROOT / "requirements.txt").read_text(encoding="utf-8")
    major, first, next_major, following = re.search(rf"^{package}>=(\d+)\.(\d+),<(\d+)\.(\d+)$", text, re.M).groups()
    assert (int(next_major), int(following)) == (int(major), int(first) + 1)


def test_type_checkers_read_its_annotations():
    assert "py.typed" in PROJECT["tool"]["setuptools"]["package-data"]["encoder_core"]
    assert (ROOT / "encoder_core" / "py.typed").exists()


@pytest.mark.parametrize(("package", "most"), [("encoder_core", 21), ("dashboard", 18), ("pages", 18), ("deploy", 18)])
def test_no_folder_has_so_many_entries_that_nobody_reads_them(package, most):
    """At most 18, but for the modules and folders of `encoder_core` itself."""
    ignored = {"__pycache__"}
    folders = [path for path in (ROOT / package, *(ROOT / package).rglob("*")) if path.is_dir()]
    sizes = {
        folder.relative_to(ROOT).as_posix(): len({entry.name for entry in folder.iterdir()} - ignored)
        for folder in folders
        if not ignored & set(folder.parts)
    }
    assert sizes.pop(package) <= most
    assert {folder: size for folder, size in sizes.items() if size > 18} == {}
