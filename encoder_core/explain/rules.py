"""Which rule derives which tensor, and `derive`, which applies it."""

from collections.abc import Callable, Mapping

from encoder_core.config import EncoderConfig
from encoder_core.explain.cell import Cell, check_cell, parse_cell
from encoder_core.explain.derivation import Derivation, Step
from encoder_core.explain.derivations import attention, embedding, feed_forward, stack
from encoder_core.explain.derivations.source import Source
from encoder_core.explain.derivations.worked import Worked
from encoder_core.trace import Run

Rule = Callable[[Source, Cell], Worked]


def _one(rule: Rule) -> Mapping[str, Rule]:
    return {"as computed": rule}


def _given(note: str) -> Rule:
    return lambda source, cell: Worked("", note=note)


# Of each tensor: what it is, and the ways to a number of it, the usual one first.
_RULES: Mapping[str, tuple[str, Mapping[str, Rule]]] = {
    "ids": ("Id of the token", _one(_given("The tokenizer gave it, or the user: it is put in, nothing computes it."))),
    "token_embedding": (
        "Looked-up embedding",
        {"lookup": embedding.lookup, "one-hot product": embedding.one_hot_product},
    ),
    "scaled_embedding": ("Embedding times its scale", _one(embedding.scaled)),
    "position_encoding": ("Position encoding", _one(embedding.position)),
    "embedding_sum": ("Embedding plus position", _one(embedding.summed)),
    "embedded": ("What enters the stack: embedding plus position", _one(embedding.embedded)),
    "resid_pre": ("Residual stream before the layer", _one(stack.resid_pre)),
    "attn_in": ("What attention reads", _one(stack.attn_in)),
    "q": ("Query", _one(attention.projection)),
    "k": ("Key", _one(attention.projection)),
    "v": ("Value", _one(attention.projection)),
    "dot_products": ("Dot product of query and key", _one(attention.dot_product)),
    "scores": ("Score: scaled and masked", _one(attention.score)),
    "pattern": ("Attention weight", _one(attention.weight)),
    "z": ("Weighted values", _one(attention.weighted_value)),
    "concat": ("Heads side by side", _one(attention.concatenated)),
    "head_contributions": ("What the head adds to the stream", _one(attention.head_contribution)),
    "attn_out": (
        "What attention adds to the stream",
        {"sum of the heads": attention.sum_of_heads, "concat times W_O": attention.output_projection},
    ),
    "resid_mid": ("Residual stream after attention", _one(stack.resid_mid)),
    "mlp_in": ("What the feed-forward network reads", _one(stack.mlp_in)),
    "mlp_pre": ("Hidden number before the activation", _one(feed_forward.expanded)),
    "mlp_act": ("Hidden number after the activation", _one(feed_forward.activated)),
    "mlp_out": ("What the feed-forward network adds to the stream", _one(feed_forward.contracted)),
    "resid_post": ("Residual stream after the layer", _one(stack.resid_post)),
    "output": ("Output", _one(stack.output)),
    "logits": ("Logit", _one(stack.logits)),
}
_NORMED = ("What enters the stack: the norm of embedding plus position", _one(embedding.normed))
_WITHOUT_ACTIVATION = {
    "mlp_pre": ("Hidden number", _one(feed_forward.expanded)),
    "mlp_act": ("Hidden number, without an activation", _one(feed_forward.activated)),
}
_PARAMETER = (
    "Parameter",
    _one(_given("A parameter: it was drawn from the seed, or learned; no input changes it.")),
)


def derive(run: Run, cell: Cell | str, way: str | None = None) -> Derivation:
    """How one number of the trace comes about, in float64, from the tensors that the trace shows.

    run   the trace, and what it was made with; a number that one of the edits sets ends with a step "set by hand"
    cell  a Cell or its string; ids and parameters have no arithmetic behind them, and their derivation says so
    way   one of the derivation's `ways`; None is the first of them

    Raises ValueError for a cell or a way that does not exist here, naming what is allowed.
    """
    if isinstance(cell, str):
        cell = parse_cell(cell, run.trace, run.parameters)
    check_cell(cell, run.trace, run.parameters)
    words, ways = _rules_of(cell, run.config)
    way = next(iter(ways)) if way is None else way
    if way not in ways:
        raise ValueError(f"way={way!r} to {cell} is not one of {', '.join(map(repr, ways))}.")
    source = Source(run)
    worked = _with_what_is_set(source, cell, ways[way](source, cell))
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


def _rules_of(cell: Cell, config: EncoderConfig) -> tuple[str, Mapping[str, Rule]]:
    if cell.parameter is not None:
        return _PARAMETER
    if config.activation_after == "second_linear" and cell.tensor in _WITHOUT_ACTIVATION:
        return _WITHOUT_ACTIVATION[cell.tensor]
    return _NORMED if cell.tensor == "embedded" and config.embedding_norm else _RULES[cell.tensor]


def _with_what_is_set(source: Source, cell: Cell, worked: Worked) -> Worked:
    """The number that an edit puts into the cell comes last, after what would stand there without it."""
    value = source.set_by_hand(cell)
    if value is None:
        return worked
    by_hand = Step("set by hand", rf"{value:g} \text{{ (set by hand)}}", float(value))
    formula = f"{worked.formula} \\;\\to\\; {by_hand.formula}" if worked.formula else by_hand.formula
    return Worked(formula, (*worked.steps, by_hand))
