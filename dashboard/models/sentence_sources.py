"""The sentences that the current encoder's vectors and heads are compared with: those of the project and the user's."""

from dataclasses import replace
from functools import partial

from dashboard.models.model import Model
from dashboard.models.traced_sentences import TRACER, TracedSentences, TracingProgress, TracingRequest
from dashboard.state.setting_parameters import DEFAULT_TEXT
from dashboard.state.settings import Settings
from encoder_core import Encoder, WordTokenizer
from encoder_core.inputs.corpus import load_sentences
from encoder_core.inputs.masks import MaskName
from encoder_core.inputs.tokenizer import split_words

_UPLOADED_BYTES = 16_000_000  # of the traces of one user's sentences: about 1,300 tokens in MiniLM


def project_sentences(model: Model) -> TracedSentences | TracingProgress:
    """The traces of the project's sentences without edits, or their progress."""
    return TRACER.get(_request(model, load_sentences()))


def uploaded_sentences(model: Model, sentences: tuple[str, ...]) -> TracedSentences | TracingProgress:
    """The traces of a user's sentences without edits, or their progress."""
    return TRACER.get(_request(model, sentences)._replace(max_bytes=_UPLOADED_BYTES))


def sentences_mask(settings: Settings) -> MaskName | None:
    """The mask of the sentences: that of the sidebar. They have no padding, and a custom mask belongs to the text."""
    return "causal" if settings.mask in ("causal", "both") else None


def _request(model: Model, sentences: tuple[str, ...]) -> TracingRequest:
    """The request for these sentences. Its key has all that changes the result, and not the user's text."""
    mask = sentences_mask(model.settings)
    settings = replace(model.settings.without_custom_mask, mask="padding", text=DEFAULT_TEXT)
    if model.has_vocabulary:
        return TracingRequest((settings, mask, sentences), lambda: model.encoder, sentences, mask)
    # The vocabulary of a random encoder is that of the text. The user's words come first, so that they keep their rows.
    key = (settings, mask, sentences, model.vocabulary)
    return TracingRequest(key, partial(_random_encoder, model.encoder, settings.seed, sentences), sentences, mask)


def _random_encoder(encoder: Encoder, seed: int, sentences: tuple[str, ...]) -> Encoder:
    """The same random encoder with a vocabulary that also has the words of the project and of these sentences."""
    words = (word for sentence in (*load_sentences(), *sentences) for word in split_words(sentence))
    tokenizer = WordTokenizer([*(encoder.tokenizer.vocabulary if encoder.tokenizer else ()), *words])
    return Encoder.random(replace(encoder.config, vocab_size=len(tokenizer)), seed, tokenizer=tokenizer)
