"""The badge of a verdict, the same for the claims of experiments and of tutorials."""

from encoder_core.experiments import Verdict as ExperimentVerdict
from encoder_core.tutorials import Verdict as TutorialVerdict

_LOOKS: dict[ExperimentVerdict | TutorialVerdict, tuple[str, str]] = {
    "holds": ("green", "check"),
    "holds if": ("orange", "contrast"),
    "holds in part": ("orange", "contrast"),
    "does not hold": ("red", "close"),
}


def verdict_badge(verdict: ExperimentVerdict | TutorialVerdict, text: str = "") -> str:
    """The badge in markdown, with the verdict itself if there is no other text."""
    colour, icon = _LOOKS[verdict]
    return f":{colour}-badge[:material/{icon}: {text or verdict}]"
