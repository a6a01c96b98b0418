"""Tokens and embedding lookup: text is split into tokens, each token has an id, each id selects a row of a table."""

from dashboard.components.token_strip import render_token_strip
from dashboard.inspect.depths import render_depths
from dashboard.inspect.predict_first import ask_first
from dashboard.lessons.embedding import lookup
from dashboard.lessons.embedding.cosine_table import cosine_formula
from dashboard.lessons.embedding.nearest_words import render_nearest_words
from dashboard.lessons.embedding.scales import render_scales
from dashboard.lessons.transitions import render_opening
from dashboard.selection import focus
from dashboard.selection.axis_window import WideAxis
from dashboard.selection.inspected_cell import inspect_cell
from dashboard.selection.special_tokens import EXPLANATION, has_special_tokens
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from encoder_core import blocks
from encoder_core.config import embedding_factors
from encoder_core.explain import recompute
from encoder_core.figures import MAX_UNBINNED
from encoder_core.pretrained import nearest_words
from encoder_core.scenes.focus import text_slice

current = frame.begin_page()
batch = current.batch
(vocab, d_model), seq = current.parameters["token_embedding"].shape, batch.ids.shape[1]
factor = embedding_factors(d_model)[current.config.embedding_scale]
dims = WideAxis("dims", d_model, max_full=MAX_UNBINNED)

render_opening(
    "embedding",
    current,
    [Shape("ids", (seq,)), Shape("table E", (vocab, d_model))],
    [Shape("token embedding", (seq, d_model))],
    lookup.recipe_note(current),
)


def render_body() -> None:
    at = focus.render_focus_controls(
        current,
        "token",
        wide=[dims],
        badge=lambda at: frame.render_recompute_badge(lambda: recompute.embedding(current.run)),
    )
    render_token_strip(batch.tokens, batch.ids, batch.real, (at.sentence, at.token))
    if has_special_tokens(at.labels):
        frame.render_explained(EXPLANATION)
    inspection = inspect_cell(current, at, text_slice("token_embedding", at).cell(at.token, 0))
    question = lookup.lookup_question(current, at)
    ask_first(question)
    lookup.render_lookup(current, at, dims.window(), inspection)
    render_scales(current, at, dims.window(), inspection)
    cosine_tables = render_nearest_words(current, at)
    render_depths(
        lookup.lookup_tables(current, at) | cosine_tables,
        rf"\begin{{gathered}} \underbrace{{X}}_{{{seq}\times{d_model}}} = s\cdot"
        rf"\overbrace{{\mathrm{{onehot}}(ids)}}^{{{seq}\times{vocab}}}\;"
        rf"\overbrace{{E}}^{{{vocab}\times{d_model}}} = s\cdot E[ids] \\[18pt] s = {factor:.4g} \\[12pt] "
        rf"{cosine_formula(d_model)} \end{{gathered}}",
        [blocks.lookup, blocks.embed, nearest_words],
        question,
        inspection,
    )


frame.run_as_fragment(render_body)
