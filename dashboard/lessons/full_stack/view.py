"""Types and functions that the views of the full stack page share."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from dashboard.inspect.depths import NumberTable
from dashboard.inspect.questions import Question, WrongOption
from dashboard.lessons.full_stack.recomputed import Recomputation
from dashboard.models.model import Model
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.focus import Focus, Part
from dashboard.selection.inspected_cell import Inspection
from encoder_core import EncoderConfig
from encoder_core.blocks import EncoderStack
from encoder_core.engine.forward import forward
from encoder_core.figures import Window
from encoder_core.parameters.cost import parameters_by_part
from encoder_core.support.wording import format_count


class Depths(NamedTuple):
    """Numbers, formula, code and question of a view: the arguments of `render_depths`."""

    tables: Mapping[str, NumberTable]
    formula: str
    code: Sequence[Callable[..., Any]]
    question: Question
    inspection: Inspection | None = None


class View(NamedTuple):
    """A view of the page: the pickers that apply to it, and the functions that render it.

    parts          the pickers of the position (layer, head, token, ...)
    render         receives the model, the position and the value of `render_picker`; returns None if the view cannot
                   be shown, after it has rendered the reason
    render_picker  renders the view's own picker after those of the position
    of_sentence    whether the view shows one sentence of the text
    move_focus     moves the focus to what the view's own picker has chosen, before all pickers are rendered
    recomputation  what the badge covers; None: no tensor that the view shows is recomputed, so there is no badge
    """

    parts: tuple[Part, ...]
    render: Callable[[Model, Focus, Any], Depths | None]
    render_picker: Callable[[Model], Any] = lambda _: None
    of_sentence: bool = True
    move_focus: Callable[[Model], None] = lambda _: None
    recomputation: Recomputation | None = None


def render_dims_picker(current: Model) -> Window:
    """Render the picker of the dimensions and return the window."""
    return WideAxis("dims", current.config.d_model).render_picker()


def input_content(config: EncoderConfig) -> str:
    """Content of a vector at the input of the first layer, as text."""
    return "a token" if config.positions == "none" else "a token and its position"


def stack_code(model: Model) -> Callable[..., Any]:
    """The function that ran the layers."""
    return forward if model.splits_heads else EncoderStack.__call__


def layers_text(config: EncoderConfig) -> str:
    """The number of layers as text: "1 layer", "4 layers"."""
    return format_count(config.num_layers, "layer")


def depth_question(current: Model) -> Question:
    """What grows with another layer? For a view that has no clear question about the selected position."""
    config = current.config
    deeper = replace(config, num_layers=config.num_layers + 1)
    now, then = (sum(parameters_by_part(x).values()) for x in (config, deeper))
    return Question(
        f"the stack gets another layer, so that it has {deeper.num_layers}. What grows?",
        "the parameters and the FLOPs, not the output",
        f"From {now:,} parameters to {then:,}: each layer has its own. The output keeps {config.d_model} numbers for "
        "each token.",
        [
            WrongOption(
                "only the FLOPs: all layers share their parameters",
                "The layers have the same architecture, but each has parameters of its own.",
                "the page Map of the encoder: the parameters by part are those of all layers",
            ),
            WrongOption(
                "the parameters, the FLOPs and the number of outputs",
                "A layer gives a vector of the same width for each token, which is the input of the next layer.",
                "the shapes of embedded and output in the heading",
            ),
        ],
    )


READ_OUT_NOTE = (
    "As in this tutorial's code, the input of each layer shown is the encoder's input, not the output of the previous "
    "layer; only the final output is that of the stack. So this view does not follow vectors from layer to layer."
)
