"""Encoders of training runs: the encoder of a checkpoint, and what it does with an example."""

from dataclasses import replace
from typing import NamedTuple

import numpy as np
import streamlit as st
from jaxtyping import Bool, Float, Int

from dashboard.state.offered_encoders import CHECKPOINT, RANDOM
from dashboard.state.parameter import describe_allowed
from dashboard.state.session import session, streamlit_session_id
from dashboard.state.setting_parameters import SETTINGS
from dashboard.state.settings import Settings, current_settings
from dashboard.training.runs import RUNS
from dashboard.training.stored_run import StoredCheckpoint, StoredRun
from encoder_core import Encoder
from encoder_core.analysis import stack_patterns


class ExampleResult(NamedTuple):
    """What an encoder does with one input of its task.

    patterns  (layer, head, query, key) attention weights
    tokens    of the input
    ids       of the tokens
    outputs   (seq,) id of the most probable output of each token
    targets   (seq,) id of the right output
    scored    (seq,) whether the output counts
    """

    patterns: Float[np.ndarray, "layer head query key"]
    tokens: tuple[str, ...]
    ids: Int[np.ndarray, "seq"]
    outputs: Int[np.ndarray, "seq"]
    targets: Int[np.ndarray, "seq"]
    scored: Bool[np.ndarray, "seq"]


def run_of(settings: Settings) -> StoredRun | None:
    """The training run that the settings name, at which the session now looks; None if this server does not have it."""
    return RUNS.find(settings.run or "", streamlit_session_id())


def run_and_checkpoint(settings: Settings) -> tuple[StoredRun, StoredCheckpoint] | None:
    """The checkpoint that the settings name; None if this server does not have its run, or none of its checkpoints."""
    run = run_of(settings)
    checkpoint = run and run.checkpoint_at(settings.checkpoint)
    return (run, checkpoint) if run and checkpoint else None


def with_existing_checkpoint(settings: Settings) -> Settings:
    """The settings with the step and the task of a checkpoint that exists; of the random encoder if there is none."""
    run_checkpoint = run_and_checkpoint(settings)
    if run_checkpoint is None:
        return replace(settings, encoder=RANDOM)
    run, checkpoint = run_checkpoint
    return replace(settings, checkpoint=checkpoint.step, train_task=run.plan.task)


def settle_checkpoint() -> None:
    """Let the session name the task and the step of the checkpoint that is used: a copy of its link shows the same.

    A link without a step means the latest checkpoint, which is another one a second later while the run goes on.
    """
    settings = current_settings()
    run_checkpoint = run_and_checkpoint(settings) if settings.encoder == CHECKPOINT else None
    if run_checkpoint:
        run, checkpoint = run_checkpoint
        correct_task(run)
        correct_checkpoint(run)
        if settings.checkpoint is None:
            session().set_derived(SETTINGS["checkpoint"], checkpoint.step)


def correct_task(run: StoredRun) -> None:
    """Replace another task than that of the run, which only a link that somebody has edited has."""
    if session().get(SETTINGS["train_task"]) != run.plan.task:
        session().set_derived(SETTINGS["train_task"], run.plan.task)


def correct_checkpoint(run: StoredRun) -> None:
    """Replace a step of the session without a checkpoint by that of the checkpoint that is used, and report why."""
    current, parameter = session(), SETTINGS["checkpoint"]
    step = current.get(parameter)
    checkpoint = run.checkpoint_at(step)
    if checkpoint and step not in (None, checkpoint.step):
        allowed = describe_allowed([stored.step for stored in run.checkpoints])
        current.correct(parameter, allowed, checkpoint.step)


def checkpoint_encoder(run: StoredRun, checkpoint: StoredCheckpoint) -> Encoder:
    """The encoder of a checkpoint."""
    return Encoder.from_parameters(run.plan.config, checkpoint.parameters, tokenizer=run.plan.definition.tokenizer)


def example_result(run: StoredRun, checkpoint: StoredCheckpoint, text: str) -> ExampleResult:
    """What the encoder of a checkpoint does with an input. Raises ValueError for one that the task cannot read."""
    return _example_result(run.id, checkpoint.step, text, run, checkpoint)


@st.cache_resource(max_entries=256, show_spinner=False)
def _example_result(run_id: str, step: int, text: str, _run: StoredRun, _checkpoint: StoredCheckpoint) -> ExampleResult:
    task = _run.plan.definition
    batch = task.tokenizer(text)
    trace = checkpoint_encoder(_run, _checkpoint).trace(batch, "padding")
    assert trace.logits is not None  # a training run has an output head
    targets, scored = task.solve(batch.ids, batch.real)
    if task.hide:  # the right outputs cannot be read from the input
        scored = np.zeros_like(scored)
    patterns = stack_patterns(trace, 0)
    return ExampleResult(
        patterns, batch.tokens[0], batch.ids[0], trace.logits[0].argmax(axis=-1), targets[0], scored[0]
    )
