"""The report and its heatmaps: hand-computed colours, escaped text, no network, small."""

import re
from html.parser import HTMLParser

import numpy as np
import pytest

from encoder_core import Encoder, EncoderConfig, HeadFactor, SetEmbedded, SetScore, Temperature, TokenBatch
from encoder_core.export.report import report_html
from encoder_core.export.subject import Random, Subject
from encoder_core.export.svg import LEVELS, Appearance, colour, heatmap_svg, levels
from tests.core.export.subjects import ALL_EDITS, CONFIG, random_subject

SIGNED, WEIGHTS = Appearance(limit=2.0), Appearance("weights", 2.0)


class Elements(HTMLParser):
    """The names of all elements, and the addresses that they load."""

    def __init__(self, text):
        super().__init__()
        self.names, self.loaded = [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.names.append(tag)
        self.loaded += [
            value for name, value in attributes if name in ("src", "srcset") or (tag, name) == ("link", "href")
        ]


def test_colours_of_a_scale_by_hand():
    scale = ((0.0, "#000000"), (0.5, "#646464"), (1.0, "#ffffff"))
    assert [colour(scale, share) for share in (0.0, 0.25, 0.5, 1.0)] == ["#000000", "#323232", "#646464", "#ffffff"]


def test_levels_by_hand():
    values = np.array([[-2.0, 0.0, 2.0, 9.0, -np.inf]])
    assert levels(values, SIGNED).tolist() == [[0, round((LEVELS - 1) / 2), LEVELS - 1, LEVELS - 1, -1]]
    assert levels(values, WEIGHTS).tolist() == [[0, 0, LEVELS - 1, LEVELS - 1, -1]]


def test_neighbours_of_one_colour_are_one_rectangle():
    svg = heatmap_svg(np.array([[2.0, 2.0, 0.0], [2.0, -np.inf, -np.inf]]), "ab", "xyz", "two rows", WEIGHTS)
    assert 'd="M0 0h2v1h-2zM0 1h1v1h-1z"' in svg  # the weights of 2, in cells
    assert svg.count("url(#masked)") == 1
    assert svg.count("<text") == 5 + 4  # five labels and four finite numbers
    assert ">2.00</text>" in svg


def test_the_report_escapes_what_the_user_typed_and_loads_nothing():
    text = report_html(random_subject(edits=ALL_EDITS), sentence=1, layer=1, head=1)
    elements = Elements(text)
    assert elements.loaded == []
    assert not {"script", "link", "img", "iframe", "b"} & set(elements.names) - {"b"}
    assert "<b>" not in text
    assert "&lt;" in text
    assert "url(http" not in text
    assert "@import" not in text
    assert re.findall(r"<h2>(\d+)\. ", text) == [str(number) for number in range(1, 12)]


def test_labels_of_a_heatmap_are_text_and_no_elements():
    svg = heatmap_svg(np.ones((1, 1)), ["<b>"], ["</text><script>"], '"><i>', SIGNED)
    assert set(Elements(svg).names) == {"svg", "g", "path", "text"}
    assert ">&lt;b&gt;</text>" in svg
    assert ">&lt;/text&gt;&lt;s…</text>" in svg  # ten characters
    assert 'aria-label="&quot;&gt;&lt;i&gt;"' in svg


def test_a_token_that_looks_like_an_element_is_text_in_the_list_of_tokens_and_in_the_figures():
    tokens = TokenBatch((("<img src=x>", "b"),), np.array([[1, 2]]), np.ones((1, 2), bool), (0,))
    text = report_html(Subject(Encoder.random(CONFIG).run(tokens), Random(0)))
    chips, figures = text.partition('<div class="tokens">')[2].split("</div>", 1)
    assert Elements(chips).names == ["span", "small", "span", "small"]
    assert ">&lt;img src=x&gt;<small>" in chips
    assert "img" not in Elements(figures).names
    assert ">1 &lt;img sr…</text>" in figures


def test_masked_cells_are_hatched_in_every_figure_of_weights():
    """The scores, the weights of the head, those of each head, and the averages of each layer."""
    config = random_subject("causal").run.config
    expected = 2 + config.num_heads + config.num_layers
    assert report_html(random_subject("causal")).count('fill="url(#masked)"') == expected
    assert 'fill="url(#masked)"' not in report_html(random_subject(None))


def test_statements_follow_the_model():
    assert "neither scaled nor masked" in report_html(random_subject(None, scale_scores=False))
    assert "then divided by √d_head" in report_html(random_subject(None, num_heads=8))  # √1
    assert "Post-norm: the sum" in report_html(random_subject())
    assert "Pre-norm: the input" in report_html(random_subject(norm="pre", final_norm=True))
    assert "This encoder adds no positions." in report_html(random_subject(positions="none"))


@pytest.mark.parametrize(
    ("sentence", "layer", "head", "expected", "unexpected"),
    [
        (0, 1, 1, ("divided by the temperature 0.5,", "; an edit multiplies the sum by 0.", "0 × weights × V"),
         ("Edits set some scores", "Edits set some numbers")),
        (0, 1, 0, ("Edits set some scores.",), ("an edit multiplies", "× weights", "Edits set some numbers")),
        (1, 1, 0, ("Edits set some numbers of the input.",), ("an edit multiplies", "Edits set some scores")),
        (0, 0, 0, (), ("an edit multiplies", "Edits set some scores", "Edits set some numbers")),
    ],
)  # fmt: skip
def test_statements_follow_the_edits(sentence, layer, head, expected, unexpected):
    edits = (SetEmbedded(1, 0, 3, 2.0), SetScore(0, 1, 0, 3, 4, -5.0), Temperature(0.5), HeadFactor(1, 1, 0.0))
    text = report_html(random_subject(edits=edits), sentence, layer, head)
    for part in (*expected, "divided by the temperature 0.5,"):
        assert part in text
    for part in unexpected:
        assert part not in text
    plain = report_html(random_subject())
    assert "temperature" not in plain
    assert "edit" not in plain.split("<body>")[1].lower()


def test_the_largest_report_is_below_two_megabytes():
    random = np.random.default_rng(0)
    large = heatmap_svg(random.normal(size=(64, 1024)), ["w" * 20] * 64, None, "", SIGNED)
    small = heatmap_svg(random.random((64, 64)), (), (), "", Appearance("weights", labels=False))
    assert 25 * len(large) + (16 + 24) * len(small) < 2_000_000  # 16 heads, 24 layers


@pytest.mark.parametrize("inputs", [np.zeros((1, 2, 8)), np.array([[1, 2]])], ids=["embeddings", "ids"])
def test_a_run_without_tokens_has_no_report(inputs):
    run = Encoder.random(EncoderConfig(d_model=8, num_heads=2)).run(inputs)
    with pytest.raises(ValueError, match="needs tokens"):
        report_html(Subject(run, Random(0)))
