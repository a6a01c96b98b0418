"""The rules of each tensor, and `derive`, which applies them."""

from collections.abc import Callable, Mapping

from encoder_core.analysis.output_head import has_predictions
from encoder_core.config import EncoderConfig
from encoder_core.explain.cell import Cell, check_cell, parse_cell
from encoder_core.explain.derivation import Derivation, Step
from encoder_core.explain.derivations import attention, embedding, feed_forward, measures, prediction, stack
from encoder_core.explain.derivations.operand_source import OperandSource
from encoder_core.explain.derivations.rule_result import RuleResult
from encoder_core.support.number_format import format_number, latex_number
from encoder_core.support.validation import require_choice, require_type
from encoder_core.trace import Run, require_run

BY_CONTRIBUTION = "sum of contributions"  # a method for logits

Rule = Callable[[OperandSource, Cell], RuleResult]


def _one(rule: Rule) -> Mapping[str, Rule]:
    return {"as computed": rule}


def _no_derivation(note: str) -> Rule:
    return lambda source, cell: RuleResult("", note=note)


# For each tensor: its name, and the methods to derive its cells. The first method is the default.
_RULES: Mapping[str, tuple[str, Mapping[str, Rule]]] = {
    "ids": ("Id of the token", _one(_no_derivation("The id is an input: it comes from the tokenizer or the user."))),
    "token_embedding": (
        "Looked-up embedding",
        {"lookup": embedding.lookup, "one-hot product": embedding.one_hot_product},
    ),
    "scaled_embedding": ("Embedding times its scale", _one(embedding.scaled_embedding)),
    "position_encoding": ("Position encoding", _one(embedding.position_encoding)),
    "embedding_sum": ("Embedding plus position", _one(embedding.embedding_sum)),
    "embedded": ("Input of the first layer: embedding plus position", _one(embedding.embedded)),
    "resid_pre": ("Residual stream before the layer", _one(stack.resid_pre)),
    "attn_in": ("Input of attention", _one(stack.attn_in)),
    "q": ("Query", _one(attention.projection)),
    "k": ("Key", _one(attention.projection)),
    "v": ("Value", _one(attention.projection)),
    "dot_products": ("Dot product of query and key", _one(attention.dot_product)),
    "scores": ("Score: scaled and masked", _one(attention.score)),
    "pattern": ("Attention weight", _one(attention.weight)),
    "z": ("Weighted values", _one(attention.weighted_value)),
    "concat": ("Heads side by side", _one(attention.concatenated)),
    "head_contributions": ("Contribution of the head to the output of attention", _one(attention.head_contribution)),
    "attn_out": (
        "Output of attention",
        {"sum of the heads": attention.sum_of_heads, "concat times W_O": attention.output_projection},
    ),
    "resid_mid": ("Residual stream after attention", _one(stack.resid_mid)),
    "mlp_in": ("Input of the feed-forward network", _one(stack.mlp_in)),
    "mlp_pre": ("Hidden value before the activation", _one(feed_forward.mlp_pre)),
    "mlp_act": ("Hidden value after the activation", _one(feed_forward.mlp_act)),
    "mlp_out": ("Output of the feed-forward network", _one(feed_forward.mlp_out)),
    "resid_post": ("Residual stream after the layer", _one(stack.resid_post)),
    "output": ("Output", _one(stack.output)),
    "logits": (
        "Logit",
        {"as computed": prediction.logit, BY_CONTRIBUTION: prediction.sum_of_contributions},
    ),
    "probabilities": ("Probability of the output token", _one(prediction.probability)),
    "pattern_entropy": ("Entropy of a row of attention weights, in bits", _one(measures.entropy)),
    "mean_pattern": ("Attention weight, averaged over the heads", _one(measures.mean_weight)),
    "rollout_step": ("Step of the rollout: ½ average + ½ I", _one(measures.rollout_step)),
    "rollout": ("Attention rollout", _one(measures.rollout)),
    "resid_post_cosines": ("Cosine of two tokens after the layer", _one(measures.cosine)),
    "position_products": ("Dot product of two positions", _one(measures.position_product)),
    "embedded_cosines": ("Cosine of two tokens at the input of the first layer", _one(measures.cosine)),
    "output_cosines": ("Cosine of two tokens at the output", _one(measures.cosine)),
    **{
        f"{tensor}_lens_{part}": (f"Logit lens {stage}: {name}", _one(rule))
        for tensor, stage in (("embedded", "before the first layer"), ("resid_post", "after the layer"))
        for part, name, rule in (
            ("stream", "what the output head reads", prediction.lens_stream),
            ("logits", "logit", prediction.lens_logit),
            ("probabilities", "probability of the output token", prediction.probability),
        )
    },
}
_EMBEDDING_NORM = ("Input of the first layer: the norm of embedding plus position", _one(embedding.embedding_norm))
_WITHOUT_HIDDEN_ACTIVATION = {
    "mlp_pre": ("Hidden value", _one(feed_forward.mlp_pre)),
    "mlp_act": ("Hidden value, without an activation", _one(feed_forward.mlp_act)),
}
_PARAMETER = (
    "Parameter",
    _one(_no_derivation("A parameter is drawn from the seed or trained. It does not depend on the input.")),
)


