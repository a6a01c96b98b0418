"""The cells with the configuration and the parameters."""

from encoder_core.export.cells import NotebookCell, code, lines_of, markdown
from encoder_core.export.subject import FromFile, Origin, Pretrained, Subject
from encoder_core.parameters import BIAS_STD
from encoder_core.pretrained.find import BRANCH, KNOWN

PARAMETER_FILE = "parameters.safetensors"


def configuration_cell(subject: Subject) -> NotebookCell:
    """The imports and the sizes."""
    c = subject.config
    return code(
        f"""
        import jax
        import jax.numpy as jnp
        import numpy as np
        from flax import nnx

        jax.config.update("jax_default_matmul_precision", "highest")  # GPUs and TPUs round matrix products otherwise

        vocab_size, d_model = {c.vocab_size}, {c.d_model}
        num_heads, d_head, qkv_dim = {c.num_heads}, {c.d_head}, {c.qkv_width}
        d_ff, num_layers = {c.d_ff}, {c.num_layers}
        norm_eps = {c.norm_eps}
        """
    )


def parameter_cells(subject: Subject) -> list[NotebookCell]:
    """The dictionary `parameters`: name -> array, after the edits of parameters."""
    cells = [markdown(f"## Parameters\n\n{_introduction(subject.origin)}"), _parameters(subject)]
    edits = [
        line
        for name, cells_of_name in subject.run.effects.parameters.items()
        for line in lines_of(cells_of_name, f'parameters["{name}"][{{key}}] = {{value}}')
    ]
    if edits:
        cells.append(code(["# The edits of parameters that were active in the app", *edits]))
    return cells


def _introduction(origin: Origin) -> str:
    match origin:
        case FromFile():
            return f"Download “Parameters” from the page *Take away* and put `{PARAMETER_FILE}` next to this notebook."
        case Pretrained(name) if name in KNOWN and KNOWN[name].package:
            return (
                "The encoder was trained. Its files come from the installed package "
                f"`{KNOWN[name].package.replace('_', '-')}` if there is one, else from the Hugging Face hub. A kernel "
                "is stored as (outputs, inputs), and is transposed here."
            )
        case Pretrained():
            return (
                "The encoder was trained. Its files come from the Hugging Face hub. A kernel is stored as (outputs, "
                "inputs), and is transposed here."
            )
        case _:
            return (
                "The parameters are random. The app draws them with NumPy from a seed, and so does this cell: a kernel "
                "has variance 1 / inputs, an embedding table "
                + ("variance 1" if origin.embedding_std == 1 else f"standard deviation {origin.embedding_std:g}")
                + f", a bias standard deviation {BIAS_STD}; a norm has scale 1 and shift 0. Each tensor has its own "
                "random stream. Encoders of different sizes share numbers, because each tensor is cut from a larger "
                "block.\n\nIf the first comparison below fails, your version of NumPy draws other numbers: download "
                f"“Parameters” from the page *Take away* and use "
                f'`safetensors.numpy.load_file("{PARAMETER_FILE}")` instead.'
            )


def _parameters(subject: Subject) -> NotebookCell:
    match subject.origin:
        case FromFile():
            return code(
                f"""
                from safetensors.numpy import load_file

                parameters = load_file("{PARAMETER_FILE}")
                """
            )
        case Pretrained(name):
            return _read_bert(subject, name)
        case origin:
            return _draw(subject, origin.seed, origin.embedding_std)


def _draw(subject: Subject, seed: int, embedding_std: float) -> NotebookCell:
    std = "" if embedding_std == 1 else f" * np.float32({embedding_std!r})"
    return code(
        f"""
        import zlib

        seed = {seed}
        LEAST_BLOCK = {{  # rows and columns of the block that a tensor is cut from
            "mlp.up.kernel": (128, 1024), "mlp.up.bias": (1, 1024), "mlp.down.kernel": (512, 256), "bias": (1, 256),
        }}


        def draw(name, shape):
            \"\"\"The parameter with this name.\"\"\"
            rows, columns = (1, *shape)[-2:]
            least = next((block for end, block in LEAST_BLOCK.items() if name.endswith(end)), (128, 256))
            block = max(least[0], 1 << (rows - 1).bit_length()), max(least[1], columns)
            stream = np.random.default_rng((seed, zlib.crc32(name.encode())))
            normal = stream.standard_normal(block, np.float32)[:rows, :columns].reshape(shape)
            if name.endswith("embedding"):
                return normal{std}
            return normal * np.float32({BIAS_STD} if name.endswith("bias") else 1 / np.sqrt(shape[0]))


        shapes = {{"token_embedding": (vocab_size, d_model)}}
        """,
        _shape_lines(subject),
        "",
        """
        parameters = {
            name: np.full(shape, name.endswith("scale"), np.float32) if "norm" in name else draw(name, shape)
            for name, shape in shapes.items()
        }
        print(f"{sum(array.size for array in parameters.values()):,} parameters")
        """,
    )


