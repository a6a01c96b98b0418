"""What the user should know about their text, one sentence each."""

from dashboard.models.model import Model, model_for
from dashboard.state.session import session
from dashboard.state.settings import SETTINGS, Settings, fit_text
from encoder_core.inputs.tokenizer import split_words

# The stage at which a tensor is seen first, and others that show it.
_STAGES_OF = {
    "scaled_embedding": ("embedding",),
    "position_encoding": ("positions",),
    "q": ("qkv",),
    "pattern": ("softmax", "multi_head", "full_stack"),
    "mlp_out": ("feed_forward",),
}

_DIFFERS = {  # what the code differs from: the sentence, and what "as intended" shows
    "text": ("Text and code of this tutorial disagree here", "as intended"),
    "paper": (
        "Text and code of this tutorial agree here and differ from the paper",
        "as intended, which is the paper's way",
    ),
}


def notices(settings: Settings) -> list[str]:
    """A sentence on everything in the user's text that is not used as it stands."""
    if settings.recipe:
        return []
    found = []
    current, asked = session(), session().asked.get("text")
    cut = fit_text(asked[-1])[1] if asked else current.notes.get("text")
    if cut:
        found.append(cut)
    if not split_words(current.get(SETTINGS["text"])):
        found.append("There is no text, so the default sentence is used: type one in the sidebar.")
    model = model_for(settings)
    if any(model.batch.cut):
        longest = model.batch.ids.shape[1]
        found.append(f"A sentence was cut at {longest} {_unit(model)}; {max(model.batch.cut)} more are left out.")
    if model.dropped == len(settings.sentences):
        found.append("This encoder can read nothing in the text, so the default sentence is used.")
    elif model.dropped:
        found.append(f"{model.dropped} line(s) hold nothing that can be read, and are left out.")
    return found


def quirks(settings: Settings, page: str) -> list[str]:
    """Where the code of the tutorial that is chosen differs from its text or from the paper, as seen on this page."""
    recipe = settings.recipe
    notes = [note for note in recipe.notes if note.shows and page in _STAGES_OF[note.shows]] if recipe else []
    config = model_for(settings).config
    said = []
    for note in notes:
        sentence, intended = _DIFFERS[note.differs_from]
        shown = "as written" if note.is_written_in(config) else intended
        said.append(f"{sentence} (“{note.title}”). Shown: {shown}. The page Recipes compares both.")
    return said


def _unit(model: Model) -> str:
    return "pieces ([CLS] and [SEP] are two of them)" if model.settings.trained else "tokens"
