"""A recipe: a tutorial's model as data. The only computations are the example batch and the drawn parameters."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal, get_args

import numpy as np

from encoder_core.config import EncoderConfig, field_names
from encoder_core.parameters import ParameterDict, draw_parameters
from encoder_core.parameters.cost import parameters_by_part
from encoder_core.recipes.example import Example, RecipeInputs
from encoder_core.support.read_only import ReadOnlyMapping, make_read_only
from encoder_core.support.validation import require_choice, short_repr
from encoder_core.trace import LayerTrace

Variant = Literal["as intended", "as written"]
VARIANTS: tuple[Variant, ...] = get_args(Variant)
# The tensors that the effect of a note can be shown in: those of every trace, in the order of the forward pass. Masked
# scores are -inf; their difference is seen in the dot products or the pattern.
NOTE_TENSORS = (
    *("token_embedding", "scaled_embedding", "position_encoding", "embedded"),
    *(name for name in LayerTrace._fields if name not in ("scores", "out_kernel")),
    *("output", "logits"),
)


@dataclass(frozen=True)
class Note:
    """One point in which a tutorial's code differs from its text, or both of them from the paper.

    text, code, paper  what each of them says; quotation marks enclose literal quotations. `paper` (Vaswani et al. 2017)
                       is None if the point can be understood without it
    differs_from       what the code differs from: the tutorial's "text", or the "paper" if text and code agree
    as_intended, as_written  two configs that differ only in this point, so that its effect can be shown; None if no
                       number of a trace in evaluation mode depends on it
    tensor             the first field of the trace (or of its layers) in which they differ, one of NOTE_TENSORS
    why_one_variant  why a recipe whose text differs is run as written only, to follow "because"; empty if it has both
    demonstration      a further computation on the recipes page: that two linear layers are "one affine map", or the
                       "rank of a head"'s Q K^T
    rows               names of the rows in `encoder_core.tutorials` that compute the effect of a point without configs
    """

    title: str
    text: str
    code: str
    paper: str | None = None
    differs_from: Literal["text", "paper"] = "text"
    as_intended: EncoderConfig | None = None
    as_written: EncoderConfig | None = None
    tensor: str | None = None
    why_one_variant: str = ""
    demonstration: Literal["one affine map", "rank of a head"] | None = None
    rows: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        require_choice("tensor", self.tensor, (None, *NOTE_TENSORS))

    def matches_code(self, config: EncoderConfig) -> bool:
        """Whether a config equals `as_written` in all fields in which `as_written` differs from `as_intended`."""
        if self.as_intended is None or self.as_written is None:
            return False
        differing = [n for n in field_names() if getattr(self.as_intended, n) != getattr(self.as_written, n)]
        return all(getattr(config, name) == getattr(self.as_written, name) for name in differing)


@dataclass(frozen=True)
class Demo:
    """A smaller example of a tutorial, with its own config and batch.

    written   the config of the tutorial's code, if it differs from `config`
    table     the embedding table, if the tutorial gives its numbers
    projects  False: W_Q, W_K, W_V and W_O are the identity
    """

    name: str
    title: str
    description: str
    config: EncoderConfig
    example: Example
    written: EncoderConfig | None = None
    table: tuple[tuple[float, ...], ...] | None = None
    projects: bool = True

    def config_of(self, variant: Variant) -> EncoderConfig:
        """The config of a variant."""
        return self.written if self.written and variant == "as written" else self.config

    def inputs(self, seed: int = 0) -> RecipeInputs:
        """The demo's batch and its mask."""
        return self.example.draw(self.config, seed)

    def parameters(self, seed: int = 0) -> ParameterDict:
        """Parameters drawn from the seed, except the table and the identity projections of the demo."""
        parameters = draw_parameters(self.config, seed)
        if self.table is not None:
            parameters["token_embedding"] = np.array(self.table, np.float32)
        if not self.projects:
            for name in ("query", "key", "value", "out"):
                parameters[f"layers.0.attention.{name}.kernel"] = np.eye(self.config.d_model, dtype=np.float32)
        make_read_only(parameters.values())
        return parameters


@dataclass(frozen=True, eq=False)
class Recipe:
    """A tutorial's model.

    name           in the URL and in `Encoder.recipe`
    library        in which the tutorial is written
    description    of the model, in one or two sentences
    source         URL of the tutorial
    variants       "as intended" by its text, or by the paper where text and code agree but differ from the paper;
                   "as written" in its code; the same config twice if nothing differs
    example        its batch
    notes          the points in which its code, its text and the paper differ
    demos          its smaller examples, by name
    figures_seq    tokens per sentence in its figures, if it differs from that of its batch
    embedding_std  standard deviation of a new embedding table in its library
    has_table      False if its input is rows drawn from a normal distribution. The embedding table, drawn in the same
                   way, stands for them; it is not a parameter of the tutorial's model
    """

    name: str
    title: str
    library: str
    description: str
    source: str
    variants: Mapping[Variant, EncoderConfig]
    example: Example
    notes: tuple[Note, ...] = ()
    demos: Mapping[str, Demo] = field(default_factory=dict)
    figures_seq: int | None = None
    embedding_std: float = 1.0
    has_table: bool = True

    def __post_init__(self) -> None:
        for name in ("variants", "demos"):
            object.__setattr__(self, name, ReadOnlyMapping(getattr(self, name)))

    def config(self, variant: str = "as intended") -> EncoderConfig:
        """The config of a variant. Raises ValueError, which lists the variants, for another one."""
        for known in VARIANTS:
            if isinstance(variant, str) and variant == known:
                return self.variants[known]
        raise ValueError(f"variant {short_repr(variant)} is not one of {', '.join(map(repr, VARIANTS))}.")

    @property
    def has_two_variants(self) -> bool:
        """Whether the two variants are different models."""
        return self.variants["as intended"] != self.variants["as written"]

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The word of each id of the example batch, or the id itself."""
        return self.example.vocabulary(self.config())

    def inputs(self, seed: int = 0) -> RecipeInputs:
        """The tutorial's example batch and its mask, drawn from the seed."""
        return self.example.draw(self.config(), seed)

    def parameters(self, variant: str = "as intended", seed: int = 0) -> ParameterDict:
        """Parameters drawn from the seed; embedding tables have the standard deviation of the tutorial's library.

        NumPy draws them, not the tutorial's keys. Biases have a standard deviation of BIAS_STD; the libraries
        initialize them to 0 (`draw_parameters`).
        """
        parameters = draw_parameters(self.config(variant), seed)
        for name in ("token_embedding", "position_embedding"):
            if name in parameters:
                parameters[name] = parameters[name] * np.float32(self.embedding_std)
        make_read_only(parameters.values())
        return parameters

    def num_parameters(self, variant: str = "as intended") -> int:
        """Number of parameters of the tutorial's model."""
        parts = parameters_by_part(self.config(variant))
        return sum(count for part, count in parts.items() if self.has_table or part != "embedding")