def _shape_lines(subject: Subject) -> list[str]:
    c = subject.config
    biases = "" if c.use_bias else None
    lines = []
    if c.positions == "learned":
        lines.append(f'shapes["position_embedding"] = ({c.max_len}, d_model)')
    if c.embedding_norm:
        lines.append('shapes |= {"embedding_norm.scale": (d_model,), "embedding_norm.bias": (d_model,)}')
    lines += [
        "for layer in range(num_layers):",
        "    for name, inputs, outputs in [",
        '        ("attention.query", d_model, qkv_dim), ("attention.key", d_model, qkv_dim),',
        '        ("attention.value", d_model, qkv_dim), ("attention.out", qkv_dim, d_model),',
        '        ("mlp.up", d_model, d_ff), ("mlp.down", d_ff, d_model),',
        "    ]:",
        '        shapes[f"layers.{layer}.{name}.kernel"] = (inputs, outputs)',
    ]
    if biases is not None and not c.qkv_bias:
        lines.append('        if name in ("attention.out", "mlp.up", "mlp.down"):')
        biases = "    "
    if biases is not None:
        lines.append(f'        {biases}shapes[f"layers.{{layer}}.{{name}}.bias"] = (outputs,)')
    lines += [
        '    for name in ("norm1.scale", "norm1.bias", "norm2.scale", "norm2.bias"):',
        '        shapes[f"layers.{layer}.{name}"] = (d_model,)',
    ]
    if c.final_norm:
        lines.append('shapes |= {"final_norm.scale": (d_model,), "final_norm.bias": (d_model,)}')
    if c.output_head:
        lines.append('shapes["output_head.kernel"] = (d_model, vocab_size)')
        if c.use_bias:
            lines.append('shapes["output_head.bias"] = (vocab_size,)')
    return lines


def _read_bert(subject: Subject, name: str) -> NotebookCell:
    known = KNOWN.get(name)
    revision = known.revision if known else BRANCH
    download = f"snapshot_download({name!r}, revision={revision!r}, allow_patterns=FILES)"
    if known and known.package:
        folder = f"""
            package = find_spec("{known.package}")
            if package:
                folder = Path(package.submodule_search_locations[0]) / "{known.folder}"
            else:
                from huggingface_hub import snapshot_download

                folder = Path({download})
            """
        imports = ["from importlib.util import find_spec", "from pathlib import Path"]
    else:
        folder = f"folder = Path({download})"
        imports = ["from pathlib import Path", "", "from huggingface_hub import snapshot_download"]
    return code(
        imports,
        "",
        ["from safetensors.numpy import load_file", "", 'FILES = ["model.safetensors", "tokenizer.json"]'],
        "",
        folder,
        "",
        f"""
        old_names = {{"bert.": "", "LayerNorm.gamma": "LayerNorm.weight", "LayerNorm.beta": "LayerNorm.bias"}}
        bert = {{}}
        for name, array in load_file(folder / "model.safetensors").items():
            for old, new in old_names.items():
                name = name.replace(old, new)
            bert[name] = array.astype(np.float32)

        # A sentence alone is of segment 0: the row of this segment is part of the position of every token.
        positions, segments = (bert[f"embeddings.{{kind}}_embeddings.weight"] for kind in ("position", "token_type"))
        parameters = {{
            "token_embedding": bert["embeddings.word_embeddings.weight"],
            "position_embedding": positions[:{subject.config.max_len}] + segments[0],
            "embedding_norm.scale": bert["embeddings.LayerNorm.weight"],
            "embedding_norm.bias": bert["embeddings.LayerNorm.bias"],
        }}
        for layer in range(num_layers):
            for ours, theirs in {{
                "attention.query": "attention.self.query",
                "attention.key": "attention.self.key",
                "attention.value": "attention.self.value",
                "attention.out": "attention.output.dense",
                "mlp.up": "intermediate.dense",
                "mlp.down": "output.dense",
            }}.items():
                parameters[f"layers.{{layer}}.{{ours}}.kernel"] = bert[f"encoder.layer.{{layer}}.{{theirs}}.weight"].T
                parameters[f"layers.{{layer}}.{{ours}}.bias"] = bert[f"encoder.layer.{{layer}}.{{theirs}}.bias"]
            for ours, theirs in {{"norm1": "attention.output.LayerNorm", "norm2": "output.LayerNorm"}}.items():
                parameters[f"layers.{{layer}}.{{ours}}.scale"] = bert[f"encoder.layer.{{layer}}.{{theirs}}.weight"]
                parameters[f"layers.{{layer}}.{{ours}}.bias"] = bert[f"encoder.layer.{{layer}}.{{theirs}}.bias"]
        print(f"{{sum(array.size for array in parameters.values()):,}} parameters")
        """,
    )
