"""Trees of one main block with texts and widgets; a run writes them by their paths."""

import pytest
from streamlit.proto.Block_pb2 import Block
from streamlit.proto.Delta_pb2 import Delta
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsgMetadata

from benchmarks.client.cleanup import clear_stale, clear_transient, keep_main_script
from benchmarks.client.nodes import BlockNode, ElementNode, active_ids, empty_root, walk, widget_id
from benchmarks.client.tree import apply_delta

MAIN, PAGE = "main script", "page script"


def element(name):
    """A widget if its name begins with a capital, else a text."""
    element = Element()
    if name[0].isupper():
        element.checkbox.id = f"$$ID-hash-{name}"
    else:
        element.text.body = name
    return element


def put(root, run, path, name, *, script=MAIN, fragment="", message_hash=""):
    metadata = ForwardMsgMetadata(delta_path=path, active_script_hash=script)
    return apply_delta(root, run, Delta(new_element=element(name), fragment_id=fragment), metadata, message_hash)


def block(root, run, path, *, script=MAIN, fragment="", proto=None):
    metadata = ForwardMsgMetadata(delta_path=path, active_script_hash=script)
    proto = Block(vertical=Block.Vertical()) if proto is None else proto
    return apply_delta(root, run, Delta(add_block=proto, fragment_id=fragment), metadata, "")


def spinner(root, run, path):
    metadata = ForwardMsgMetadata(delta_path=path, active_script_hash=MAIN)
    delta = Delta()
    delta.new_transient.elements.append(element("spinner"))
    return apply_delta(root, run, delta, metadata, "")


def names(root):
    """All elements from top to bottom."""
    elements = [node.element for node in walk(root) if isinstance(node, ElementNode)]
    return [x.text.body or x.checkbox.id.removeprefix("$$ID-hash-") for x in elements]


def retained(root):
    return [(kept.id.removeprefix("$$ID-hash-"), kept.before) for kept in root.children[0].retained]


@pytest.fixture
def abc():
    """Three elements of the first run."""
    root = empty_root(MAIN)
    for index, name in enumerate(["A", "B", "c"]):
        root = put(root, "run 1", [0, index], name)
    return root


def test_elements_have_widget_ids():
    assert widget_id(element("A")) == "$$ID-hash-A"
    assert widget_id(element("text")) is None
    assert widget_id(Element()) is None


def test_what_a_run_does_not_write_is_removed_when_it_ends(abc):
    root = put(abc, "run 2", [0, 0], "A")
    assert names(root) == ["A", "B", "c"]
    root = clear_stale(root, "run 2", ())
    assert names(root) == ["A"]
    assert active_ids(root) == {"$$ID-hash-A"}


def test_a_path_beyond_the_tree_is_an_error(abc):
    for path in ([0, 4], [0, 0, 0], [0, 3, 0]):
        with pytest.raises(ValueError, match="no element can be put"):
            put(abc, "run 1", path, "x")


def test_a_block_of_the_same_kind_keeps_its_children():
    root = put(block(empty_root(MAIN), "run 1", [0, 0]), "run 1", [0, 0, 0], "A")
    assert names(block(root, "run 2", [0, 0])) == ["A"]
    assert names(block(root, "run 2", [0, 0], proto=Block(expandable=Block.Expandable()))) == []


def test_another_dialog_does_not_keep_the_children():
    def dialog(identity):
        return Block(id=identity, dialog=Block.Dialog())

    root = put(block(empty_root(MAIN), "run 1", [0, 0], proto=dialog("x")), "run 1", [0, 0, 0], "A")
    assert names(block(root, "run 2", [0, 0], proto=dialog("x"))) == ["A"]
    assert names(block(root, "run 2", [0, 0], proto=dialog("y"))) == []


@pytest.fixture
def fragments(abc):
    """Behind the elements a block each of the fragments f and g, with two texts."""
    root = abc
    for index, fragment in [(3, "f"), (4, "g")]:
        root = block(root, "run 1", [0, index], fragment=fragment)
        for child in (0, 1):
            root = put(root, "run 1", [0, index, child], f"{fragment}{child}", fragment=fragment)
    return root


def test_a_run_of_a_fragment_removes_only_what_is_stale_inside_of_it(fragments):
    root = block(fragments, "run 2", [0, 3], fragment="f")
    root = put(root, "run 2", [0, 3, 0], "new", fragment="f")
    assert names(clear_stale(root, "run 2", ("f",))) == ["A", "B", "c", "new", "g0", "g1"]


