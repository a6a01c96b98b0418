"""Self-attention, cell by cell (Vaswani et al. 2017, sections 3.2.1 and 3.2.2)."""

from operator import neg

import numpy as np

from encoder_core.analysis import softmax_steps
from encoder_core.explain.cell import PARAMETERS, Cell
from encoder_core.explain.derivation import Operand, Step, each, products, running_sum, sums
from encoder_core.explain.derivations.source import Source
from encoder_core.explain.derivations.worked import Worked, copied, linear, plus_bias
from encoder_core.explain.number_format import format_number

PROJECTIONS = {"q": "query", "k": "key", "v": "value"}


def projection(source: Source, cell: Cell) -> Worked:
    """x W + b: one column of W_Q, W_K or W_V; the columns of head h are h d_head up to (h + 1) d_head."""
    sentence, head, token, dimension = cell.index
    name, letter = f"layers.{cell.layer}.attention.{PROJECTIONS[cell.tensor]}", cell.tensor.upper()
    row = source.along("attn_in", (sentence, token, None), cell.layer)
    step = linear(source, row, name, head * source.config.d_head + dimension)
    bias = plus_bias(source, name, rf"b_{{{letter},j}}")
    return Worked(rf"{cell.tensor}_{{tj}} = \sum_i x_{{ti}} \, (W_{letter})_{{ij}}{bias}", (step,))


def dot_product(source: Source, cell: Cell) -> Worked:
    """q . k: how well the key answers the query."""
    sentence, head, query, key = cell.index
    left = source.along("q", (sentence, head, query, None), cell.layer)
    right = source.along("k", (sentence, head, key, None), cell.layer)
    step = sums("dot product of query and key", r"\sum_d q_{id} k_{jd}", products(left, right))
    return Worked(r"(QK^\top)_{ij} = \sum_d q_{id} \, k_{jd}", (step,))


def score(source: Source, cell: Cell) -> Worked:
    """The dot product times 1/sqrt(d_head); minus infinity where the mask, or an edit, hides the key."""
    dots = source.at("dot_products", cell.index, cell.layer)
    if source.config.scale_scores and not source.effects.unscaled:
        factor = Operand("1/√d_head", source.config.d_head**-0.5)
        scaled = sums("divided by √d_head", r"\frac{q_i \cdot k_j}{\sqrt{d_\mathrm{head}}}", products([dots], [factor]))
        formula = r"S_{ij} = \frac{q_i \cdot k_j}{\sqrt{d_\mathrm{head}}}"
    else:
        left_out = ": the division is taken out by hand" if source.config.scale_scores else ""
        scaled = copied(f"not divided by √d_head{left_out}", r"q_i \cdot k_j", dots)
        formula = r"S_{ij} = q_i \cdot k_j"
    if source.trace.mask[cell.index]:
        return Worked(formula, (scaled,))
    sentence, _, _, key = cell.index
    by_hand = (sentence, key) in source.effects.hidden
    words = "mask: the key is hidden by hand" if by_hand else "mask: the query may not see the key"
    hidden = Step(words, r"S_{ij} = -\infty", -np.inf)
    return Worked(rf"{formula} \;\to\; -\infty \text{{ (masked)}}", (scaled, hidden))


def weight(source: Source, cell: Cell) -> Worked:
    """Softmax along the row of scores, by `softmax_steps`; in training mode, dropout after that."""
    *row, key = cell.index
    scores, temperature = source.along("scores", (*row, None), cell.layer), source.effects.temperature
    values = np.array([score.value for score in scores])
    done = softmax_steps(values, temperature)
    largest = scores[int(values.argmax())]
    over = " / T" if temperature != 1 else ""
    of_key, of_each = (rf"e^{{(s_{{i{letter}}} - m_i){over}}}" for letter in "jk")
    steps = [copied("row maximum", r"m_i = \max_k s_{ik}", largest)]
    if np.isfinite(largest.value):
        steps += _shifted(scores[key], largest, float(done.shifted[key]), temperature)
        each_exp = [((score,), exp) for score, exp in zip(scores, done.exp.tolist(), strict=True)]
        steps += [
            Step("exp", of_key, float(done.exp[key])),
            Step("row sum of exp", rf"\sum_k {of_each}", float(done.total), running_sum(each_exp)),
            Step("weight: exp / row sum", "A_{ij}", float(done.weights[key])),
        ]
    else:
        steps.append(Step("every key of the row is masked", "A_{ij} = 0", float(done.weights[key])))
    formula = rf"A_{{ij}} = \frac{{{of_key}}}{{\sum_k {of_each}}}, \quad m_i = \max_k s_{{ik}}"
    return Worked(formula, (*steps, *source.dropout("pattern", cell, steps[-1].value)))


