"""The rows about the position of layer normalization: post-norm and pre-norm, with real gradients."""

from collections.abc import Callable

import numpy as np

from encoder_core.analysis import root_mean_square
from encoder_core.config import Norm
from encoder_core.engine.gradients import layer_gradients
from encoder_core.figures import Line, Panel, ThemeName, curves
from encoder_core.figures.style import PanelStyle
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nnx.depth import DRAWS, SEQ, WIDTH, deep_encoder, depth_gradients, scaled_run
from encoder_core.tutorials.nnx.models import BLOCK, NORM_POSITION, demo_run

_NORMS: tuple[Norm, Norm] = ("post", "pre")


def _by_block(series: dict[str, np.ndarray], title: str, y_axis: str, theme: ThemeName) -> Panel:
    blocks = list(range(1, len(next(iter(series.values()))) + 1))
    return curves(series, blocks, title=title, x_axis="block", y_axis=y_axis, style=PanelStyle(theme=theme))


def _smooth_flow(seed: int) -> Finding:
    ratios = {}
    for blocks in (3, 12):
        residual = depth_gradients(seed)["post", blocks].residual
        ratios[blocks] = float(np.exp(np.log(residual.max(1) / residual.min(1)).mean()))

    def draw(theme: ThemeName) -> Line:
        return [
            _by_block({f"draw {i + 1}": row for i, row in enumerate(depth_gradients(seed)["post", blocks].residual)},
                      f"post-norm, {blocks} blocks", "|gradient| at the block's input", theme)
            for blocks in (3, 12)
        ]  # fmt: skip

    return Finding(
        judge(ratios[12] < 2, under_condition=ratios[3] < 2),
        f"largest / smallest: {ratios[3]:.1f} in 3 blocks, {ratios[12]:.1f} in 12",
        f"At initialization, the largest gradient at the input of a block is **{ratios[3]:.1f}** times the smallest in "
        f"3 post-norm blocks, and **{ratios[12]:.1f}** times in 12 (geometric mean of {DRAWS} draws).",
        draw,
        "the encoder has few blocks, like the tutorial's three",
    )


def _after_the_residual(seed: int) -> Finding:
    layer, parameters = demo_run("block", seed).trace.layers[0], demo_run("block", seed).parameters
    rows = (layer.resid_post - parameters["layers.0.norm2.bias"]) / parameters["layers.0.norm2.scale"]
    variances = {"sum": layer.resid_mid.var(-1), "output": rows.var(-1)}

    def draw(theme: ThemeName) -> Line:
        return line_of([Matrix(title="sum of both paths", values=layer.resid_mid[0]), "norm →",
                        Matrix(title="what goes on", values=layer.mlp_in[0])], theme=theme)  # fmt: skip

    return Finding(
        judge(abs(variances["output"] - 1).max() < 1e-3),
        f"variance of each row {variances['output'].mean():.3f}",
        f"The sums of input and attention output have variances from {variances['sum'].min():.2f} to "
        f"{variances['sum'].max():.2f}. The rows that leave the block have, before scale and shift, variances from "
        f"**{variances['output'].min():.3f}** to **{variances['output'].max():.3f}**.",
        draw,
    )


def _stability(seed: int) -> Finding:
    lengths = {
        norm: np.array([root_mean_square(layer.resid_post) for layer in scaled_run(norm, seed, 4.0).trace.layers])
        for norm in _NORMS
    }

    def draw(theme: ThemeName) -> Line:
        return [_by_block({"sum normalised (post-norm)": lengths["post"], "not normalised (pre-norm)": lengths["pre"]},
                          "residual stream, sublayers four times as large", "root mean square", theme)]  # fmt: skip

    return Finding(
        judge(bool(np.all(np.abs(lengths["post"] - 1) < 0.1)) and lengths["pre"][-1] > 3),
        f"rms {lengths['post'][-1]:.2f} against {lengths['pre'][-1]:.1f}",
        "W_O and W_down of all 12 blocks are multiplied by 4. With the sum normalised, the numbers of the stream keep "
        f"a root mean square of **{lengths['post'][-1]:.2f}** after the last block; without, it is "
        f"**{lengths['pre'][-1]:.1f}**.",
        draw,
    )


