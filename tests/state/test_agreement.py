"""Sidebar, URL and page describe one state, whatever is done in whatever order, and a copy of the URL reproduces it.

A client of Streamlit's protocol does at random what people do in a browser, one thing after another or two in quick
succession: before the answer to the first has come. AGREEMENT_EXAMPLES and AGREEMENT_STEPS ask for more of them.
"""

import base64
import json
import os
from urllib.parse import urlsplit

import numpy as np
from hypothesis import HealthCheck, note, settings
from hypothesis import strategies as some
from hypothesis.stateful import (
    RuleBasedStateMachine,
    initialize,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

import dashboard.inspect.depths  # noqa: F401 - declares every parameter
from dashboard.models.model import edited, model_for
from dashboard.page_list import PAGES, page_named
from dashboard.selection.focus import PARTS
from dashboard.state.parameter import PARAMETERS
from dashboard.state.session import Session as Choices
from dashboard.state.settings import SETTINGS, Settings
from encoder_core import fitting_edits
from encoder_core.edits import from_text
from tests.client import Session

EXAMPLES = int(os.environ.get("AGREEMENT_EXAMPLES", "12"))
STEPS = int(os.environ.get("AGREEMENT_STEPS", "14"))
TEXTS = (
    "The black cat jumped on the sofa, lied down and fell asleep, as it was tired",
    "a cat as it was\nshort",
    "it rains",
)
LINKS = (
    "/",
    "/scaled_scores?layer=2&token=4&key_token=16",
    "/softmax?temperature=3&edits=score.0.0.0.2.1%3D6.5~head.1.0%3D0",
    "/full_stack?encoder=nnx&view=Rollout",
    "/add_and_norm?text=it+rains&cell=mlp_in.0.0.1.3&which_norm=norm2&norm=pre",
)
SLIDERS = {"d_model": ("4", "64", "68", "128"), "heads": ("1", "3", "4"), "layers": ("1", "4", "5"), "seed": ("0", "7")}
ACTIONS = (
    "text",
    "encoder",
    "slider",
    "cell",
    "operand",
    "what_if",
    "undo",
    "picker",
    "view",
    "page",
    "back",
    "forward",
)


class Visitor(RuleBasedStateMachine):
    """One tab. An action that is not possible on the page shown does nothing."""

    server = ""

    @initialize(link=some.sampled_from(LINKS))
    def arrive(self, link):
        self.tab = Session(self.server, link)
        self.may_have_edits = "edits=" in link

    @rule(action=some.sampled_from(ACTIONS), choice=some.integers(0, 1_000))
    def act(self, action, choice):
        self.do(action, choice)
        self.tab.wait()

    @rule(one=some.sampled_from(ACTIONS), other=some.sampled_from(ACTIONS), choice=some.integers(0, 1_000),
          messages=some.integers(0, 40))  # fmt: skip
    def act_twice_in_quick_succession(self, one, other, choice, messages):
        self.do(one, choice)
        self.tab.receive(messages)
        self.do(other, choice // 7)
        self.tab.wait()

    @rule(choice=some.integers(0, 1_000), messages=some.integers(0, 40))
    def click_twice_before_the_answer(self, choice, messages):
        self.act_twice_in_quick_succession("cell", "cell", choice, messages)

    @rule(one=some.sampled_from(ACTIONS[:8]), other=some.sampled_from(ACTIONS[:8]), choice=some.integers(0, 1_000))
    def act_twice_in_one_tick(self, one, other, choice):
        """A text that is typed, and left by a click on a heatmap, arrive as one message."""
        with self.tab.batch():
            self.do(one, choice)
            self.do(other, choice // 7)

    @rule()
    def reload(self):
        self.tab.reload()

    @rule()
    def lose_the_server(self):
        """The websocket comes back to a server that has forgotten the session."""
        self.tab.reconnect()
        self.tab.rerun()
        self.tab.wait()

    @precondition(lambda self: hasattr(self, "tab"))
    @invariant()
    def sidebar_url_and_page_agree(self):
        assert self.tab.exceptions == []
        found = self.state()
        (address,) = self.tab.components("address")
        assert address["query"] == urlsplit(self.tab.url).query
        assert found.query() == address["query"]
        assert self.tab.texts("title") == [page_named(self.page).title]
        for key, widget in self.tab.widgets().items():
            self.shows(found, key.partition(".")[0], widget)
        if self.page == "scaled_scores":
            self.page_shows_the_scores(found)

    @precondition(lambda self: hasattr(self, "tab"))
    @invariant()
    def nobody_asked_for_an_edit(self):
        assert self.may_have_edits or "edits=" not in self.tab.url

    def teardown(self):
        if hasattr(self, "tab"):
            with Session(self.server, self.tab.url) as copy:
                assert copy.url == self.tab.url
                assert copy.texts("warning") in ([], self.tab.texts("warning"))
                for kind in ("plot", "derivation", "diagram"):
                    assert copy.components(kind) == self.tab.components(kind), kind
            self.tab.close()

    def state(self):
        """What the URL says."""
        found = Choices()
        found.read_link(urlsplit(self.tab.url).query)
        found.open_page(self.page)
        return found

    @property
    def page(self):
        return urlsplit(self.tab.url).path.strip("/") or "map"

    def shows(self, found, name, widget):
        """A widget of the sidebar or of the position shows what the URL says."""
        if widget.disabled or name not in (*SETTINGS, *PARTS):
            return
        parameter = PARAMETERS[name]
        value, shown = found.get(parameter), widget.value
        if widget.kind == "selectbox" and name in PARTS:
            shown = shown.partition(" · ")[0]
        assert str(shown).lower() == str(value).lower(), (name, shown, value)

    def page_shows_the_scores(self, found):
        chosen = Settings.from_state({key: found.get(parameter) for key, parameter in SETTINGS.items()})
        model = model_for(chosen)
        texts = found.get(PARAMETERS["edits"])
        fitting = fitting_edits([from_text(text) for text in texts], model.config, *model.batch.ids.shape)
        model = edited(chosen, fitting.edits) if fitting.edits else model
        sentence, layer, head = (found.get(PARAMETERS[part]) - 1 for part in ("sentence", "layer", "head"))
        expected = model.trace.layers[layer].scores[sentence, head]
        (plot, *_) = self.tab.components("plot")
        panel = json.loads(plot["panels"][-1]["panel"])
        z = panel["data"][0]["z"]
        shown = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(expected.shape)
        np.testing.assert_allclose(shown, np.where(np.isfinite(expected), expected, np.nan), atol=1e-4)
        assert panel["rows"]["names"] == list(model.batch.tokens[sentence])

    def do(self, action, choice):
        note(f"{action} {choice} at {self.tab.url}")
        getattr(self, f"_{action}")(choice)

    def _widget(self, *names):
        """The widgets on screen that show one of these parameters."""
        found = self.tab.widgets()
        return [
            (key, widget) for key, widget in found.items() if key.partition(".")[0] in names and not widget.disabled
        ]

    def _text(self, choice):
        for key, _ in self._widget("text"):
            self.tab.send.set(key, TEXTS[choice % len(TEXTS)])

    def _encoder(self, choice):
        for key, _ in self._widget("encoder"):
            self.tab.send.set(key, ("random", "nnx", "minilm", "haiku")[choice % 4])

    def _slider(self, choice):
        name = list(SLIDERS)[choice % len(SLIDERS)]
        for key, _ in self._widget(name):
            self.tab.send.set(key, SLIDERS[name][choice % len(SLIDERS[name])])

    def _cell(self, choice):
        """A click on a cell of a picture that is on screen."""
        pictures = self._pictures()
        if pictures:
            key, panels = pictures[choice % len(pictures)]
            place = choice % len(panels)
            rows, columns = (len(panels[place][axis]["names"]) for axis in ("rows", "columns"))
            cell = {"panel": place, "row": choice % rows, "column": (choice // 3) % columns, "tile": None}
            self.tab.send.set_state(key, "cell", cell)

    def _operand(self, choice):
        for found in self.tab.components("derivation"):
            cells = [o["cell"] for step in found["steps"] for term in step["terms"] for o in term["operands"]]
            cells = [cell for cell in cells if cell] + [crumb["cell"] for crumb in found["trail"]]
            self.tab.send.trigger("derivation", "go", cells[choice % len(cells)])

    def _what_if(self, choice):
        for key, _ in self._widget("what_if_number"):
            self.may_have_edits = True
            self.tab.send.set(key, (-1.0, 0.5, 2.0)[choice % 3])

    def _undo(self, choice):
        label = ("Undo", "Redo", "Reset")[choice % 3]
        for key, widget in self.tab.widgets().items():
            if widget.label == label and not widget.disabled:
                self.tab.send.click(key)
                return

    def _picker(self, choice):
        found = self._widget(*PARTS, "neuron", "value_dimension", "numbers", "details", "temperature", "stretch")
        if found:
            key, widget = found[choice % len(found)]
            if widget.options:
                self.tab.send.set(key, widget.options[choice % len(widget.options)])
            elif widget.kind == "checkbox":
                self.tab.send.set(key, not widget.value)

    def _view(self, choice):
        found = self._widget("view", "view_group", "part", "recipe", "recipe_view")
        if found:
            key, widget = found[choice % len(found)]
            self.tab.send.set(key, widget.options[choice % len(widget.options)])

    def _page(self, choice):
        self.tab.send.follow(PAGES[choice % len(PAGES)].name)

    def _back(self, choice):
        if self.tab.history_index > 0:
            self.tab.send.back()

    def _forward(self, choice):
        if self.tab.history_index + 1 < len(self.tab.history):
            self.tab.send.forward()

    def _pictures(self):
        """Key and panels of each picture that is made of plain heatmaps."""
        found = []
        for mounted in self.tab.app.mounts.all.values():
            if mounted.node.kind == "bidi_component" and mounted.proto.component_name.endswith(".plot"):
                panels = [json.loads(panel["panel"]) for panel in json.loads(mounted.proto.json)["panels"]]
                if all(panel["kind"] == "heatmap" for panel in panels):
                    found.append((mounted.key, panels))
        return found


def test_any_sequence_of_actions_leaves_one_state(server):
    Visitor.server = server
    run_state_machine_as_test(
        Visitor,
        settings=settings(
            max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
