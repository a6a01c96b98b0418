"""Jupyter notebooks of a run: one in plain JAX and Flax NNX, and one with `encoder_core`.

Both end in an error where a tensor differs from that of the run.
"""

from dataclasses import fields
from importlib.metadata import version

import nbformat
import numpy as np
from jaxtyping import Int

from encoder_core.config import EncoderConfig
from encoder_core.edits.apply import edited_ids
from encoder_core.explain.number_format import format_count
from encoder_core.export.cells import Cell, code, escaped, literal, markdown
from encoder_core.export.mask_source import NAMES, has_mask, mask_cells_source
from encoder_core.export.plain import attention, comparison, edits, inputs, modules, parameters, stack
from encoder_core.export.subject import FromFile, Pretrained, Random, SomeRecipe, Subject, require_subject
from encoder_core.inputs.masks import attention_mask
from encoder_core.inputs.tokenizer import WordTokenizer, encodable
from encoder_core.recipes import RECIPES
from encoder_core.support.validation import require_type
from encoder_core.trace import Run

Notebook = nbformat.NotebookNode


def plain_notebook(subject: Subject) -> Notebook:
    """The run in plain JAX and Flax NNX, without this project: every tensor is computed and compared with the run.

    Raises ValueError for a run of embeddings, which has no ids.
    """
    run = _require_ids(subject)
    return _notebook(
        _title(subject, "A Transformer encoder, stage by stage", _PLAIN, _plain_requirements(subject)),
        parameters.configuration_cell(subject),
        *comparison.comparison_cells(run),
        *parameters.parameter_cells(subject),
        *inputs.token_cells(subject),
        *edits.edit_cells(run),
        *inputs.embedding_cells(run),
        *modules.module_cells(run),
        *attention.attention_cells(run),
        *stack.feed_forward_cells(run),
        *stack.stack_cells(run),
        *_heatmap_cells(),
    )


def _require_ids(subject: Subject) -> Run:
    require_subject(subject)
    if subject.run.trace.ids is None:
        raise ValueError("a notebook needs tokens: the input of this run is embeddings.")
    return subject.run


def encoder_core_notebook(subject: Subject) -> Notebook:
    """The same run with `encoder_core`, in a few lines.

    Raises ValueError for a run of embeddings, which has no ids.
    """
    run = _require_ids(subject)
    made = [repr(edit) for edit in run.edits]
    names = sorted({edit.partition("(")[0] for edit in made} | _classes(subject))
    return _notebook(
        _title(subject, "The same encoder with encoder_core", _WITH_PACKAGE, "encoder_core and what it needs"),
        code(
            f"from encoder_core import {', '.join(names)}",
            "",
            _encoder(subject),
            _inputs(subject),
            [f"edits = [{', '.join(made)}]"]
            if len(made) < 2
            else ["edits = [", *(f"    {edit}," for edit in made), "]"],
            "",
            "trace = encoder.trace(inputs, mask, edits)",
            "trace.layers[0].pattern[0, 0]  # (query, key) attention weights: layer 0, sentence 0, head 0",
        ),
        *comparison.comparison_cells(run),
        code(
            """
            compare(**{name: getattr(trace, name) for name in APP if not name.startswith("layers.")})
            for index, layer in enumerate(trace.layers):
                prefix = f"layers.{index}."
                names = [name.removeprefix(prefix) for name in APP if name.startswith(prefix)]
                compare(prefix, **{name: getattr(layer, name) for name in names})
            """
        ),
    )


def notebook_json(notebook: Notebook) -> bytes:
    """The notebook as a file. Raises ValueError for what is no notebook, and nbformat.ValidationError for one that is
    not valid."""
    require_type("notebook", notebook, Notebook, "notebooks, such as plain_notebook(subject)")
    nbformat.validate(notebook)
    return nbformat.writes(notebook).encode()


_PLAIN = (
    "This notebook computes every stage of the encoder that you saw in the Encoder Walkthrough, in plain JAX and Flax "
    "NNX. After each stage, it compares its tensors with those of the app."
)
_WITH_PACKAGE = (
    "The package of the Encoder Walkthrough computes the same tensors in a few lines. Run this notebook in the folder "
    "of the project, which contains `encoder_core`, or install the project there with `pip install .`."
)


def _notebook(*cells: Cell) -> Notebook:
    notebook = nbformat.v4.new_notebook(cells=list(cells))
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["language_info"] = {"name": "python"}
    for number, cell in enumerate(notebook.cells, 1):  # the same state gives the same file
        cell["id"] = f"cell-{number}"
    return notebook


def _title(subject: Subject, title: str, text: str, requirements: str) -> Cell:
    c, trace = subject.config, subject.run.trace
    link = f"\n\nThe same state in the app: <{subject.link}>" if subject.link else ""
    return markdown(
        f"# {title}\n\n{text}\n\n"
        f"- Encoder: {escaped(subject.encoder_name)}\n"
        f"- {_count(c.num_layers, 'layer')}, {_count(c.num_heads, 'head')}, d_model {c.d_model}, "
        f"d_ff {c.d_ff}, {c.norm}-norm\n"
        f"- {_count(trace.real.shape[0], 'sentence')} of up to {_count(trace.real.shape[1], 'token')}\n"
        f"- {_count(len(subject.run.edits), 'edit')}\n"
        f"- Needs {requirements}{link}"
    )


def _count(number: int, thing: str) -> str:
    return format_count(number, thing) if number else f"no {thing}s"


def _plain_requirements(subject: Subject) -> str:
    more = ["safetensors"] if isinstance(subject.origin, Pretrained | FromFile) else []
    if isinstance(subject.origin, Pretrained):
        more += ["tokenizers", "huggingface_hub"]
    packages = " ".join(["jax", "flax", "numpy", *more])
    return (
        f"`pip install {packages}`, and `plotly` for the figure at the end (written with jax {version('jax')} and flax "
        f"{version('flax')})"
    )


def _heatmap_cells() -> list[Cell]:
    return [
        markdown("## The attention of one sentence\n\nAll heads of a layer; choose another layer or sentence."),
        code(
            """
            import plotly.express as px

            layer, sentence = 0, 0
            names = [f"{number} {token}" for number, token in enumerate(tokens[sentence], 1)]
            px.imshow(tensors[f"layers.{layer}.pattern"][sentence], facet_col=0, facet_col_wrap=4, x=names, y=names,
                      zmin=0, color_continuous_scale="Purples", labels={"x": "key", "y": "query", "facet_col": "head"},
                      height=320 * -(-num_heads // 4))
            """
        ),
    ]


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
                f'encoder = Encoder.from_parameters(config, load_file("{parameters.PARAMETER_FILE}"))',
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
