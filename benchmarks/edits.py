"""Time from a new edit to a NumPy trace.

    python -m benchmarks.edits

Prints one JSON object. The encoder has d_model 128, 16 heads and 12 layers, the sentence 32 tokens.

edit_ms_*            a trace with one random edit of a random type, after warm-up
plain_ms_*           a trace without an edit, measured in turns with the above
ablate_heads_ms_p50  the ablation of all 192 heads
compilations         during all measurements, counted by the monitoring of JAX
"""

import json
from functools import partial

import numpy as np

from benchmarks.measure import CompilationCounter, milliseconds, percentile
from encoder_core import Edit, Encoder, EncoderConfig, ablate_heads, warm_up
from encoder_core.edits import parse_edit

WARM_UPS, EDITS, ABLATIONS = 50, 300, 5
CONFIG = EncoderConfig(vocab_size=64, max_len=32, d_model=128, num_heads=16, d_ff=512, num_layers=12)
SEQ = 32
EDIT_FORMATS = (
    "token_embedding.{id}.{d_model}={value}",
    "wq.{layer}.{head}.{d_model}.{d_head}={value}",
    "wk.{layer}.{head}.{d_model}.{d_head}={value}",
    "wv.{layer}.{head}.{d_model}.{d_head}={value}",
    "wo.{layer}.{head}.{d_head}.{d_model}={value}",
    "token.{batch}.{position}={id}",
    "hide.{batch}.{position}",
    "embedded.{batch}.{position}.{d_model}={value}",
    "unscaled",
    "score.{batch}.{layer}.{head}.{position}.{key}={value}",
    "temperature={positive}",
    "head.{layer}.{head}={value}",
    "residual.{layer}.{sublayer}=0",
    "dropout.{id}=0.1",
)


def random_edit(rng: np.random.Generator, edit_format: str, config: EncoderConfig, batch: int, seq: int) -> Edit:
    """A random edit with this text format (one of EDIT_FORMATS) that fits the model and the input."""
    sizes = {
        "id": config.vocab_size,
        "d_model": config.d_model,
        "d_head": config.d_head,
        "layer": config.num_layers,
        "head": config.num_heads,
        "batch": batch,
        "position": seq,
        "key": seq,
    }
    indices = {name: int(rng.integers(size)) for name, size in sizes.items()}
    value, positive = round(float(rng.normal()), 3), round(float(rng.uniform(0.1, 10)), 3)
    return parse_edit(
        edit_format.format(**indices, value=value, positive=positive, sublayer=rng.choice(["attention", "mlp"]))
    )


def main() -> None:
    rng = np.random.default_rng(20)
    warm_up()
    encoder = Encoder.random(CONFIG, seed=0)
    ids = rng.integers(0, CONFIG.vocab_size, (1, SEQ), np.int32)
    for _ in range(WARM_UPS):
        encoder.trace(ids)
    edits = [random_edit(rng, EDIT_FORMATS[rng.integers(len(EDIT_FORMATS))], CONFIG, 1, SEQ) for _ in range(EDITS)]
    edited, plain = [], []
    with CompilationCounter() as counter:
        for edit in edits:
            edited.append(milliseconds(partial(encoder.trace, ids, edits=[edit])))
            plain.append(milliseconds(partial(encoder.trace, ids)))
        ablations = [milliseconds(partial(ablate_heads, encoder, ids)) for _ in range(ABLATIONS)]
    print(
        json.dumps(
            {
                "edits": EDITS,
                "edit_ms_p50": percentile(edited, 50),
                "edit_ms_p95": percentile(edited, 95),
                "plain_ms_p50": percentile(plain, 50),
                "plain_ms_p95": percentile(plain, 95),
                "ablate_heads_ms_p50": percentile(ablations, 50),
                "compilations": counter.count,
            }
        )
    )


if __name__ == "__main__":
    main()
