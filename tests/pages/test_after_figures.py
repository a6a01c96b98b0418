"""What stands above the figures but is rendered after them."""

from streamlit.testing.v1 import AppTest

from dashboard.page_list import stage_named
from dashboard.shell import frame
from tests.pages.app import key_of, opened, run


def _page():
    import streamlit as st

    from dashboard.serving.early_figures.after_figures import after_figures, begin_figures, end_figures

    order = st.session_state["order"] = []
    after_figures(lambda: order.append("of a run that was stopped"))
    begin_figures()

    def render(text: str) -> None:
        order.append(text)
        st.text(text)

    after_figures(lambda: render("badge"))
    render("figure")
    end_figures()
    end_figures()


def test_it_is_rendered_once_after_the_figures_in_its_place_above_them():
    page = AppTest.from_function(_page).run()
    assert not page.exception
    assert page.session_state["order"] == ["figure", "badge"]
    assert [text.value for text in page.text] == ["badge", "figure"]


def _page_with_heading():
    import streamlit as st

    from dashboard.serving.early_figures import after_figures as waiting

    waiting.after_page(st.container(), lambda: st.text("of a run that was stopped"))

    @st.fragment
    def fragment() -> None:
        waiting.begin_figures()
        waiting.after_figures(lambda: st.text("badge"))
        st.text("figure")
        waiting.end_figures()

    with waiting.page_run():
        waiting.after_page(st.container(), lambda: st.button("heading"))
        fragment()


def test_what_stands_above_the_fragment_is_rendered_when_the_script_of_the_page_has_ended():
    page = AppTest.from_function(_page_with_heading).run()
    assert not page.exception
    assert [element.type for element in page.main if element.type in ("button", "text")] == ["button", "text", "text"]
    assert [text.value for text in page.text] == ["badge", "figure"]


def test_the_heading_waits_only_while_its_page_is_on_screen(framed, monkeypatch):
    waiting, after_page = [], frame.waiting.after_page
    monkeypatch.setattr(frame.waiting, "after_page", lambda *args: (waiting.append(args), after_page(*args)))

    def heading(at):
        (title,), shapes = at.title, at.markdown[1]
        return title.value, shapes.value

    embedding, qkv = stage_named("embedding"), stage_named("qkv")
    at = opened(embedding)
    assert not waiting
    title, shapes = heading(at)
    assert title == embedding.title
    assert "× 64" in shapes

    at.select_slider(key=key_of(at, "d_model")).set_value(96)
    run(at)
    assert len(waiting) == 1
    assert heading(at) == (title, shapes.replace("× 64", "× 96"))

    run(at.switch_page(qkv.path))
    assert len(waiting) == 1
    title, shapes = heading(at)
    assert title == qkv.title
    assert "× 96" in shapes
