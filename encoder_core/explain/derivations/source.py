"""Where a derivation finds its numbers: the trace's tensors, the parameters, and what the edits set."""

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Shaped

from encoder_core.config import DropoutPlace, EncoderConfig
from encoder_core.edits import Effects
from encoder_core.explain.cell import AXES, PARAMETERS, Cell, tensor_at
from encoder_core.explain.derivation import Operand, Step
from encoder_core.explain.number_format import format_number
from encoder_core.parameters import Parameters
from encoder_core.trace import EncoderTrace, Run

Index = tuple[int | range | None, ...]

# What the standard formulas call the parameters. The index of the norm is the name's, norm1 or norm2.
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


@dataclass(frozen=True, eq=False)
class Source:
    """The numbers of a run as operands."""

    run: Run

    @property
    def trace(self) -> EncoderTrace:
        """Every step of the forward pass."""
        return self.run.trace

    @property
    def config(self) -> EncoderConfig:
        """Sizes and choices of the encoder."""
        return self.run.config

    @property
    def effects(self) -> Effects:
        """The edits of the run, combined."""
        return self.run.effects

    @property
    def parameters(self) -> Parameters:
        """The parameters that the trace was computed with: edited."""
        return self.run.edited_parameters

    def at(self, tensor: str, index: tuple[int, ...], layer: int | None = None) -> Operand:
        """One number of a tensor of the trace, or of a parameter."""
        cell = Cell(tensor, index, layer)
        return Operand(
            f"{_symbol(cell)}[{', '.join(map(str, index))}]",
            float(self._tensor(cell)[index]),
            cell,
        )

    def along(self, tensor: str, index: Index, layer: int | None = None) -> list[Operand]:
        """The numbers along the one axis where the index is a range of places, or None, which is the whole axis."""
        axis = next(place for place, number in enumerate(index) if number is None or isinstance(number, range))
        fixed = tuple(0 if number is None or isinstance(number, range) else number for number in index)
        before, after = fixed[:axis], fixed[axis + 1 :]
        whole = Cell(tensor, fixed, layer)
        array, wanted = self._tensor(whole), index[axis]
        places = wanted if isinstance(wanted, range) else range(array.shape[axis])
        where: tuple[int | slice, ...] = (*before, slice(places.start, places.stop), *after)
        values = array[where].astype(float).tolist()
        start = f"{_symbol(whole)}[{''.join(f'{number}, ' for number in before)}"
        end = f"{''.join(f', {number}' for number in after)}]"
        return [
            Operand(f"{start}{place}{end}", value, Cell(tensor, (*before, place, *after), layer))
            for place, value in zip(places, values, strict=True)
        ]

    def bias(self, name: str, index: int) -> list[Operand]:
        """One number of the bias of a linear layer; none where the layer has no bias."""
        return [self.at(f"{PARAMETERS}{name}.bias", (index,))] if f"{name}.bias" in self.parameters else []

    def kept(self, place: DropoutPlace, layer: int | None) -> Bool[np.ndarray, "..."] | None:
        """Which numbers dropout kept there; None in evaluation mode, and where it is not applied."""
        if self.trace.kept is None:
            return None
        return getattr(self.trace.kept if layer is None else self.trace.kept.layers[layer], place)

    def dropout(self, place: DropoutPlace, cell: Cell, value: float) -> tuple[Step, ...]:
        """The step that drops or grows the number, in training mode; no step otherwise."""
        kept = self.kept(place, cell.layer)
        if kept is None or self.trace.kept is None:
            return ()
        if not kept[cell.index]:
            return (Step("dropout: × 0", r"\times\, 0", 0.0),)
        rate = self.trace.kept.rate
        grows = rf"\times\, \frac{{1}}{{1 - {rate:g}}}"
        return (Step(f"dropout: × 1/(1 − {format_number(rate)})", grows, value * self.trace.kept.scale),)

    def set_by_hand(self, cell: Cell) -> float | None:
        """The number that an edit puts into this cell; None where none does."""
        if cell.parameter is not None:
            return self.effects.parameters.get(cell.parameter, {}).get(cell.index)
        return self.effects.of_tensor(cell.tensor, cell.layer).get(cell.index)

    def scale(self, cell: Cell) -> float:
        """The largest finite magnitude of the cell's tensor; 1 where that is 0, or nothing is finite."""
        array = self._tensor(cell)
        magnitudes = np.abs(array[np.isfinite(array)])
        return float(magnitudes.max(initial=0.0)) or 1.0

    def place(self, cell: Cell) -> str:
        """Where the cell stands, in words: sentences, layers, heads and tokens from 1, dimensions and ids from 0."""
        if cell.parameter is not None:
            return f"{cell.parameter}[{', '.join(map(str, cell.index))}]"
        words = [] if cell.layer is None else [f"layer {cell.layer + 1}"]
        at = dict(zip(AXES[cell.tensor], cell.index, strict=True))
        for axis, number in at.items():
            match axis:
                case "batch":
                    words += [f"sentence {number + 1}"] if len(self.trace.real) > 1 else []
                case "head":
                    words.append(f"head {number + 1}")
                case "seq" | "query" | "key":
                    of_row = "position" if cell.tensor == "position_encoding" else "token"
                    word = of_row if axis == "seq" else axis
                    words.append(f"{word} {number + 1}{self._token(at.get('batch'), number)}")
                case "vocab":
                    words.append(f"id {number}")
                case _:
                    words.append(f"dimension {number}")
        return ", ".join(words)

    def _tensor(self, cell: Cell) -> Shaped[np.ndarray, "..."]:
        return tensor_at(self.trace, self.parameters, cell)

    def _token(self, sentence: int | None, token: int) -> str:
        if sentence is None or not self.trace.tokens:
            return ""
        return f" “{self.trace.tokens[sentence][token]}”"


def _symbol(cell: Cell) -> str:
    if cell.parameter is None:
        return cell.tensor
    of_layer = cell.parameter.startswith("layers.")
    return SYMBOLS[cell.parameter.split(".", 2)[2] if of_layer else cell.parameter]
