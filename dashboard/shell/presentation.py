"""The bar of the presentation mode: previous and next page, and the way back to the normal view."""

from dashboard.components.presenter import Action, render_presenter
from dashboard.navigation import open_page
from dashboard.page_list import STAGES, START, AppPage
from dashboard.state.presentation import stop_presenting

_SEQUENCE: tuple[AppPage, ...] = (START, *STAGES)


def render_presenter_bar(active: AppPage) -> None:
    """Render the bar. The start page and the stages follow each other; other pages have no neighbours."""
    previous, following = neighbours(active)

    def act(action: Action) -> None:
        target = {"previous": previous, "next": following}.get(action)
        if action == "leave":
            stop_presenting()
        elif target:
            open_page(target.name)

    render_presenter(_label(previous), _label(following), act, key="presenter_bar")


def neighbours(active: AppPage) -> tuple[AppPage | None, AppPage | None]:
    """The pages before and after a page in the sequence of the presentation; None where there is none."""
    if active not in _SEQUENCE:
        return None, None
    place = _SEQUENCE.index(active)
    around = (None, *_SEQUENCE, None)
    return around[place], around[place + 2]


def _label(page: AppPage | None) -> str | None:
    return None if page is None else page.title
