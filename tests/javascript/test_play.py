"""The player reveals a product cell by cell."""

import pytest

from tests.javascript.conftest import scripts_page

# The same in every test: a product of 2 x 3 by 3 x 2, with cells of 10 pixels; its captions are recorded.
_MOUNT = """async () => {
    const { play } = await import("/plot/interaction/play.js");
    const { appendPanel, appendPlayer } = await import("/plot/panel/panel_elements.js");
    const names = count => ({ names: Array.from({ length: count }, (_, i) => `${i}`) });
    const items = [[2, 3], [3, 2], [2, 2]].map(([rows, columns], i) => ({
        panel: { rows: names(rows), columns: names(columns), layout: { plot_bgcolor: "rgb(255, 0, 0)" },
                 product: i === 2 ? { left: 0, right: 1, factor: 1 } : null },
    }));
    const panelElements = items.map(({ panel: { rows, columns } }) => {
        const elements = appendPanel(document.body), [tall, wide] = [rows.names.length, columns.names.length];
        elements.area = { left: 5, top: 6, width: 10 * wide, height: 10 * tall };
        elements.plot.layout = { xaxis: { range: [-0.5, wide - 0.5] }, yaxis: { range: [tall - 0.5, -0.5] } };
        return elements;
    });
    const player = appendPlayer(document.body), captions = [];
    player.caption.textContent = "Draw it";
    window.line = { items, panelElements, player, playback: null };
    window.captions = captions;
    window.press = () => play(window.line, 2, (row, column) => {
        captions.push([row, column]);
        return `cell ${row} ${column}`;
    });
    window.isHidden = (row, column) => {
        const canvas = panelElements[2].plot.querySelector("canvas");
        return canvas.getContext("2d").getImageData(10 * column + 5, 10 * row + 5, 1, 1).data[3] === 255;
    };
    window.hidden = () => [0, 1].flatMap(row => [0, 1].map(column => window.isHidden(row, column)));
}"""
_STATE = """() => {
    const { playButton, skipButton, caption } = window.line.player;
    return [playButton.title, skipButton.disabled, caption.textContent, document.querySelectorAll("canvas").length];
}"""


@pytest.fixture(scope="module")
def _clocked_tab(browser):
    with scripts_page(browser) as tab:
        tab.page.clock.install(time=0)
        tab.page.clock.pause_at(1)
        yield tab


@pytest.fixture
def player(_clocked_tab, origin):
    """A page with the player, whose clock only the test moves."""
    _clocked_tab.page.goto(origin)
    _clocked_tab.page.evaluate(_MOUNT)
    return _clocked_tab.page


def test_pauses_get_shorter(scripts):
    pauses = [scripts.call("plot/interaction/play.js", "cellPause", index) for index in (0, 1, 2, 3, 4, 100)]
    assert pauses == pytest.approx([1800, 1800, 1800, 1800 * 0.82, 1800 * 0.82**2, 14])


@pytest.mark.parametrize(
    ("ranges", "rows", "columns", "rectangle"),
    [
        (([-0.5, 3.5], [1.5, -0.5]), [0, 0], [0, 0], [0, 0, 10, 20]),
        (([-0.5, 3.5], [1.5, -0.5]), [1, 1], [0, 3], [0, 20, 40, 20]),
        (([-0.5, 3.5], [-0.5, 1.5]), [1, 1], [2, 2], [20, 0, 10, 20]),  # the first row is at the bottom
        (([0.5, 2.5], [1.5, -0.5]), [0, 1], [1, 1], [0, 0, 20, 40]),  # zoomed to the middle columns
    ],
)
def test_rectangle_of_cells(scripts, ranges, rows, columns, rectangle):
    layer = {"area": {"width": 40, "height": 40}, "xRange": ranges[0], "yRange": ranges[1]}
    assert scripts.call("plot/interaction/play.js", "cellRectangle", layer, rows, columns) == pytest.approx(rectangle)


def test_cells_are_revealed_row_by_row(player):
    player.evaluate("press()")
    assert player.evaluate("hidden()") == [False, True, True, True]
    assert player.evaluate(_STATE) == ["Pause", False, "cell 0 0", 3]
    player.clock.run_for(1799)
    assert player.evaluate("captions") == [[0, 0]]
    player.clock.run_for(1)
    assert player.evaluate("captions") == [[0, 0], [0, 1]]
    assert player.evaluate("hidden()") == [False, False, True, True]
    player.clock.run_for(2 * 1800)
    assert player.evaluate("captions") == [[0, 0], [0, 1], [1, 0], [1, 1]]
    assert player.evaluate("hidden()") == [False] * 4


def test_after_the_last_cell_all_is_as_before(player):
    player.evaluate("press()")
    player.clock.run_for(3 * 1800 + 1476)
    assert player.evaluate("captions.length") == 4
    assert player.evaluate(_STATE) == ["Draw it", True, "Draw it", 0]
    assert player.evaluate("line.playback") is None


def test_row_of_the_left_matrix_and_column_of_the_right_one_are_outlined(player):
    """Cell (0, 1): row 0 of three terms, column 1 of three terms. A line is painted at their edges, not elsewhere."""
    player.evaluate("press()")
    player.clock.run_for(1800)
    is_painted = """([panel, x, y]) => line.panelElements[panel].plot.querySelector("canvas")
        .getContext("2d").getImageData(x, y, 1, 1).data[3] > 0"""
    assert [player.evaluate(is_painted, [0, *at]) for at in ((15, 0), (15, 10), (15, 19))] == [True, True, False]
    assert [player.evaluate(is_painted, [1, *at]) for at in ((10, 15), (19, 15), (0, 15))] == [True, True, False]


def test_second_press_pauses_and_third_one_continues(player):
    player.evaluate("press()")
    player.evaluate("press()")
    assert player.evaluate(_STATE)[0] == "Continue"
    player.clock.run_for(10_000)
    assert player.evaluate("captions") == [[0, 0]]
    player.evaluate("press()")
    assert player.evaluate(_STATE)[0] == "Pause"
    assert player.evaluate("captions") == [[0, 0], [0, 1]]
    player.clock.run_for(1800)
    assert player.evaluate("captions.length") == 3


def test_skip_ends_it(player):
    player.evaluate("press()")
    player.evaluate("line.player.skipButton.click()")
    assert player.evaluate(_STATE) == ["Draw it", True, "Draw it", 0]
    player.clock.run_for(10_000)
    assert player.evaluate("captions.length") == 1


def test_short_captions_are_not_announced(player):
    """Of 12 pauses more than 120 ms: 1800 * 0.82**13 = 136, 0.82**14 = 112."""
    player.evaluate("line.items[2].panel.rows.names = Array(20).fill('')")
    player.evaluate("press()")
    announced = []
    for index in range(20):
        announced.append(player.evaluate("line.player.caption.getAttribute('aria-live')") == "polite")
        player.clock.run_for(int(max(14, 1800 * 0.82 ** max(0, index - 2))) + 1)
    assert announced == [True] * 16 + [False] * 4
