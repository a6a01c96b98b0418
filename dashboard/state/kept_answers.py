"""The answers that the browser keeps for a day, so that a reload, another tab or another process has them.

The address bar's component sends the latest answers to the browser, and a new session receives what the browser has:
see dashboard/components/address_bar/kept_answers.js. What a browser sends can be anything, also a text that somebody
wrote there by hand; it is shown to that person alone.
"""

import json
from contextlib import suppress
from dataclasses import asdict
from datetime import UTC, datetime, timedelta
from typing import Any

from dashboard.page_list import PAGES
from dashboard.state.answers import MAX_ANSWERS, Answer, add_answers, answers, time_of_clearing
from dashboard.state.link import address_of

MAX_BYTES = 100_000  # that the browser keeps; dashboard/serving/limits/gate.py allows 200 kB a message
_MAX_TEXT = 5_000  # characters of one field
_SENT_FOR = timedelta(seconds=30)  # a run that a newer one replaces sends nothing, but one of the next ones does
_TEXTS = ("time", "page", "question", "chosen", "correct", "explanation", "query", "misconception")


def news_for_browser() -> dict[str, Any]:
    """What the browser may not have yet: the answers of the last seconds, and when all were cleared."""
    latest, cleared = [_to_browser(given) for given in answers()[-5:] if _is_news(given.time)], time_of_clearing()
    return ({"answers": latest, "most": MAX_BYTES} if latest else {}) | (
        {"cleared": cleared} if cleared and _is_news(cleared) else {}
    )


def restore_answers(text: object) -> None:
    """Add the answers that the browser has kept; what is none is left out. Call it from a callback."""
    entries = None
    if isinstance(text, str) and len(text) <= MAX_BYTES:
        with suppress(ValueError, RecursionError):
            entries = json.loads(text)
    if isinstance(entries, list):
        given = (_from_browser(entry) for entry in entries[-MAX_ANSWERS:])
        add_answers([answer for answer in given if answer is not None])


def _is_news(time: str) -> bool:
    return datetime.fromisoformat(time) > datetime.now(UTC) - _SENT_FOR


def _to_browser(given: Answer) -> dict[str, Any]:
    """The fields of an answer but the link, which follows from page and query."""
    return {name: value for name, value in asdict(given).items() if name != "link"}


def _from_browser(entry: object) -> Answer | None:
    """The answer that `_to_browser` has sent; None for anything else."""
    if not isinstance(entry, dict) or set(entry) != {*_TEXTS, "options", "attempt"}:
        return None
    texts, options, attempt = {name: entry[name] for name in _TEXTS}, entry["options"], entry["attempt"]
    if not isinstance(options, list) or not all(_is_text(text) for text in (*texts.values(), *options)):
        return None
    if type(attempt) is not int or not 1 <= attempt <= MAX_ANSWERS or texts["page"] not in {p.name for p in PAGES}:
        return None
    if not {texts["chosen"], texts["correct"]} <= set(options) or not _is_time(texts["time"]):
        return None
    return Answer(**texts, options=tuple(options), attempt=attempt, link=address_of(texts["page"], texts["query"]))


def _is_text(value: object) -> bool:
    return isinstance(value, str) and len(value) <= _MAX_TEXT


def _is_time(text: str) -> bool:
    try:
        return datetime.fromisoformat(text).tzinfo is not None
    except ValueError:
        return False
