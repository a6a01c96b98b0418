"""Shortened texts, and words that agree with a number."""

from encoder_core.support.wording import form_for, format_count, numbered, shorten


def test_a_long_text_is_cut_with_an_ellipsis():
    assert [shorten(text, 4) for text in ("", "four", "fives")] == ["", "four", "fiv…"]
    assert shorten("a" * 13) == "a" * 11 + "…"


def test_counts_agree_with_their_nouns_and_verbs():
    counts = [format_count(number, "head") for number in (0, 1, 2, 30_522)]
    assert counts == ["0 heads", "1 head", "2 heads", "30,522 heads"]
    assert [format_count(number, "query", "queries") for number in (1, 2)] == ["1 query", "2 queries"]
    assert [form_for(number, "is", "are") for number in (0, 1, 2)] == ["are", "is", "are"]


def test_names_of_numbered_things_count_from_1():
    assert [numbered("head", count) for count in (0, 1, 3)] == [[], ["head 1"], ["head 1", "head 2", "head 3"]]
