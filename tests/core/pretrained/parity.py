"""The same input through transformers, with eager attention.

In float64 both are the same. In float32, transformers adds a very large negative number to the scores of padding where
ours are masked, and rounds more: the rows of padding tokens, which nobody reads, are compared by their magnitude.
"""

from pathlib import Path

import numpy as np
import torch
from transformers import BertModel

from encoder_core import EncoderTrace, TokenBatch
from tests.core.reference import relative_difference


def assert_same(trace: EncoderTrace, batch: TokenBatch, folder: Path) -> None:
    """Every hidden state and attention weight to 1e-5; hidden states of padding to 1e-5 of the largest number."""
    model = BertModel.from_pretrained(folder, attn_implementation="eager").eval()
    with torch.inference_mode():
        theirs = model(
            input_ids=torch.from_numpy(batch.ids.astype(np.int64)),
            attention_mask=torch.from_numpy(batch.real.astype(np.int64)),
            output_attentions=True,
            output_hidden_states=True,
        )
    ours = [trace.embedded, *(layer.resid_post for layer in trace.layers)]
    for hidden, expected in zip(ours, theirs.hidden_states, strict=True):
        np.testing.assert_allclose(hidden[batch.real], expected.numpy()[batch.real], atol=1e-5, rtol=0)
        assert relative_difference(hidden, expected.numpy()) < 1e-5
    for layer, expected in zip(trace.layers, theirs.attentions, strict=True):
        np.testing.assert_allclose(layer.pattern, expected.numpy(), atol=1e-5)
    np.testing.assert_array_equal(trace.output, trace.layers[-1].resid_post)
