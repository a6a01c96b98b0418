"""Every page runs with every size and choice of the sidebar or a link."""

import numpy as np
import pytest
from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.MultiSelect_pb2 import MultiSelect
from streamlit.proto.Selectbox_pb2 import Selectbox
from streamlit.proto.Slider_pb2 import Slider

from dashboard.page_list import STAGES, START, page_named, stage_named
from dashboard.state.parameter import PARAMETERS
from encoder_core import RECIPES
from encoder_core.recipes import VARIANTS
from tests.pages.app import FOLDED, app, chosen, figures, key_of, link_of, opened, run, warning_texts

SETTINGS = {
    "one token": {"text": "word"},
    "64 tokens": {"text": " ".join(f"w{number}" for number in range(64))},
    "3 sentences, padded": {"text": "one\ntwo words\nand now three words"},
    "8 sentences, 12 layers, 16 heads": {
        "text": "\n".join("word " * count for count in (1, 64, 2, 3, 5, 8, 13, 21)),
        "layers": "12",
        "heads": "16",
    },
    "16 heads, d_model 256, no positions": {
        "heads": "16",
        "d_model": "256",
        "d_ff": "1024",
        "positions": "none",
        "activation": "gelu",
    },
    "1 head, d_model 4, learned positions": {
        "heads": "1",
        "d_model": "4",
        "d_ff": "8",
        "positions": "learned",
        "scale": "sqrt_d",
    },
    "as many heads as dimensions, no biases, unscaled": {
        "heads": "4",
        "d_model": "4",
        "layers": "1",
        "bias": "false",
        "scaled": "false",
        "activation": "gelu_tanh",
    },
    "12 layers, pre-norm, no mask, padding seen": {
        "layers": "12",
        "norm": "pre",
        "mask": "none",
        "text": "short\nnow a longer sentence",
    },
    "causal and padding, concatenated positions": {
        "mask": "both",
        "text": "short\nnow a longer sentence",
        "positions": "concatenated",
        "scale": "inv_sqrt_d",
    },
    "markup": {"text": "<b> *x* _y_ `z` $y$ :red[z] | [a](b) :cat: -> & &lt;"},
    "scripts": {"text": "👨‍👩‍👧‍👦 שלום עולם 你好 नमस्ते a\u0301 \u202eright"},
    "control characters": {"text": "a\x00b \x07c\x1b[0m \ud7ff\u200b\u200d d\te"},
    "one word of 2,000 characters": {"text": "x" * 2_000},
}


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_page_runs_with_the_settings_of_a_link(framed, stage, settings):
    at = opened(stage, **settings)
    assert at.title[0].value == stage.title
    assert {slider.label for slider in at.select_slider} >= {"d_model", "heads", "layers", "d_ff", "Seed"}
    assert not any(warning.value.startswith("The link") for warning in at.warning)
    for key, value in settings.items():
        assert str(chosen(at, key)).lower() == value.lower()


@pytest.mark.parametrize("variant", VARIANTS)
@pytest.mark.parametrize("name", RECIPES)
def test_page_shows_the_recipe_of_a_link(framed, stage, name, variant):
    at = opened(stage, encoder=name, variant=variant, sentence="2")
    assert at.title[0].value == stage.title
    one = RECIPES[name].example.batch == 1
    assert warning_texts(at) == (["The link has sentence = “2”; allowed are 1 to 1. 1 is used."] if one else [])
    sizes = {slider.label: slider.value for slider in at.select_slider if slider.disabled}
    config = RECIPES[name].config(variant)
    assert sizes == {"d_model": config.d_model, "heads": config.num_heads, "layers": config.num_layers,
                     "d_ff": config.d_ff}  # fmt: skip
    assert not at.text_area


@pytest.mark.parametrize("link", [{}, {"d_model": 256, "heads": 16, "layers": 12}, {"text": "a\nb c", "mask": "both"}])
def test_page_runs_alone(stage, link):
    """Without the frame around it, with the defaults and with the settings of a link."""
    at = opened(stage, **link)
    assert at.title[0].value == stage.title
    assert {slider.key for slider in at.select_slider} <= {"temperature", "what_if_temperature"}


def test_folded_controls_are_rendered_when_they_are_unfolded(framed):
    at = opened(stage_named("softmax"), norm="pre")
    labels = {"Norm", "Seed", "Replace token 16 · it by"}
    widgets = [*at.selectbox, *at.select_slider]
    assert labels <= {widget.label for widget in widgets}
    for key in FOLDED:
        at.session_state[key] = False
    folded = run(at)
    assert not labels & {widget.label for widget in [*folded.selectbox, *folded.select_slider]}
    assert chosen(folded, "norm") == "pre"
    assert link_of(folded)["norm"] == ["pre"]


def test_the_app_opens_on_the_start_page():
    at = run(app())
    assert at.title[0].value == START.title
    assert [link.label for link in at.get("page_link")][: len(STAGES)] == [f"{s.number}\u2002{s.short}" for s in STAGES]


