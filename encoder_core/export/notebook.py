"""Jupyter notebooks of a run: one in plain JAX and Flax NNX, and one with `encoder_core`.

Both end in an error where a tensor differs from that of the run.
"""

from importlib.metadata import version

import nbformat

from encoder_core.export import with_package
from encoder_core.export.cells import NotebookCell, code, escaped, markdown
from encoder_core.export.plain import attention, comparison, edits, inputs, modules, parameters, stack
from encoder_core.export.subject import FromFile, Pretrained, Subject, require_subject
from encoder_core.support.validation import require_type
from encoder_core.support.wording import format_count
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
    return _notebook(
        _title(subject, "The same encoder with encoder_core", _WITH_PACKAGE, "encoder_core and what it needs"),
        with_package.trace_cell(subject),
        *comparison.comparison_cells(run),
        with_package.comparison_cell(),
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


def _notebook(*cells: NotebookCell) -> Notebook:
    notebook = nbformat.v4.new_notebook(cells=list(cells))
    notebook.metadata["kernelspec"] = {"name": "python3", "display_name": "Python 3", "language": "python"}
    notebook.metadata["language_info"] = {"name": "python"}
    for number, cell in enumerate(notebook.cells, 1):  # the same state gives the same file
        cell["id"] = f"cell-{number}"
    return notebook


def _title(subject: Subject, title: str, text: str, requirements: str) -> NotebookCell:
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


def _heatmap_cells() -> list[NotebookCell]:
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
