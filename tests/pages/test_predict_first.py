"""The mode "Predict first": the question comes before the figure, which is hidden until there is an answer."""

import pytest

from dashboard.lessons.guide.plan import STEPS
from dashboard.page_list import STAGES, page_named, stage_named
from dashboard.state.parameter import PARAMETERS
from tests.pages.app import key_of, link_of, opened, rendered, run, warning_texts

SOFTMAX, STACK = stage_named("softmax"), stage_named("full_stack")
HIDDEN = "The figure and the numbers appear after your answer."
VIEWS = [
    "All heads", "Head average", "One word", "What heads look at", "Rollout", "Ablation", "Hidden states", "Similarity",
    "Same word", "Sentences", "In and out", "Predicted tokens", "Logit lens", "Logit attribution",
]  # fmt: skip
TWO = "The cat drinks [MASK].\nA cat sleeps on the sofa."


def is_hidden(at):
    """Whether the figure is hidden. The page has the rules for it only then, because they slow every change down."""
    is_hidden = HIDDEN in [caption.value for caption in at.caption]
    rules = [html for html in at.get("html") if ".st-key-figure_is_hidden) ~ " in html.proto.body]
    assert len(rules) == is_hidden
    return is_hidden


def feedback(at):
    texts = [alert.value for alert in [*at.success, *at.info]]
    return [text for text in texts if text.startswith(("Yes. ", "No. ", "The answer is "))]


def order_of(at):
    """The kinds of the page's elements, from top to bottom."""
    kinds = []

    def visit(block):
        for child in block.children.values():
            if hasattr(child, "children"):
                visit(child)
            else:
                name = getattr(child.proto, "component_name", "")
                kinds.append(name.rpartition(".")[2] if child.type == "bidi_component" else child.type)

    visit(at.main)
    return kinds


def answer(at, option):
    (radio,) = at.radio
    radio.set_value(option)
    return run(at)


def show_answer(at):
    at.button(key="show_answer").click()
    return run(at)


def switch(at, first):
    at.toggle(key=key_of(at, "predict")).set_value(first)
    return run(at)


@pytest.mark.parametrize(
    ("page", "link"),
    [*((stage, {}) for stage in STAGES), *((STACK, {"view": view, "encoder": "words", "text": TWO}) for view in VIEWS)],
    ids=[*(stage.name for stage in STAGES), *VIEWS],
)
def test_the_question_precedes_the_figure(framed, page, link):
    at = opened(page, predict="first", **link)
    order = order_of(at)
    pictures = [place for place, kind in enumerate(order) if kind in ("plot", "diagram", "word_lines", "derivation")]
    assert is_hidden(at)
    assert order.index("radio") < min(pictures)
    assert order.count("radio") == 1
    assert not feedback(show_answer(at))[0].startswith("No")
    assert not is_hidden(at)
    assert order_of(at).index("radio") < min(pictures)


def test_by_default_the_question_stands_below(framed):
    at = opened(SOFTMAX)
    order = order_of(at)
    assert order.index("radio") > order.index("derivation") > order.index("plot")
    assert not is_hidden(at)
    assert "predict" not in link_of(at)


def test_an_answer_reveals_the_figure_for_this_session(framed):
    at = opened(SOFTMAX, predict="first")
    wrong = "the same weight"
    answer(at, wrong)
    (text,) = feedback(at)
    assert text.startswith("No. Equal weights need equal scores. Look at the two scores")
    assert "  \nThe answer is “" in text
    assert not is_hidden(at)
    (given,) = at.session_state["session"].memo["answers"]
    assert given.misconception.startswith("Equal weights need equal scores. Look at ")

    run(at.switch_page(STACK.path))
    assert is_hidden(at)  # another page
    run(at.switch_page(SOFTMAX.path))
    assert at.radio[0].value == wrong
    assert feedback(at) == [text]
    assert not is_hidden(at)


