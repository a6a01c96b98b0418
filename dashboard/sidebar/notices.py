"""Notices about the text and about differences between a tutorial's code, its text and the paper."""

from dashboard.markdown import escape_message
from dashboard.models.model import Model, model_for
from dashboard.state.session import session
from dashboard.state.settings import CHECKPOINT, SETTINGS, Settings
from dashboard.state.text import has_words, truncate_text
from encoder_core.training import Task

# The stages that show a tensor.
_STAGES_SHOWING = {
    "scaled_embedding": ("embedding",),
    "position_encoding": ("positions",),
    "q": ("qkv",),
    "pattern": ("softmax", "multi_head", "full_stack"),
    "mlp_out": ("feed_forward",),
}

_NO_RUN = (
    "This server does not have the training run of the link any more, so the pages show the random encoder. The page "
    "Training in the menu Lab can run it again."
)
_DIFFERENCES = {  # what the code differs from -> the sentence, and what the variant "as intended" follows
    "text": ("The text and the code of this tutorial differ here", "as intended"),
    "paper": (
        "The text and the code of this tutorial agree here, but differ from the paper",
        "as intended (as in the paper)",
    ),
}


def text_notices(settings: Settings) -> list[str]:
    """A sentence about each change of the user's text: cuts, skipped lines, the default sentence."""
    if settings.recipe:
        return []
    notices = []
    current, link_texts = session(), session().link_values.get("text")
    truncated = truncate_text(link_texts[-1])[1] if link_texts else current.notes.get("text")
    if truncated:
        notices.append(truncated)
    model = model_for(settings)
    if settings.encoder == CHECKPOINT and model.settings.encoder != CHECKPOINT:
        return [_NO_RUN]
    if settings.task and not settings.task.reads_sentences:
        return [*notices, *_task_notices(model, settings.task)]
    if not has_words(current.get(SETTINGS["text"])):
        notices.append("The text contains no word, so the default sentence is used. Type a text in the sidebar.")
    if any(model.batch.truncated):
        longest = model.batch.ids.shape[1]
        notices.append(
            f"A sentence was cut at {longest} {_unit(model)}; {max(model.batch.truncated)} more are ignored."
        )
    if model.skipped_lines == len(settings.sentences):
        notices.append("The tokenizer finds no token in the text, so the default sentence is used.")
    elif model.skipped_lines:
        notices.append(f"{model.skipped_lines} line(s) without a token are ignored.")
    return notices


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
        longest, more = model.batch.ids.shape[1], max(model.batch.truncated)
        notices.append(f"An input was cut at {longest} tokens; {more} more are ignored. {task.rule}")
    return notices


def tutorial_differences(settings: Settings, page: str) -> list[str]:
    """A sentence about each visible point of this page in which a tutorial's code, its text and the paper differ."""
    recipe = settings.recipe
    notes = [note for note in recipe.notes if note.tensor and page in _STAGES_SHOWING[note.tensor]] if recipe else []
    config = model_for(settings).config
    sentences = []
    for note in notes:
        sentence, intended = _DIFFERENCES[note.differs_from]
        variant = "as written" if note.matches_code(config) else intended
        sentences.append(
            f"{sentence} (“{note.title}”). Variant on this page: {variant}. The page Recipes compares both."
        )
    return sentences


def _unit(model: Model) -> str:
    return "pieces (including [CLS] and [SEP])" if model.settings.trained else "tokens"
