"""A tutorial row by row: the table of its figures, printed results, exercises and claims, and the chosen row."""

from collections.abc import Sequence

import streamlit as st

from dashboard.components.item_table import Row, render_item_table
from dashboard.components.plot import render_plot
from dashboard.inspect.verdict_badge import verdict_badge
from dashboard.lessons.experiments.setup import open_experiment
from dashboard.markdown import escape_markdown
from dashboard.models.loading import encoder_loader
from dashboard.navigation import open_page
from dashboard.page_list import stage_named
from dashboard.state.choices import RECIPE_ITEM, RECIPE_VIEW
from dashboard.state.offered_encoders import MINILM, OFFERED
from dashboard.state.session import session
from dashboard.state.setting_parameters import SETTINGS
from dashboard.theme import current_theme
from encoder_core import Encoder
from encoder_core.experiments import experiments
from encoder_core.recipes import Recipe, Variant
from encoder_core.tutorials import ITEMS, RELATED_EXPERIMENTS, VERDICTS, Finding, Item, Quotation, Verdict, examine_all

ROWS_VIEW = "Row by row"  # one of the views of the page Recipes
_COUNTED: dict[Verdict, str] = {"holds": "hold", "holds if": "hold under a condition", "does not hold": "do not hold"}


def findings_of(tutorial: str, seed: int) -> tuple[Finding, ...]:
    """The findings of all rows of a tutorial: those about trained models from minilm, if this server has loaded it."""
    trained = encoder_loader(OFFERED[MINILM]).encoder if MINILM in OFFERED else None
    return _findings(tutorial, seed, trained, trained is not None)


@st.cache_resource(max_entries=10, show_spinner=False)
def _findings(tutorial: str, seed: int, _trained: Encoder | None, is_loaded: bool) -> tuple[Finding, ...]:
    """Computed once for all sessions; again when the trained encoder is loaded."""
    return examine_all(tutorial, seed, _trained)


def render_items(recipe: Recipe, variant: Variant, seed: int) -> None:
    """Render the table of a tutorial's rows, and below it the chosen one."""
    items, findings = ITEMS[recipe.name], findings_of(recipe.name, seed)
    names = [item.name for item in items]
    name = session().get_option(RECIPE_ITEM, names, names[0])
    rows = [_row(item, finding) for item, finding in zip(items, findings, strict=True)]
    verdicts = [finding.verdict for finding in findings]
    counts = ", ".join(f"**{verdicts.count(v)}** {_COUNTED[v]}" for v in VERDICTS if v in verdicts)
    st.caption(f"{len(items)} rows, computed for seed {seed}: {counts}. Click a row to open it.")
    render_item_table(rows, name, key="recipe_items", on_open=_open)
    number = names.index(name)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            _render_title(items[number], findings[number], number + 1)
            st.space("stretch")
            _render_row_links(items, number)
        render_item(items[number], findings[number], key="recipe_item_figure")
        with st.container(horizontal=True, gap="small"):
            _render_stage_link(items[number], recipe, variant)
            _render_experiment_link(RELATED_EXPERIMENTS.get((recipe.name, name)))


def _row(item: Item, finding: Finding) -> Row:
    readable = [each for each in item.quotations if each.form != "formula"]  # the table shows text as it is
    says = " ".join(readable[0].text.split()) if readable else ""
    quoted = bool(readable and readable[0].address)
    return Row(item.name, item.title, item.kind, says, quoted, finding.verdict, finding.condition, finding.measured)


def _open(name: str) -> None:
    session().set(RECIPE_ITEM, name)


def render_row_buttons(tutorial: str, names: Sequence[str], *, key: str) -> None:
    """Render a button for each of these rows, which opens it in the view of the rows."""

    def open_row(name: str) -> None:
        session().set(RECIPE_VIEW, ROWS_VIEW)
        _open(name)

    with st.container(horizontal=True, gap="small"):
        for item in ITEMS[tutorial] if names else ():
            if item.name in names:
                st.button(f"{ROWS_VIEW}: {item.title}", icon=":material/arrow_forward:", type="tertiary",
                          key=f"{key}_{item.name}", on_click=open_row, args=(item.name,))  # fmt: skip


def _render_title(item: Item, finding: Finding, number: int) -> None:
    badge, condition = verdict_badge(finding.verdict), escape_markdown(finding.condition, "[]")
    st.markdown(f"**{number}. {item.title}** :gray[{item.kind}] {badge} {condition}", width="content")


def _render_row_links(items: tuple[Item, ...], number: int) -> None:
    """Render the buttons that open the row before and the row after."""
    for icon, text, other in (("arrow_back", "Previous", number - 1), ("arrow_forward", "Next", number + 1)):
        exists = 0 <= other < len(items)
        st.button(f"{text} row", icon=f":material/{icon}:", type="tertiary", key=f"recipe_items_{icon}",
                  disabled=not exists, on_click=_open, args=(items[other].name if exists else "",))  # fmt: skip


def render_item(item: Item, finding: Finding, *, key: str) -> None:
    """Render what the tutorial says, what was measured, the figure, and what it means."""
    for quotation in item.quotations:
        _render_quotation(quotation)
    st.markdown(finding.statement)
    render_plot(finding.draw(current_theme()), key=key, on_click=None)
    st.markdown(item.meaning)


def _render_quotation(quotation: Quotation) -> None:
    """Render a quotation with a link to its source, or with a remark where the source was not found."""
    source = f"[source]({quotation.address})" if quotation.address else ":gray[(from notes; the page was not found)]"
    if quotation.form == "text":
        text = "  \n> ".join(escape_markdown(line) for line in quotation.text.splitlines())
        st.markdown(f"> “{text}” {source}" if quotation.address else f"> {text} {source}")
        return
    with st.container(gap=None):
        if quotation.form == "formula":
            st.latex(quotation.text)
        else:
            st.code(quotation.text, language="python", wrap_lines=True)
        st.caption(source)


def _render_stage_link(item: Item, recipe: Recipe, variant: Variant) -> None:
    """Render a button that chooses the recipe in the sidebar and opens the stage page of the row."""
    if item.stage is None:
        return
    stage, described = stage_named(item.stage), f" {item.variant}" if item.variant else ""

    def open_stage() -> None:
        session().set(SETTINGS["encoder"], recipe.name)
        session().set(SETTINGS["variant"], item.variant or variant)
        open_page(stage.name)

    st.button(f"Open the tutorial's model{described} on the page {stage.title}", icon=":material/arrow_forward:",
              on_click=open_stage, key="recipe_items_stage")  # fmt: skip


def _render_experiment_link(name: str | None) -> None:
    """Render a button that opens the experiment on the row's claim, if there is one."""
    if name is None:
        return

    def open_related() -> None:
        open_experiment(name)
        open_page("experiments")

    st.button(f"Test it: {experiments()[name].title}", icon=":material/science:", on_click=open_related,
              key="recipe_items_experiment")  # fmt: skip
