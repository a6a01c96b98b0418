"""Invalid values in a link produce a message, never an exception."""

import re

import pytest

from dashboard.page_list import STAGES, page_named, stage_named
from dashboard.state.setting_parameters import DEFAULT_TEXT, DEFAULTS
from tests.pages.app import chosen, key_of, link_of, opened, rendered, run
from tests.pages.app import warning_texts as messages

BAD = [
    ("d_model", "abc"),
    ("d_model", "-4"),
    ("d_model", "0"),
    ("d_model", "66"),
    ("d_model", "260"),
    ("d_model", "64.0"),
    ("d_model", "1e3"),
    ("d_model", "9" * 400),
    ("d_model", ""),
    ("d_model", "nan"),
    ("d_model", "６４"),
    ("heads", "0"),
    ("heads", "17"),
    ("heads", "true"),
    ("layers", "13"),
    ("layers", "1.5"),
    ("d_ff", "4"),
    ("d_ff", "1032"),
    ("seed", "100"),
    ("seed", "-1"),
    ("norm", "batch"),
    ("norm", "Pre"),
    ("activation", "<script>alert(1)</script>"),
    ("positions", "'; drop table"),
    ("scale", "sqrt"),
    ("mask", "all"),
    ("scaled", "maybe"),
    ("bias", "2"),
]


def test_a_value_of_a_link_is_not_rendered_as_markdown(framed):
    at = opened(stage_named("map"), norm="![x](//a.b) <b>")
    (warning,) = at.warning
    assert not set(re.sub(r"\\.", "", warning.value)) & set("[]<>!*_")
    assert messages(at) == ["The link has norm = “![x](//a.b) <b>”; allowed are post, pre. post is used."]


@pytest.mark.parametrize(("key", "value"), BAD, ids=lambda value: value[:12])
def test_an_invalid_value_is_reported_and_replaced(framed, key, value):
    at = opened(stage_named("scaled_scores"), **{key: value})
    (sentence,) = messages(at)
    quoted = value if len(value) <= 20 else value[:19] + "…"
    assert sentence.startswith(f"The link has {key} = “{quoted}”; allowed are ")
    default = str(DEFAULTS[key]).lower() if isinstance(DEFAULTS[key], bool) else str(DEFAULTS[key])
    assert sentence.endswith(f". {default} is used.")
    assert at.session_state[key] == DEFAULTS[key]
    assert type(at.session_state[key]) is type(DEFAULTS[key])


@pytest.mark.parametrize(("d_model", "used"), [("7", 12), ("250", 252), ("abc", 60), ("64", 60), ("48", 48)])
def test_a_width_that_the_heads_do_not_divide_is_reported_once_with_the_one_that_is_used(framed, d_model, used):
    at = opened(stage_named("scaled_scores"), d_model=d_model, heads=3)
    assert at.session_state["d_model"] == used
    said = "\n".join(rendered(at))
    if d_model in ("7", "250", "abc"):
        allowed = "allowed are 12 to 252 in steps of 12 with 3 heads"
        assert messages(at) == [f"The link has d_model = “{d_model}”; {allowed}. {used} is used."]
        assert "is not a multiple of" not in said
    else:
        assert not messages(at)
        assert ("64 is not a multiple of 3 heads: d_model is 60 now." in said) is (d_model == "64")


@pytest.mark.parametrize("value", ["0128", "+128", " 128", "128 ", "1_28", "0x80", "128", "128.0", "１２８", "١٢٨"])
def test_a_number_is_used_as_written_or_rejected_with_a_message(framed, value):
    at = opened(stage_named("scaled_scores"), d_model=value)
    is_used = value.isascii() and value.isdigit() and int(value) == at.session_state["d_model"]
    assert is_used != bool(messages(at)), (messages(at), at.session_state["d_model"])


@pytest.mark.parametrize(("value", "expected"), [("false", False), ("FALSE", False), ("true", True), ("True", True)])
def test_flags_are_written_true_and_false(framed, value, expected):
    at = opened(stage_named("scaled_scores"), scaled=value)
    assert at.session_state["scaled"] is expected
    assert not messages(at)


@pytest.mark.parametrize("value", ["0", "no", "f", "off", "1", "yes", " false", ""])
def test_other_values_of_flags_are_rejected_with_a_message(framed, value):
    at = opened(stage_named("scaled_scores"), scaled=value)
    assert at.session_state["scaled"] is True
    assert messages(at) == [f"The link has scaled = “{value}”; allowed are true, false. true is used."]


def test_a_repeated_parameter_is_reported(framed):
    link = {"heads": ["2", "8"], "d_model": ["?", "128"], "norm": ["post", "pre"], "mask": ["none", "causal"],
            "scaled": ["true", "false"], "bias": ["false", "?"]}  # fmt: skip
    at = opened(stage_named("scaled_scores"), **link)
    for key, values in link.items():
        used = str(at.session_state[key])
        used = used.lower() if used in ("True", "False") else used
        assert f"The link has {key} {len(values)} times; {used} is used." in messages(at)
    assert len(messages(at)) == len(link)


def test_a_repeated_text_is_accepted(framed):
    at = opened(stage_named("embedding"), text=["one text", "another text"])
    assert at.session_state["text"] in ("one text", "another text", DEFAULT_TEXT)


def test_an_unknown_parameter_is_ignored(framed):
    at = opened(stage_named("scaled_scores"), colour="red", **{"<b>": "<script>", "": "x", "utm_source": "chat"})
    assert not messages(at)


