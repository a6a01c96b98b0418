"""Sentences traced in the background, and text files of users."""

import gc
import threading
import time
import weakref

import numpy as np
import pytest

from dashboard.components.text_file import MAX_BYTES, TextFile, _parse_file
from dashboard.lessons.full_stack.sentences.uploaded_sentences import (
    MAX_LENGTH,
    MAX_SENTENCES,
    read_sentences,
)
from dashboard.models import traced_sentences
from dashboard.models.traced_sentences import SentenceTracer, TracingProgress, TracingRequest, result_bytes
from encoder_core import Encoder, EncoderConfig, WordTokenizer

TEXTS = ("a cat", "a dog", "a cow sat", "a")
TOKENIZER = WordTokenizer.from_texts(TEXTS)
CONFIG = EncoderConfig(vocab_size=len(TOKENIZER), d_model=8, num_heads=2, d_ff=8, num_layers=2)


def encoder():
    return Encoder.random(CONFIG, tokenizer=TOKENIZER)


def request(key="one", sentences=TEXTS, make=encoder, **fields):
    return TracingRequest(key, make, sentences, None, **fields)


def finished(tracer, wanted):
    """The result, once it is there."""
    end = time.monotonic() + 60
    while isinstance(result := tracer.get(wanted), TracingProgress):
        assert time.monotonic() < end
        time.sleep(0.01)
    return result


def test_sentences_are_traced_once_and_kept():
    tracer, made = SentenceTracer(), []

    def make():
        made.append(1)
        return encoder()

    first = tracer.get(request(make=make))
    assert isinstance(first, TracingProgress)
    assert (first.total, first.before, first.failed) == (4, 0, False)
    result = finished(tracer, request(make=make))
    assert tracer.get(request(make=make)) is result
    assert made == [1]
    assert result.vectors.tokens == tuple(tuple(text.split()) for text in TEXTS)
    assert (result.unknown, result.beyond) == (0, 0)
    trace = encoder().trace(TEXTS[2])
    rows = trace.output[0] / np.linalg.norm(trace.output[0], axis=-1, keepdims=True)
    np.testing.assert_allclose(result.vectors.vectors[-1, 4:7], rows, atol=1e-5)
    sizes = sum(result_bytes(CONFIG, len(text.split())) for text in TEXTS)
    arrays = (*result.vectors, *result.pairs)
    held = sum(array.nbytes for array in arrays if isinstance(array, np.ndarray))
    assert held < result.num_bytes < held + 1000 + 100 * len(result.pairs.word_pairs)
    assert held < sizes < 2 * held


def test_sentences_that_are_too_long_are_cut_and_counted():
    result = finished(SentenceTracer(), request(sentences=("a cat", "a " * 64 + "cat", "a " * 63 + "cat")))
    assert [len(tokens) for tokens in result.vectors.tokens] == [2, 64, 64]
    assert (result.unknown, result.beyond, result.cut) == (0, 0, 1)


def test_unknown_words_and_what_memory_has_no_room_for_are_left_out():
    sentences = ("a cat", "an elephant", "", "a dog", "a cow sat")
    room = 2 * result_bytes(CONFIG, 2)
    result = finished(SentenceTracer(), request(sentences=sentences, max_bytes=room))
    assert result.vectors.tokens == (("a", "cat"), ("a", "dog"))
    assert (result.unknown, result.beyond) == (2, 1)
    nothing = finished(SentenceTracer(), request(sentences=("an elephant",)))
    assert nothing.vectors is nothing.pairs is None
    assert nothing.unknown == 1


def test_one_encoder_after_another_and_none_that_nobody_waits_for(monkeypatch):
    tracer, gate, made = SentenceTracer(), threading.Event(), []

    def make(name):
        made.append(name)
        gate.wait(60)
        return encoder()

    requests = {name: request(name, make=lambda name=name: make(name)) for name in ("one", "left", "two")}
    progress = [tracer.get(wanted).before for wanted in requests.values()]
    assert progress == [0, 1, 2]
    monkeypatch.setattr(traced_sentences, "_PRESENT", 0.2)
    time.sleep(0.3)
    tracer.get(requests["one"])
    tracer.get(requests["two"])
    gate.set()
    finished(tracer, requests["two"])
    assert made == ["one", "two"]


