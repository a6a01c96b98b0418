"""The end of the walkthrough, below the full stack: back to the first question, uses of an encoder, and decoders."""

from dataclasses import dataclass

import numpy as np

from dashboard.lessons.transitions.transition import Demonstration
from dashboard.markdown import capitalize, name_in_sentence
from dashboard.models.model import Model, sentences_of
from dashboard.models.story import NOUN, PRONOUN, has_known_answer
from dashboard.selection.focus import Part, focus_parameters
from dashboard.state.choices import VIEW
from dashboard.state.setting_parameters import SETTINGS, mask_setting
from encoder_core import attention_from, strongest_heads
from encoder_core.analysis import later_key_share
from encoder_core.analysis.language import are_equal_weights
from encoder_core.inputs.masks import attention_mask
from encoder_core.support.number_format import format_percent, format_weight
from encoder_core.support.wording import format_count, head_name


@dataclass(frozen=True)
class Ending:
    """A section of the end: title, text in markdown, and what the user can do next."""

    title: str
    text: str
    demonstration: Demonstration


def introduction(model: Model) -> str:
    """What the encoder has computed."""
    return (
        f"The walkthrough ends with a vector of {format_count(model.config.d_model, 'number')} for each token. The "
        "first question again, what the vectors are used for, and what a decoder does differently:"
    )


def endings(model: Model) -> list[Ending]:
    """The sections of the end."""
    return [_pronoun(model), _uses(), _decoder(model)]


def _pronoun(model: Model) -> Ending:
    """The pronoun and its noun in this model, if its text has both and the noun can be attended to."""
    title = f"Back to “{PRONOUN}”"
    for sentence, words in enumerate(model.batch.tokens):
        if PRONOUN not in words or NOUN not in words:
            continue
        token, key = words.index(PRONOUN), words.index(NOUN)
        weights = attention_from(model.trace, token, sentence)
        (best,) = strongest_heads(weights, key, count=1)
        if best.weight == 0:
            continue
        position: dict[Part, int] = {"sentence": sentence, "layer": best.layer, "head": best.head, "token": token,
                                     "key_token": key}  # fmt: skip
        pronoun, noun = (name_in_sentence(words, place) for place in (token, key))
        to_noun, weight = weights[..., key], f"**{format_weight(best.weight)}** of its weight"
        is_same = are_equal_weights(to_noun)
        numbers = "The number" if is_same else "Both numbers"
        if is_same:
            measured = f"gives {noun} {weight} in {'its only' if to_noun.size == 1 else 'every'} head."
        else:
            mean = format_weight(float(to_noun.mean()))
            measured = (
                f"gives {noun} most in {head_name(best.layer, best.head)}: {weight} there. The mean over all heads is "
                f"{mean}."
            )
        return Ending(
            title,
            f"{capitalize(pronoun)} {measured} {_meaning(model, sentence, numbers)}",
            Demonstration(
                f"One word: “{PRONOUN}” → “{NOUN}”",
                "full_stack",
                [(VIEW, "One word"), *((focus_parameters()[part], place + 1) for part, place in position.items())],
            ),
        )
    return Ending(
        title,
        f"The walkthrough began with a question: what does “{PRONOUN}” refer to? The start page asks it of a trained "
        "encoder.",
        Demonstration("Back to the question", "start"),
    )


def _meaning(model: Model, sentence: int, numbers: str) -> str:
    are = "is" if numbers == "The number" else "are"
    if model.edits:
        return f"{numbers} {are} {'that' if are == 'is' else 'those'} after your edits."
    if not model.is_trained:
        return f"This encoder is untrained, so {numbers.lower()} {are} chance."
    if has_known_answer(sentences_of(model)[sentence]):
        return f"That “{PRONOUN}” refers to “{NOUN}” is our reading of one head. The head itself only weighs keys."
    return f"A weight does not say what “{PRONOUN}” refers to: the head only weighs keys."


def _uses() -> Ending:
    return Ending(
        "One vector for a sentence",
        "The mean of a sentence's output vectors is a vector for the whole sentence. Encoders such as minilm are "
        "trained so that sentences with a similar meaning have a large cosine: a search then finds texts that share no "
        "word with the question. Encoders also classify texts, mark the names in them, and fill in hidden words.",
        Demonstration("Compare sentences", "full_stack", [(VIEW, "Sentences")]),
    )


def _decoder(model: Model) -> Ending:
    """Encoder and decoder, with the weight of later keys in this model, and a switch of the causal mask."""
    setting = mask_setting(model.settings.encoder)
    mask = model.settings.recipe_mask if setting == "recipe_mask" else model.settings.mask
    is_causal = _is_causal(model)
    later, text = _later_weight(model, is_causal)
    if is_causal:
        text = (
            f"This model has a causal mask, as a decoder has. Here, {text}. Without it, a token may attend to both "
            "sides."
        )
        label, new = "Switch the causal mask off", "none" if setting == "recipe_mask" or mask == "causal" else "padding"
    else:
        text = f"In an encoder, a token may attend to both sides{': for this text,' if later else ', but here'} {text}."
        label, new = "Switch the causal mask on", "causal" if setting == "recipe_mask" or mask == "none" else "both"
    return Ending(
        "Encoder or decoder?",
        f"{text} A decoder is trained to predict the next token, so a causal mask hides all later tokens from each "
        "query; its layers are otherwise those of an encoder. (The decoder of the original Transformer also attends "
        "to the output of an encoder.)",
        Demonstration(label, "full_stack", [(SETTINGS[setting], new)]),
    )


def _later_weight(model: Model, is_causal: bool) -> tuple[float, str]:
    """The share of the attention weight of real queries that later tokens get, and what there is to say about it."""
    patterns, real = [layer.pattern for layer in model.trace.layers], model.batch.real
    later = later_key_share(model.trace)
    note = "" if real.all() else " (padding counts neither as a query nor as a later token)"
    if not any(np.swapaxes(pattern, 1, 2)[real].any() for pattern in patterns):
        return later, f"all attention weights are 0{note}"
    if model.batch.ids.shape[1] == 1:
        return later, "no token has a later one"
    unmasked = ", because you set scores that are masked" if is_causal and later else ""
    return later, f"**{format_percent(later)}** of all attention weight goes to later tokens{note}{unmasked}"


def _is_causal(model: Model) -> bool:
    """Whether the mask, without edits, is causal by name, or hides every later key but not every earlier one."""
    if model.mask is None or isinstance(model.mask, str):
        return model.mask in ("causal", "causal+padding")
    mask = attention_mask(model.mask, model.batch.real, model.config.num_heads)
    later = np.triu(np.ones(mask.shape[-2:], bool), 1)
    return bool(later.any() and not mask[..., later].any() and mask[..., later.T].any())
