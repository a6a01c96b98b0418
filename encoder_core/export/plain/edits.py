"""The cell with the edits inside the layers, and the lines of the stages that apply them."""

from encoder_core.export.cells import NotebookCell, code, literal, markdown
from encoder_core.trace import Run


def edit_cells(run: Run) -> list[NotebookCell]:
    """The edits inside the layers, as variables that the stages use."""
    effects = run.effects
    lines: list[str] = []
    if effects.temperature != 1:
        lines.append(f"temperature = {effects.temperature!r}  # scores are divided by it before softmax")
    if effects.scores:
        lines.append("# layer -> (sentence, head, query, key) -> score")
        lines.append(literal("set_scores", {layer: dict(cells) for layer, cells in effects.scores.items()}))
    if effects.head_factors:
        lines.append(literal("head_factors", dict(effects.head_factors)) + "  # (layer, head) -> factor on z")
    if effects.residual_factors:
        lines.append("# (layer, sublayer) -> factor on the residual")
        lines.append(literal("residual_factors", dict(effects.residual_factors)))
    kept, dropout = run.trace.kept, effects.dropout
    if kept is not None and dropout is not None:
        lines += [
            *([""] if lines else []),
            "import zlib",
            "",
            "",
            "def drop(x, place, layer):",
            '    """Training mode: each number is kept with probability 1 - rate, and then divided by 1 - rate."""',
            f"    stream = np.random.default_rng(({dropout.seed}, layer, zlib.crc32(place.encode())))",
            f"    kept = stream.random(x.shape, np.float32) >= {kept.rate}",
            f"    return jnp.where(kept, x * np.float32(1 / (1 - {kept.rate})), 0.0)",
        ]
    if not lines:
        return []
    text = "## Edits\n\nThese edits were active in the app. The stages below apply them."
    return [markdown(text), code(lines)]


def dropout_lines(run: Run, place: str) -> list[str]:
    """The line that applies dropout, in training mode."""
    kept = run.trace.kept
    if kept is None or getattr(kept.layers[0], place) is None:
        return []
    return [f'    {place} = drop({place}, "{place}", layer)']


def residual_of(run: Run, name: str, sublayer: str, layer: str = "layer") -> str:
    """The residual of a sublayer, with its factor where the app has edits of residuals."""
    if not run.effects.residual_factors:
        return name
    return f'residual_factors.get(({layer}, "{sublayer}"), 1.0) * {name}'
