"""Changes by the user that are more than a new value of one setting: sizes, text, mask. Widgets call them."""

from typing import Any, Literal

from dashboard.state.choices import STORY_ANSWER, STORY_TOKEN
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.settings import correct_d_model, nearest_d_model
from dashboard.state.text import first_line, truncate_text
from encoder_core.inputs.custom_mask import CustomMask
from encoder_core.inputs.mask_link import MAX_LENGTH, format_mask

MASK, RECIPE_MASK, CUSTOM_MASK = SETTINGS["mask"], SETTINGS["recipe_mask"], SETTINGS["custom_mask"]
_MAX_UNDO = 50
_PREVIOUS = "custom masks before"  # in `Session.last_used`


def set_size(key: str, value: int) -> None:
    """Set d_model or heads, and change d_model to the nearest multiple of heads in the direction of the slider."""
    current = session()
    before = current.get(SETTINGS["d_model"])
    current.set(SETTINGS[key], value)
    d_model, heads = current.get(SETTINGS["d_model"]), current.get(SETTINGS["heads"])
    valid = nearest_d_model(d_model, heads, direction=(d_model > before) - (d_model < before))
    if valid != d_model:
        correct_d_model(valid, rejected=d_model)


def set_text(text: str, key: Literal["text", "input"] = "text") -> None:
    """Set the text that the user typed, or the input of a task, cut to the limits, with a note on the cut."""
    current, (truncated, problem) = session(), truncate_text(text)
    before = current.get(SETTINGS[key])
    current.set(SETTINGS[key], truncated)
    if key == "text" and first_line(truncated) != first_line(before):  # the start page has another sentence
        for parameter in (STORY_TOKEN, STORY_ANSWER):
            current.set_derived(parameter, None)
    if problem:
        current.notes["text"] = problem


def set_custom_mask(mask: CustomMask) -> None:
    """Set the custom mask that the user edited, unless it is too long for a link; a note says so."""
    current, length = session(), len(format_mask(mask))
    before = current.get(CUSTOM_MASK)
    if length > MAX_LENGTH:
        reject_mask(
            f"This mask would need {length:,} characters in the link, and at most {MAX_LENGTH:,} fit. The mask is as "
            "before. A mask with fewer cells that differ from its starting point is shorter."
        )
    elif mask != before:
        current.last_used[_PREVIOUS] = [*previous_masks(), before][-_MAX_UNDO:]
        current.set(CUSTOM_MASK, mask)


def reject_mask(reason: str, typed: str | None = None) -> None:
    """Keep the custom mask, with a note on the reason; the field still shows what was typed."""
    session().notes["custom_mask"] = reason
    if typed is not None:
        session().notes["mask_text"] = typed


def previous_masks() -> list[Any]:
    """The custom masks before the last changes, for Undo."""
    return session().last_used.get(_PREVIOUS, [])


def undo_custom_mask() -> None:
    """Return to the custom mask before the last change."""
    masks = previous_masks()
    if masks:
        session().last_used[_PREVIOUS] = masks[:-1]
        session().set(CUSTOM_MASK, masks[-1])
