"""The analogy that is asked for, as a text."""

from dashboard.state.choices import ANALOGY
from dashboard.state.session import session

PRESETS = ("king - man + woman", "paris - france + germany")


def text() -> str:
    """The text in use; one that is empty stays empty."""
    given = session().get(ANALOGY)
    return PRESETS[0] if given is None else given


def ask(given: str) -> None:
    """Another text, from the user; call it from a callback."""
    session().set(ANALOGY, None if given == PRESETS[0] else given)


def refuse(problem: str) -> bool:
    """Use the first preset in place of a text that a link asks for and that cannot be read; a text that the user typed
    stays. Returns whether it was the link's."""
    was_of_link = ANALOGY.name in session().asked
    if was_of_link:
        session().refuse(ANALOGY, problem, PRESETS[0])
        session().put(ANALOGY, None)
        del session().asked[ANALOGY.name]
    return was_of_link
