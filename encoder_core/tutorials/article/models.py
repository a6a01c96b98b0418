"""The article's model and batch, run once per seed, and the addresses of its sources."""

from functools import lru_cache

import numpy as np
from jaxtyping import Float, Real

from encoder_core.encoder import Encoder
from encoder_core.figures import Panel, PanelStyle, ThemeName, bars
from encoder_core.recipes import RECIPES
from encoder_core.scenes.items import HEIGHT
from encoder_core.trace import LayerTrace, Run

T = RECIPES["article"].source
SOURCES = "https://github.com/RPegoud/jab/blob/main/src/Transformer"
WALKTHROUGH = f"{SOURCES}/encoder_walkthrough.ipynb"
NOTEBOOK = f"{SOURCES}/encoder.ipynb"
ENCODER_MODULE = f"{SOURCES}/encoder.py"
EMBEDDING_MODULE = f"{SOURCES}/modules/embedding_layer.py"
ATTENTION_MODULE = f"{SOURCES}/modules/multihead_attention.py"
NORM_MODULE = f"{SOURCES}/modules/layer_norm.py"
FEED_FORWARD_MODULE = f"{SOURCES}/modules/feed_forward_net.py"

ARTICLE = RECIPES["article"]
Rows = Float[np.ndarray, "row column"]


@lru_cache(maxsize=4)
def article_encoder(seed: int) -> Encoder:
    """The article's encoder as written."""
    return Encoder.recipe("article", "as written", seed)


@lru_cache(maxsize=4)
def article_run(seed: int) -> Run:
    """The article's encoder as written, on its batch of 32 sequences of 10 words."""
    return article_encoder(seed).run(ARTICLE.inputs(seed).inputs)


def block(seed: int) -> LayerTrace:
    """The only block of the encoder as written."""
    return article_run(seed).trace.layers[0]


def words(seed: int) -> tuple[str, ...]:
    """The words of the first sequence."""
    return article_run(seed).trace.tokens[0]


def parameter(seed: int, name: str) -> Float[np.ndarray, "..."]:
    """A parameter of the only block."""
    return article_run(seed).parameters[f"layers.0.{name}"]


def normalize(x: Float[np.ndarray, "*row feature"], axis: int = -1) -> Float[np.ndarray, "*row feature"]:
    """(x - mean) / √(variance + 1e-6) along an axis, without scale and shift."""
    return (x - x.mean(axis, keepdims=True)) / np.sqrt(x.var(axis, keepdims=True) + 1e-6)


def bar_panel(
    values: Real[np.ndarray, "bar"],
    names: tuple[str, ...] | list[str],
    title: str,
    theme: ThemeName,
    *,
    y_axis: str = "",
    marks: tuple[int, ...] = (),
) -> Panel:
    """Bars with their numbers."""
    return bars(np.asarray(values, float), names, title=title, y_axis=y_axis, marks=marks, show_values=len(names) <= 12,
                style=PanelStyle(height=HEIGHT, theme=theme))  # fmt: skip
