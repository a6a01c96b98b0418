"""Words on screen: shortened texts, names of heads and numbered things, nouns and verbs that agree with a number."""

_MAX_LABEL = 12  # characters
_IN_WORDS = ("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")


def shorten(text: str, max_length: int = _MAX_LABEL) -> str:
    """The text, cut to `max_length` characters with an ellipsis; by default the length of a label."""
    return text if len(text) <= max_length else text[: max_length - 1] + "…"


def head_name(layer: int, head: int) -> str:
    """A head, whose indices count from 0, as text that counts from 1: "layer 4, head 2"."""
    return f"layer {layer + 1}, head {head + 1}"


def numbered(noun: str, count: int) -> list[str]:
    """The names of so many things: "head 1", "head 2", "head 3"."""
    return [f"{noun} {number}" for number in range(1, count + 1)]


def format_count(number: int, noun: str, plural: str = "") -> str:
    """A number of things: "1 head", "4 heads", "30,522 rows"; `plural` for a noun that does not just take an "s"."""
    return f"{number:,} {form_for(number, noun, plural or noun + 's')}"


def in_words(number: int) -> str:
    """A number of things as a word up to twelve, then in digits: "five" tutorials, "13" tutorials."""
    return _IN_WORDS[number] if 0 <= number < len(_IN_WORDS) else f"{number:,}"


def form_for(number: int, singular: str, plural: str) -> str:
    """The form of a word that agrees with a number of things: form_for(1, "is", "are") is "is"."""
    return singular if number == 1 else plural
