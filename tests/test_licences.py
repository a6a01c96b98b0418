"""docs/licences.md names the licence of every requirement, and is what its command prints."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
DOCUMENT = (ROOT / "docs" / "licences.md").read_text(encoding="utf-8")
LISTED = dict(re.findall(r"^\| ([\w.-]+) \| (.+) \|$", DOCUMENT, re.MULTILINE))
REQUIREMENTS = re.findall(r"^[\w-]+", (ROOT / "requirements.txt").read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("name", REQUIREMENTS)
def test_every_requirement_has_a_licence(name):
    assert LISTED[name.replace("_", "-")] not in ("", "?")


def test_the_licences_of_the_requirements_are_those_of_what_is_installed():
    command = [sys.executable, str(ROOT / "tools" / "list-licences")]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    table = printed.partition("## Needed by these")[0]
    assert table == DOCUMENT.partition("## Needed by these")[0]


def test_no_dependency_forbids_use_in_other_projects():
    assert {name: text for name, text in LISTED.items() if re.search(r"\b(A?GPL|SSPL|Proprietary)\b", text)} == {}
