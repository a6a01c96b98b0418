"""Sidebar, URL and page agree after any sequence of actions, and a copy of the URL reproduces the state.

A client of Streamlit's protocol performs random actions of a user: one after another, or two in quick succession, the
second before the response to the first. AGREEMENT_EXAMPLES and AGREEMENT_STEPS set their number.
"""

import base64
import json
import os
from urllib.parse import parse_qsl, urlsplit

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
from benchmarks.client import ClientSession
from dashboard.models.model import model_for
from dashboard.models.variants import edited_model
from dashboard.page_list import PAGES, START, page_named
from dashboard.selection.focus import DEFAULT_WORDS, PARTS
from dashboard.state.parameter import PARAMETERS
from dashboard.state.session import Session as Choices
from dashboard.state.setting_parameters import DEFAULT_TEXT, SETTINGS
from dashboard.state.settings import Settings
from encoder_core import compatible_edits
from encoder_core.edits import parse_edit

EXAMPLES = int(os.environ.get("AGREEMENT_EXAMPLES", "12"))
STEPS = int(os.environ.get("AGREEMENT_STEPS", "14"))
TEXTS = (
    DEFAULT_TEXT,
    "a cat as it was\nshort",
    "it rains",
)
LINKS = (
    "/",
    "/scaled_scores?layer=2&token=4&key_token=16",
    "/softmax?temperature=3&edits=score.0.0.0.2.1%3D6.5~head.1.0%3D0",
    "/full_stack?encoder=nnx&view=Rollout",
    "/scaled_scores?mask=custom&custom_mask=causal.2.3x6.Y2FgYG4AAA&heads=3&d_model=60",
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
    """One tab. An action that is not possible on the current page does nothing."""

    server = ""

    @initialize(link=some.sampled_from(LINKS))
    def arrive(self, link):
        self.tab = ClientSession(self.server, link)
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
        """A typed text and the click on a heatmap that leaves the text field arrive in one message."""
        with self.tab.batch():
            self.do(one, choice)
            self.do(other, choice // 7)

    @rule()
    def reload(self):
        url = self.tab.url
        self.tab.reload()
        assert self.tab.url == url

    @rule()
    def lose_the_server(self):
        """The websocket reconnects to a server that has lost the session."""
        url = self.tab.url
        self.tab.reconnect()
        self.tab.rerun()
        self.tab.wait()
        assert self.tab.url == url

    @precondition(lambda self: hasattr(self, "tab"))
    @invariant()
    def sidebar_url_and_page_agree(self):
        assert self.tab.exceptions == []
        choices = self.state()
        (address,) = self.tab.components("address")
        assert address["query"] == urlsplit(self.tab.url).query
        assert sorted(parse_qsl(choices.query())) == sorted(parse_qsl(address["query"]))  # the server has its own order
        assert self.tab.texts("title") == [page_named(self.page).title]
        for key, widget in self.tab.widgets().items():
            self.check_widget(choices, key.partition(".")[0], widget)
        if self.page == "scaled_scores":
            self.check_scores(choices)

    @precondition(lambda self: hasattr(self, "tab"))
    @invariant()
    def edits_come_only_from_actions(self):
        assert self.may_have_edits or "edits=" not in self.tab.url

    def teardown(self):
        if hasattr(self, "tab"):
            with ClientSession(self.server, self.tab.url) as copy:
                assert copy.url == self.tab.url
                assert copy.texts("warning") in ([], self.tab.texts("warning"))
                for kind in ("derivation", "diagram", "word_lines"):
                    assert copy.components(kind) == self.tab.components(kind), kind
                mine, theirs = ([(p["key"], p["figure"]) for p in tab.components("plot")] for tab in (self.tab, copy))
                assert mine == theirs
            self.tab.close()

    def state(self):
        """The state that the URL describes."""
        choices = Choices()
        choices.read_link(urlsplit(self.tab.url).query)
        choices.open_page(self.page)
        return choices

    @property
    def page(self):
        return urlsplit(self.tab.url).path.strip("/") or START.name

    def check_widget(self, choices, name, widget):
        """A widget of the sidebar or of the focus shows the value in the URL."""
        if widget.disabled or name not in (*SETTINGS, *PARTS):
            return
        parameter = PARAMETERS[name]
        value, shown = choices.get(parameter), widget.value
        if widget.kind == "selectbox" and name in PARTS:
            shown = shown.partition(" · ")[0]
        if value is None:
            value = self.default_place(choices, name)
        assert str(shown).lower() == str(value).lower(), (name, shown, value)

    def default_place(self, choices, name):
        """The number of the token that is selected at first, as the picker shows it."""
        model = model_for(Settings.from_state({key: choices.get(parameter) for key, parameter in SETTINGS.items()}))
        tokens = [token.casefold() for token in model.batch.tokens[choices.get(PARAMETERS["sentence"]) - 1]]
        first = next((number for number, token in enumerate(tokens, 1) if not token.startswith("[")), 1)
        return next((tokens.index(word) + 1 for word in DEFAULT_WORDS[name] if word in tokens), first)

    def check_scores(self, choices):
        """The last heatmap of Scaled scores equals the scores of the engine."""
        state = Settings.from_state({key: choices.get(parameter) for key, parameter in SETTINGS.items()})
        model = model_for(state)
        texts = choices.get(PARAMETERS["edits"])
        compatible = compatible_edits([parse_edit(text) for text in texts], model.config, *model.batch.ids.shape)
        model = edited_model(state, compatible.edits) if compatible.edits else model
        sentence, layer, head = (choices.get(PARAMETERS[part]) - 1 for part in ("sentence", "layer", "head"))
        expected = model.trace.layers[layer].scores[sentence, head]
        (plot, *_) = self.tab.components("plot")
        panel = json.loads(plot["figure"]["panels"][-1]["panel"])
        z = panel["data"][0]["z"]
        shown = np.frombuffer(base64.b64decode(z["bdata"]), z["dtype"]).reshape(expected.shape)
        np.testing.assert_allclose(shown, np.where(np.isfinite(expected), expected, np.nan), atol=1e-4)
        assert panel["rows"]["names"] == list(model.batch.tokens[sentence])

    def do(self, action, choice):
        note(f"{action} {choice} at {self.tab.url}")
        getattr(self, f"_{action}")(choice)

    def _widgets(self, *names):
        """The widgets on screen that show one of these parameters."""
        widgets = self.tab.widgets()
        return [
            (key, widget) for key, widget in widgets.items() if key.partition(".")[0] in names and not widget.disabled
        ]

    def _text(self, choice):
        for key, _ in self._widgets("text"):
            self.tab.send.set(key, TEXTS[choice % len(TEXTS)])

    def _encoder(self, choice):
        for key, _ in self._widgets("encoder"):
            self.tab.send.set(key, ("random", "nnx", "minilm", "haiku")[choice % 4])

    def _slider(self, choice):
        name = list(SLIDERS)[choice % len(SLIDERS)]
        for key, _ in self._widgets(name):
            self.tab.send.set(key, SLIDERS[name][choice % len(SLIDERS[name])])

    def _cell(self, choice):
        """A click on a cell of a plot on screen."""
        plots = self._heatmaps()
        if plots:
            key, panels = plots[choice % len(plots)]
            place = choice % len(panels)
            rows, columns = (len(panels[place][axis]["names"]) for axis in ("rows", "columns"))
            cell = {"panel": place, "row": choice % rows, "column": (choice // 3) % columns, "tile": None}
            self.tab.send.set_state(key, "cell", cell)

    def _operand(self, choice):
        for derivation in self.tab.components("derivation"):
            cells = [o["cell"] for step in derivation["steps"] for term in step["terms"] for o in term["operands"]]
            cells = [cell for cell in cells if cell] + [crumb["cell"] for crumb in derivation["trail"]]
            self.tab.send.trigger("derivation", "go", cells[choice % len(cells)])

    def _what_if(self, choice):
        for key, _ in self._widgets("what_if_number"):
            self.may_have_edits = True
            self.tab.send.set(key, (-1.0, 0.5, 2.0)[choice % 3])

    def _undo(self, choice):
        label = ("Undo", "Redo", "Reset")[choice % 3]
        for key, widget in self.tab.widgets().items():
            if widget.label == label and not widget.disabled:
                self.tab.send.click(key)
                return

    def _picker(self, choice):
        widgets = self._widgets(*PARTS, "neuron", "value_dimension", "numbers", "details", "temperature", "full_scale")
        if widgets:
            key, widget = widgets[choice % len(widgets)]
            if widget.options:
                self.tab.send.set(key, widget.options[choice % len(widget.options)])
            elif widget.kind == "checkbox":
                self.tab.send.set(key, not widget.value)

    def _view(self, choice):
        widgets = self._widgets("view", "view_group", "part", "recipe", "recipe_view")
        if widgets:
            key, widget = widgets[choice % len(widgets)]
            self.tab.send.set(key, widget.options[choice % len(widget.options)])

    def _page(self, choice):
        self.tab.send.follow(PAGES[choice % len(PAGES)].name)

    def _back(self, choice):
        if self.tab.history_index > 0:
            self.tab.send.back()

    def _forward(self, choice):
        if self.tab.history_index + 1 < len(self.tab.history):
            self.tab.send.forward()

    def _heatmaps(self):
        """Key and panels of each plot that consists of plain heatmaps."""
        plots = []
        for mounted in self.tab.app.mounts.all.values():
            if mounted.node.kind == "bidi_component" and mounted.proto.component_name.endswith(".plot"):
                panels = [json.loads(panel["panel"]) for panel in json.loads(mounted.proto.json)["figure"]["panels"]]
                if all(panel["kind"] == "heatmap" for panel in panels):
                    plots.append((mounted.key, panels))
        return plots


def test_sidebar_url_and_page_agree_after_any_sequence_of_actions(server):
    Visitor.server = server
    run_state_machine_as_test(
        Visitor,
        settings=settings(
            max_examples=EXAMPLES, stateful_step_count=STEPS, deadline=None, derandomize=True, database=None,
            suppress_health_check=list(HealthCheck),
        ),
    )  # fmt: skip
