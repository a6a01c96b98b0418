"""The residual stream after each sublayer, and the parts that add up to the step from one stage to the next."""

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from encoder_core.blocks import layer_norm
from encoder_core.config import EncoderConfig, require_chained_layers, require_config
from encoder_core.support.read_only import compared_by_identity
from encoder_core.support.validation import invalid_value, require_choice, require_index, require_integer, require_type
from encoder_core.trace import EncoderTrace, Run, require_run, require_trace

_OUTSIDE_BLOCKS = ("embedded", "output")  # the tensors of stages
_IN_BLOCKS = ("mlp_in", "resid_mid", "resid_post")


class ResidualStage(NamedTuple):
    """A stage of the residual stream: the input of the first layer, or the vectors after a sublayer or the final norm.

    name    "input", "attention 1", "layer 1", ..., "final norm": layers count from 1, as on screen
    tensor  the name of the tensor in the trace
    layer   of the sublayer, counted from 0; None outside the layers
    """

    name: str
    tensor: str
    layer: int | None = None


@compared_by_identity
class StepPart(NamedTuple):
    """A part of the step of one token's vector.

    name     "head 1", "attention bias", "feed-forward", "norm", "final norm", or "residual × 0.5" for an edit of the
             factor on the residual
    vector   (d_model,) float64
    head     counted from 0; None where the part is not a head
    is_norm  whether the part is the change by a layer norm, which follows the sum of the other parts
    """

    name: str
    vector: Float[np.ndarray, "d_model"]
    head: int | None = None
    is_norm: bool = False


def residual_stages(config: EncoderConfig) -> list[ResidualStage]:
    """The stages in the order of the forward pass.

    With norm="post" the vectors after attention are those after its norm. Raises ValueError for layers that are not
    chained, see `EncoderConfig.has_chained_layers`.
    """
    require_config(config)
    require_chained_layers(config)
    middle = "mlp_in" if config.norm == "post" else "resid_mid"
    stages = [ResidualStage("input", "embedded")]
    for layer in range(config.num_layers):
        stages += [
            ResidualStage(f"attention {layer + 1}", middle, layer),
            ResidualStage(f"layer {layer + 1}", "resid_post", layer),
        ]
    return [*stages, ResidualStage("final norm", "output")] if config.final_norm else stages


def stage_vectors(trace: EncoderTrace, stage: ResidualStage) -> Float[np.ndarray, "batch seq d_model"]:
    """The vectors of all tokens at a stage. Raises ValueError for what is no trace or no stage of it."""
    require_trace(trace)
    require_type("stage", stage, ResidualStage, "the stages of `residual_stages`")
    require_choice("tensor", stage.tensor, _OUTSIDE_BLOCKS if stage.layer is None else _IN_BLOCKS)
    if stage.layer is not None:
        require_index("layer", stage.layer, len(trace.layers))
    vectors: Float[np.ndarray, "batch seq d_model"]
    vectors = getattr(trace if stage.layer is None else trace.layers[stage.layer], stage.tensor)
    return vectors


def residual_step(run: Run, stage: int, token: int, sentence: int = 0) -> list[StepPart]:
    """The parts of the step of a token's vector to a stage from the stage before it; they add up to that step.

    stage  index in `residual_stages`, from 1

    After attention: z_h W_O,h of each head and the bias of W_O. After the feed-forward network: its output, with its
    bias. With norm="post" a norm follows each of them; its part is norm(sum) - sum, recomputed in float64. Edits and
    dropout are part of what they change; a factor on the residual is a part of its own. Raises ValueError for a stage,
    token or sentence that does not exist.
    """
    require_run(run)
    stages = residual_stages(run.config)
    if require_integer("stage", stage, 1) >= len(stages):
        raise invalid_value("stage", stage, f"1 to {len(stages) - 1}")
    batch, seq = run.trace.real.shape
    require_index("token", token, seq)
    require_index("sentence", sentence, batch)
    before = stage_vectors(run.trace, stages[stage - 1])[sentence, token].astype(float)
    layer = stages[stage].layer
    if layer is None:
        return [_norm(run, "final_norm", before)]
    is_attention = stage % 2 == 1
    parts = _attention(run, layer, token, sentence) if is_attention else _feed_forward(run, layer, token, sentence)
    factor = run.residual_factor(layer, "attention" if is_attention else "mlp")
    if factor != 1:
        parts.insert(0, StepPart(f"residual × {factor:g}".replace("-", "−"), (factor - 1) * before))
    if run.config.norm == "post":
        total = before + np.sum([part.vector for part in parts], axis=0)
        parts.append(_norm(run, f"layers.{layer}.norm{1 if is_attention else 2}", total))
    return parts


def _attention(run: Run, layer: int, token: int, sentence: int) -> list[StepPart]:
    tensors = run.trace.layers[layer]
    z = tensors.z[sentence, :, token].astype(float)
    heads = np.einsum("hd,hdm->hm", z, tensors.out_kernel.reshape(*z.shape, -1))
    parts = [StepPart(f"head {head + 1}", vector, head) for head, vector in enumerate(heads)]
    bias = run.edited_parameters.get(f"layers.{layer}.attention.out.bias")
    if bias is not None:
        parts.append(StepPart("attention bias", bias.astype(float)))
    seq = run.trace.real.shape[1]
    kept = run.apply_dropout(np.ones((seq, len(parts[0].vector))), "attn_out", layer, sentence)[token]
    return [part._replace(vector=part.vector * kept) for part in parts]


def _feed_forward(run: Run, layer: int, token: int, sentence: int) -> list[StepPart]:
    return [StepPart("feed-forward", run.trace.layers[layer].mlp_out[sentence, token].astype(float))]


def _norm(run: Run, name: str, x: Float[np.ndarray, "d_model"]) -> StepPart:
    """The change of x by a layer norm (Ba, Kiros & Hinton 2016, equations 3 and 4)."""
    scale, shift = (run.edited_parameters[f"{name}.{part}"].astype(float) for part in ("scale", "bias"))
    (normed,) = layer_norm(x[None], scale, shift, run.config.norm_eps)
    return StepPart("final norm" if name == "final_norm" else "norm", normed - x, is_norm=True)
