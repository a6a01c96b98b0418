"""The answers that the browser keeps for a day."""

from datetime import UTC, datetime, timedelta

import pytest

MODULE = "address_bar/kept_answers.js"
MOST = 10_000


def answer(hours_ago: float, **fields: object) -> dict[str, object]:
    time = datetime.now(UTC) - timedelta(hours=hours_ago)
    return {"time": time.isoformat(timespec="milliseconds"), **fields}


@pytest.fixture
def kept(scripts):
    """A function that keeps answers and returns all that the browser has then."""
    scripts.page.evaluate("localStorage.clear()")

    def keep(answers: list, most: int = MOST, cleared: str = "") -> list:
        scripts.call(MODULE, "keepAnswers", answers, most, cleared)
        return scripts.call(MODULE, "keptAnswers")

    keep.page = scripts.page
    return keep


def test_answers_are_kept_once_in_the_order_of_their_times(kept):
    first, second, third = answer(3), answer(2, chosen="a"), answer(1)
    assert kept([third, first]) == [first, third]
    assert kept([second, third]) == [first, second, third]


def test_an_answer_is_kept_for_a_day(kept):
    old, new = answer(25), answer(23)
    assert kept([old, new]) == [new]


def test_the_oldest_answers_give_way(kept):
    answers = [answer(10 - number, text="“" * 100) for number in range(5)]  # 3 bytes each
    assert kept(answers, most=1_100) == answers[-3:]


def test_cleared_answers_are_gone(kept):
    old, new = answer(2), answer(1)
    kept([old])
    assert kept([new], cleared=answer(1.5)["time"]) == [new]
    assert kept([], most=0, cleared=answer(0)["time"]) == []


@pytest.mark.parametrize("text", ["x", "1", "null", '{"a": 1}', "[1, null]"])
def test_a_storage_that_somebody_else_has_written_counts_as_empty(kept, text):
    kept.page.evaluate("text => localStorage.setItem('encoder-walkthrough-answers', text)", text)
    new = answer(0)
    assert kept([new]) == [new]


def test_a_browser_that_keeps_nothing_is_no_error(kept):
    kept.page.evaluate("""() => {
        Storage.prototype.setItem = Storage.prototype.getItem = () => { throw new Error("forbidden"); };
    }""")
    assert kept([answer(0)]) == []
