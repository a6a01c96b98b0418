"""Many sentences, traced in the background: once per encoder, for all sessions, with a bounded memory.

One thread traces for everybody, a few sentences at a time. While a page computes, it pauses as long as it has computed,
so that it takes at most about half a core from the people at the controls.
"""

import logging
import threading
import time
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile
from typing import NamedTuple

from cachetools import LRUCache

from dashboard.serving.background import end_with_server, start_thread
from dashboard.serving.limits.fair_share import anyone_computes
from encoder_core import Encoder, EncoderConfig, TokenBatch
from encoder_core.analysis.language import ContextVectors, PairWeights, context_vectors, pair_weights
from encoder_core.engine.memory import release_freed_memory
from encoder_core.inputs.masks import MaskName
from encoder_core.inputs.tokenizer import UNK, Tokenizer
from encoder_core.trace import SentenceTrace

MAX_BYTES = 240_000_000  # of all results in memory; the sentences of the project take 110 MB in MiniLM
MAX_RESULT_BYTES = 120_000_000
_WORD_PAIR_BYTES = 64  # a tuple of two texts that the tokens have, and its place in the list
_PAIR_BYTES = 30  # indices and kinds of a pair of tokens
_PRESENT = 5.0  # seconds without a request after which nobody waits for a result any more
_logger = logging.getLogger(__name__)


class TracingRequest(NamedTuple):
    """Sentences to trace, with an encoder that is made when it is their turn.

    key        differs for different encoders, masks and sentences
    max_bytes  of the result; sentences that would exceed it are left out
    """

    key: Hashable
    make_encoder: Callable[[], Encoder]
    sentences: Sequence[str]
    mask: MaskName | None
    max_bytes: int = MAX_RESULT_BYTES


class TracedSentences(NamedTuple):
    """The vectors and the attention weights of many sentences.

    vectors, pairs  None if no sentence can be traced
    unknown         number of sentences with no token, or with a word that the encoder does not know
    beyond          number of sentences that memory has no room for
    cut             number of sentences with more tokens than the encoder reads
    """

    vectors: ContextVectors | None
    pairs: PairWeights | None
    unknown: int
    beyond: int
    cut: int = 0

    @property
    def num_bytes(self) -> int:
        """The memory of the arrays and of the pairs of words."""
        arrays = (*(self.vectors or ()), *(self.pairs or ()))
        word_pairs = len(self.pairs.word_pairs) if self.pairs else 0
        return 1000 + sum(array.nbytes for array in arrays if hasattr(array, "nbytes")) + _WORD_PAIR_BYTES * word_pairs


class TracingProgress(NamedTuple):
    """The state of a request that is not finished: sentences traced, and requests before it.

    failed  whether an error ended it; it is in the log
    """

    traced: int
    total: int
    before: int = 0
    failed: bool = False


class _NobodyWaits(Exception):
    pass


@dataclass(eq=False)
class _Job:
    """A request that is not finished, the time when somebody last asked for it, and its progress."""

    request: TracingRequest
    last_seen: float
    traced: int = 0
    failed: bool = False


