"""All pages: the stages of the walkthrough, in the order in which data flows, and those of the lab."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """One page of the walkthrough: `name` is its URL, `short` its label in the rail."""

    number: int
    name: str
    title: str
    short: str

    @property
    def path(self) -> str:
        """The page's script, from the top level."""
        return f"pages/{self.number:02d}_{self.name}.py"


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


@dataclass(frozen=True)
class Lab:
    """A page beside the walkthrough: `name` is its URL. The files of the lab are numbered from 20.

    Until `st.navigation` was called once, Streamlit takes a script's name without its number for its URL: so a link to
    a server that has served nobody yet finds the page only where the two are the same.
    """

    number: int
    name: str
    title: str

    @property
    def path(self) -> str:
        """The page's script, from the top level."""
        return f"pages/{self.number}_{self.name}.py"


LABS = (Lab(20, "recipes", "Recipes: five tutorials"),)
PAGES: tuple[Stage | Lab, ...] = (*STAGES, *LABS)


def stage_named(name: str) -> Stage:
    """The stage whose URL is `name`."""
    return next(stage for stage in STAGES if stage.name == name)


def page_named(name: str) -> Stage | Lab:
    """The page whose URL is `name`."""
    return next(page for page in PAGES if page.name == name)