def _unaltered(seed: int) -> Finding:
    direction = np.random.default_rng(seed).standard_normal((1, SEQ, WIDTH))
    gradients, cosines = {}, {}
    for norm in _NORMS:
        run = scaled_run(norm, seed, 0.0)
        gradients[norm] = layer_gradients(run, direction)[0].resid_pre
        product = (gradients[norm] * direction).sum()
        cosines[norm] = product / np.linalg.norm(gradients[norm]) / np.linalg.norm(direction)
    unaltered = {norm: bool(np.allclose(gradient, direction)) for norm, gradient in gradients.items()}

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="gradient at the output", values=direction[0]),
                "=" if unaltered["pre"] else "≠",
                Matrix(title="at the input, pre-norm", values=gradients["pre"][0]),
                "=" if unaltered["post"] else "≠",
                Matrix(title="at the input, post-norm", values=gradients["post"][0]),
            ],
            theme=theme,
        )  # fmt: skip

    same = "equal to" if unaltered["pre"] else "different from"
    return Finding(
        judge(unaltered["post"]),
        f"cosine {cosines['post']:.3f}, not 1",
        "The sublayers of 12 blocks are switched off, so that gradients use the residual connections alone. With "
        f"post-norm, the gradient at the input has a cosine of **{cosines['post']:.3f}** with that at the output. With "
        f"pre-norm (no final norm), it is {same} it.",
        draw,
    )


def _before_the_residual(seed: int) -> Finding:
    layer = deep_encoder("pre", 3, np.random.default_rng(seed)).trace(np.arange(SEQ)[None]).layers[-1]
    branch, residual = layer.attn_in.std(-1), layer.resid_pre.std(-1)
    on_branch, on_residual = (abs(deviation - 1).max() < 0.1 for deviation in (branch, residual))

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="residual, not normalised", values=layer.resid_pre[0]), "|",
                Matrix(title="input of attention, normalised", values=layer.attn_in[0]), "→",
                Matrix(title="residual + attention", values=layer.resid_mid[0]),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(on_branch and on_residual, under_condition=on_branch),
        f"standard deviation {branch.mean():.2f} in the branch, {residual.mean():.2f} beside it",
        "In the third block of a pre-norm encoder, the rows that attention reads have a standard deviation of "
        f"**{branch.mean():.2f}**; the residual beside it, to which the output is added, has "
        f"**{residual.mean():.2f}**.",
        draw,
        "“before” means at the input of the sublayer, inside the branch",
    )


def _stabilizes(seed: int) -> Finding:
    gradients = depth_gradients(seed)
    spread = {norm: gradients[norm, 12].spread for norm in _NORMS}
    last = {key: float(gradients[key].kernels[:, -1].mean()) for key in gradients}
    shrinks = {norm: last[norm, 12] / last[norm, 3] for norm in _NORMS}
    is_smaller = shrinks["pre"] < 0.75 * shrinks["post"]

    def draw(theme: ThemeName) -> Line:
        return [
            _by_block({f"draw {i + 1}": row for i, row in enumerate(gradients[norm, 12].kernels)},
                      f"{norm}-norm, 12 blocks", "|gradient| of the block's kernels", theme)
            for norm in _NORMS
        ]  # fmt: skip

    return Finding(
        judge(False, under_condition=is_smaller),
        f"last block, 12 to 3 blocks: × {shrinks['pre']:.2f}, post-norm × {shrinks['post']:.2f}",
        "From 3 to 12 blocks, the gradient of the last block's kernels is multiplied by "
        f"**{shrinks['pre']:.2f}** with pre-norm and by **{shrinks['post']:.2f}** with post-norm. Over {DRAWS} draws, "
        f"the gradient at the first of 12 blocks differs by a factor of {spread['pre']:.1f} with pre-norm and "
        f"{spread['post']:.1f} with post-norm.",
        draw,
        "the size of the last block's gradient at initialization is meant" if is_smaller else "",
    )


def _smoother(seed: int) -> Finding:
    gradients = depth_gradients(seed)
    roughness = {key: value.roughness for key, value in gradients.items()}

    def draw(theme: ThemeName) -> Line:
        return [_by_block({f"{norm}-norm": gradients[norm, 12].residual[0] for norm in _NORMS}, "12 blocks, first draw",
                          "|gradient| at the block's input", theme)]  # fmt: skip

    return Finding(
        judge(roughness["pre", 12] < 0.7 * roughness["post", 12]),
        f"roughness {roughness['pre', 12]:.2f} against {roughness['post', 12]:.2f}",
        "Roughness is the mean change of the factor between neighbouring blocks (second difference of the logarithm). "
        f"In 12 blocks it is **{roughness['pre', 12]:.2f}** with pre-norm and **{roughness['post', 12]:.2f}** with "
        f"post-norm; in 3 blocks {roughness['pre', 3]:.2f} and {roughness['post', 3]:.2f} (mean of {DRAWS} draws).",
        draw,
    )


