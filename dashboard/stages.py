"""The stages of the walkthrough, in the order in which data flows."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Stage:
    """One page of the walkthrough: `name` is its URL, `short` its label in the rail."""

    number: int
    name: str
    title: str
    short: str
    summary: str

    @property
    def path(self) -> str:
        """The page's script, from the top level."""
        return f"pages/{self.number:02d}_{self.name}.py"


STAGES = tuple(
    Stage(number, *texts)
    for number, texts in enumerate(
        [
            ("map", "Map of the encoder", "Map", "The whole encoder at a glance, every part a link."),
            ("embedding", "Tokens and embedding lookup", "Embedding", "Text to tokens to ids to rows of a table."),
            ("positions", "Positions", "Positions", "What tells the encoder the order of the tokens."),
            ("qkv", "Queries, keys, values", "Q · K · V", "Three views of each token."),
            ("scaled_scores", "Scaled scores", "Scores", "How well each query matches each key."),
            ("softmax", "Softmax weights", "Softmax", "Scores become weights that add up to one."),
            ("weighted_values", "Weighted values", "Values", "Each token collects the values it attends to."),
            ("multi_head", "Multi-head attention", "Heads", "Several attentions side by side."),
            ("add_and_norm", "Add and norm", "Add & norm", "The residual sum, brought back to one scale."),
            ("feed_forward", "Feed-forward", "Feed-forward", "Each token by itself: expand, activate, contract."),
            ("full_stack", "Full stack", "Stack", "All layers, from the embedding to the output."),
        ]
    )
)


def stage_named(name: str) -> Stage:
    """The stage whose URL is `name`."""
    return next(stage for stage in STAGES if stage.name == name)
