"""Random links: no exception, no "nan" on screen, and nothing of a link is rendered as markup.

The texts go through the page as after Back: one run each, in one tab. LINK_EXAMPLES sets their number (2,000 by hand).
"""

import json
import os
import re
from urllib.parse import quote, urlencode

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

import dashboard.inspect.depths  # noqa: F401 - declares every parameter
from benchmarks.load import Visitor
from dashboard.page_list import PAGES
from dashboard.state.parameter import PARAMETERS
from dashboard.state.setting_parameters import OPTIONS

EXAMPLES = int(os.environ.get("LINK_EXAMPLES", "60"))
# Short enough to be quoted whole in a message. A page prints words in bold, but no two of them.
MARKERS = ("<img src=boo>", "[b](javascript:b)", ":material/boo:", "$boo$", "{{boo}}", "**b boo**", "`boo`", "~~boo~~")
VALUES = (
    *MARKERS, "", "0", "1", "-1", "2", "16", "1e999", "nan", "NaN", "inf", "9" * 30, "1.2", "true", "\x00", "\u202e",
    "%", "~", "unscaled", "head.0.0=0", "score.0.0.0.0.0=1e6", "temperature=0.001", "token.0.0=1", "hide.0.0", "0-63",
    "residual.0.mlp=-1000", "output.0.0.0", "pattern.0.0.0.1.1~q.0.0.0.1.1", "all", "By hand", "0.0=1~1.1=-100",
    "king - man + woman", "Rollout",
)  # fmt: skip
NAMES = sorted(set(PARAMETERS) - {"encoder", "text"})
PAIRS = some.tuples(some.sampled_from(NAMES), some.sampled_from(VALUES) | some.text(max_size=12))
SIZES = some.sampled_from(["d_model", "heads", "layers", "d_ff"]).flatmap(
    lambda name: some.tuples(some.just(name), some.sampled_from([str(OPTIONS[name][0]), str(OPTIONS[name][-1])]))
)
ENCODERS = some.tuples(some.just("encoder"), some.sampled_from(["random", "nnx", "nanolm", "article"]))
TEXTS = some.tuples(some.just("text"), some.lists(some.sampled_from(MARKERS) | some.text(max_size=9)).map(" ".join))
LINKS = some.lists(PAIRS | SIZES | ENCODERS | TEXTS, max_size=6)


def shown(visitor):
    """Every text that Streamlit renders as markdown or HTML."""
    for kind in ("title", "header", "subheader", "markdown", "caption", "warning", "info", "success", "error"):
        yield from visitor.texts(kind)
    for widget in visitor.widgets().values():
        yield widget.label


class Reader(Visitor):
    """A visitor whose figures are part of the page."""

    gets_early_figures = False


def check(visitor, log):
    assert visitor.exceptions == []
    assert "Traceback" not in log.read_text(errors="replace")
    for text in shown(visitor):
        # But for values of the link, and a row of the table of conventions on Softmax.
        quoted = r"“.*?”|The link has \w+ \d+ times; .{1,120}? is used|edit '.*?'|='.*?'|NaN: 0 / 0 \| NaN"
        computed = re.sub(quoted, "", text)
        assert not re.search(r"\bnan\b", computed, re.IGNORECASE), text
        for marker in MARKERS:
            assert marker == "{{boo}}" or marker not in text, text
    for plot in visitor.components("plot"):
        for panel in plot["figure"]["panels"]:
            assert "<img" not in json.dumps(json.loads(panel["panel"])["data"]), panel


def test_random_links_show_a_page(guarded_server, guarded_log):
    with Reader(guarded_server, "/scaled_scores", timeout=60) as visitor:

        @settings(max_examples=EXAMPLES, deadline=None, derandomize=EXAMPLES < 1_000, database=None,
                  suppress_health_check=list(HealthCheck))  # fmt: skip
        @given(some.sampled_from(PAGES), LINKS)
        def open_link(page, pairs):
            visitor._location.push(f"/{page.name}?{urlencode(pairs, quote_via=quote, errors='replace')}")
            visitor.app.history_changed()
            visitor.wait()
            assert visitor.texts("title"), pairs
            check(visitor, guarded_log)

        open_link()
