"""The calculation of a layer norm for one number, as text."""

from dashboard.markdown import escape_token
from dashboard.selection.focus import Focus
from encoder_core.explain.sublayers import AddAndNorm, NormSteps
from encoder_core.support.number_format import format_calculation, format_number, in_brackets


def norm_calculation(
    at: Focus, dimension: int, tensors: AddAndNorm, steps: NormSteps, scale: float, shift: float, eps: float
) -> str:
    """The calculation of the norm for one number as markdown, with ε where it changes what is displayed."""
    x, normalised = float(tensors.norm_in[at.token, dimension]), float(steps.normalised[at.token, dimension])
    operands = x, float(steps.mean[at.token]), float(steps.variance[at.token])
    has_eps = _changes_result(*operands, normalised)
    norm = format_calculation(
        [*operands, *[eps] * has_eps], normalised, lambda x, mean, *variances: (x - mean) / sum(variances) ** 0.5
    )
    affine = format_calculation([normalised, scale, shift], normalised * scale + shift, lambda n, g, b: n * g + b)
    (x_text, mean, *variances), (n, gamma, beta) = norm.operands, map(in_brackets, affine.operands)
    root = f"√({' + '.join(variances)})" if has_eps else f"√{variances[0]}"
    return (
        f"“{escape_token(at.labels[at.token])}”, dimension {dimension}: ({x_text} − {in_brackets(mean)}) / {root} "
        f"{norm.relation} {norm.result}, then {n} × {gamma} + {beta} {affine.relation} **{affine.result}**.  \n"
        ":gray[Each token (row) has its own mean and variance; each dimension (column) has its own γ and β. Training "
        f"usually starts with γ = 1 and β = 0.{f' ε = {variances[-1]} is added to the variance.' * has_eps}]"
    )


def _changes_result(x: float, mean: float, variance: float, normalised: float) -> bool:
    """Whether the result without ε would be displayed as another number."""
    return variance <= 0 or format_number((x - mean) / variance**0.5, 3) != format_number(normalised, 3)