def derive(run: Run, cell: Cell | str, method: str | None = None) -> Derivation:
    """The derivation of one number of the trace, in float64, from the tensors of the trace.

    run     the trace with its configuration, parameters and edits; where an edit sets the number, the last step is
            "set by hand"
    cell    a Cell or its text; for ids and parameters that no edit sets, the derivation has no steps, but a note
    method  one of the `methods` of the derivation; None means the first

    Raises ValueError that names the allowed values for a cell or a method that does not exist, and for what is no run.
    """
    require_run(run)
    require_type("cell", cell, Cell | str, 'cells and their texts, such as "pattern.0.0.1.2.0"')
    if isinstance(cell, str):
        cell = parse_cell(cell, run.trace, run.parameters)
    check_cell(cell, run.trace, run.parameters)
    name, rules = _rules_of(cell, run.config)
    method = next(iter(rules)) if method is None else method
    require_choice(f"cell {cell}: method", method, rules)
    source = OperandSource(run)
    result = _with_edited_value(source, cell, rules[method](source, cell))
    return Derivation(
        cell=cell,
        description=f"{name}: {source.location(cell)}",
        formula=result.formula,
        steps=result.steps,
        trace_value=source.operand(cell.tensor, cell.index, cell.layer).value,
        scale=source.largest_magnitude(cell),
        method=method,
        methods=tuple(rules),
        note=result.note,
    )


def _rules_of(cell: Cell, config: EncoderConfig) -> tuple[str, Mapping[str, Rule]]:
    if cell.parameter is not None:
        return _PARAMETER
    if config.activation_after == "second_linear" and cell.tensor in _WITHOUT_HIDDEN_ACTIVATION:
        return _WITHOUT_HIDDEN_ACTIVATION[cell.tensor]
    if cell.tensor == "logits" and not has_predictions(config):
        return "Logit", _one(prediction.logit)
    return _EMBEDDING_NORM if cell.tensor == "embedded" and config.embedding_norm else _RULES[cell.tensor]


def _with_edited_value(source: OperandSource, cell: Cell, result: RuleResult) -> RuleResult:
    """The steps that compute the number without the edit of the cell, and a last step with the value of the edit."""
    value = source.edited_value(cell)
    if value is None:
        return result
    edited = Step("set by hand", rf"{latex_number(format_number(value, 7))} \text{{ (set by hand)}}", float(value))
    formula = f"{result.formula} \\;\\to\\; {edited.formula}" if result.formula else edited.formula
    return RuleResult(formula, (*result.steps, edited))
