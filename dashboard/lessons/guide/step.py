"""Types of the workshop's plan: a view of the app with its complete state, and a step."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import urlencode

from dashboard.models.model import Model, model_for
from dashboard.page_list import START, AppPage, page_named
from dashboard.selection import focus  # noqa: F401 - declares the parameters of the focus
from dashboard.state import choices, edit_history  # noqa: F401 - declare the parameters of the pages and of the edits
from dashboard.state.offered_encoders import MINILM
from dashboard.state.parameter import PARAMETERS
from dashboard.state.setting_parameters import DEFAULTS, SETTINGS
from dashboard.state.settings import Settings

Numbers = Mapping[str, float | str]  # name in the text of an answer -> measured value


class EncoderNotLoaded(LookupError):
    """The encoder of a view is not on this server, or not loaded yet."""


@dataclass(frozen=True, eq=False)
class PlanView:
    """A page in a state.

    label  the text of its button
    name   the name of the page
    link   parameter name -> value; every other parameter has its default
    """

    label: str
    name: str
    link: Mapping[str, Any]

    @property
    def page(self) -> AppPage:
        """The page."""
        return page_named(self.name)

    @property
    def query(self) -> str:
        """The query string of the link."""
        return urlencode([(name, PARAMETERS[name].format(value)) for name, value in self.link.items()])

    @property
    def address(self) -> str:
        """The link, relative to the address of the app: "/softmax?layer=2"."""
        return f"/{'' if self.page == START else self.name}?{self.query}"

    @property
    def needs_minilm(self) -> bool:
        """Whether the view shows the encoder minilm."""
        return self.link.get("encoder") == MINILM

    def model(self, **changes: Any) -> Model:
        """The model of the view, without its edits, after these changes of settings.

        Raises EncoderNotLoaded if the server does not have the encoder.
        """
        link = {**self.link, **changes}
        settings = Settings.from_state(DEFAULTS | {name: link[name] for name in SETTINGS if name in link})
        model = model_for(settings)
        if model.settings.encoder != link.get("encoder", DEFAULTS["encoder"]):
            raise EncoderNotLoaded(f"The encoder {link['encoder']} is not loaded.")
        return model

    @property
    def layer(self) -> int:
        """The layer of the focus, counted from 0."""
        return int(self.link["layer"]) - 1

    @property
    def head(self) -> int:
        """The head of the focus, counted from 0."""
        return int(self.link["head"]) - 1


class Misunderstanding(NamedTuple):
    """What some people conclude, and what is true instead."""

    claim: str
    correction: str


@dataclass(frozen=True, eq=False)
class PlanStep:
    """A step of the workshop.

    minutes            name of a version -> minutes; a version that is not in it leaves the step out
    views              what is opened, the first one first
    task               what to do on the page
    answer             the expected answer; the names in braces are those of `measure`, with their formats
    measure            computes the numbers of the answer from the encoders of the views
    misunderstandings  what to listen for
    room               what a facilitator must know to do this with a group
    """

    title: str
    minutes: Mapping[str, int]
    views: Sequence[PlanView]
    task: str
    question: str
    answer: str
    measure: Callable[[Sequence[PlanView]], Numbers]
    misunderstandings: Sequence[Misunderstanding]
    room: str = ""

    @property
    def needs_minilm(self) -> bool:
        """Whether one of the views shows the encoder minilm."""
        return any(view.needs_minilm for view in self.views)

    def measured_answer(self) -> str:
        """The answer with its numbers, computed now.

        Raises EncoderNotLoaded if the server does not have an encoder of the step.
        """
        return self.answer.format(**self.measure(self.views))


@dataclass(frozen=True)
class Version:
    """A version of the workshop.

    name       in the URL
    title      the text of its choice
    minutes    its length
    for_group  whether a facilitator leads it; otherwise one person works through it
    """

    name: str
    title: str
    minutes: int
    for_group: bool = True
