"""Every row of the table in docs/bad-input.md, tried on the code."""

import logging
import re
from pathlib import Path

import numpy as np
import pytest
import streamlit as st
from streamlit.proto.BackMsg_pb2 import BackMsg

import dashboard.inspect.depths  # noqa: F401 - declares every parameter
from dashboard.components.text_file import TextFile
from dashboard.lessons.full_stack.sentences.uploaded_sentences import read_sentences
from dashboard.serving.limits.gate import LimitedConnection
from dashboard.serving.limits.visitors import parse_max_sessions
from dashboard.state.edit_history import edit_texts
from dashboard.state.offered_encoders import parse_max_download_bytes, parse_offered
from dashboard.state.session import session
from dashboard.state.text import truncate_text
from dashboard.training.runs import parse_max_active
from encoder_core import Encoder, EncoderConfig, HeadFactor, WordTokenizer, head_roles
from encoder_core.analysis import softmax
from encoder_core.export import Pretrained
from encoder_core.figures import HeatmapStyle, heatmap
from encoder_core.inputs.mask_text import parse_mask_text
from encoder_core.training import TrainingPlan
from encoder_core.training.shipped import trained_encoder
from tests.robustness.coroutines import run

DOCUMENT = Path(__file__).parents[2] / "docs" / "bad-input.md"
ROWS = re.findall(r"^\| ([\w ]+) \| `(.+)` \| `(.+)` \|$", DOCUMENT.read_text(encoding="utf-8"), re.MULTILINE)
NAMES = {
    "BackMsg": BackMsg, "Encoder": Encoder, "EncoderConfig": EncoderConfig, "HeadFactor": HeadFactor, "np": np,
    "parse_mask_text": parse_mask_text, "trained_encoder": trained_encoder, "TrainingPlan": TrainingPlan,
    "read_sentences": read_sentences, "TextFile": TextFile, "WordTokenizer": WordTokenizer, "head_roles": head_roles,
    "Pretrained": Pretrained, "softmax": softmax, "heatmap": heatmap, "HeatmapStyle": HeatmapStyle,
    "encoder": Encoder.random(EncoderConfig(vocab_size=8, d_model=16, num_heads=2, d_ff=16, num_layers=1)),
}  # fmt: skip


def answer_to_link(query):
    session().read_link(query)
    edit_texts()
    return " ".join(session().problems.values()) or "nothing; the URL keeps it"


def answer_to_message(message):
    messages, answer = iter([{"type": "websocket.receive", **message}, {"type": "websocket.disconnect"}]), "ignored"

    async def receive():
        return next(messages)

    async def send(message):
        nonlocal answer
        answer = f"the connection is closed with code {message['code']}"

    assert run(LimitedConnection(receive, send).receive())["type"] == "websocket.disconnect"
    return answer


def answer(kind, code, caplog):
    if kind in ("argument", "file or folder", "text file") or code.startswith("Encoder."):
        with pytest.raises(ValueError) as error:  # noqa: PT011 - the table says what matches
            eval(code, dict(NAMES))
        return str(error.value)
    value = eval(code, dict(NAMES))
    if kind == "text":
        return truncate_text(value)[1]
    if kind == "message":
        return answer_to_message(value)
    if kind == "setting":
        caplog.set_level(logging.WARNING)
        parse_offered(value)
        parse_max_download_bytes(value)
        parse_max_sessions(value)
        parse_max_active(value)
        return f"{caplog.messages[-1]} (log)"
    return answer_to_link(value)


def visible(text):
    """The text as it is read: without the escapes of markdown, in one line, as a cell of a table."""
    return re.sub(r"\\(.)\u2060", r"\1", text).replace("\n", " ").replace("|", "\\|")


@pytest.mark.parametrize(("kind", "code", "expected"), ROWS, ids=[f"{kind} {code[:40]}" for kind, code, _ in ROWS])
def test_the_answer_is_the_documented_one(kind, code, expected, unchecked, monkeypatch, caplog):
    monkeypatch.setattr(st, "session_state", {})
    monkeypatch.chdir(DOCUMENT.parents[1])
    sentence = visible(answer(kind, code, caplog))
    assert re.fullmatch(re.escape(expected).replace("…", ".*"), sentence), sentence


def test_the_table_has_every_kind():
    assert {"URL", "model name", "edits", "text", "argument", "file or folder", "text file", "setting", "message"} == {
        kind for kind, _, _ in ROWS
    }
    assert len(ROWS) >= 40
