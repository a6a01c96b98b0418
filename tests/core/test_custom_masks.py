"""Custom masks: starting points, sizes that change, other axes, the text in a link, and masks as people type them."""

import base64
import tracemalloc
import zlib
from contextlib import suppress

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some

from encoder_core import Encoder, EncoderConfig
from encoder_core.inputs.custom_mask import SHAPES, STARTS, CustomMask
from encoder_core.inputs.mask_link import format_mask, parse_mask
from encoder_core.inputs.mask_text import format_mask_text, parse_mask_text

ONE = np.ones((1, 4), bool)
PADDED = np.array([[True, True, False], [True, True, True]])
FORMS = [(axes, start) for axes in SHAPES for start in STARTS[axes]]


def rows(mask):
    return "/".join("".join(str(int(cell)) for cell in row) for row in mask)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        ("all", "1111/1111/1111/1111"),
        ("nothing", "0000/0000/0000/0000"),
        ("causal", "1000/1100/1110/1111"),
        ("window", "1110/1111/1111/0111"),
    ],
)
def test_starting_points_of_two_axes(start, expected):
    assert rows(CustomMask("2", start).array(ONE, 3)) == expected


@pytest.mark.parametrize(
    ("mask", "shape", "first"),
    [
        (CustomMask("3", "padding"), (2, 3, 3), "110/110/110"),
        (CustomMask("3", "both"), (2, 3, 3), "100/110/110"),
        (CustomMask("keys", "padding"), (2, 1, 3), "110"),
        (CustomMask("4", "both"), (2, 5, 3, 3), "100/110/110"),
    ],
)
def test_padding_of_a_sentence(mask, shape, first):
    array = mask.array(PADDED, 5)
    assert array.shape == shape
    assert rows(array[0, 0] if array.ndim == 4 else array[0]) == first


def test_a_cell_returns_with_its_token_and_new_tokens_follow_the_starting_point():
    visible = CustomMask("2", "causal").visible(ONE, 1)
    visible[0, 3], visible[3, 0] = True, False
    mask = CustomMask("2", "causal").with_visible(visible, ONE, 1)
    assert mask.num_set(1, 1, 4) == (2, 0)
    assert rows(mask.array(ONE[:, :3], 1)) == "100/110/111"
    assert mask.num_set(1, 1, 3) == (0, 2)
    hidden = np.tri(3, dtype=bool)
    hidden[2, 1] = False  # a change while the text is shorter
    longer = mask.with_visible(hidden, ONE[:, :3], 1)
    assert rows(longer.array(np.ones((1, 5), bool), 1)) == "10010/11000/10100/01110/11111"


def test_other_axes_keep_the_mask():
    two = CustomMask("2", "causal").with_visible(np.array([[1, 0, 1], [1, 1, 0], [1, 1, 0]], bool), PADDED, 2)
    four = two.with_axes("4", PADDED, 2)
    assert (four.start, four.array(PADDED, 2).tolist()) == ("causal", [[two.array(PADDED, 2).tolist()] * 2] * 2)
    cells = four.visible(PADDED, 2)
    cells[1, 1] = np.eye(3, dtype=bool)
    four = four.with_visible(cells, PADDED, 2)
    assert rows(four.with_axes("2", PADDED, 2, sentence=1, head=1).array(PADDED, 2)) == "100/010/001"
    assert rows(four.with_axes("2", PADDED, 2).array(PADDED, 2)) == "101/110/110"
    keys = CustomMask("2", "nothing").with_visible(np.array([[1, 0, 0]] * 3, bool), PADDED, 2)
    assert keys.with_axes("keys", PADDED, 2).array(PADDED, 2).tolist() == [[[True, False, False]]] * 2


def test_other_axes_keep_the_chosen_head():
    cells = np.zeros((2, 2, 3, 3), bool)
    cells[0, 1, 2, 0] = cells[1, 1, 0, 2] = cells[1, 1, 1, 1] = True
    four = CustomMask("4", "nothing").with_visible(cells, PADDED, 2)
    of_head, keys = (four.with_axes(axes, PADDED, 2, head=1).array(PADDED, 2) for axes in ("3", "keys"))
    assert [rows(mask) for mask in of_head] == ["000/000/100", "001/010/000"]
    assert [rows(mask) for mask in keys] == ["100", "011"]
    assert not four.with_axes("3", PADDED, 2, head=0).array(PADDED, 2).any()


@pytest.mark.parametrize("start", ["all", "causal", "window"])
def test_of_equally_near_starting_points_the_present_one_stays(start):
    """One token sees itself from all three."""
    mask = CustomMask("2", start).nearest_start(np.ones((1, 1), bool), np.ones((1, 1), bool), 1)
    assert mask == CustomMask("2", start)


@pytest.mark.parametrize("form", FORMS)
@given(
    seed=some.integers(0, 999), sizes=some.tuples(*[some.integers(1, 6)] * 3), density=some.sampled_from([0, 0.1, 1])
)
def test_any_mask_has_a_text_that_gives_it_back(form, seed, sizes, density):
    rng, (batch, heads, seq) = np.random.default_rng(seed), sizes
    real, start = rng.random((batch, seq)) < 0.7, CustomMask(*form)
    visible = start.visible(real, heads) ^ (rng.random(start.sizes(batch, heads, seq)) < density)
    mask = start.with_visible(visible, real, heads)
    np.testing.assert_array_equal(mask.visible(real, heads), visible)
    np.testing.assert_array_equal(mask.nearest_start(visible, real, heads).visible(real, heads), visible)
    again = parse_mask(format_mask(mask))
    assert (again, hash(again)) == (mask, hash(mask))