CHOICES = {
    "smallest": {"text": "word", "d_model": "4", "heads": "1", "layers": "1", "d_ff": "8"},
    "padded, pre-norm, causal": {"text": "a\nb c d\ne f", "norm": "pre", "mask": "both", "bias": "false"},
    "largest": {"text": "word " * 24, "d_model": "256", "heads": "16", "layers": "12", "d_ff": "1024"},
}
ELSEWHERE = ("cell_", "what_if_")  # the same on every page: test_derivation.py, test_what_if.py
KINDS = ("button_group", "selectbox", "toggle", "select_slider", "number_input", "multiselect")


@pytest.mark.parametrize("settings", CHOICES.values(), ids=CHOICES)
def test_page_runs_with_each_of_its_own_choices(framed, stage, settings):
    """Views, tables, layers, heads, tokens, toggles, dimensions, including those of a single view."""
    at = opened(stage, **settings)
    tried = set()
    _try_all(at, tried)
    assert "numbers" in tried
    assert "layer" in tried or stage.name in ("embedding", "positions")


def _try_all(at, tried):
    """Select every option of every widget in turn; each gives a different link."""
    for kind in KINDS:
        for key in [widget.key for widget in getattr(at.main, kind)]:
            name = key.partition(".")[0]
            if name in tried or name.startswith(ELSEWHERE) or not _has(at, kind, key):
                continue
            tried.add(name)
            links = []
            for value in _values_of(at, kind, key):
                here = key_of(at, name)
                if _has(at, kind, here):  # another view may not have it
                    widget = getattr(at.main, kind)(key=here)
                    if widget.value != value:  # otherwise the page shows it already
                        widget.set_value(value)
                        run(at)
                    links.append(link_of(at).get(name))
                    _try_all(at, tried)
            assert name not in PARAMETERS or len(links) == len(set(map(str, links))), (name, links)


def _has(at, kind, key):
    return any(widget.key == key for widget in getattr(at.main, kind))


def _values_of(at, kind, key):
    """The limits of a number input; all options of a choice."""
    widget = getattr(at.main, kind)(key=key)
    if kind == "number_input":
        return [-3.0] if widget.max is None else [widget.max, widget.min]
    if kind == "toggle":
        return [True]
    if kind == "multiselect":
        return [[], widget.options[:6]]
    if kind == "button_group" and isinstance(widget.value, list):
        return [[], widget.options]
    return widget.options if isinstance(widget.value, str) else [widget.options[-1]]


def _first_values(proto):
    """The value that a browser sends for a new widget at first, and the value of the session."""
    if isinstance(proto, Selectbox):
        return proto.options[proto.default], proto.raw_value
    if isinstance(proto, ButtonGroup):
        return [proto.options[index].content for index in proto.default], list(proto.raw_values)
    if isinstance(proto, MultiSelect):
        return [proto.options[index] for index in proto.default], list(proto.raw_values)
    if isinstance(proto, Slider):
        first = [proto.options[int(index)] if proto.options else index for index in proto.default]
        return first, list(proto.raw_value if proto.options else proto.value)
    return proto.default, proto.value


def test_the_first_value_of_a_new_widget_is_the_value_of_the_session(framed, stage):
    """Otherwise the browser's first message would select a value that the user did not select."""
    at = opened(
        stage, d_model="96", heads="3", layers="5", layer="2", head="2", token="5", key_token="3", seed="7", norm="pre",
        temperature="2", details="Code", full_scale="true", text="one two three four five six\none two", sentence="1",
    )  # fmt: skip
    kinds = ("selectbox", "button_group", "select_slider", "slider", "number_input", "checkbox", "toggle", "text_area",
             "text_input", "multiselect")  # fmt: skip
    protos = {widget.key: widget.proto for kind in kinds for widget in getattr(at, kind)}
    first_values = {key: _first_values(proto) for key, proto in protos.items() if proto.set_value}
    assert len(first_values) > 8
    assert {key: pair for key, pair in first_values.items() if pair[0] != pair[1]} == {}


def test_values_of_every_figure_are_numbers(framed, stage):
    """No panel of a page is empty, and every cell of a heatmap is finite or masked."""
    panels = list(figures(opened(stage)))
    assert panels
    for figure in panels:
        assert figure["data"] or figure["layout"].get("shapes"), figure["title"]
        assert figure["alt"]
        for trace in figure["data"]:
            if trace["type"] == "heatmap" and trace.get("name") != "masked":
                assert isinstance(trace["zmax"], float | int)
                assert np.isfinite(trace["zmax"])
                assert trace["zmax"] > 0


def test_every_page_of_the_way_leads_to_the_next_one(framed):
    onwards = {"full_stack": ["9 Feed-forward", "Recipes"], "recipes": ["10 Full stack", "Experiments"],
               "training": ["Experiments", "Take away"], "take_away": ["Training"]}  # fmt: skip
    for name, labels in onwards.items():
        links = [link.label for link in opened(page_named(name)).get("page_link")][len(STAGES) :]
        assert [label for label in links if label in labels] == labels