def test_an_error_is_reported_and_the_next_request_is_served(caplog):
    tracer = SentenceTracer()

    def broken():
        raise RuntimeError("no such encoder")

    end = time.monotonic() + 60
    while not tracer.get(request("broken", make=broken)).failed:
        assert time.monotonic() < end
    assert "no such encoder" in caplog.text
    assert tracer.get(request("fine")).before == 0
    assert finished(tracer, request("fine")).vectors


def test_a_failed_request_keeps_no_encoder(monkeypatch):
    class Broken:
        def __call__(self):
            raise RuntimeError("no such encoder")

    monkeypatch.setattr(traced_sentences._logger, "exception", lambda *_: None)  # a record would keep the traceback
    tracer, make, end = SentenceTracer(), Broken(), time.monotonic() + 60
    maker = weakref.ref(make)
    tracer.get(request("broken", make=make))
    del make
    while not tracer.get(request("broken")).failed or maker():
        assert time.monotonic() < end, "the request keeps what makes its encoder"
        time.sleep(0.01)
        gc.collect()


def test_a_failure_is_final_only_while_somebody_looks_at_it(monkeypatch, caplog):
    tracer, made = SentenceTracer(), []

    def make():
        made.append(1)
        if len(made) == 1:
            raise MemoryError
        return encoder()

    end = time.monotonic() + 60
    while not tracer.get(request(make=make)).failed:
        assert time.monotonic() < end
    for _ in range(3):
        assert tracer.get(request(make=make)).failed
    assert made == [1]
    monkeypatch.setattr(traced_sentences, "_PRESENT", 0.05)
    time.sleep(0.1)
    assert finished(tracer, request(make=make)).vectors
    assert made == [1, 1]


def test_results_are_limited_by_their_size():
    size = finished(SentenceTracer(), request()).num_bytes
    tracer = SentenceTracer(max_bytes=2 * size)
    for key in ("one", "two", "three"):
        finished(tracer, request(key))
    assert isinstance(tracer.get(request("one")), TracingProgress)


def test_lines_of_a_file_are_its_sentences():
    text = "\ufeffThe cat sat.\r\n\n  The dog ran.  \nThe cat sat.\n---\t\n \n" + "word " * 100
    own = read_sentences(TextFile("notes.TXT", 100, text))
    assert own.sentences == ("The cat sat.", "The dog ran.", "---", ("word " * 60)[:MAX_LENGTH])
    assert own.notes == (f"Lines of more than {MAX_LENGTH} characters are cut.",)
    long = read_sentences(TextFile("a.txt", 100, "\n".join(f"word {i}" for i in range(201))))
    assert len(long.sentences) == MAX_SENTENCES
    assert long.notes == ("It has 201 different sentences; the first 200 are used.",)


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (TextFile("a.pdf", 10, "text"), "“a.pdf” is not a .txt file"),
        (TextFile("", 10, "text"), "is not a .txt file"),
        (TextFile("a.txt", 120_000, None), "“a.txt” has 120 kB; allowed are 50 kB."),
        (TextFile("a.txt", 10, None), "“a.txt” is not a text in UTF-8"),
        (TextFile("a.txt", 0, ""), "“a.txt” has no line with a word"),
        (TextFile("a.txt", 9, " \n\t\n\u200b"), "“a.txt” has no line with a word"),
        (TextFile("../<b>" + "x" * 100 + ".txt", 0, ""), "“<b>" + "x" * 36 + "…” has no line"),
    ],
)
def test_a_bad_file_gets_a_sentence(file, message):
    with pytest.raises(ValueError, match=r"^“.*\.$") as error:
        read_sentences(file)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "message",
    [None, [], "text", {}, {"name": "a.txt"}, {"name": "a.txt", "size": -1, "text": "a"},
     {"name": "a.txt", "size": 1.5, "text": "a"}, {"name": "a.txt", "size": True, "text": "a"},
     {"name": ["a.txt"], "size": 1, "text": "a"}, {"name": "a.txt", "size": 1, "text": ["a"]}],
)  # fmt: skip
def test_messages_that_are_no_file_change_nothing(message):
    assert _parse_file(message) is None


def test_a_file_that_is_larger_than_it_says_has_no_text():
    assert _parse_file({"name": "a.txt", "size": 1, "text": "a" * (MAX_BYTES + 1)}) == TextFile("a.txt", 1, None)
