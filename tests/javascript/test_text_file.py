"""The button that reads a text file: what it sends to the server."""

import pytest

_SENT = """async ([bytes, name]) => {
    document.body.innerHTML = "<div class='ew-text_file'></div>";
    const { default: mount } = await import("/text_file/text_file.js");
    const message = new Promise(resolve => mount({
        data: { label: "Add <b>", maxBytes: 20 }, parentElement: document.body,
        setTriggerValue: (name, value) => resolve([name, value]),
    }));
    const input = document.querySelector("input"), transfer = new DataTransfer();
    transfer.items.add(new File([new Uint8Array(bytes)], name));
    input.files = transfer.files;
    input.dispatchEvent(new Event("change"));
    return [await message, document.querySelector("label").textContent, input.value];
}"""


@pytest.mark.parametrize(
    ("content", "text"),
    [
        ("Çay içer.\r\n\tIt".encode(), "Çay içer.\r\n\tIt"),
        (b"It sleeps.\n\x0cIt eats.", "It sleeps.\n\x0cIt eats."),  # a form feed, as pdftotext writes it
        (b"", ""),
        (b"x" * 20, "x" * 20),
        (b"x" * 21, None),
        (b"caf\xe9", None),  # Latin-1
        (b"\xff\xfea\x00", None),  # UTF-16
        (b"a\x00b", None),
        (b"a\x1bb", None),
    ],
)
def test_text_of_a_file_is_sent_unless_it_is_too_large_or_no_text(scripts, content, text):
    message, label, value = scripts.page.evaluate(_SENT, [list(content), "my.txt"])
    assert message == ["file", {"name": "my.txt", "size": len(content), "text": text}]
    assert "Add <b>" in label
    assert value == ""