def _shifted(score: Operand, largest: Operand, shifted: float, temperature: float) -> list[Step]:
    """s - max, and, where there is a temperature, that divided by it."""
    step = sums("score minus maximum", "s_{ij} - m_i", each([score]), each([largest], neg))
    if temperature == 1:
        return [step]
    return [step, Step(f"divided by the temperature {temperature:g}", r"\frac{s_{ij} - m_i}{T}", shifted)]


def weighted_value(source: Source, cell: Cell) -> Worked:
    """sum_j A_ij v_j: the values of all keys, each times its weight; then times the head's factor, if it has one."""
    sentence, head, query, dimension = cell.index
    weights = source.along("pattern", (sentence, head, query, None), cell.layer)
    values = source.along("v", (sentence, head, None, dimension), cell.layer)
    steps = [sums("weights times values", r"\sum_j A_{ij} v_{jd}", products(weights, values))]
    formula = r"z_{id} = \sum_j A_{ij} \, v_{jd}"
    assert cell.layer is not None
    factor = source.effects.head_factors.get((cell.layer, head))
    if factor is not None:
        steps.append(
            Step(f"times the factor {format_number(factor)} of head {head + 1}", r"f_h z_{id}", steps[0].value * factor)
        )
        formula = r"z_{id} = f_h \sum_j A_{ij} \, v_{jd}"
    return Worked(formula, tuple(steps))


def concatenated(source: Source, cell: Cell) -> Worked:
    """Dimension c of the heads side by side is dimension c mod d_head of head c // d_head."""
    sentence, token, column = cell.index
    head, dimension = divmod(column, source.config.d_head)
    name = f"head {head + 1}, its dimension {dimension}"
    step = copied(name, r"z_{h,td}", source.at("z", (sentence, head, token, dimension), cell.layer))
    where = rf"c = {column} = {head} \cdot {source.config.d_head} + {dimension}"
    return Worked(rf"\mathrm{{concat}}_{{tc}} = z_{{h,td}}, \quad c = h\,d_\mathrm{{head}} + d, \quad {where}", (step,))


def head_contribution(source: Source, cell: Cell) -> Worked:
    """z_h W_O,h: what one head adds to attn_out, by its own rows of W_O."""
    sentence, head, token, dimension = cell.index
    d_head = source.config.d_head
    z = source.along("z", (sentence, head, token, None), cell.layer)
    kernel = f"{PARAMETERS}layers.{cell.layer}.attention.out.kernel"
    rows = source.along(kernel, (range(head * d_head, (head + 1) * d_head), dimension))
    step = sums("z times the head's rows of W_O", r"\sum_d z_{h,td} (W_{O,h})_{dj}", products(z, rows))
    return Worked(r"(z_h W_{O,h})_{tj} = \sum_d z_{h,td} \, (W_{O,h})_{dj}", (step,))


def sum_of_heads(source: Source, cell: Cell) -> Worked:
    """The contributions of all heads plus the bias; in training mode, dropout after that."""
    sentence, token, dimension = cell.index
    name = f"layers.{cell.layer}.attention.out"
    heads = source.along("head_contributions", (sentence, None, token, dimension), cell.layer)
    bias = plus_bias(source, name, "b_{O,j}")
    formula = rf"\sum_h (z_h W_{{O,h}})_{{tj}}{bias}"
    step = sums("sum of the heads", formula, each(heads), each(source.bias(name, dimension)))
    return Worked(rf"\mathrm{{attn\_out}}_{{tj}} = {formula}", (step, *source.dropout("attn_out", cell, step.value)))


def output_projection(source: Source, cell: Cell) -> Worked:
    """concat W_O + bias, over the dimensions of all heads at once; in training mode, dropout after that."""
    sentence, token, dimension = cell.index
    name = f"layers.{cell.layer}.attention.out"
    step = linear(source, source.along("concat", (sentence, token, None), cell.layer), name, dimension)
    bias = plus_bias(source, name, "b_{O,j}")
    formula = rf"\mathrm{{attn\_out}}_{{tj}} = \sum_c \mathrm{{concat}}_{{tc}} \, (W_O)_{{cj}}{bias}"
    return Worked(formula, (step, *source.dropout("attn_out", cell, step.value)))
