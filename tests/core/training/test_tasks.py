"""The tasks: right outputs by hand, random inputs, and the keys that a task suggests."""

import pickle

import numpy as np
import pytest

from encoder_core import Encoder
from encoder_core.training import TrainingPlan, tasks
from encoder_core.training.expected_keys import TASK_KEYS, key_sets, weight_on
from encoder_core.training.tasks import words


@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [
        ("copy", "abba", "a b b a"),
        ("reverse", "abcd", "d c b a"),
        ("sort", "cabb", "a b b c"),
        ("bracket", "(())()", "4 3 2 1 6 5"),
        ("bracket", ")((", "none none none"),
        ("repeat", "cat dog cat", "cat cat cat"),
        ("repeat", "cat dog", "none none"),
        ("majority", "abacb a", "a a a a a a"),
    ],
)
def test_the_right_outputs_by_hand(name, text, expected):
    task = tasks()[name]
    batch = task.tokenizer(text)
    targets, scored = task.solve(batch.ids, batch.real)
    assert [task.vocabulary[index] for index in targets[0]] == expected.split()
    assert scored.all()


def test_each_sentence_has_a_hidden_word():
    """15% of one or two words are mostly none: then the word with the smallest random number is hidden."""
    ids, real = np.array([[7, 0], [8, 9]]), np.array([[True, False], [True, True]])
    for seed in range(20):
        _, hidden = words.hide(np.random.default_rng(seed), ids, real)
        assert hidden.any(axis=1).all()
        assert not (hidden & ~real).any()


@pytest.mark.parametrize(("name", "text"), [("repeat", "cat dog cat dog"), ("majority", "aabb")])
def test_an_input_without_a_right_output_does_not_count(name, text):
    batch = tasks()[name].tokenizer(text)
    assert not tasks()[name].solve(batch.ids, batch.real)[1].any()


def test_padding_is_never_scored_and_outputs_are_ids_of_the_vocabulary():
    for task in tasks().values():
        batch = task.sample(np.random.default_rng(0), 40)
        assert not (batch.scored & ~batch.real).any(), task.name
        assert batch.targets.min() >= 0
        assert batch.targets.max() < len(task.vocabulary)
        assert (batch.ids[~batch.real] == 0).all()


@pytest.mark.parametrize(
    ("name", "text"), [("reverse", "a1"), ("bracket", "(x)"), ("repeat", "cat <b>"), ("copy", "  ")]
)
def test_a_text_that_a_task_cannot_read_is_answered_with_its_rule(name, text):
    with pytest.raises(ValueError, match="Allowed are up to"):
        tasks()[name].tokenizer(text)


@pytest.mark.parametrize(
    ("name", "text", "rows"),
    [
        ("reverse", "abc", "001 010 100"),
        ("sort", "bab", "010 101 101"),
        ("bracket", "(())", "0001 0010 0100 1000"),
        ("repeat", "cat dog cat", "101 101 101"),
    ],
)
def test_the_keys_of_a_task_by_hand(name, text, rows):
    keys = key_sets(name, tasks()[name].tokenizer(text).ids[0])[TASK_KEYS[name]]
    assert ["".join("01"[cell] for cell in row) for row in keys.astype(int)] == rows.split()


def test_the_weight_on_keys_is_a_mean_over_the_queries_that_have_some():
    keys = np.array([[False, True], [False, False]])
    patterns = np.array([[0.25, 0.75], [0.5, 0.5]])[None, None]
    assert weight_on(keys, patterns).tolist() == [[0.75]]
    assert weight_on(np.zeros((2, 2), bool), patterns) is None


def test_a_task_can_be_pickled():
    for task in tasks().values():
        copied = pickle.loads(pickle.dumps(task))
        batch, other = (each.sample(np.random.default_rng(3), 5) for each in (task, copied))
        for name, array in batch._asdict().items():
            np.testing.assert_array_equal(getattr(other, name), array, f"{task.name} {name}")
        assert copied.keys == task.keys
        assert repr(copied.tokenizer) == f"TaskTokenizer(vocab_size={len(task.vocabulary)})"


@pytest.mark.parametrize("name", tasks())
def test_the_tokenizer_of_a_task_is_saved_with_an_encoder(name, tmp_path):
    plan = TrainingPlan(task=name, d_model=16, num_heads=1, d_ff=16, num_layers=1)
    Encoder.random(plan.config, tokenizer=plan.definition.tokenizer).save(tmp_path / "encoder")
    assert Encoder.load(tmp_path / "encoder").tokenizer == plan.definition.tokenizer


@pytest.mark.parametrize("name", tasks())
def test_the_inputs_of_a_batch_are_those_that_were_drawn(name):
    task = tasks()[name]
    batch = task.sample(np.random.default_rng(3), 60)
    for ids, real, one in zip(batch.ids, batch.real, task.separate(batch), strict=True):
        assert one.ids.tolist() == [ids[real].tolist()]
        assert one.tokens == (tuple(task.vocabulary[index] for index in ids[real]),)
        assert one.real.all()
        assert (one.ids.dtype, one.truncated) == (batch.ids.dtype, (0,))


@pytest.mark.parametrize("name", tasks())
def test_a_task_says_which_outputs_count_where_not_all_do(name):
    task = tasks()[name]
    batch = task.sample(np.random.default_rng(3), 200, unseen=True)
    assert (batch.scored == batch.real).all() == (not task.counted)
