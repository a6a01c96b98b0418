"""The recipes' sizes, batches, notes and errors, as their tutorials have them."""

import dataclasses

import numpy as np
import pytest

from encoder_core import RECIPES, Dropout, Encoder
from encoder_core.analysis import numerical_rank
from encoder_core.recipes.example import words_of
from encoder_core.recipes.recipe import VARIANTS

NAMES = ["nnx", "haiku", "nanolm", "annotated", "article"]
SIZES = {  # batch, seq, d_model, heads, d_ff, layers
    "nnx": (2, 16, 64, 4, 256, 3),
    "haiku": (2, 12, 64, 8, 128, 6),
    "nanolm": (8, 10, 256, 8, 1024, 6),
    "annotated": (1, 100, 20, 4, 80, 1),
    "article": (32, 10, 64, 4, 256, 1),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("variant", VARIANTS)
def test_every_recipe_runs_on_its_own_batch_at_its_sizes(name, variant):
    recipe, encoder = RECIPES[name], Encoder.recipe(name, variant, seed=1)
    batch, seq, d_model, heads, d_ff, layers = SIZES[name]
    config = encoder.config
    assert (config.d_model, config.num_heads, config.d_ff, config.num_layers) == (d_model, heads, d_ff, layers)
    inputs = recipe.inputs(seed=4)
    assert inputs.inputs.ids.shape == (batch, seq)
    assert [len(sentence) for sentence in inputs.inputs.tokens] == [seq] * batch
    assert inputs.description
    trace = encoder.trace(inputs.inputs, inputs.mask)
    assert trace.output.shape == (batch, seq, d_model)
    assert np.isfinite(trace.output).all()
    if config.dropout:
        assert (encoder.trace(inputs.inputs, inputs.mask, [Dropout(1)]).output != trace.output).any()


def test_recipes_are_read_only():
    recipe = RECIPES["haiku"]
    for mapping in (RECIPES, recipe.variants, recipe.demos):
        with pytest.raises(TypeError):
            mapping["haiku"] = recipe
    inputs = recipe.inputs()
    for array in (inputs.mask, inputs.inputs.ids, inputs.inputs.real):
        assert not array.flags.writeable
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_the_recipes_and_what_they_choose():
    assert list(RECIPES) == NAMES
    chosen = {
        name: (c.norm, c.activation, c.positions, c.norm_eps, c.dropout, c.dropout_at if c.dropout else ())
        for name, recipe in RECIPES.items()
        for c in [recipe.config()]
    }
    around = ("attn_out", "mlp_act", "mlp_out")
    assert chosen == {
        "nnx": ("post", "gelu_tanh", "none", 1e-6, 0.1, around),
        "haiku": ("post", "relu", "none", 1e-5, 0.1, around),
        "nanolm": ("pre", "relu", "learned", 1e-6, 0.2, ("pattern", "mlp_act")),
        "annotated": ("post", "relu", "sinusoidal", 1e-6, 0.1, ("embedded",)),
        "article": ("post", "gelu_tanh", "sinusoidal", 1e-6, 0.0, ()),
    }


def test_nanolm():
    recipe = RECIPES["nanolm"]
    written, intended = Encoder.recipe("nanolm", "as written"), Encoder.recipe("nanolm")
    assert written.num_parameters == recipe.num_parameters("as written") == 3_426_468
    assert round(written.num_bytes / 2**20, 2) == 13.07
    assert (written.config.qkv_width, written.config.d_head) == (32, 4)
    assert (intended.config.qkv_width, intended.config.d_head) == (256, 32)
    batch = recipe.inputs()
    assert written.trace(batch.inputs, batch.mask).logits.shape == (8, 10, 100)
    assert batch.mask == "causal"
    assert written.parameters()["token_embedding"].std() == pytest.approx(1 / 16, rel=0.05)
    assert written.config.max_len == 64


def test_nnx_as_written_differs_in_two_options():
    intended, written = (RECIPES["nnx"].config(variant) for variant in VARIANTS)
    changed = {
        field.name: (getattr(intended, field.name), getattr(written, field.name))
        for field in dataclasses.fields(intended)
        if getattr(intended, field.name) != getattr(written, field.name)
    }
    assert changed == {
        "activation_after": ("first_linear", "second_linear"),
        "attention_read_out": ("stack", "input"),
    }


def test_annotated_as_written_never_drops():
    """Its only dropout is deterministic; the paper's rate after the sum is what is intended."""
    intended, written = (RECIPES["annotated"].config(variant) for variant in VARIANTS)
    assert (intended.dropout, intended.dropout_at) == (0.1, ("embedded",))
    assert (written.dropout, written.dropout_at) == (0.0, ())
    encoder, ids = Encoder.recipe("annotated", "as written"), RECIPES["annotated"].inputs().inputs
    for dropout in (Dropout(1), Dropout(1, 0.9)):
        np.testing.assert_array_equal(encoder.trace(ids, None, [dropout]).output, encoder.trace(ids).output)
    assert {note.title: note.differs_from for note in RECIPES["annotated"].notes} == {
        "Divided, not multiplied": "paper",
        "Dropout that is never applied": "paper",
        "Frequencies by exp and log": "paper",
        "The blocks are unfinished": "text",
    }


@pytest.mark.parametrize("name", NAMES)
def test_a_note_that_differs_from_the_paper_says_what_the_paper_has(name):
    for note in RECIPES[name].notes:
        assert note.text
        assert note.code
        assert note.paper is None or "(section " in note.paper
        assert note.paper is not None or note.differs_from == "text"


def test_the_rank_of_a_head_of_nanolm_is_its_width():
    """Q K^T of 10 tokens: rank 4 with heads of 4, and 10, all that 10 rows can have, with heads of 32."""
    batch = RECIPES["nanolm"].inputs()
    for variant, rank in (("as written", 4), ("as intended", 10)):
        dots = Encoder.recipe("nanolm", variant).trace(batch.inputs, batch.mask).layers[0].dot_products
        assert dots.shape == (8, 8, 10, 10)
        assert {numerical_rank(matrix) for sentence in dots for matrix in sentence} == {rank}


@pytest.mark.parametrize("name", ["nnx", "haiku"])
def test_random_rows_are_the_batch_and_no_parameters(name):
    recipe = RECIPES[name]
    batch = recipe.inputs(seed=2)
    assert len(np.unique(batch.inputs.ids)) == batch.inputs.ids.size
    trace = Encoder.recipe(name).trace(batch.inputs, batch.mask)
    assert abs(trace.embedded.mean()) < 0.1
    assert trace.embedded.std() == pytest.approx(1, rel=0.1)
    rows = Encoder.recipe(name).trace(trace.embedded, trace.mask)  # as embeddings, as the tutorial gives them
    np.testing.assert_array_equal(rows.output, trace.output)
    config = recipe.config()
    assert recipe.num_parameters() == Encoder.recipe(name).num_parameters - config.vocab_size * config.d_model


def test_the_random_padding_mask_of_haiku():
    hidden = []
    for seed in range(50):
        batch = RECIPES["haiku"].inputs(seed)
        assert batch.mask.shape == (2, 1, 12)
        assert batch.mask.any(-1).all()
        np.testing.assert_array_equal(batch.inputs.real, batch.mask[:, 0])
        padding = [[token == "[PAD]" for token in sentence] for sentence in batch.inputs.tokens]
        np.testing.assert_array_equal(padding, ~batch.inputs.real)
        hidden.append((~batch.mask).mean())
    assert np.mean(hidden) == pytest.approx(0.5, abs=0.05)


def test_annotated_divides_where_the_paper_multiplies():
    batch = RECIPES["annotated"].inputs()
    assert batch.inputs.ids.tolist() == [list(range(100))]
    for variant, factor in (("as intended", 20**0.5), ("as written", 20**-0.5)):
        trace = Encoder.recipe("annotated", variant).trace(batch.inputs)
        np.testing.assert_allclose(trace.scaled_embedding, factor * trace.token_embedding, rtol=1e-6)
        assert trace.scaled_embedding.std() == pytest.approx(
            {"as intended": 1, "as written": 1 / 20}[variant], rel=0.05
        )


def test_the_words_of_the_article():
    recipe = RECIPES["article"]
    words = words_of(recipe.example.text)
    assert words[:9] == ["cest", "un", "trou", "de", "verdure", "où", "chante", "une", "rivière"]
    batch = recipe.inputs(seed=3).inputs
    assert recipe.config().vocab_size == len(set(words))
    text = " ".join(words)
    for sentence, ids in zip(batch.tokens, batch.ids, strict=True):
        assert " ".join(sentence) in text
        assert len(set(sentence)) == len(set(ids))
    assert batch.tokens != recipe.inputs(seed=4).inputs.tokens
    assert batch.tokens == recipe.inputs(seed=3).inputs.tokens
    assert recipe.config().d_head == 16
    assert recipe.figures_seq == 20


@pytest.mark.parametrize("name", NAMES)
def test_each_note_isolates_one_point_and_its_effect_is_where_it_says(name):
    recipe = RECIPES[name]
    assert recipe.notes
    for note in recipe.notes:
        assert (note.as_intended is None) == (note.as_written is None) == (note.tensor is None)
        has_one_variant = all(map(note.matches_code, recipe.variants.values()))
        assert bool(note.why_one_variant) == has_one_variant, "a difference that cannot be run has a reason"
        if note.as_intended is None or note.as_written is None:
            continue
        differing = [
            field.name
            for field in dataclasses.fields(note.as_intended)
            if getattr(note.as_intended, field.name) != getattr(note.as_written, field.name)
        ]
        assert len(differing) == 1
        batch = recipe.inputs()
        intended, written = (
            Encoder.random(config).trace(batch.inputs, batch.mask) for config in (note.as_intended, note.as_written)
        )
        if note.tensor in intended._fields:
            ours, theirs = getattr(intended, note.tensor), getattr(written, note.tensor)
        else:
            ours, theirs = getattr(intended.layers[-1], note.tensor), getattr(written.layers[-1], note.tensor)
        assert ours.shape != theirs.shape or np.abs(ours - theirs).max() > 0.01


@pytest.mark.parametrize("name", ["Nnx", "", "haiku ", None, 3, ["nnx"]])
def test_an_unknown_recipe_is_refused_with_the_names(name, unchecked):
    with pytest.raises(ValueError, match="recipe") as error:
        Encoder.recipe(name)
    assert repr(name) in str(error.value)
    assert all(repr(known) in str(error.value) for known in NAMES)


@pytest.mark.parametrize("variant", ["written", "", "As written", None, 1])
def test_an_unknown_variant_is_refused_with_the_names(variant, unchecked):
    with pytest.raises(ValueError, match="variant") as error:
        Encoder.recipe("nnx", variant)
    assert repr(variant) in str(error.value)
    assert all(repr(known) in str(error.value) for known in VARIANTS)


def test_a_recipe_is_frozen():
    with pytest.raises(dataclasses.FrozenInstanceError):
        RECIPES["nnx"].name = "other"


@pytest.mark.parametrize("name", ["x", ["nnx"], None])
def test_an_unknown_name_lists_the_names(name, unchecked):
    message = f"recipe {name!r} is not one of 'nnx', 'haiku', 'nanolm', 'annotated', 'article'."
    for kind in (KeyError, ValueError):
        with pytest.raises(kind) as error:
            RECIPES[name]
        assert str(error.value) == message
    assert RECIPES.get(name) is None
    assert name not in RECIPES


def test_recipes_have_a_short_text_and_can_be_hashed():
    assert repr(RECIPES) == "<recipes 'nnx', 'haiku', 'nanolm', 'annotated', 'article'>"
    assert len({*RECIPES.values(), RECIPES["nnx"]}) == 5
    assert RECIPES["nnx"] == RECIPES["nnx"] != RECIPES["haiku"]
