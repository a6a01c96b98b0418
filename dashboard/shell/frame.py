"""The frame of every page: start and fragment of a run, heading, recompute badge, links to other stages."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import streamlit as st
from streamlit.delta_generator import DeltaGenerator
from streamlit.navigation.page import Page

from dashboard.components.address_bar import write_address
from dashboard.glossary import IDENTITY_COLOURS, explain_terms
from dashboard.models.checkpoints import settle_checkpoint
from dashboard.models.current import current_model, model_key
from dashboard.models.model import Model
from dashboard.navigation import ensure_entrypoint
from dashboard.page_list import STAGES, START, AppPage, Stage, adjacent_pages
from dashboard.selection import focus
from dashboard.selection.inspected_cell import drop_outdated_cell
from dashboard.serving.early_figures import after_figures as waiting
from dashboard.serving.limits.fair_share import fair_run
from dashboard.shell.glossary_dialog import render_glossary_button
from dashboard.shell.share import render_share_button
from dashboard.shell.untrained_note import render_untrained_note
from dashboard.state.script_names import ScriptNames
from dashboard.state.session import page_script, session
from encoder_core.support.number_format import format_number


@dataclass(frozen=True)
class Shape:
    """An input or output tensor in the heading: name, sizes of its axes, identity colour."""

    name: str
    sizes: tuple[int, ...]
    identity: str | None = None


def begin_page() -> Model:
    """Start the run of a page (its first line): make sure that the entrypoint has run, and return the current model."""
    ensure_entrypoint()
    settle_checkpoint()
    current = current_model()
    if session().page != focus.RECIPES_PAGE:
        focus.resolve_focus(current)
    return current


def run_as_fragment(body: Callable[[], None], heading_choice: Callable[[], object] = lambda: None) -> None:
    """Run a page's body as a fragment (its last line): controls and clicks on the page rerun only the body.

    If the model has changed in the meantime, for example by a text that was typed just before a click, the whole page
    runs again; likewise if `heading_choice` returns another value, a choice in the body that the heading depends on.
    Messages about the link and the URL belong to the fragment, so that every run updates them.
    """
    rendered_key, rendered_choice = model_key(), heading_choice()
    names = ScriptNames(body.__globals__)
    session().use_script(names)

    @st.fragment
    def fragment() -> None:
        with names.in_use():
            if names.are_forgotten:  # a later run was stopped before it came to its fragment
                st.rerun()
            render()

    def render() -> None:
        key = model_key()
        if key != rendered_key:
            if key._replace(edits=rendered_key.edits) != rendered_key:  # an edit leaves all cells where they are
                drop_outdated_cell()
            st.rerun()
        if heading_choice() != rendered_choice:
            st.rerun()
        messages = st.container()
        waiting.begin_figures()
        with fair_run(), page_script():
            body()
            waiting.end_figures()
        with messages:
            for problem in session().problems.values():
                st.warning(problem, icon=":material/info:")
        write_address()

    fragment()


def stage_links_container() -> DeltaGenerator:
    """The container above the page for `render_stage_links`."""
    return st.container(horizontal=True, wrap=False, gap=None, key="rail")


def render_stage_links(pages: Mapping[str, Page], active: AppPage) -> None:
    """Render a link to every stage, and the button Share."""
    for stage in STAGES:
        st.page_link(pages[stage.name], label=f"{stage.number}\u2002{stage.short}")
    render_share_button(active)


def render_neighbour_links(pages: Mapping[str, Page], active: AppPage) -> None:
    """Render links to the pages before and after this one of `WAY`, and the button Glossary."""
    before, after = adjacent_pages(active)
    with st.container(
        horizontal=True, horizontal_alignment="distribute", vertical_alignment="center", key="back-and-on"
    ):
        st.page_link(pages[before.name], label=_link_label(before), icon=":material/arrow_back:")
        render_glossary_button()
        if after:
            with st.container(width="content", key="onwards"):
                st.page_link(pages[after.name], label=_link_label(after), icon=":material/arrow_forward:")


def _link_label(page: AppPage) -> str:
    if page == START:
        return "Start"
    return f"{page.number} {page.title}" if isinstance(page, Stage) else page.title.partition(":")[0]


def render_heading(
    stage: AppPage,
    sentence: str,
    inputs: Sequence[Shape] = (),
    outputs: Sequence[Shape] = (),
    aside: Callable[[], None] | None = None,
    title: str | None = None,
) -> None:
    """Render the page's title, one sentence, and its input and output tensors, if any, with their shapes.

    While the page stays the same, the heading is rendered after the figures.

    sentence  markdown, with the marks of dashboard/glossary.py
    aside     renders what stands next to the shapes
    title     instead of that of the page
    """
    place = st.container(key="heading", gap="xsmall")

    def render() -> None:
        st.title(title or stage.title, anchor=False)
        st.markdown(explain_terms(sentence))
        if not inputs and not outputs:
            return
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown(f"{_badges(inputs)} → {_badges(outputs)}", width="content")
            if aside:
                aside()
            if isinstance(stage, Stage):
                st.space("stretch")
                render_untrained_note(current_model())

    if session().on_screen:
        waiting.after_page(place, render)
    else:
        with place:
            render()


def render_explained(text: str) -> None:
    """Render a caption in which the marked terms are explained; see dashboard/glossary.py."""
    st.caption(explain_terms(text))


_OF_STAGE = "The result of this stage is recomputed in 64-bit NumPy from the tensors on this page."


def render_recompute_badge(difference_of: Callable[[], float], part: str = "", scope: str = _OF_STAGE) -> None:
    """Render the badge with the largest relative difference between tensors on the page and their recomputation, which
    is computed after the figures.

    part   what was recomputed, in the badge, where it is not all that is shown, such as "layer 1"
    scope  the tooltip's sentence on what was recomputed, and from what
    """

    def render() -> None:
        difference = difference_of()
        colour, icon = ("green", "check") if difference < 1e-5 else ("orange", "warning")
        text = f"{part} recomputed, Δ" if part else "recomputed, max Δ"
        st.markdown(
            f":{colour}-badge[:material/{icon}: {text} {format_number(difference, 1)}]",
            help=f"{scope} Δ is the largest difference, as a fraction of the largest value.",
            width="content",
        )

    waiting.after_figures(render)


def _badges(shapes: Sequence[Shape]) -> str:
    return " ".join(_badge(shape) for shape in shapes)


def _badge(shape: Shape) -> str:
    colour = IDENTITY_COLOURS[shape.identity] if shape.identity else "gray"
    return f":{colour}-badge[{shape.name}\u2002{' × '.join(map(str, shape.sizes))}]"