def test_a_run_of_a_fragment_removes_a_stale_block_inside_of_it(fragments):
    root = block(fragments, "run 1", [0, 3, 2], fragment="f", proto=Block(id="inner block"))
    root = put(root, "run 1", [0, 3, 2, 0], "inner", fragment="f")
    root = put(block(root, "run 2", [0, 3], fragment="f"), "run 2", [0, 3, 0], "f0", fragment="f")
    assert "inner block" in active_ids(root)
    root = clear_stale(root, "run 2", ("f",))
    assert names(root) == ["A", "B", "c", "f0", "g0", "g1"]
    assert "inner block" not in active_ids(root)


def test_a_run_of_the_app_removes_a_stale_block(abc):
    root = block(abc, "run 1", [0, 3], proto=Block(id="block"))
    assert "block" in active_ids(root)
    assert "block" not in active_ids(clear_stale(put(root, "run 2", [0, 0], "A"), "run 2", ()))


def test_a_page_change_keeps_what_the_entrypoint_wrote(abc):
    root = put(abc, "run 1", [0, 1], "page", script=PAGE)
    root = put(block(root, "run 1", [1, 0], script=PAGE), "run 1", [1, 0, 0], "inner", script=MAIN)
    assert names(keep_main_script(root, MAIN)) == ["A", "c"]


def test_the_same_message_keeps_the_element_object(abc):
    root = put(abc, "run 1", [0, 0], "A", message_hash="h")
    first = root.children[0].children[0].element
    root = put(root, "run 2", [0, 0], "A", message_hash="h")
    assert root.children[0].children[0].element is first
    assert root.children[0].children[0].run == "run 2"
    root = put(root, "run 2", [0, 0], "A", message_hash="other")
    assert root.children[0].children[0].element is not first


def test_a_message_with_an_effect_of_its_own_brings_a_new_element(abc):
    metadata = ForwardMsgMetadata(delta_path=[0, 0], active_script_hash=MAIN)
    effect = element("A")
    effect.has_one_shot_effect = True
    for _ in range(2):
        before, abc = abc, apply_delta(abc, "run 2", Delta(new_element=effect), metadata, "h")
        assert abc.children[0].children[0].element is not before.children[0].children[0].element


def test_a_replaced_widget_is_retained_until_the_run_ends(abc):
    root = put(abc, "run 2", [0, 0], "new")
    assert names(root) == ["new", "B", "c"]
    assert retained(root) == [("A", 1)]
    root = put(root, "run 2", [0, 1], "A")
    assert retained(root) == [("B", 2)]
    assert retained(clear_stale(root, "run 2", ())) == []


def test_retained_widgets_stay_in_order(abc):
    root = put(put(abc, "run 2", [0, 0], "x"), "run 2", [0, 1], "y")
    assert retained(root) == [("A", 2), ("B", 2)]
    root = put(put(abc, "run 1", [0, 3], "D"), "run 2", [0, 0], "x")
    assert retained(put(root, "run 2", [0, 3], "z")) == [("A", 1), ("D", 4)]


def test_texts_and_widgets_of_the_same_run_are_not_retained(abc):
    assert retained(put(abc, "run 2", [0, 2], "new")) == []
    assert retained(put(abc, "run 2", [0, 2], "New")) == []
    assert retained(put(abc, "run 1", [0, 0], "new")) == []


def test_a_transient_element_stands_before_the_element_that_was_there(abc):
    root = spinner(abc, "run 2", [0, 1])
    assert names(root) == ["A", "spinner", "B", "c"]
    assert names(put(root, "run 2", [0, 1], "new")) == ["A", "spinner", "new", "c"]
    assert names(clear_transient(root, ())) == ["A", "B", "c"]
    assert names(clear_stale(root, "run 2", ())) == ["spinner"]


def test_a_transient_element_of_an_earlier_run_goes_with_the_next_element(abc):
    assert names(put(spinner(abc, "run 1", [0, 1]), "run 2", [0, 1], "new")) == ["A", "new", "c"]


def test_a_run_of_a_fragment_keeps_transient_elements_of_others(fragments):
    root = spinner(fragments, "run 1", [0, 4, 0])
    assert "spinner" in names(clear_transient(root, ("f",)))
    assert "spinner" not in names(clear_transient(root, ("g",)))


def test_the_parts_of_the_root_are_never_missing(abc):
    root = clear_stale(abc, "run 2", ())
    assert [type(part) for part in root.children] == [BlockNode] * 4
    assert names(put(root, "run 2", [1, 0], "sidebar")) == ["sidebar"]
