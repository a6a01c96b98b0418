"""Predict first: the figure keeps its place, but is invisible until there is an answer."""

from playwright.sync_api import expect


def test_the_figure_is_hidden_in_its_place_until_the_answer(screen):
    screen.open("scaled_scores", predict="first")
    page = screen.page
    plot = page.locator(".js-plotly-plot").first
    plot.wait_for(state="attached")
    expect(plot).to_be_hidden()
    expect(page.locator(".st-key-what-if")).to_be_hidden()
    expect(page.get_by_role("tab", name="Formula")).to_be_visible()
    height = page.locator(".st-key-scores_plot").bounding_box()["height"]
    with screen.rerun():
        page.get_by_text("each visible score is doubled").click()
    expect(plot).to_be_visible()
    expect(page.locator(".st-key-what-if")).to_be_visible()
    assert page.locator(".st-key-scores_plot").bounding_box()["height"] == height


def test_the_question_is_in_view_when_it_moves_above_the_figure(screen):
    screen.open("scaled_scores")
    switch = screen.page.get_by_text("Predict first", exact=True)
    switch.scroll_into_view_if_needed()
    with screen.rerun():
        switch.click()
    expect(screen.page.locator(".st-key-ask_first")).to_be_in_viewport(ratio=1)
