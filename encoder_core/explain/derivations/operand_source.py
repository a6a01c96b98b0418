"""The operands of derivations: numbers of the trace, of the parameters, and of the edits."""

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Shaped

from encoder_core.config import DropoutPlace, EncoderConfig
from encoder_core.edits import Effects
from encoder_core.explain.cell import AXES, MEASURES, PARAMETERS, Cell, tensor_at
from encoder_core.explain.derivation import Operand, Step
from encoder_core.parameters import Parameters
from encoder_core.support.number_format import format_number
from encoder_core.trace import EncoderTrace, Run

Index = tuple[int | range | None, ...]

# The symbols of the parameters in the formulas. The indices of γ and β are those of norm1 and norm2.
SYMBOLS = {
    "token_embedding": "E",
    "position_embedding": "P",
    "embedding_norm.scale": "γ_E",
    "embedding_norm.bias": "β_E",
    "attention.query.kernel": "W_Q",
    "attention.query.bias": "b_Q",
    "attention.key.kernel": "W_K",
    "attention.key.bias": "b_K",
    "attention.value.kernel": "W_V",
    "attention.value.bias": "b_V",
    "attention.out.kernel": "W_O",
    "attention.out.bias": "b_O",
    "norm1.scale": "γ1",
    "norm1.bias": "β1",
    "mlp.up.kernel": "W_up",
    "mlp.up.bias": "b_up",
    "mlp.down.kernel": "W_down",
    "mlp.down.bias": "b_down",
    "norm2.scale": "γ2",
    "norm2.bias": "β2",
    "final_norm.scale": "γ",
    "final_norm.bias": "β",
    "output_head.kernel": "W_head",
    "output_head.bias": "b_head",
}
_PROJECTIONS = ("q", "k", "v")  # each head has some of the columns of W_Q, W_K and W_V


