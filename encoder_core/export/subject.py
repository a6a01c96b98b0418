"""What is exported: a run, and how its encoder and its inputs came about."""

import re
from dataclasses import dataclass

import numpy as np

from encoder_core.config import Activation, EncoderConfig
from encoder_core.export.run_text import is_text_of
from encoder_core.parameters import DrawnParameters
from encoder_core.pretrained import may_be_model
from encoder_core.pretrained.find import full_name, is_folder, is_name
from encoder_core.recipes import RECIPES, VARIANTS
from encoder_core.support.validation import invalid_value, require_choice, require_integer, require_items, require_type
from encoder_core.trace import Run, require_run

_ADDRESS = re.compile(r"https?://[^\x00-\x20<>\"]+", re.IGNORECASE)
ACTIVATION_NAMES: dict[Activation, str] = {"relu": "ReLU", "gelu": "GELU", "gelu_tanh": "GELU (tanh)"}


@dataclass(frozen=True)
class Random:
    """A random encoder: its parameters are those of `draw_parameters` with this seed, a whole number from 0."""

    seed: int

    def __post_init__(self) -> None:
        require_integer("seed", self.seed, 0)

    @property
    def embedding_std(self) -> float:
        """The standard deviation of the embedding tables."""
        return 1.0


@dataclass(frozen=True)
class SomeRecipe:
    """The model of a tutorial, drawn from a seed."""

    name: str
    variant: str
    seed: int

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", require_choice("name", self.name, RECIPES))
        object.__setattr__(self, "variant", require_choice("variant", self.variant, VARIANTS))
        require_integer("seed", self.seed, 0)

    @property
    def embedding_std(self) -> float:
        """The standard deviation of the embedding tables."""
        return RECIPES[self.name].embedding_std


@dataclass(frozen=True)
class Pretrained:
    """A trained encoder from the Hugging Face hub; `FromFile` is for one from a folder.

    name  of its repository; for those in `pretrained.find.KNOWN`, the owner is added where it is left out
    """

    name: str

    def __post_init__(self) -> None:
        require_type("name", self.name, str, "strings")
        if not is_name(self.name) or is_folder(self.name):  # the notebooks contain the name as code
            allowed = "names on the Hugging Face hub, such as 'all-MiniLM-L6-v2'; FromFile is for a folder"
            raise invalid_value("name", self.name, allowed)
        object.__setattr__(self, "name", full_name(self.name))


@dataclass(frozen=True)
class FromFile:
    """An encoder whose parameters the notebooks read from the file that `parameters_safetensors` writes.

    description  the encoder in a few words
    """

    description: str

    def __post_init__(self) -> None:
        require_type("description", self.description, str, "strings")


Origin = Random | SomeRecipe | Pretrained | FromFile


@dataclass(frozen=True, eq=False)
class Subject:
    """A run, and how its encoder and its inputs came about.

    origin     of the encoder: that of the run
    sentences  the text that was tokenized, one string per sentence; empty for the batch of a recipe
    link       to the app in this state, an address of the web; may be ""

    Raises ValueError that names the field, its value and the allowed values.
    """

    run: Run
    origin: Origin
    sentences: tuple[str, ...] = ()
    link: str = ""

    def __post_init__(self) -> None:
        require_run(self.run)
        require_type("origin", self.origin, Origin, "origins of an encoder, such as Random(seed=0)")
        require_items("sentences", self.sentences, str, "tuples of strings")
        require_type("link", self.link, str, "strings")
        if self.link and not _ADDRESS.fullmatch(self.link):  # a report and a notebook have it as a link
            raise invalid_value("link", self.link, "addresses that begin with http:// or https://")
        _require_match(self.origin, self.run)
        if self.sentences and not is_text_of(self.run, self.sentences):
            raise invalid_value("sentences", self.sentences, "those that the run has tokenized, and none: ()")

    @property
    def config(self) -> EncoderConfig:
        """The configuration of the encoder."""
        return self.run.config

    @property
    def encoder_name(self) -> str:
        """The encoder in a few words."""
        match self.origin:
            case Random(seed):
                return f"random encoder, seed {seed}"
            case SomeRecipe(name, variant, seed):
                of_variant = f" ({variant})" if RECIPES[name].has_two_variants else ""
                return f"recipe {name}{of_variant}, seed {seed}"
            case Pretrained(name):
                return f"trained encoder {name}"
            case FromFile(description):
                return description


def require_subject(subject: object) -> None:
    """Raises ValueError unless the value is a subject."""
    require_type("subject", subject, Subject, "subjects, such as Subject(encoder.run(text), Random(seed=0))")


def _require_match(origin: Origin, run: Run) -> None:
    """Raises ValueError where another encoder made the run: the notebooks would compute other numbers.

    Of the parameters, only the embedding table is compared; of a trained encoder, only where it is on this machine, the
    configuration and some small ones.
    """
    parameters = run.parameters
    if isinstance(parameters, DrawnParameters) and isinstance(origin, Random | Pretrained):
        if origin != Random(parameters.seed):
            allowed = f"origins with the seed of the run's parameters, {Random(parameters.seed)!r}"
            raise invalid_value("origin", origin, allowed)
    elif isinstance(origin, Random | SomeRecipe):
        is_other = isinstance(origin, SomeRecipe) and RECIPES[origin.name].config(origin.variant) != run.config
        table = DrawnParameters(run.config, origin.seed)["token_embedding"] * np.float32(origin.embedding_std)
        if is_other or not np.array_equal(table, parameters["token_embedding"]):
            allowed = "those of the run's encoder, and FromFile(description)"
            raise invalid_value("origin", origin, allowed)
    elif isinstance(origin, Pretrained) and not may_be_model(origin.name, run.config, parameters):
        raise invalid_value("origin", origin, "those of the run's encoder, and FromFile(description)")