def _no_scaling(seed: int) -> Finding:
    lengths = {norm: depth_gradients(seed)[norm, 12].lengths.mean(0) for norm in _NORMS}
    growth = float(lengths["pre"][-1] / lengths["pre"][0])

    def draw(theme: ThemeName) -> Line:
        return [_by_block({f"{norm}-norm": lengths[norm] for norm in _NORMS}, "residual stream without factors",
                          "mean length of a row", theme)]  # fmt: skip

    return Finding(
        judge(growth < 1.2, under_condition=growth < 10),
        f"residual grows {growth:.1f}-fold in 12 blocks",
        f"Without any factor, the rows of the pre-norm residual stream grow from {lengths['pre'][0]:.1f} after the "
        f"first to **{lengths['pre'][-1]:.1f}** after the twelfth block. With post-norm they are "
        f"{lengths['post'][0]:.1f} and {lengths['post'][-1]:.1f}. √32 = {32**0.5:.1f} is the length of a normalised "
        "row.",
        draw,
        "a final norm follows the last block",
    )


def _claim(name: str, title: str, text: str, examine: Callable[[int], Finding], meaning: str,
           address: str = NORM_POSITION) -> Item:  # fmt: skip
    return Item(name, title, "claim", (Quotation(text, address),), examine, meaning, "add_and_norm")


NORM_ITEMS = (
    _claim("smooth-gradient-flow", "Layer normalization and gradient flow",
           "layer normalization ensures smooth gradient flow.", _smooth_flow,
           "With few blocks, all of them get gradients of similar size. With many post-norm blocks, the sizes differ "
           "more, and from draw to draw.", BLOCK),
    _claim("norm-after-the-residual", "The norm after the residual connection",
           "In the original Transformer paper by Vaswani et al., layer normalization is applied after the residual "
           "connection.", _after_the_residual,
           "The block of the tutorial does the same: `x = x + ...`, then `x = self.norm1(x)`. The paper has "
           "LayerNorm(x + Sublayer(x)) in section 3.1."),
    _claim("normalizing-the-sum", "Normalizing the sum improves stability",
           "Normalizing the combined output of the main path and residual path improves stability.", _stability,
           "What is shown is the size of the numbers in the forward pass: the norm of the sum keeps it constant, "
           "whatever the sublayers add. Training is another question; see the rows about gradients."),
    _claim("unaltered-gradients", "Unaltered “backup” gradients",
           'This placement assumes that residual connections should provide unaltered "backup" gradients during '
           "backpropagation.", _unaltered,
           "With post-norm, every gradient passes through two norms a block, also on the residual path. Each norm "
           "removes the gradient's mean and its component along the normalised row, and divides by the standard "
           "deviation of the row. Pre-norm leaves the residual path free: there the gradient arrives as it left."),
    _claim("norm-before-the-residual", "The norm before the residual connection",
           "Newer architectures like T5 apply layer normalization before the residual connection.",
           _before_the_residual,
           "Pre-norm computes x + Sublayer(norm(x)): the norm acts on what the sublayer reads, not on the residual."),
    _claim("pre-norm-stabilizes", "Pre-norm in deeper models",
           "Pre-norm stabilizes training for deeper models.", _stabilizes,
           "Xiong et al. 2020 explain the need for a warm-up of the learning rate in post-norm models by the gradients "
           "of the last blocks, which stay large at any depth, while those of pre-norm shrink with it. The gradients "
           "here are exact, at initialization; no training run is part of this row."),
    _claim("pre-norm-smoother", "Smoother gradients with many blocks",
           "Makes gradient flow smoother, especially for large-scale training with many encoder blocks.", _smoother,
           "With pre-norm, gradients grow from the last block to the first by a slowly changing factor. With "
           "post-norm, each block has its own factor, which depends on the draw."),
    _claim("no-scaling-factors", "No additional scaling factors",
           "Avoids the need for additional scaling factors in residual connections.", _no_scaling,
           "Each block adds to the pre-norm stream, and no norm reduces it, so it grows with depth. A final norm "
           "brings the output back to the usual length. The tutorial's text does not mention it."),
)  # fmt: skip