@pytest.mark.parametrize("shape", [[1, 1], (np.int64(1), np.int8(1))])
def test_a_mask_is_hashable_whatever_holds_its_sizes(shape, unchecked):
    mask = CustomMask(np.str_("2"), "all", shape, b"\1")
    assert (mask, hash(mask)) == (CustomMask("2", "all", (1, 1), b"\1"), hash(CustomMask("2", "all", (1, 1), b"\1")))
    assert repr(mask) == "CustomMask(axes='2', start='all', shape=(1, 1), cells=b'\\x01')"


@pytest.mark.parametrize("form", FORMS)
def test_an_encoder_takes_a_custom_mask(form):
    encoder = Encoder.random(EncoderConfig(vocab_size=8, d_model=8, num_heads=2, d_ff=8, num_layers=1))
    mask = CustomMask(*form)
    real = encoder.trace(["a b c", "a b"]).real
    given, expected = (encoder.trace(["a b c", "a b"], each).mask for each in (mask, mask.array(real, 2)))
    np.testing.assert_array_equal(given, expected)


def test_text_of_a_link_by_hand():
    assert format_mask(CustomMask("keys", "padding")) == "padding.keys"
    # 1 x 1 cells: one bit "visible" (0) and one bit "hidden" (1) are the byte 01000000; deflate makes it 73 00 00.
    hidden = CustomMask("2", "all").with_visible(np.zeros((1, 1), bool), np.ones((1, 1), bool), 1)
    assert format_mask(hidden) == "all.2.1x1.cwAA"
    assert parse_mask("all.2.1x1.cwAA") == hidden


@pytest.mark.parametrize(
    "text",
    ["", "all", "all.2.", "all.2.1x1", "all.2.1x1x1.cwAA", "all.2.0x1.cwAA", "all.2.1x1.cwA", "all.2.1x1.cwAAAA",
     "all.2.9x9.cwAA", "all.2.1x1.----", "all.4.32x16x128x128.cwAA", "all.2.1x1.O8AA", "ALL.2", "all.2\n", "all.२"],
)  # fmt: skip
def test_a_text_that_is_no_mask(text, unchecked):
    with pytest.raises(ValueError, match="allowed"):
        parse_mask(text)


def test_a_text_cannot_fill_the_memory(unchecked):
    """A text of 1,300 characters can contain a megabyte of zeros; no more is unpacked than the sizes allow."""
    packed = base64.urlsafe_b64encode(zlib.compress(bytes(1_000_000), wbits=-15)).decode().rstrip("=")
    tracemalloc.start()
    with pytest.raises(ValueError, match="allowed"):
        parse_mask(f"all.2.1x1.{packed}")
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 200_000


@pytest.mark.parametrize(
    "text",
    ["10/11", "1 0\n1 1", "1,0;1,1", "True False / True True", "[[1, 0], [1, 1]]", "[[ True False]\n [ True  True]]",
     "jnp.array([[1, 0],\n [1, 1]], dtype=bool)", "Array([[ True, False],\n       [ True,  True]], dtype=bool)",
     "[[1., 0.], [1., 1.]]", "  10\n\n  11  ", "np.array([[1, 0], [1, 1]])", "array([[1, 0], [1, 1]], )",
     "jnp.array(\n    [[1, 0], [1, 1]],\n    dtype=jnp.bool_,\n)", "array(10/11)"],
)  # fmt: skip
def test_forms_in_which_a_mask_is_typed(text):
    assert parse_mask_text(text).tolist() == [[True, False], [True, True]]
    assert format_mask_text(parse_mask_text(text)) == "10\n11"


def test_a_long_text_that_ends_like_no_call_is_answered():
    """With an expression that tried every end of the lists, this took 5 s, in which the server answered nobody."""
    with pytest.raises(ValueError, match="“array\\(” is not a cell of a mask"):
        parse_mask_text("array(" + " " * 49_990 + "x")


def test_nested_lists_can_have_all_axes():
    for shape in ((2, 3, 3), (2, 1, 3), (2, 4, 3, 3)):
        mask = np.random.default_rng(0).random(shape) < 0.5
        for text in (str(mask.tolist()), str(mask), repr(mask.astype(int)), repr(mask.astype(float))):
            np.testing.assert_array_equal(parse_mask_text(text), mask)


def test_a_mask_has_at_most_four_axes():
    assert parse_mask_text("[[[[1, 0]]]]").shape == (1, 1, 1, 2)
    with pytest.raises(ValueError, match="more than 4 axes"):
        parse_mask_text("[[[[[1, 0]]]]]")


@given(some.text(some.sampled_from("01[], \n/TrueFals2x"), max_size=40))
def test_any_typed_text_is_a_mask_or_an_error(text):
    with suppress(ValueError):
        mask = parse_mask_text(text)
        assert mask.dtype == bool
        assert mask.ndim in (1, 2, 3, 4)
