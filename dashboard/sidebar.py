"""The sidebar: everything that makes the model, kept across pages and in the URL."""

from collections.abc import Callable

import streamlit as st

from dashboard import model
from dashboard.settings import DEFAULTS, OPTIONS, Settings, fit_text, link_problems, nearest_width
from encoder_core.tokenizer import split_words


def show() -> Settings:
    """Draw all controls and return what they say. Bad values in a link are said, and replaced."""
    st.session_state.setdefault("link", {key: st.query_params.get_all(key) for key in st.query_params})
    if st.session_state.pop("snap", False):
        _snap_width()
    with st.sidebar:
        st.text_area(
            "Text",
            DEFAULTS["text"],
            height=104,
            key="text",
            bind="query-params",
            on_change=_cut_text,
            help="Your own sentence, in any language. One sentence a line makes a padded batch.",
        )
        left, right = st.columns(2, gap="medium")
        with left:
            _slider("d_model", "d_model", "Width of every token's vector", on_change=_snap_width)
            _slider("layers", "layers", "Encoder blocks, one after another")
        with right:
            _slider("heads", "heads", "Attention heads; each has d_model / heads dimensions", on_change=_snap_width)
            _slider("d_ff", "d_ff", "Hidden width of the feed-forward network")
        width_note = st.empty()
        st.segmented_control(
            "Mask",
            OPTIONS["mask"],
            default=DEFAULTS["mask"],
            key="mask",
            bind="query-params",
            required=True,
            width="stretch",
            help="Causal: no token sees a later one. Padding: no token sees [PAD].",
        )
        with st.expander("More choices"):
            _choice("norm", "Norm", "post: after each residual sum, as in the paper. pre: before each sublayer.")
            _choice("activation", "Activation", "Of the feed-forward network. gelu_tanh is GELU's tanh approximation.")
            _choice(
                "positions", "Positions", "Sinusoidal is interleaved as in the paper; concatenated puts sines first."
            )
            _choice("scale", "Embedding scale", "Looked-up rows times √d_model (sqrt_d) or divided by it (inv_sqrt_d).")
            st.toggle("Divide scores by √d_head", DEFAULTS["scaled"], key="scaled", bind="query-params")
            st.toggle("Biases", DEFAULTS["bias"], key="bias", bind="query-params")
            _slider("seed", "Seed", "Another seed draws other random parameters")
        settings = Settings.from_state(st.session_state.to_dict())
        if settings.d_model != st.session_state["d_model"]:
            # A link asked for what cannot be. A widget's value can only be changed before it is drawn.
            st.session_state["snap"] = True
            st.rerun()
        st.session_state["last_width"] = settings.d_model
        current = model.model_for(settings)
        width_note.caption(
            st.session_state.pop("width_note", "")
            or f"d_head = d_model / heads = {settings.d_model} / {settings.heads} = {current.config.d_head}"
        )
        _cost(current)
    return settings


def notices(settings: Settings) -> list[str]:
    """What the person should know about their text or their link, one sentence each."""
    # What a link could not have is said until the person changes something.
    link = st.session_state["link"]
    if st.session_state.setdefault("settings_of_link", settings) != settings:
        link.clear()
    said = link_problems(link, settings)
    if "text" in link:
        _, st.session_state["text_notice"] = fit_text(link["text"][-1])
    if st.session_state.get("text_notice"):
        said.append(st.session_state["text_notice"])
    if not split_words(st.session_state.get("text", "")):
        said.append("There is no text, so the default sentence is used: type one in the sidebar.")
    current = model.model_for(settings)
    if any(current.batch.cut):
        longest = current.batch.ids.shape[1]
        said.append(f"A sentence was cut at {longest} tokens; {max(current.batch.cut)} more are left out.")
    if current.dropped:
        said.append(f"{current.dropped} line(s) hold no visible character and are left out.")
    return said


def _cut_text() -> None:
    text, st.session_state["text_notice"] = fit_text(st.session_state["text"])
    if st.session_state["text_notice"]:
        st.session_state["text"] = text


def _snap_width() -> None:
    """d_model must be a multiple of heads: move it to the nearest one, onwards in the direction it was moved."""
    width, heads = st.session_state["d_model"], st.session_state["heads"]
    before = st.session_state.get("last_width", width)
    valid = nearest_width(width, heads, direction=(width > before) - (width < before))
    if valid != width:
        st.session_state["d_model"] = valid
        st.session_state["width_note"] = f":orange[{width} is not a multiple of {heads} heads: d_model is {valid} now.]"


def _slider(key: str, label: str, help_text: str, on_change: Callable[[], None] | None = None) -> None:
    st.select_slider(
        label, OPTIONS[key], DEFAULTS[key], key=key, bind="query-params", help=help_text, on_change=on_change
    )


def _choice(key: str, label: str, help_text: str) -> None:
    # The options are shown as they are: a format function would put its labels into the URL.
    index = OPTIONS[key].index(DEFAULTS[key])
    st.selectbox(label, OPTIONS[key], index, key=key, bind="query-params", help=help_text, filter_mode=None)


def _cost(current: model.Model) -> None:
    batch, seq = current.batch.ids.shape
    flops = current.encoder.flops(seq, batch)
    st.caption(
        f"{in_units(current.encoder.num_parameters)} parameters · {in_units(current.encoder.num_bytes)}B · "
        f"{in_units(flops)}FLOP a pass"
    )


def in_units(count: int) -> str:
    """1234567 -> "1.23 M": three significant digits and a prefix."""
    for size, prefix in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if count >= size:
            return f"{count / size:.3g} {prefix}"
    return f"{count} "