class SentenceTracer:
    """Traces the sentences of requests, one request after another. Threads share it."""

    def __init__(self, max_bytes: int = MAX_BYTES) -> None:
        self._results: LRUCache[Hashable, TracedSentences] = LRUCache(max_bytes, getsizeof=lambda r: r.num_bytes)
        self._jobs: dict[Hashable, _Job] = {}  # in the order of their requests
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None

    def get(self, request: TracingRequest) -> TracedSentences | TracingProgress:
        """The result, or the progress. A page calls this about every second as long as it waits."""
        with self._lock:
            if request.key in self._results:
                return self._results[request.key]
            job = self._jobs.get(request.key)
            if job is None or (job.failed and not _is_awaited(job)):
                job = self._jobs[request.key] = _Job(request, time.monotonic())
            job.last_seen = time.monotonic()
            if self._thread is None and not job.failed:
                self._thread = start_thread(self._work, "trace sentences")
            earlier = takewhile(lambda other: other is not job, self._jobs.values())
            before = sum(not other.failed for other in earlier)
            return TracingProgress(job.traced, len(request.sentences), before, job.failed)

    def _work(self) -> None:
        while job := self._next_job():
            try:
                self._finish(job, self._trace(job))
            except Exception:
                _logger.exception("The sentences of %s cannot be traced.", job.request.key)
                job.failed, job.request = True, job.request._replace(make_encoder=_no_encoder)

    def _finish(self, job: _Job, result: TracedSentences | None) -> None:
        with self._lock:
            if result:
                self._results[job.request.key] = result
            self._jobs.pop(job.request.key, None)
        release_freed_memory()

    def _next_job(self) -> _Job | None:
        """The oldest job that somebody waits for; the thread ends without one."""
        with self._lock:
            self._jobs = {key: job for key, job in self._jobs.items() if _is_awaited(job)}
            job = next((job for job in self._jobs.values() if not job.failed), None)
            if job is None:
                self._thread = None
            return job

    def _trace(self, job: _Job) -> TracedSentences | None:
        """The result; None if nobody waits for it any more."""
        encoder = job.request.make_encoder()
        batches, unknown, beyond = _tokenize(job.request, encoder)
        if not batches:
            return TracedSentences(None, None, unknown, beyond)
        traces: list[SentenceTrace] = []
        try:
            pairs = pair_weights(_paced(job, encoder.trace_sentences(batches, job.request.mask), traces))
        except _NobodyWaits:
            return None
        cut = sum(batch.truncated[0] > 0 for batch in batches)
        return TracedSentences(context_vectors(traces), pairs, unknown, beyond, cut)


def _paced(job: _Job, traces: Iterator[SentenceTrace], passed: list[SentenceTrace]) -> Iterator[SentenceTrace]:
    """The traces, which are added to `passed`, with pauses while pages compute. Raises _NobodyWaits."""
    start = time.monotonic()
    for trace in traces:
        passed.append(trace)
        job.traced = len(passed)
        yield trace
        end_with_server()
        if not _is_awaited(job):
            raise _NobodyWaits
        if anyone_computes():
            time.sleep(time.monotonic() - start)
        start = time.monotonic()


def _tokenize(request: TracingRequest, encoder: Encoder) -> tuple[list[TokenBatch], int, int]:
    """The tokens of the sentences that can be traced; number of unknown ones, and of those beyond `max_bytes`."""
    batches: list[TokenBatch] = []
    unknown = used = 0
    for index, sentence in enumerate(request.sentences):
        batch = _read(sentence, encoder)
        if batch is None:
            unknown += 1
            continue
        used += result_bytes(encoder.config, batch.ids.size)
        if used > request.max_bytes:
            return batches, unknown, len(request.sentences) - index
        batches.append(batch)
    return batches, unknown, 0


def _read(sentence: str, encoder: Encoder) -> TokenBatch | None:
    """The tokens of a sentence; None if it has none, or one that is not in the vocabulary."""
    tokenizer = encoder.tokenizer
    if tokenizer is None:
        return None
    try:
        batch = tokenizer(sentence, max_len=encoder.config.max_len)
    except ValueError:
        return None
    unknown = _unknown_id(tokenizer)
    return None if unknown is not None and (batch.ids == unknown).any() else batch


def _unknown_id(tokenizer: Tokenizer) -> int | None:
    return tokenizer.vocabulary.index(UNK) if UNK in tokenizer.vocabulary else None


def result_bytes(config: EncoderConfig, seq: int) -> int:
    """Memory of the result for a sentence of `seq` tokens, at most: float32 vectors, and weights, places, kinds and
    words of all pairs."""
    vectors = 4 * (config.num_layers + 1) * seq * config.d_model
    weights = 4 * config.num_layers * config.num_heads
    return vectors + (weights + _PAIR_BYTES + _WORD_PAIR_BYTES) * seq * seq


def _no_encoder() -> Encoder:
    """In the place of the function of a failed request, which would keep its model in memory."""
    raise RuntimeError("A failed request is not traced again.")


def _is_awaited(job: _Job) -> bool:
    return time.monotonic() - job.last_seen < _PRESENT


TRACER = SentenceTracer()