@dataclass(frozen=True, eq=False)
class OperandSource:
    """The numbers of a run as operands."""

    run: Run
    _measures: dict[tuple[str, int | None], Shaped[np.ndarray, "..."]] = field(default_factory=dict, repr=False)

    @property
    def trace(self) -> EncoderTrace:
        """Every tensor of the forward pass."""
        return self.run.trace

    @property
    def config(self) -> EncoderConfig:
        """The configuration of the encoder."""
        return self.run.config

    @property
    def effects(self) -> Effects:
        """The combined edits of the run."""
        return self.run.effects

    @property
    def parameters(self) -> Parameters:
        """The parameters after the edits."""
        return self.run.edited_parameters

    def operand(self, tensor: str, index: tuple[int, ...], layer: int | None = None) -> Operand:
        """One number of a tensor of the trace or of a parameter."""
        cell = Cell(tensor, index, layer)
        return Operand(
            f"{_symbol(cell)}[{', '.join(map(str, index))}]",
            float(self._tensor(cell)[index]),
            cell,
        )

    def operands_along(self, tensor: str, index: Index, layer: int | None = None) -> list[Operand]:
        """The numbers along the axis where the index is a range, or None for the whole axis."""
        axis = next(position for position, number in enumerate(index) if number is None or isinstance(number, range))
        fixed = tuple(0 if number is None or isinstance(number, range) else number for number in index)
        before, after = fixed[:axis], fixed[axis + 1 :]
        first = Cell(tensor, fixed, layer)
        array, selected = self._tensor(first), index[axis]
        positions = selected if isinstance(selected, range) else range(array.shape[axis])
        slices: tuple[int | slice, ...] = (*before, slice(positions.start, positions.stop), *after)
        values = array[slices].astype(float).tolist()
        start = f"{_symbol(first)}[{''.join(f'{number}, ' for number in before)}"
        end = f"{''.join(f', {number}' for number in after)}]"
        return [
            Operand(f"{start}{position}{end}", value, Cell(tensor, (*before, position, *after), layer))
            for position, value in zip(positions, values, strict=True)
        ]

    def bias_operands(self, name: str, index: int) -> list[Operand]:
        """One number of the bias of a linear layer; empty where the layer has no bias."""
        return [self.operand(f"{PARAMETERS}{name}.bias", (index,))] if f"{name}.bias" in self.parameters else []

    def dropout_steps(self, place: DropoutPlace, cell: Cell, value: float) -> tuple[Step, ...]:
        """The step that multiplies the number by 0 or by 1 / (1 - rate); empty in evaluation mode."""
        draw = self.trace.kept
        mask = None if draw is None else draw.mask(place, cell.layer)
        if draw is None or mask is None:
            return ()
        if not mask[cell.index]:
            return (Step("dropout: × 0", r"\times\, 0", 0.0),)
        rate = draw.rate
        formula = rf"\times\, \frac{{1}}{{1 - {rate:g}}}"
        return (Step(f"dropout: × 1/(1 − {format_number(rate)})", formula, value * draw.scale),)

    def edited_value(self, cell: Cell) -> float | None:
        """The value that an edit sets in this cell; None without such an edit."""
        if cell.parameter is not None:
            return self.effects.parameters.get(cell.parameter, {}).get(cell.index)
        return self.effects.cell_values(cell.tensor, cell.layer).get(cell.index)

    def largest_magnitude(self, cell: Cell) -> float:
        """The largest finite magnitude of the tensor of the cell; 1 where that is 0 or no number is finite."""
        array = self._tensor(cell)
        magnitudes = np.abs(array[np.isfinite(array)])
        return float(magnitudes.max(initial=0.0)) or 1.0

    def location(self, cell: Cell) -> str:
        """The place of the cell in words: sentences, layers, heads, tokens from 1; dimensions, neurons, ids from 0."""
        if cell.parameter is not None:
            return f"{cell.parameter}[{', '.join(map(str, cell.index))}]"
        words = [] if cell.layer is None else [f"layer {cell.layer + 1}"]
        place = dict(zip(AXES[cell.tensor], cell.index, strict=True))
        for axis, number in place.items():
            match axis:
                case "batch":
                    words += [f"sentence {number + 1}"] if len(self.trace.real) > 1 else []
                case "head":
                    words.append(f"head {number + 1}")
                case "seq" | "query" | "key":
                    row_name = "position" if cell.tensor == "position_encoding" else "token"
                    word = row_name if axis == "seq" else axis
                    words.append(f"{word} {number + 1}{self._token(place.get('batch'), number)}")
                case "input" | "other":
                    words.append(f"{axis} token {number + 1}{self._token(place.get('batch'), number)}")
                case "position" | "other_position":
                    words.append(f"{axis.replace('_', ' ')} {number + 1}")
                case "vocab":
                    words.append(f"id {number}")
                case "d_ff":
                    words.append(f"neuron {number}")
                case "d_head" if cell.tensor in _PROJECTIONS and self.config.num_heads > 1:
                    column = place["head"] * self.config.d_head + number
                    words.append(f"dimension {number} of the head (column {column})")
                case _:
                    words.append(f"dimension {number}")
        return ", ".join(words)

    def _tensor(self, cell: Cell) -> Shaped[np.ndarray, "..."]:
        if cell.tensor not in MEASURES:
            return tensor_at(self.run, cell)
        name = cell.tensor, cell.layer
        if name not in self._measures:  # it is computed where it is read
            self._measures[name] = tensor_at(self.run, cell)
        return self._measures[name]

    def _token(self, sentence: int | None, token: int) -> str:
        if sentence is None or not self.trace.tokens:
            return ""
        return f" “{self.trace.tokens[sentence][token]}”"


def _symbol(cell: Cell) -> str:
    if cell.parameter is None:
        return cell.tensor
    is_in_layer = cell.parameter.startswith("layers.")
    return SYMBOLS[cell.parameter.split(".", 2)[2] if is_in_layer else cell.parameter]
