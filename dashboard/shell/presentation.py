"""The bar of the presentation mode: previous and next page, and the way back to the normal view."""

from dashboard.components.presenter import Action, render_presenter
from dashboard.navigation import open_page
from dashboard.page_list import WAY, AppPage
from dashboard.state.presentation import stop_presenting


def render_presenter_bar(active: AppPage) -> None:
    """Render the bar. The pages of `WAY` follow each other; the others have no neighbours."""
    previous, following = neighbours(active)

    def act(action: Action) -> None:
        target = {"previous": previous, "next": following}.get(action)
        if action == "leave":
            stop_presenting()
        elif target:
            open_page(target.name)

    render_presenter(_label(previous), _label(following), act, key="presenter_bar")


def neighbours(active: AppPage) -> tuple[AppPage | None, AppPage | None]:
    """The pages before and after a page in the presentation; None where there is none."""
    if active not in WAY:
        return None, None
    place = WAY.index(active)
    around = (None, *WAY, None)
    return around[place], around[place + 2]


def _label(page: AppPage | None) -> str | None:
    return None if page is None else page.title
