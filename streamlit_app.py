"""The Encoder Walkthrough: `streamlit run streamlit_app.py`."""

import streamlit as st

from dashboard import sidebar
from dashboard.components.term_tips import render_term_tips
from dashboard.inspect.edit_bar import render_edit_bar
from dashboard.inspect.edit_text import describe_ignored_edit
from dashboard.lessons.transitions import render_closing
from dashboard.models import warm_up
from dashboard.models.current import current_model, edit_problems
from dashboard.navigation import keep_pages, part_of, register_pages
from dashboard.page_list import START, WAY, Stage
from dashboard.serving.early_figures.after_figures import page_run
from dashboard.serving.limits.fair_share import fair_run
from dashboard.serving.limits.visitors import stop_if_full
from dashboard.serving.patches import patch_streamlit
from dashboard.serving.patches.late_requests import note_page
from dashboard.shell import frame
from dashboard.shell.loading_notice import render_encoder_notice
from dashboard.shell.presentation import render_presenter_bar
from dashboard.shell.run_notice import render_run_notice
from dashboard.state import choices  # noqa: F401 - declared before the first link is read
from dashboard.state.presentation import is_presenting
from dashboard.state.script_names import script_run
from dashboard.state.session import begin_run, page_script
from dashboard.state.settings import current_settings
from dashboard.theme import render_style_sheet

warm_up.start()
patch_streamlit()

page, pages, active = register_pages()
st.set_page_config(
    page_title=f"{active.title} · Encoder Walkthrough", page_icon="/app/static/favicon.svg", layout="wide"
)
note_page()
stop_if_full()
render_term_tips()
current = begin_run(active.name)
is_first_run, current.entrypoint_ran = not current.entrypoint_ran, True
presenting = is_presenting()
render_style_sheet(active, presenting=presenting)

stage_links, notices, stage = frame.stage_links_container(), st.container(), st.container()


def render_frame() -> None:
    """The sidebar, the links to all stages, the edit bar and the notices about settings and text.

    Pages with an encoder of their own have no sidebar, and no edits. Presentation mode has no sidebar and no links.
    """
    with stage_links:
        if presenting:
            render_presenter_bar(active)
        else:
            frame.render_stage_links(pages, active)
    if not active.has_sidebar:
        if active == START:
            with notices:
                render_encoder_notice(current_settings(), rendered_encoder)
        return
    settings = current_settings() if presenting else sidebar.render_sidebar()
    with notices:
        render_encoder_notice(settings, rendered_encoder)
        render_run_notice(settings, rendered_encoder)
        render_edit_bar(current_model())
        for problem in edit_problems():
            st.warning(describe_ignored_edit(problem, current_model()), icon=":material/info:")
        for notice in sidebar.text_notices(settings):
            st.warning(notice, icon=":material/info:")
        for difference in sidebar.tutorial_differences(settings, active.name):
            st.caption(f":orange[:material/menu_book: {difference}]")


# Render the page before the sidebar, so that its plots follow a slider sooner. In the first run of a session, render
# the sidebar first, because its appearance would shift the page.
with fair_run():
    rendered_encoder = None if is_first_run else current_model().settings.encoder
    if is_first_run:
        render_frame()
    try:
        with stage, page_script(), script_run(), page_run():
            page.run()
    finally:
        if not is_first_run:
            render_frame()
if active in WAY[1:] and not presenting:
    with part_of(page), st.container(key="ending"):
        if isinstance(active, Stage):
            render_closing(active, current_model())
        frame.render_neighbour_links(pages, active)
keep_pages(pages)
current.on_screen = active.name
