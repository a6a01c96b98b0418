"""What the start page shows: the encoder, the sentence, one head, and the selected word."""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from dashboard.models.model import Model, model_for
from dashboard.models.story import PRONOUN, has_known_answer, has_question, story_head, story_settings
from dashboard.navigation import open_page
from dashboard.selection import focus
from dashboard.selection.word_position import nearest_word
from dashboard.state.choices import PREDICT, PREDICT_FIRST, STORY_TOKEN, VIEW, WEIGHTS_FIGURE
from dashboard.state.offered_encoders import RANDOM
from dashboard.state.parameter import Parameter
from dashboard.state.session import session
from dashboard.state.setting_parameters import DEFAULTS, SETTINGS
from encoder_core import attention_from, strongest_heads
from encoder_core.analysis.language import special_tokens_and_query


class Story(NamedTuple):
    """One word of the sentence, in one head of a trained encoder; layer, head and token count from 0.

    encoder  its name in the sidebar
    """

    encoder: str
    model: Model
    layer: int
    head: int
    token: int

    @property
    def words(self) -> tuple[str, ...]:
        """The tokens of the sentence."""
        return self.model.batch.tokens[0]

    @property
    def word(self) -> str:
        """The selected word."""
        return self.words[self.token]

    @property
    def weights(self) -> Float[np.ndarray, "key"]:
        """The weights of the selected word in the head."""
        return self.model.trace.layers[self.layer].pattern[0, self.head, self.token]

    @property
    def mean_weights(self) -> Float[np.ndarray, "key"]:
        """The weights of the selected word, averaged over all heads of all layers."""
        return attention_from(self.model.trace, self.token).mean(axis=(0, 1))

    @property
    def key_token(self) -> int:
        """The other word with the largest weight; the selected word if there is no other."""
        heads = strongest_heads(
            self.weights[None, None], excluded=special_tokens_and_query(self.words, self.token), count=1
        )
        return heads[0].key if heads else self.token

    @property
    def asks(self) -> bool:
        """Whether the sentence has the pronoun and the two nouns of the question."""
        return has_question(self.words)

    @property
    def has_known_answer(self) -> bool:
        """Whether readers agree on what the pronoun refers to; of other sentences, nobody has asked them."""
        return has_known_answer(self.model.settings.text)

    @property
    def num_heads(self) -> int:
        """The number of heads in all layers."""
        return self.model.config.num_layers * self.model.config.num_heads


def read_story(encoder: str) -> Story:
    """The story of the session's text and selected word: "it" by default, or the first word."""
    model = model_for(story_settings(encoder, session().get(SETTINGS["text"])))
    head, words = story_head(encoder), model.batch.tokens[0]
    default = words.index(PRONOUN) if PRONOUN in words else nearest_word(0, words, model.batch.real[0])
    token = session().get_option(STORY_TOKEN, range(1, len(words) + 1), default + 1) - 1
    return Story(encoder, model, head.layer, head.head, token)


def story_choices(story: Story) -> list[tuple[Parameter[Any], Any]]:
    """The parameters, with values, that show the story on the other pages."""
    position = {"sentence": 0, "layer": story.layer, "head": story.head, "token": story.token,
                "key_token": story.key_token}  # fmt: skip
    parameters = focus.focus_parameters()
    return [
        (SETTINGS["encoder"], story.encoder),
        (SETTINGS["mask"], DEFAULTS["mask"]),
        (PREDICT, PREDICT_FIRST),
        (VIEW, "One word"),
        (WEIGHTS_FIGURE, "Lines"),
        *((parameters[part], position[part] + 1) for part in focus.PARTS),
    ]


def follow(story: Story, page: str) -> None:
    """Open a page with the encoder, the head and the word of the story; call it from a callback."""
    _open(story, page, story_choices(story))


def open_random(story: Story) -> None:
    """Open the map of the random encoder with the word of the story; call it from a callback."""
    parameters = focus.focus_parameters()
    words = {"sentence": 0, "token": story.token, "key_token": story.key_token}
    _open(story, "map", [
        (SETTINGS["encoder"], RANDOM), *((parameters[part], words[part] + 1) for part in focus.PARTS if part in words),
    ])  # fmt: skip


def _open(story: Story, page: str, choices: Sequence[tuple[Parameter[Any], Any]]) -> None:
    for parameter, value in choices:
        session().set(parameter, value)
    focus.set_labels(story.words)
    open_page(page)
