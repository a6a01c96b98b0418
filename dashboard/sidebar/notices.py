"""Notices about the text and about differences between a tutorial's code, its text and the paper."""

from dashboard.markdown import escape_message
from dashboard.models.model import Model, model_for
from dashboard.state.offered_encoders import CHECKPOINT
from dashboard.state.session import session
from dashboard.state.setting_parameters import DEFAULT_TEXT, SETTINGS
from dashboard.state.settings import Settings
from dashboard.state.text import first_line, has_words, truncate_text
from encoder_core.recipes import NOTE_TENSORS
from encoder_core.support.wording import form_for, format_count
from encoder_core.training import Task

# The stages that show each tensor that a note of a recipe can name.
_STAGES_SHOWING: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("token_embedding", "scaled_embedding"), ("embedding",)),
    **dict.fromkeys(("position_encoding", "embedded"), ("positions",)),
    **dict.fromkeys(("resid_pre", "attn_in", "q", "k", "v"), ("qkv",)),
    "dot_products": ("scaled_scores",),
    "pattern": ("softmax", "multi_head", "full_stack"),
    "z": ("weighted_values",),
    **dict.fromkeys(("concat", "attn_out"), ("multi_head",)),
    **dict.fromkeys(("resid_mid", "mlp_in"), ("add_and_norm",)),
    **dict.fromkeys(("mlp_pre", "mlp_act", "mlp_out"), ("feed_forward",)),
    **dict.fromkeys(("resid_post", "output", "logits"), ("full_stack",)),
}
assert _STAGES_SHOWING.keys() == set(NOTE_TENSORS), "every tensor of a note is shown on some page"

_DIFFERENCES = {  # what the code differs from -> the sentence, and what the variant "as intended" follows
    "text": ("The text and the code of this tutorial differ here", "as intended"),
    "paper": (
        "The text and the code of this tutorial agree here, but differ from the paper",
        "as intended (as in the paper)",
    ),
}


def text_notices(settings: Settings, *, only_first_line: bool = False) -> list[str]:
    """A sentence about each change of the user's text: cuts, skipped lines, another text that is used instead.

    only_first_line  whether these are the settings of the start page, which uses no other line
    """
    if settings.recipe:
        return []
    notices = []
    current, setting = session(), "text" if settings.reads_sentences else "input"
    typed, link_texts = current.get(SETTINGS[setting]), current.link_values.get(setting)
    truncated = truncate_text(link_texts[-1])[1] if link_texts else current.notes.get("text")
    if truncated:
        notices.append(truncated)
    model = model_for(settings)
    if settings.encoder == CHECKPOINT and model.settings.encoder != CHECKPOINT:
        return []  # shell/run_notice.py says why
    if settings.task and not settings.task.reads_sentences:
        return [*notices, *_task_notices(model, settings.task)]
    line = first_line(typed)
    has_other_lines = only_first_line and line.strip() != typed.strip()
    name = "The first line" if has_other_lines else "What is kept" if truncated else "The text"
    if not has_words(line if only_first_line else typed):
        notices.append(f"{name} contains no word, so {_default_text(only_first_line)}.")
    if any(model.batch.truncated):
        notices.append(_cut_notice(model, "sentence", f"{model.batch.ids.shape[1]} {_unit(model)}"))
    skipped = model.skipped_lines
    if skipped == len(settings.sentences):
        where = f"{name[0].lower()}{name[1:]}"
        notices.append(f"The tokenizer finds no token in {where}, so the sentence “{settings.example}” is used.")
    elif skipped:
        notices.append(f"{format_count(skipped, 'line')} without a token {form_for(skipped, 'is', 'are')} ignored.")
    return notices


def _default_text(only_first_line: bool) -> str:
    first, *others = DEFAULT_TEXT.splitlines()
    if only_first_line:
        return f"the sentence “{first}” is used"
    return f"the default text of {format_count(1 + len(others), 'sentence')} is used"


def _task_notices(model: Model, task: Task) -> list[str]:
    """A sentence about each line that the task cannot read, and about a cut."""
    notices = []
    for line in model.settings.sentences:
        try:
            task.tokenizer(line)
        except ValueError as error:
            notices.append(f"A line of the input is ignored: {escape_message(str(error))}")
    if notices and model.skipped_lines == len(model.settings.sentences):
        notices.append(f"The example “{task.examples[0]}” is used instead.")
    if any(model.batch.truncated):
        longest = format_count(model.batch.ids.shape[1], "token")
        notices.append(f"{_cut_notice(model, 'input', longest)} {task.rule}")
    return notices


def _cut_notice(model: Model, noun: str, longest: str) -> str:
    """How many sentences or inputs were cut, and how many of their tokens are left out."""
    left_out = [count for count in model.batch.truncated if count]
    one = {"sentence": "A sentence was", "input": "An input was"}[noun]
    cut = one if len(left_out) == 1 else f"{len(left_out)} {noun}s were"
    more = sum(left_out)
    return f"{cut} cut at {longest}; {more:,} more {form_for(more, 'is', 'are')} ignored."


def tutorial_differences(settings: Settings, page: str) -> list[str]:
    """A sentence about each visible point of this page in which a tutorial's code, its text and the paper differ."""
    recipe = settings.recipe
    notes = [note for note in recipe.notes if note.tensor and page in _STAGES_SHOWING[note.tensor]] if recipe else []
    config = model_for(settings).config
    sentences = []
    for note in notes:
        sentence, intended = _DIFFERENCES[note.differs_from]
        variant = f"Variant on this page: {'as written' if note.matches_code(config) else intended}."
        if recipe and all(map(note.matches_code, recipe.variants.values())):
            reason = f", because {note.why_one_variant}" if note.why_one_variant else ""
            variant = f"This recipe follows the code here{reason}."
        sentences.append(f"{sentence} (“{note.title}”). {variant} The page Recipes shows the difference.")
    return sentences


def _unit(model: Model) -> str:
    return "pieces (including [CLS] and [SEP])" if model.settings.trained else "tokens"
