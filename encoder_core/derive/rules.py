"""Which rule derives which tensor, and `derive`, which applies it."""

from collections.abc import Callable, Mapping, Sequence

from encoder_core.config import EncoderConfig
from encoder_core.derive import attention, embedding, feed_forward, stack
from encoder_core.derive.cell import Cell, check_cell, parse_cell
from encoder_core.derive.derivation import Derivation
from encoder_core.derive.source import Source
from encoder_core.derive.worked import Worked
from encoder_core.edits import Edit
from encoder_core.parameters import Parameters
from encoder_core.trace import EncoderTrace

Rule = Callable[[Source, Cell], Worked]

# Of each tensor: what it is, and the ways to a number of it, the usual one first.
_RULES: Mapping[str, tuple[str, Mapping[str, Rule]]] = {
    "token_embedding": (
        "Looked-up embedding",
        {"lookup": embedding.lookup, "one-hot product": embedding.one_hot_product},
    ),
    "scaled_embedding": ("Embedding times its scale", {"scale": embedding.scaled}),
    "position_encoding": ("Position encoding", {"position": embedding.position}),
    "embedded": ("What enters the stack: embedding plus position", {"sum": embedding.embedded}),
    "resid_pre": ("Residual stream before the layer", {"copy": stack.resid_pre}),
    "attn_in": ("What attention reads", {"norm": stack.attn_in}),
    "q": ("Query", {"projection": attention.projection}),
    "k": ("Key", {"projection": attention.projection}),
    "v": ("Value", {"projection": attention.projection}),
    "dot_products": ("Dot product of query and key", {"dot product": attention.dot_product}),
    "scores": ("Score: scaled and masked", {"scale and mask": attention.score}),
    "pattern": ("Attention weight", {"softmax": attention.weight}),
    "z": ("Weighted values", {"weighted values": attention.weighted_value}),
    "concat": ("Heads side by side", {"copy": attention.concatenated}),
    "head_contributions": ("What the head adds to the stream", {"product": attention.head_contribution}),
    "attn_out": (
        "What attention adds to the stream",
        {"sum of the heads": attention.sum_of_heads, "concat times W_O": attention.output_projection},
    ),
    "resid_mid": ("Residual stream after attention", {"sum": stack.resid_mid}),
    "mlp_in": ("What the feed-forward network reads", {"norm": stack.mlp_in}),
    "mlp_pre": ("Hidden number before the activation", {"projection": feed_forward.expanded}),
    "mlp_act": ("Hidden number after the activation", {"activation": feed_forward.activated}),
    "mlp_out": ("What the feed-forward network adds to the stream", {"projection": feed_forward.contracted}),
    "resid_post": ("Residual stream after the layer", {"sum or norm": stack.resid_post}),
    "output": ("Output", {"norm or copy": stack.output}),
    "logits": ("Logit", {"projection": stack.logits}),
}


def _given(note: str) -> Rule:
    return lambda source, cell: Worked("", note=note)


_ID = ("Id of the token", {"given": _given("The tokenizer gave it, or the user: it is an input, nothing computes it.")})
_PARAMETER = (
    "Parameter",
    {"given": _given("A parameter: it was drawn from the seed, or learned; no input changes it.")},
)


def derive(
    trace: EncoderTrace,
    config: EncoderConfig,
    parameters: Parameters,
    cell: Cell | str,
    edits: Sequence[Edit] = (),
    way: str | None = None,
) -> Derivation:
    """How one number of the trace comes about, in float64, from the tensors that the trace shows.

    cell   a Cell or its string; ids and parameters have no arithmetic behind them, and their derivation says so
    edits  those that the trace was made with
    way    one of the derivation's `ways`; None is the first of them

    Raises ValueError for a cell, a way or an edit that does not exist here, naming what is allowed.
    """
    if isinstance(cell, str):
        cell = parse_cell(cell, trace, parameters)
    check_cell(cell, trace, parameters)
    words, ways = _PARAMETER if cell.parameter is not None else _ID if cell.tensor == "ids" else _RULES[cell.tensor]
    way = next(iter(ways)) if way is None else way
    if way not in ways:
        raise ValueError(f"way={way!r} to {cell} is not one of {', '.join(map(repr, ways))}.")
    source = Source.of(trace, config, parameters, edits)
    worked = ways[way](source, cell)
    return Derivation(
        cell=cell,
        words=f"{words}: {source.place(cell)}",
        formula=worked.formula,
        steps=worked.steps,
        shown=source.at(cell.tensor, cell.index, cell.layer).value,
        scale=source.scale(cell),
        way=way,
        ways=tuple(ways),
        note=worked.note,
    )