def test_a_misspelt_parameter_is_reported_and_ignored(framed):
    at = opened(stage_named("scaled_scores"), d_modell="8", Heads="2")
    assert messages(at) == [
        "The link has “d_modell”, which this app does not know; “d_model” may be meant.",
        "The link has “Heads”, which this app does not know; “heads” may be meant.",
    ]
    assert (chosen(at, "d_model"), chosen(at, "heads")) == (64, 4)


def test_a_link_with_only_invalid_values_opens_every_page(framed, stage):
    link = {key: "?" for key in DEFAULTS if key not in ("text", "input")}
    link |= dict.fromkeys(("sentence", "layer", "head", "token", "key_token"), "9" * 30)
    at = opened(stage, text="\x00\x1b", **link)
    reported = {text.split()[3] for text in messages(at) if text.startswith("The link has")}
    assert reported == set(link)
    assert at.title[0].value == stage.title


def test_messages_disappear_when_the_user_changes_something(framed):
    at = opened(stage_named("scaled_scores"), heads="99")
    at.select_slider(key="layers").set_value(5)
    assert not messages(run(at))


@pytest.mark.parametrize(
    ("width", "heads", "nearest"),
    [("64", "3", 60), ("4", "16", 16), ("256", "15", 240), ("100", "7", 112), ("4", "3", 12)],
)
def test_a_width_that_heads_do_not_divide_is_corrected_with_a_message(framed, width, heads, nearest):
    at = opened(stage_named("scaled_scores"), d_model=width, heads=heads)
    assert at.session_state["d_model"] == nearest
    assert at.select_slider(key=key_of(at, "d_model")).value == nearest
    assert any(f"{width} is not a multiple of {heads} heads: d_model is {nearest} now." in c.value for c in at.caption)


def test_a_width_is_corrected_in_the_direction_of_the_slider(framed):
    at = opened(stage_named("scaled_scores"), d_model="60", heads="3")
    at.select_slider(key=key_of(at, "d_model")).set_value(64)
    assert chosen(run(at), "d_model") == 72
    at.select_slider(key=key_of(at, "d_model")).set_value(68)
    assert chosen(run(at), "d_model") == 60
    at.select_slider(key="heads").set_value(7)
    assert chosen(run(at), "d_model") == 56
    assert at.select_slider(key=key_of(at, "d_model")).value == 56


FOCUS = [
    ({"layer": "3", "head": "2", "token": "4", "key_token": "5"}, (3, 2, 4, 5)),
    ({"layer": "99", "head": "99", "token": "999", "key_token": "65"}, (4, 4, 18, 18)),
    ({"layer": "0", "head": "-1", "token": "", "key_token": "1.5"}, (1, 1, None, None)),
    ({"layer": "abc", "head": "9" * 100, "token": "²", "key_token": "<b>"}, (1, 1, None, None)),
    ({"layer": ["2", "3"]}, (3, 1, None, None)),
]


@pytest.mark.parametrize(("link", "focus"), FOCUS)
def test_the_focus_of_a_link_is_limited_to_the_model(framed, link, focus):
    at = opened(stage_named("scaled_scores"), **link)
    parts = ("layer", "head", "token", "key_token")
    assert tuple(chosen(at, part) for part in parts) == focus


def test_the_focus_is_kept_across_pages_and_limited_to_the_model(framed):
    at = opened(stage_named("scaled_scores"), layer="4", head="4", token="9")
    run(at.switch_page(stage_named("add_and_norm").path))
    assert (chosen(at, "layer"), chosen(at, "token")) == (4, 9)
    run(at.switch_page(stage_named("embedding").path))
    at.select_slider(key="layers").set_value(2)
    at.text_area[0].set_value("only three words")
    run(at)
    run(at.switch_page(stage_named("softmax").path))
    assert [chosen(at, part) for part in ("layer", "head", "token")] == [2, 4, 3]


def test_a_page_change_keeps_the_sidebar(framed):
    at = opened(stage_named("map"))
    at.select_slider(key=key_of(at, "d_model")).set_value(128)
    at.selectbox(key="norm").set_value("pre")
    at.toggle(key="scaled").set_value(False)
    run(at)
    for stage in STAGES[1:]:
        run(at.switch_page(stage.path))
        assert [at.session_state[key] for key in ("d_model", "norm", "scaled")] == [128, "pre", False]


def test_two_sessions_are_independent(framed):
    one, other = opened(stage_named("scaled_scores"), d_model="128"), opened(stage_named("map"))
    assert other.session_state["d_model"] == 64
    assert one.session_state["d_model"] == 128


@pytest.mark.parametrize(
    ("name", "link", "value"),
    [
        ("full_stack", {"view": "Same word"}, "Same word"),
        ("full_stack", {"view": "Rollout"}, "Rollout"),
        ("multi_head", {"part": "How many heads?"}, "How many heads?"),
        ("recipes", {"recipe": "haiku", "recipe_view": "Text and code"}, "Text and code"),
        ("recipes", {"recipe": "haiku", "recipe_figure": "Average of the heads"}, "Average of the heads"),
    ],
)
def test_a_link_opens_a_view_of_the_page(framed, name, link, value):
    at = opened(page_named(name), **link)
    assert not messages(at)
    assert value in [group.value for group in at.button_group]
    (parameter,) = {"view", "part", "recipe_view", "recipe_figure"} & set(link)
    assert chosen(at, parameter) == value
    assert link_of(at)[parameter] == [value]


def test_an_unknown_view_is_reported(framed):
    at = opened(stage_named("full_stack"), view="Sideways")
    (message,) = messages(at)
    assert message.startswith("The link has view = “Sideways”; allowed are All heads, Head average, ")
    assert message.endswith(" All heads is used.")
    assert chosen(at, "view") is None
    assert not link_of(at)
