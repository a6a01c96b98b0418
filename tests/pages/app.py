"""The app without a browser: its pages, run by Streamlit's own AppTest."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import MagicMock
from urllib.parse import parse_qs

from streamlit.runtime import Runtime
from streamlit.runtime.scriptrunner.script_cache import ScriptCache
from streamlit.testing.v1 import AppTest, app_test, local_script_runner

from dashboard.page_list import Stage
from dashboard.state.parameter import PARAMETERS

ROOT = Path(__file__).parents[2]
FOLDED = ("more_choices", "other_edits", "edit_mask")
TIMEOUT = 120  # seconds; the first run of all compiles

_wait_in_turns = local_script_runner.require_widgets_deltas


def _wait(runner: local_script_runner.LocalScriptRunner, timeout: float = 3) -> None:
    """Wait for the end of a run. Streamlit's own way looks every millisecond, which takes a tenth of the run."""
    if runner._script_thread:
        runner._script_thread.join(timeout)
    if not runner.script_stopped():
        _wait_in_turns(runner, 0)  # raises


local_script_runner.require_widgets_deltas = _wait

_scripts = ScriptCache()
for _module in (app_test, local_script_runner):
    _module.ScriptCache = lambda: _scripts  # otherwise each run compiles the app and the page: 2 ms
_runtime = MagicMock(spec=Runtime)
app_test.MagicMock = lambda spec: _runtime  # in each run it gets all its parts anew; making another one takes 1 ms


def app() -> AppTest:
    """The app, not run yet, with everything unfolded that a page renders only when it is open."""
    at = AppTest.from_file(ROOT / "streamlit_app.py", default_timeout=TIMEOUT)
    for key in FOLDED:
        at.session_state[key] = True
    return at


def opened(stage: Stage, **link: str | list[str]) -> AppTest:
    """A page, opened by a link with these parameters. With the fixture `framed` it has the sidebar around it."""
    at = app().switch_page(stage.path)
    at.query_params.update(link)
    return run(at)


def run(at: AppTest) -> AppTest:
    """Run the page once more, without an exception."""
    at.run()
    assert not at.exception, [(error.message, error.stack_trace[-3:]) for error in at.exception]
    return at


def chosen(at: AppTest, name: str) -> Any:
    """The value of a parameter in the session."""
    return at.session_state["session"].get(PARAMETERS[name])


def key_of(at: AppTest, name: str) -> str:
    """The key of the widget that shows a parameter: it is replaced where something else has changed the value."""
    generation = at.session_state["session"].widgets[name].generation
    return f"{name}.{generation}" if generation else name


def link_of(at: AppTest) -> dict[str, list[str]]:
    """The parameters that the URL has after the run."""
    (address,) = [x for x in at.get("bidi_component") if x.proto.component_name.endswith(".address")]
    return parse_qs(json.loads(address.proto.json)["query"], keep_blank_values=True)


def figures(at: AppTest) -> Iterator[dict[str, Any]]:
    """Every panel on the page, as the browser gets it."""
    for component in at.get("bidi_component"):
        if component.proto.component_name.endswith(".plot"):
            for panel in json.loads(component.proto.json)["figure"]["panels"]:
                yield json.loads(panel["panel"])


def derivations(at: AppTest) -> list[dict[str, Any]]:
    """Every derivation of a cell on the page, as the browser gets it."""
    components = [x for x in at.get("bidi_component") if x.proto.component_name.endswith(".derivation")]
    return [json.loads(x.proto.json) for x in components]


def cards(at: AppTest) -> list[dict[str, Any]]:
    """The cards of the map, as the browser gets them."""
    return [card for group in _groups(at) for card in group["cards"]]


def bridges(at: AppTest) -> list[dict[str, Any]]:
    """The residual connections of the map, as the browser gets them."""
    return [bridge for group in _groups(at) for bridge in group["bridges"]]


def _groups(at: AppTest) -> Iterator[dict[str, Any]]:
    for component in at.get("bidi_component"):
        if component.proto.component_name.endswith(".diagram"):
            yield from json.loads(component.proto.json)["groups"]


def warning_texts(at: AppTest) -> list[str]:
    """The warnings of the page as they are read: without what keeps markdown from rendering a sign."""
    return [re.sub(r"\\(.)\u2060", r"\1", warning.value) for warning in at.warning]


def rendered(at: AppTest) -> list[str]:
    """Every text of the page that Streamlit renders as markdown; code, tables and formulas are none."""
    texts = [
        element.value for kind in ("title", "header", "subheader", "markdown", "caption") for element in at.get(kind)
    ]
    texts += [alert.value for kind in ("success", "info", "warning", "error") for alert in at.get(kind)]
    texts += [option for radio in at.radio for option in radio.options]
    texts += [option for group in at.button_group for option in group.options]
    kinds = ("radio", "toggle", "selectbox", "button_group", "number_input", "select_slider", "multiselect")
    return texts + [widget.label for kind in kinds for widget in getattr(at, kind)]
