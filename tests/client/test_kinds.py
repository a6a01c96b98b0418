import pytest
from streamlit.proto.ButtonGroup_pb2 import ButtonGroup
from streamlit.proto.Checkbox_pb2 import Checkbox
from streamlit.proto.MultiSelect_pb2 import MultiSelect
from streamlit.proto.NumberInput_pb2 import NumberInput
from streamlit.proto.Radio_pb2 import Radio
from streamlit.proto.Selectbox_pb2 import Selectbox
from streamlit.proto.Slider_pb2 import Slider
from streamlit.proto.TextArea_pb2 import TextArea
from streamlit.proto.WidgetStates_pb2 import WidgetState

from benchmarks.client.kind import write
from benchmarks.client.kinds import KINDS


def buttons(*contents, **fields):
    group = ButtonGroup(**fields)
    for content in contents:
        group.options.add(content=content)
    return group


whole = NumberInput(data_type=NumberInput.INT, default=3, min=0, max=9, value=5)
real = NumberInput(data_type=NumberInput.FLOAT, min=0, max=1)
slider = Slider(type=Slider.SLIDER, data_type=Slider.INT, default=[2, 4], min=0, max=9, value=[3, 5])
select_slider = Slider(type=Slider.SELECT_SLIDER, options=["S", "M", "L"], default=[1], raw_value=["L"])
selectbox = Selectbox(options=["a", "2"], default=0, raw_value="2")
empty_selectbox = Selectbox(options=["a"])
radio = Radio(options=["a", "b"], default=1)
multiselect = MultiSelect(options=["a", "b", "c"], default=[2, 0], raw_values=["b"], max_selections=2)
pills = buttons("x", "y", default=[1], raw_values=["x"])
many_pills = buttons("x", "y", click_mode=ButtonGroup.MULTI_SELECT)
checkbox = Checkbox(default=True)
area = TextArea(max_chars=3)


@pytest.mark.parametrize(
    ("kind", "element", "default", "current"),
    [
        ("number_input", whole, 3, 5),
        ("number_input", real, None, None),
        ("slider", slider, (2, 4), (3, 5)),
        ("slider", select_slider, ("M",), ("L",)),
        ("selectbox", selectbox, "a", "2"),
        ("selectbox", empty_selectbox, None, None),
        ("radio", radio, "b", None),
        ("multiselect", multiselect, ("c", "a"), ("b",)),
        ("button_group", pills, ("y",), ("x",)),
        ("checkbox", checkbox, True, False),
        ("text_area", area, None, None),
    ],
)
def test_default_and_current_value(kind, element, default, current):
    assert KINDS[kind].default(element) == default
    assert KINDS[kind].current(element) == current


@pytest.mark.parametrize(
    ("kind", "element", "value", "field", "sent"),
    [
        ("number_input", whole, 4, "int_value", 4),
        ("number_input", whole, None, "int_value", 3),
        ("number_input", real, 1, "double_value", 1.0),
        ("number_input", real, None, None, None),
        ("slider", slider, (1, 9), "double_array_value", [1.0, 9.0]),
        ("slider", select_slider, "S", "string_array_value", ["S"]),
        ("selectbox", selectbox, 2, "string_value", "2"),
        ("selectbox", empty_selectbox, None, None, None),
        ("radio", radio, "a", "string_value", "a"),
        ("multiselect", multiselect, ["a", "b"], "string_array_value", ["a", "b"]),
        ("button_group", pills, "x", "string_array_value", ["x"]),
        ("button_group", pills, None, "string_array_value", []),
        ("button_group", many_pills, ["y", "x"], "string_array_value", ["y", "x"]),
        ("checkbox", checkbox, False, "bool_value", False),
        ("text_area", area, "abc", "string_value", "abc"),
    ],
)
def test_a_value_goes_into_the_message_and_back(kind, element, value, field, sent):
    accepted = KINDS[kind].accept(element, value)
    state = WidgetState(id="x")
    write(state, KINDS[kind].state_field(element), accepted)
    assert state.WhichOneof("value") == field
    written = getattr(state, field) if field else None
    assert (list(written.data) if field and field.endswith("array_value") else written) == sent
    assert KINDS[kind].stored(element, state) == accepted


@pytest.mark.parametrize(
    ("kind", "element", "value"),
    [
        ("number_input", whole, 10),
        ("number_input", whole, 1.5),
        ("number_input", NumberInput(data_type=NumberInput.FLOAT, required=True, max=1), None),
        ("slider", slider, 3),
        ("slider", slider, (0, 10)),
        ("slider", select_slider, "XL"),
        ("selectbox", selectbox, "b"),
        ("selectbox", selectbox, None),
        ("radio", radio, None),
        ("multiselect", multiselect, ["a", "b", "c"]),
        ("multiselect", multiselect, ["d"]),
        ("button_group", pills, "z"),
        ("button_group", buttons("x", required=True), None),
        ("checkbox", checkbox, "on"),
        ("text_area", area, "abcd"),
        ("text_area", area, 1),
    ],
)
def test_what_the_browser_does_not_allow_is_an_error(kind, element, value):
    with pytest.raises(ValueError, match=r"."):
        KINDS[kind].accept(element, value)


def test_new_options_are_accepted_where_the_widget_does():
    element = Selectbox(options=["a"], accept_new_options=True)
    assert KINDS["selectbox"].accept(element, "new") == "new"


def test_a_stored_option_that_is_gone_becomes_the_default():
    state = WidgetState(id="x")
    write(state, "string_array_value", ("XL",))
    assert KINDS["slider"].stored(select_slider, state) == ("M",)


def test_an_option_is_known_with_its_icon():
    group = ButtonGroup(default=[0])
    group.options.add(content="Home", content_icon=":material/home:")
    assert KINDS["button_group"].default(group) == (":material/home: Home",)


def test_values_are_public_in_the_form_in_which_they_are_set():
    assert KINDS["slider"].public(select_slider, ("M",)) == "M"
    assert KINDS["slider"].public(slider, (1.0, 2.0)) == (1.0, 2.0)
    assert KINDS["button_group"].public(pills, ("x",)) == "x"
    assert KINDS["button_group"].public(pills, ()) is None
    assert KINDS["button_group"].public(many_pills, ("x",)) == ("x",)