def test_another_token_does_not_hide_the_figure_again(framed):
    at = show_answer(opened(SOFTMAX, predict="first"))
    assert feedback(at)[0].startswith("The answer is “")
    assert "answers" not in at.session_state["session"].memo
    first = at.radio[0].options
    at.selectbox(key=key_of(at, "token")).set_value(3)
    run(at)
    assert at.radio[0].options != first
    assert not feedback(at)  # it is another question
    assert not is_hidden(at)
    assert feedback(show_answer(at))


def test_each_view_of_the_stack_is_revealed_by_its_own_answer(framed):
    at = show_answer(opened(STACK, predict="first", view="Hidden states"))
    assert not is_hidden(at)
    at.session_state["session"].set(PARAMETERS["view"], "Similarity")
    assert is_hidden(run(at))


def test_the_switch_hides_what_is_not_answered(framed):
    at = switch(opened(SOFTMAX), True)
    assert is_hidden(at)
    assert link_of(at) == {"predict": ["first"]}
    show_answer(at)
    switch(at, False)
    assert link_of(at) == {}
    assert not feedback(at)
    switch(at, True)
    assert is_hidden(at)  # the answer was shown, not given
    answer(at, at.radio[0].options[0])
    switch(at, False)
    assert feedback(at)
    switch(at, True)
    assert not is_hidden(at)


def test_answers_are_asked_again_after_they_were_cleared(framed):
    at = opened(SOFTMAX)
    answer(at, at.radio[0].options[0])
    run(at.switch_page(page_named("results").path))
    assert any("You answered" in text for text in rendered(at))
    at.button(key="clear_answers").click()
    run(at)
    run(at.switch_page(SOFTMAX.path))
    assert not feedback(at)


def test_each_recipe_is_revealed_by_its_own_answer(framed):
    at = opened(page_named("recipes"), recipe="nnx", predict="first")
    assert is_hidden(at)
    assert not is_hidden(show_answer(at))
    at.session_state["session"].set(PARAMETERS["recipe"], "article")
    assert is_hidden(run(at))
    switch(at, False)
    order = order_of(at)
    assert order.index("radio") > order.index("plot")


def follow_guide(at):
    """Open the logit lens by the button of the guide, which asks first."""
    run(at.switch_page(page_named("guide").path))
    next(button for button in at.button if button.label == "Logit lens").click()
    run(at)
    return run(at.switch_page(STACK.path))  # for AppTest the next run is that of the guide otherwise


def test_the_guide_hides_a_figure_again_that_was_revealed(framed):
    at = follow_guide(opened(page_named("guide")))
    assert not is_hidden(show_answer(at))
    run(at.switch_page(SOFTMAX.path))
    show_answer(at)
    assert is_hidden(follow_guide(at))
    assert not feedback(at)
    run(at.switch_page(SOFTMAX.path))
    assert not is_hidden(at)  # the link of the guide was to another page


def test_the_guide_asks_again_what_was_answered(framed):
    at = follow_guide(opened(page_named("guide")))
    option = at.radio[0].options[0]
    assert not is_hidden(answer(at, option))
    assert is_hidden(follow_guide(at))
    assert at.radio[0].value is None
    assert not feedback(at)
    assert not is_hidden(answer(at, option))  # the same option once more
    assert feedback(at)
    run(at.switch_page(SOFTMAX.path))
    run(at.switch_page(STACK.path))
    assert not is_hidden(at)
    assert len(at.session_state["session"].memo["answers"]) == 1


def test_a_link_with_another_value_says_so(framed):
    at = opened(SOFTMAX, predict="<b>never</b>")
    assert warning_texts(at) == ["The link has predict = “<b>never</b>”; allowed are below, first. below is used."]
    assert not is_hidden(at)


def test_the_guide_asks_first_where_the_page_has_the_question():
    asked = [view.name for step in STEPS for view in step.views if "predict" in view.link]
    assert asked == ["embedding", "positions", "scaled_scores", "softmax", "weighted_values", "full_stack"]
