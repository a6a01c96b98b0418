"""An experiment: a claim that learners are told, a prediction, controls, and a measurement that tests the claim."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.encoder import Encoder
from encoder_core.figures import Line, ThemeName
from encoder_core.support.number_format import format_number
from encoder_core.support.validation import require_choice, require_type

Setting = str | int | float | bool
Setup = Mapping[str, Setting]  # name of a control -> its setting
Verdict = Literal["holds", "holds in part", "does not hold"]


@dataclass(frozen=True)
class Control:
    """One setting of an experiment.

    name     in the URL: lower-case, with underscores
    options  the allowed settings, all of one type, in the order in which they are shown
    needs    another control and its setting with which this one has an effect; None: it always has
    """

    name: str
    label: str
    options: tuple[Setting, ...]
    default: Setting
    help: str = ""
    needs: tuple[str, Setting] | None = None

    def has_effect(self, setup: Setup) -> bool:
        """Whether the control changes anything in a setup."""
        return self.needs is None or setup[self.needs[0]] == self.needs[1]

    def __post_init__(self) -> None:
        if self.default not in self.options:
            raise ValueError(f"default {self.default!r} of control {self.name!r} is not among its options.")


@dataclass(frozen=True)
class Option:
    """An answer to an experiment's question, and what it says about the one who chose it.

    feedback  why it is right or, if it is wrong, the misconception behind it and what to look at; true in every setup
              in which the answer is right, or wrong
    """

    text: str
    feedback: str


@dataclass(frozen=True, eq=False)
class Measurement:
    """The result of an experiment in one setup.

    answer    index of the option that the numbers make right
    measured  the number that decides, with its spread, as plain text
    meaning   what it means: one to three sentences in markdown, with numbers
    draw      theme -> the figure
    verdict   what the numbers say about the claim in this setup; None where the claim says nothing about it
    """

    answer: int
    measured: str
    meaning: str
    draw: Callable[[ThemeName], Line]
    verdict: Verdict | None


@dataclass(frozen=True, eq=False)
class Experiment:
    """A claim and its test.

    number      the place in the list of claims, from 1
    name        in the URL: lower-case words with hyphens
    claim       what learners are told, one or two sentences
    hypothesis  what the measurement must show if the claim is true
    question    the prediction to make before the result is shown; it has exactly one right option in every setup.
                "{d_k}" in it, and in the text of an option, stands for the setting of that control
    limits      what the measurement does not show, in markdown
    code        the functions that compute the result
    stage       name of the stage page that it concerns
    source      where the claim comes from
    given       setup -> what a prediction needs to know, in markdown, such as the sentence; None: the question says all
    measure     setup -> result. Pure: equal setups give equal results, except for measured times. It compiles nothing
    measure_trained  instead of `measure`, for a claim on trained encoders: setup and all-MiniLM-L6-v2 -> result

    Raises ValueError unless it has exactly one of the two.
    """

    number: int
    name: str
    title: str
    claim: str
    hypothesis: str
    question: str
    options: tuple[Option, ...]
    controls: tuple[Control, ...]
    limits: str
    code: tuple[Callable[..., Any], ...]
    stage: str
    source: str
    measure: Callable[[Setup], Measurement] | None = None
    measure_trained: Callable[[Setup, Encoder], Measurement] | None = None
    given: Callable[[Setup], str] | None = None

    def __post_init__(self) -> None:
        if (self.measure is None) == (self.measure_trained is None):
            raise ValueError(f"experiment {self.name!r} needs either measure or measure_trained.")

    def result(self, setup: Setup, trained: Encoder | None = None) -> Measurement:
        """The result in a setup; controls that it does not name have their defaults.

        Raises ValueError for a control or a setting that does not exist, and if it needs the trained encoder and gets
        none.
        """
        require_type("setup", setup, Mapping, "mappings of the names of controls to settings")
        setup = self.setup(**setup)
        if self.measure is not None:
            return self.measure(setup)
        if self.measure_trained is None or trained is None:
            raise ValueError(f"experiment {self.name!r} needs a trained encoder.")
        return self.measure_trained(setup, trained)

    def fill_in(self, text: str, setup: Setup) -> str:
        """A question or the text of an option with the settings of a setup."""
        named = {
            name: value if isinstance(value, str) else f"{value:,}".replace("-", "−") for name, value in setup.items()
        }
        return text.format_map(named)

    @property
    def default_setup(self) -> dict[str, Setting]:
        """The default of each control."""
        return {control.name: control.default for control in self.controls}

    def setup(self, **settings: Setting) -> dict[str, Setting]:
        """The defaults with some settings changed. Raises ValueError for a control or a setting that does not exist."""
        setup = self.default_setup
        for name, setting in settings.items():
            control = next((control for control in self.controls if control.name == name), None)
            if control is None:
                raise ValueError(f"control {name!r} is not one of {', '.join(map(repr, setup))}.")
            setup[name] = require_choice(name, setting, control.options)
        return setup


def verdict_if(holds: bool) -> Verdict:
    """The verdict on a claim that holds or not."""
    return "holds" if holds else "does not hold"


def seed_control(help_text: str, count: int = 10) -> Control:
    """The seed of the random numbers of an experiment."""
    return Control("seed", "Seed", tuple(range(count)), 0, help_text)


def quote_with_bold(words: Sequence[str], place: int) -> str:
    """A sentence in quotation marks, with the word at this place in bold, in markdown."""
    return f"“{' '.join(f'**{word}**' if index == place else word for index, word in enumerate(words))}”"


def describe_spread(samples: Float[np.ndarray, "sample"], unit: str = "") -> str:
    """The median of the samples and the range that holds nine tenths of them: "64.1 (61.0 to 67.5)"."""
    low, middle, high = (format_number(x, 3) for x in np.percentile(samples, (5, 50, 95)))
    return f"{middle}{unit} ({low} to {high})"


PROCESSOR_TIME = "The time is that of the processor for one thread"  # of `time_calls`


def time_calls(functions: Sequence[Callable[[], object]], repeats: int) -> Float[np.ndarray, "function repeat"]:
    """The milliseconds of each of some calls of each function, fastest first, after one that is not counted.

    It is the processor time of this thread, so that other programs do not count, and the functions take turns, so that
    a busy moment meets them all. Compare the fastest calls: what disturbs a call can only make it longer.
    """
    for function in functions:
        function()
    reading = min(-time.thread_time() + time.thread_time() for _ in range(20))
    taken = np.empty((len(functions), repeats))
    for repeat in range(repeats):
        for row, function in enumerate(functions):
            begin = time.thread_time()
            function()
            taken[row, repeat] = (time.thread_time() - begin - reading) * 1e3
    return np.sort(np.maximum(taken, 1e-6), axis=1)


class TimeRatio(NamedTuple):
    """How many times as long one function takes as another, by the fastest call of each.

    low, high  the same with the third fastest call of the one or of the other
    """

    fastest: float
    low: float
    high: float

    def __str__(self) -> str:
        fastest, low, high = (format_number(value, 3) for value in self)
        return f"{fastest} ({low} to {high})"


def time_ratio(longer: Float[np.ndarray, "repeat"], shorter: Float[np.ndarray, "repeat"]) -> TimeRatio:
    """The ratio of the times of two functions, each with its fastest call first (`time_calls`)."""
    return TimeRatio(float(longer[0] / shorter[0]), float(longer[0] / shorter[2]), float(longer[2] / shorter[0]))


def explain_ratio(repeats: int) -> str:
    """What a `TimeRatio` compares, as a sentence."""
    return (
        f"The times are those of the fastest of {repeats} runs each on this server; the range in brackets has the "
        "third fastest run in the place of one of the two."
    )
