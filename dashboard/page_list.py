"""All pages: the start page, the stages in the order of the computation, the lab and the workshop."""

from dataclasses import dataclass, field

from encoder_core import RECIPES
from encoder_core.support.wording import in_words


@dataclass(frozen=True)
class AppPage:
    """A page: `name` is its URL. The scripts of the lab have numbers from 20, those of the workshop from 30.

    The URL must equal the script's name without its number: until `st.navigation` is called once in the server's
    process, Streamlit derives URLs from the names of scripts.
    """

    number: int
    name: str
    title: str
    has_sidebar: bool = field(default=True, kw_only=True)  # whether the page shows the model of the sidebar

    @property
    def path(self) -> str:
        """The path of the page's script, relative to the entrypoint."""
        return f"pages/{self.number:02d}_{self.name}.py"


@dataclass(frozen=True)
class Stage(AppPage):
    """One page of the walkthrough: `short` is its label in the line of stage links."""

    short: str


STAGES = tuple(
    Stage(number, *texts)
    for number, texts in enumerate(
        [
            ("map", "Map of the encoder", "Map"),
            ("embedding", "Tokens and embedding lookup", "Embedding"),
            ("positions", "Positions", "Positions"),
            ("qkv", "Queries, keys, values", "Q · K · V"),
            ("scaled_scores", "Scaled scores", "Scores"),
            ("softmax", "Softmax weights", "Softmax"),
            ("weighted_values", "Weighted values", "Values"),
            ("multi_head", "Multi-head attention", "Heads"),
            ("add_and_norm", "Add and norm", "Add & norm"),
            ("feed_forward", "Feed-forward", "Feed-forward"),
            ("full_stack", "Full stack", "Stack"),
        ]
    )
)


START = AppPage(0, "start", "What does “it” refer to?", has_sidebar=False)  # served at "/"
LABS = (
    AppPage(20, "recipes", f"Recipes: {in_words(len(RECIPES))} tutorials", has_sidebar=False),
    AppPage(21, "experiments", "Experiments: claims to test", has_sidebar=False),
    AppPage(22, "training", "Training: watch attention being learned", has_sidebar=False),
)
TAKE_AWAY = AppPage(31, "take_away", "Take away")
RESULTS = AppPage(32, "results", "Results", has_sidebar=False)
WORKSHOP = (
    AppPage(30, "guide", "Guide for the facilitator", has_sidebar=False),
    TAKE_AWAY,
    RESULTS,
)
PAGES: tuple[AppPage, ...] = (START, *STAGES, *LABS, *WORKSHOP)
WAY: tuple[AppPage, ...] = (START, *STAGES, *LABS, TAKE_AWAY)  # of a learner: each page leads to the next one


def adjacent_pages(page: AppPage) -> tuple[AppPage, AppPage | None]:
    """The pages before and after a page of `WAY` other than the first; None after the last."""
    place = WAY.index(page)
    return WAY[place - 1], WAY[place + 1] if place + 1 < len(WAY) else None


def stage_named(name: str) -> Stage:
    """The stage whose URL is `name`."""
    return next(stage for stage in STAGES if stage.name == name)


def page_named(name: str) -> AppPage:
    """The page whose URL is `name`."""
    return next(page for page in PAGES if page.name == name)
