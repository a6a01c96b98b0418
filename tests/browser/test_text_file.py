"""A text file of the user, chosen in the browser: its sentences are searched, and markup in it stays text."""

from playwright.sync_api import expect


def test_sentences_of_a_file_are_listed_until_they_are_removed(screen, tmp_path):
    file = tmp_path / "my sentences.txt"
    file.write_text("The black cat jumped on the <img src=x onerror=window.harm=1> sofa.\n", encoding="utf-8")
    text = "The black cat jumped on the sofa, lied down and fell asleep, as it was tired"
    screen.open("full_stack", view="Similar contexts", token=3, layers=1, d_model=16, text=text)
    page = screen.page
    expect(page.locator(".ew-list-row")).to_have_count(10, timeout=60_000)
    page.locator(".ew-text_file input").set_input_files(file)
    mine = page.locator(".ew-list-row", has_text="your file")
    expect(mine.first).to_contain_text("onerror", timeout=60_000)
    assert page.evaluate("window.harm ?? null") is None
    assert page.locator(".ew-list img").count() == 0
    expect(page.get_by_text("1 sentence in use")).to_be_visible()
    assert "file" not in " ".join(screen.parameters)
    page.get_by_role("button", name="Remove").click()
    expect(mine).to_have_count(0)
    (tmp_path / "page.html").write_text("<p>")
    page.locator(".ew-text_file input").set_input_files(tmp_path / "page.html")
    expect(page.locator("[data-testid=stAlert]")).to_contain_text("“page.html” is not a .txt file")
