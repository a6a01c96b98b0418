"""Published files: their names change with their content, and imports are renamed."""

import hashlib
import re
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from dashboard.components import static_files


@pytest.fixture
def folder(tmp_path, monkeypatch):
    """A folder that replaces dashboard/components, with a script that imports from its folder and the parent."""
    source = tmp_path / "source"
    (source / "part").mkdir(parents=True)
    (source / "shared.js").write_text("export const one = 1;\n")
    (source / "part" / "beside.js").write_text('import { one } from "../shared.js";\nexport const two = one + one;\n')
    (source / "part" / "part.js").write_text(
        'import { two } from "./beside.js";\nimport { one } from "../shared.js";\n'
    )
    (source / "part" / "part.css").write_text('.part { background: url("./beside.js"); }\n')
    monkeypatch.setattr(static_files, "_HERE", source)
    monkeypatch.setattr(static_files, "STATIC", tmp_path / "static")
    return source


def imports(name: str) -> list[str]:
    return re.findall(r'from "(.*?)"', (static_files.STATIC / name).read_text())


def test_a_name_contains_a_hash_of_the_content(folder):
    name = static_files.publish(folder / "shared.js")
    digest = hashlib.sha256(b"export const one = 1;\n").hexdigest()
    assert name == f"shared-{digest[:12]}.js"
    assert (static_files.STATIC / name).read_text() == "export const one = 1;\n"


def test_imported_scripts_are_published_and_renamed(folder):
    name, shared = static_files.publish(folder / "part" / "part.js"), static_files.publish(folder / "shared.js")
    beside, above = imports(name)
    assert above == f"./{shared}"
    assert imports(beside.removeprefix("./")) == [f"./{shared}"]
    assert sorted(path.name for path in static_files.STATIC.iterdir()) == sorted(
        [name, shared, beside.removeprefix("./")]
    )


def test_all_scripts_that_are_imported_are_named_once(folder):
    part, beside, shared = (folder / path for path in ("part/part.js", "part/beside.js", "shared.js"))
    names = [static_files.publish(script) for script in (part, shared, beside)]
    assert static_files.publish_all([part]) == [names[0], names[2], names[1]]
    assert static_files.publish_all([shared, part]) == [names[1], names[0], names[2]]


def test_publishing_again_changes_nothing(folder):
    first = static_files.publish(folder / "part" / "part.js")
    before = {path.name: path.stat().st_mtime_ns for path in static_files.STATIC.iterdir()}
    assert static_files.publish(folder / "part" / "part.js") == first
    assert {path.name: path.stat().st_mtime_ns for path in static_files.STATIC.iterdir()} == before


def test_threads_can_publish_the_same_file(folder):
    (folder / "large.css").write_text("a { color: red; }\n" * 200_000)
    start = Barrier(8)

    def publish(_):
        start.wait()
        return static_files.publish(folder / "large.css")

    with ThreadPoolExecutor(8) as pool:
        (name,) = set(pool.map(publish, range(8)))
    assert [path.name for path in static_files.STATIC.iterdir()] == [name]
    assert (static_files.STATIC / name).read_bytes() == (folder / "large.css").read_bytes()


def test_a_change_of_a_shared_module_renames_every_script_that_imports_it(folder):
    first = static_files.publish(folder / "part" / "part.js")
    (folder / "shared.js").write_text("export const one = 1.0;\n")
    second = static_files.publish(folder / "part" / "part.js")
    assert first != second
    assert imports(first) != imports(second)


def test_only_scripts_of_the_dashboard_are_rewritten(folder, tmp_path):
    sheet = static_files.publish(folder / "part" / "part.css")
    assert (static_files.STATIC / sheet).read_text() == (folder / "part" / "part.css").read_text()
    (tmp_path / "library.min.js").write_text('export { x } from "./nothing.js";')
    library = static_files.publish(tmp_path / "library.min.js")
    assert re.fullmatch(r"library-[0-9a-f]{12}\.js", library)
    assert imports(library) == ["./nothing.js"]
