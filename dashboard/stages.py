"""The stages of the walkthrough, in the order in which data flows."""

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


def stage_named(name: str) -> Stage:
    """The stage whose URL is `name`."""
    return next(stage for stage in STAGES if stage.name == name)
