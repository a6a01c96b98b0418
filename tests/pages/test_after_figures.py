"""What stands above the figures but is rendered after them."""

from streamlit.testing.v1 import AppTest


def _page():
    import streamlit as st

    from dashboard.early_figures.after_figures import after_figures, begin_figures, end_figures

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
