"""A custom mask is drawn in the browser: with a mouse, with a finger and with the keyboard."""

from playwright.sync_api import expect

TEXT = "it rains on cats"


def cells(screen):
    """The cells of the grid, row by row."""
    return screen.page.locator(".ew-mask_grid [role=gridcell]")


def open_editor(screen):
    with screen.rerun():
        screen.page.get_by_role("button", name="Edit the mask").click()
    expect(cells(screen)).to_have_count(16)


def grid(screen):
    """What the grid shows: rows of 0 and 1."""
    shown = "".join("01"[x == "true"] for x in cells(screen).evaluate_all("all => all.map(cell => cell.ariaSelected)"))
    return "/".join(shown[row : row + 4] for row in range(0, 16, 4))


def masked_scores(screen):
    z = next(plot["z"] for plot in screen.plots() if plot["title"] == "masked")
    return "/".join("".join("01"[x is not None] for x in row) for row in z)


def both(screen):
    """What the grid and the last heatmap show: the same."""
    assert grid(screen) == masked_scores(screen)
    return grid(screen)


def test_cells_are_clicked_and_dragged_and_the_link_has_the_mask(screen):
    screen.open("scaled_scores", text=TEXT, mask="custom", custom_mask="causal.2")
    open_editor(screen)
    clicks = "all => [3, 8, 0, 3].forEach(index => all[index].click())"  # faster than the answers
    with screen.rerun():  # a server that still warms up may answer later than `come_to_rest` waits
        cells(screen).evaluate_all(clicks)
    screen.come_to_rest()
    assert both(screen) == "0000/1100/0110/1111"
    boxes = [cells(screen).nth(index).bounding_box() for index in (12, 14)]
    with screen.rerun():
        for box, action in zip(boxes, (screen.page.mouse.down, screen.page.mouse.up), strict=True):
            screen.page.mouse.move(box["x"] + 5, box["y"] + 5, steps=8)
            action()
    assert both(screen) == "0000/1100/0110/0001"
    with screen.rerun():
        screen.page.get_by_role("button", name="Toggle the key cats for every query").click()
    assert both(screen) == "0000/1100/0110/0000"
    cells(screen).nth(0).focus()
    for key, index in (("ArrowRight", 1), ("ArrowDown", 5), ("ArrowLeft", 4), ("ArrowUp", 0), ("ArrowRight", 1)):
        screen.page.keyboard.press(key)
        expect(cells(screen).nth(index)).to_be_focused()
    with screen.rerun():
        screen.page.keyboard.press(" ")
    assert both(screen) == "0100/1100/0110/0000"
    with screen.rerun():
        screen.page.get_by_role("button", name="Undo").click()  # which leaves the editor open
    assert both(screen) == "0000/1100/0110/0000"
    with screen.rerun():
        cells(screen).nth(1).press(" ")
    screen.page.reload()  # a new session, which knows only the link
    screen.arrived("scaled_scores")
    assert masked_scores(screen) == "0100/1100/0110/0000"


def test_cells_are_large_enough_for_a_finger(phone):
    phone.open("scaled_scores", text=TEXT, mask="custom")
    phone.page.get_by_role("button", name="masked", exact=True).tap()  # a phone paints one figure at a time
    phone.page.get_by_test_id("stExpandSidebarButton").tap()
    open_editor(phone)
    box = cells(phone).nth(5).bounding_box()
    assert min(box["width"], box["height"]) >= 24
    starts = phone.page.locator(".st-key-mask_starts button").filter(visible=True)
    heights = starts.evaluate_all("buttons => buttons.map(button => button.offsetHeight)")
    assert len(heights) >= 4
    assert min(heights) >= 40
    with phone.rerun():
        cells(phone).nth(5).tap()
    assert both(phone) == "1111/1011/1111/1111"
    with phone.rerun():
        phone.page.get_by_role("button", name="Done").tap()
    expect(cells(phone)).to_have_count(0)
