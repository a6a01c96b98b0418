"""The cells of the notebook that uses `encoder_core`."""

from dataclasses import fields

import numpy as np
from jaxtyping import Int

from encoder_core.config import EncoderConfig
from encoder_core.edits.apply import edited_ids
from encoder_core.export.cells import NotebookCell, code, literal
from encoder_core.export.mask_source import NAMES, has_mask, mask_cells_source
from encoder_core.export.plain.parameters import PARAMETER_FILE
from encoder_core.export.subject import FromFile, Pretrained, Random, SomeRecipe, Subject
from encoder_core.inputs.masks import attention_mask
from encoder_core.inputs.tokenizer import WordTokenizer, encodable
from encoder_core.recipes import RECIPES
from encoder_core.trace import Run


def trace_cell(subject: Subject) -> NotebookCell:
    """The encoder, its inputs and edits, and the trace."""
    made = [repr(edit) for edit in subject.run.edits]
    names = sorted({edit.partition("(")[0] for edit in made} | _classes(subject))
    return code(
        f"from encoder_core import {', '.join(names)}",
        "",
        _encoder(subject),
        _inputs(subject),
        [f"edits = [{', '.join(made)}]"] if len(made) < 2 else ["edits = [", *(f"    {edit}," for edit in made), "]"],
        "",
        "trace = encoder.trace(inputs, mask, edits)",
        "trace.layers[0].pattern[0, 0]  # (query, key) attention weights: layer 0, sentence 0, head 0",
    )


def comparison_cell() -> NotebookCell:
    """The comparison of all tensors of the trace with those of the run."""
    return code(
        """
        compare(**{name: getattr(trace, name) for name in APP if not name.startswith("layers.")})
        for index, layer in enumerate(trace.layers):
            prefix = f"layers.{index}."
            names = [name.removeprefix(prefix) for name in APP if name.startswith(prefix)]
            compare(prefix, **{name: getattr(layer, name) for name in names})
        """
    )


def _classes(subject: Subject) -> set[str]:
    batch = {"TokenBatch"} if _is_token_batch(subject) else set()
    match subject.origin:
        case Random() | FromFile():
            return {"Encoder", "EncoderConfig"} | batch
        case SomeRecipe():
            return {"Encoder", "RECIPES"}
        case Pretrained():
            return {"Encoder"}


def _is_token_batch(subject: Subject) -> bool:
    """Whether the inputs are tokens with their ids: the encoder of the notebook would give other ids to the text, or
    there is no text, and ids alone have no padding."""
    config, run = subject.config, subject.run
    match subject.origin:
        case FromFile():
            return bool(run.trace.tokens)
        case Random() if not subject.sentences:
            return bool(run.trace.tokens) and not run.trace.real.all()
        case Random():
            pass
        case _:
            return False
    try:
        tokenizer = WordTokenizer.from_texts(subject.sentences, max_len=config.max_len, max_vocab=config.vocab_size)
        of_text = tokenizer(subject.sentences, max_len=config.max_len).ids
    except ValueError:  # a sentence has no words, but tokens of another tokenizer
        return True
    return not _has_ids(run, of_text)


def _has_ids(run: Run, ids: Int[np.ndarray, "batch seq"]) -> bool:
    """Whether the run's inputs are these ids, apart from those that its edits replace."""
    trace_ids = run.trace.ids
    if trace_ids is None or ids.shape != trace_ids.shape:
        return False
    return np.array_equal(edited_ids(ids, run.effects), trace_ids)


def _encoder(subject: Subject) -> list[str]:
    match subject.origin:
        case Random(seed):
            return [_config(subject.config), f"encoder = Encoder.random(config, seed={seed})"]
        case SomeRecipe(name, variant, seed):
            return [f"encoder = Encoder.recipe({name!r}, {variant!r}, seed={seed})"]
        case FromFile():
            return [
                "from safetensors.numpy import load_file",
                "",
                _config(subject.config),
                f'encoder = Encoder.from_parameters(config, load_file("{PARAMETER_FILE}"))',
            ]
        case Pretrained(name):
            return [f"encoder = Encoder.pretrained({name!r}, max_len={subject.config.max_len})"]


def _config(config: EncoderConfig) -> str:
    """The configuration, with the fields that differ from the defaults."""
    given = {field.name: getattr(config, field.name) for field in fields(config)}
    changed = {name: value for name, value in given.items() if value != getattr(_DEFAULTS, name)}
    return "config = EncoderConfig(" + ", ".join(f"{name}={value!r}" for name, value in changed.items()) + ")"


_DEFAULTS = EncoderConfig()


def _inputs(subject: Subject) -> list[str]:
    """The code that makes `inputs` and `mask`."""
    run, trace = subject.run, subject.run.trace
    match subject.origin:
        case SomeRecipe(name, _, seed) if _has_ids(run, (drawn := RECIPES[name].inputs(seed)).inputs.ids):
            lines = [f"inputs, mask, _ = RECIPES[{name!r}].inputs(seed={seed})"]
            if np.array_equal(attention_mask(drawn.mask, trace.real, run.config.num_heads), trace.mask):
                return lines
        case _ if _is_token_batch(subject):
            batch = (tuple(trace.tokens), [] if trace.ids is None else trace.ids.tolist(), trace.real.tolist())
            tokens, ids, real = (
                literal(name, value) for name, value in zip(("tokens", "ids", "real"), batch, strict=True)
            )
            lines = [
                "import numpy as np",
                tokens,
                ids,
                real,
                "inputs = TokenBatch(tokens, np.array(ids), np.array(real), (0,) * len(ids))",
            ]
        case _ if subject.sentences:
            lines = [literal("inputs", [encodable(sentence) for sentence in subject.sentences])]
        case _:
            assert trace.ids is not None
            lines = ["import numpy as np", "", literal("ids", trace.ids.tolist()), "inputs = np.array(ids)"]
    named = next((name for name in NAMES if has_mask(run, name)), "other")
    if named != "other":
        return [*lines, f"mask = {named!r}"]
    return [*lines, "import numpy as np", "", mask_cells_source(run)]
