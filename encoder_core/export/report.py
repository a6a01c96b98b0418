"""One HTML page with all stages of a run: without scripts and without a network, for the screen and for paper."""

import html
from collections.abc import Sequence
from importlib.resources import files

import numpy as np
from jaxtyping import Bool

from encoder_core.edits import format_edit
from encoder_core.export.report_stages import ReportFocus, stage_sections
from encoder_core.export.subject import ACTIVATION_NAMES, Random, SomeRecipe, Subject, require_subject
from encoder_core.export.svg import HATCH
from encoder_core.parameters.cost import parameters_by_part
from encoder_core.support.validation import require_index
from encoder_core.support.wording import format_count, head_name
from encoder_core.trace import EncoderTrace

_TITLE = "Encoder report"


def report_html(subject: Subject, sentence: int = 0, layer: int = 0, head: int = 0) -> str:
    """The report of one sentence, with the stages inside one layer and one head; all of them count from 0.

    Raises ValueError for what is no subject, for a run of embeddings or integer ids, which has no tokens, and where
    there is no such sentence, layer or head.
    """
    require_subject(subject)
    trace = subject.run.trace
    if not trace.tokens:
        raise ValueError("a report needs tokens: the input of this run is not text.")
    sizes = len(trace.tokens), subject.config.num_layers, subject.config.num_heads
    for name, index, size in zip(("sentence", "layer", "head"), (sentence, layer, head), sizes, strict=True):
        require_index(name, index, size)
    at = ReportFocus(sentence, layer, head, tuple(_numbered(trace.tokens[sentence])))
    style = files(__package__).joinpath("report.css").read_text(encoding="utf-8")
    sections = [
        _section(number, title, text, "".join(figures))
        for number, (title, text, figures) in enumerate(stage_sections(subject.run, at), 1)
    ]
    return (
        f'<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>{_TITLE}</title>'
        '<meta name="viewport" content="width=device-width, initial-scale=1">'
        f'<style>{style}</style></head><body><svg width="0" height="0" aria-hidden="true"><defs>{HATCH}</defs></svg>'
        f"<main>{_header(subject, at)}{''.join(sections)}{_footer(subject)}</main></body></html>"
    )


def _header(subject: Subject, at: ReportFocus) -> str:
    trace, c = subject.run.trace, subject.config
    facts = {
        "Encoder": subject.encoder_name + _note_on_chance(subject),
        "Size": f"{format_count(c.num_layers, 'layer')}, {format_count(c.num_heads, 'head')}, d_model {c.d_model}, "
        f"d_head {c.d_head}, d_ff {c.d_ff}",
        "Options": _options(subject),
        "Parameters": f"{sum(parameters_by_part(c).values()):,}",
        "Mask": _mask(trace.mask[at.sentence, at.head]),
        "Shown": f"sentence {at.sentence + 1} of {len(trace.tokens)}, {head_name(at.layer, at.head)}",
    }
    if subject.run.edits:
        facts["Edits, counted from 0 as in a link"] = ", ".join(map(format_edit, subject.run.edits))
    rows = "".join(f"<tr><th>{name}</th><td>{html.escape(text)}</td></tr>" for name, text in facts.items())
    return f"<header><h1>{_TITLE}</h1><table>{rows}</table></header>{_tokens(trace, at)}"


def _tokens(trace: EncoderTrace, at: ReportFocus) -> str:
    ids = [None] * len(at.tokens) if trace.ids is None else trace.ids[at.sentence]
    chips = "".join(
        f'<span class="{"token" if is_real else "token padding"}">{html.escape(token)}<small>{index}</small></span>'
        for token, index, is_real in zip(trace.tokens[at.sentence], ids, trace.real[at.sentence], strict=True)
    )
    return f'<div class="tokens">{chips}</div><p class="note">Each token with its id, a row of the embedding table.</p>'


def _section(number: int, title: str, text: str, figures: str) -> str:
    return f'<section><h2>{number}. {title}</h2><p>{text}</p><div class="figures">{figures}</div></section>'


def _note_on_chance(subject: Subject) -> str:
    return " (untrained: who attends to whom is chance)" if isinstance(subject.origin, Random | SomeRecipe) else ""


def _footer(subject: Subject) -> str:
    link = html.escape(subject.link)
    opened = f' The same state in the app: <a href="{link}">{link}</a>' if subject.link else ""
    return (
        "<footer>Made by the Encoder Walkthrough. Every figure shows computed numbers; a hatched cell is masked. A "
        f"colour scale ends at the number beside it.{opened}</footer>"
    )


def _options(subject: Subject) -> str:
    c = subject.config
    biases = ("biases" if c.qkv_bias else "biases but on Q, K and V") if c.use_bias else "no biases"
    scaled = "scaled scores" if subject.run.scales_scores else "scores not scaled"
    positions = f"{c.positions} positions" if c.positions != "none" else "no positions"
    return ", ".join([f"{c.norm}-norm", ACTIVATION_NAMES[c.activation], positions, biases, scaled])


def _mask(visible: Bool[np.ndarray, "query key"]) -> str:
    hidden = int(np.count_nonzero(~visible))
    return f"{hidden:,} of {format_count(visible.size, 'cell')} masked in this head" if hidden else "no key is masked"


def _numbered(tokens: Sequence[str]) -> list[str]:
    return [f"{number} {token}" for number, token in enumerate(tokens, 1)]
