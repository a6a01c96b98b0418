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
    """A page beside the walkthrough: `name` is its URL."""

    name: str
    title: str

    @property
    def path(self) -> str:
        """The page's script, from the top level."""
        return f"pages/lab_{self.name}.py"


LABS = (Lab("recipes", "Recipes: five tutorials"),)
PAGES: tuple[Stage | Lab, ...] = (*STAGES, *LABS)


def stage_named(name: str) -> Stage:
    """The stage whose URL is `name`."""
    return next(stage for stage in STAGES if stage.name == name)


def lab_named(name: str) -> Lab:
    """The page of the lab whose URL is `name`."""
    return next(page for page in LABS if page.name == name)
