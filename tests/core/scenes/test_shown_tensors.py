"""Each cell of a panel shows the number of its tensor, and each product is that of its factors."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from encoder_core import EncoderConfig, edits
from encoder_core.explain import check_cell, derive
from encoder_core.explain.cell import tensor_at
from encoder_core.figures import Panel, Place, panels_of
from encoder_core.scenes.focus import Focus
from tests.core.derive.models import FIXED_MODELS, PLACES, drawn_models, traced
from tests.core.scenes.all_lines import all_lines, attention_lines

MAX_CELLS = 30  # of a panel that are compared


def places_of(panel: Panel, rng: np.random.Generator) -> list[Place]:
    """A random choice of the cells of a panel."""
    sizes = [len(panel.rows), len(panel.columns)]
    if panel.tiles:
        sizes += [len(panel.tiles.rows), len(panel.tiles.columns)]
    indices = rng.permutation(int(np.prod(sizes)))[:MAX_CELLS]
    cells = zip(*np.unravel_index(indices, sizes), strict=True)
    return [Place(int(row), int(column), tuple(map(int, tile)) or None) for row, column, *tile in cells]


def drawn_number(panel, run, cell, tensors):
    """The number that the cell should show: that of the tensor, or of a step of its derivation. `tensors` caches the
    tensors, because some are computed when they are read."""
    shows, name = panel.shows, (cell.tensor, cell.layer)
    if getattr(shows, "step", None) is not None:
        return derive(run, cell).step(shows.step).value
    if name not in tensors:
        tensors[name] = tensor_at(run, cell)
    return getattr(shows, "factor", 1.0) * tensors[name][cell.index]


def check_cells(panel, run, rng, tensors):
    tolerance = 1e-4 * max(1.0, float(np.nanmax(np.abs(panel.values), initial=0.0)))
    checked = 0
    for place in places_of(panel, rng):
        cell, value = panel.cell(*place), panel.value(*place)
        if cell is None:
            continue
        checked += 1
        check_cell(cell, run.trace, run.parameters)
        expected = drawn_number(panel, run, cell, tensors)
        if np.isnan(value):
            assert expected == 0 or not np.isfinite(expected), (panel.title, cell)  # a weight of 0, a score of -inf
        else:
            assert value == pytest.approx(expected, abs=tolerance), (panel.title, cell)
        assert panel.drawn_at(panel.shows.place(cell)) == place, (panel.title, cell)
    assert checked, panel.title


def check_product(line, panel):
    """The product holds where no edit has set the cell; masked numbers count as 0."""
    panels, product = panels_of(line), panel.product
    left, right = (np.nan_to_num(panels[place].values).astype(float) for place in (product.left, product.right))
    total, size = product.factor * (left @ right), abs(product.factor) * (np.abs(left) @ np.abs(right))
    for row, column in np.argwhere(np.isfinite(panel.values)):
        if (row, column) not in panel.set_by_hand:
            value = float(panel.values[row, column])
            assert value == pytest.approx(total[row, column], abs=1e-4 * size[row, column] + 1e-5), panel.title


def check_lines(model, at, bins, seed):
    run, rng, tensors = model.run, np.random.default_rng(seed), {}
    for line in all_lines(run, at, bins):
        for panel in panels_of(line):
            if panel.shows:
                check_cells(panel, run, rng, tensors)
            if panel.product:
                check_product(line, panel)


def any_position(model, rng):
    (batch, seq), config = model.trace.real.shape, model.config
    sizes = (batch, config.num_layers, config.num_heads, seq, seq)
    return Focus(*(int(rng.integers(size)) for size in sizes))


@pytest.mark.parametrize("build", FIXED_MODELS)
def test_panels_of_models_that_have_every_choice(build):
    model = build()
    for seed in range(2):
        check_lines(model, any_position(model, np.random.default_rng(seed)), 1 + 2 * seed, seed)


@settings(max_examples=8)  # each has some forty panels
@given(drawn_models(), st.integers(0, 2**32 - 1), st.sampled_from([1, 5]))
def test_panels_of_any_model(build, seed, bins):
    model = build()
    check_lines(model, any_position(model, np.random.default_rng(seed)), bins, seed)


CONFIG = EncoderConfig(vocab_size=50, d_model=8, num_heads=2, d_ff=8, num_layers=2)
TOKENS = tuple(f"token {index}" for index in range(4))


def lines_with(*applied):
    model = traced(CONFIG, PLACES, applied, (1, 4), "ids", "causal", 7)
    run = model.run
    return run, list(attention_lines(run, Focus(layer=1, head=1, token=2, key_token=1, labels=TOKENS)))


def test_a_score_that_an_edit_sets_is_marked_and_has_the_number_of_the_edit():
    run, (scores, *_) = lines_with(
        edits.SetScore(0, 1, 1, 2, 0, 4.5),  # visible
        edits.SetScore(0, 1, 1, 1, 3, 2.5),  # masked until it was set
        edits.SetScore(0, 1, 0, 2, 1, 9.0),  # of another head
    )
    *_, scaled, masked = panels_of(scores)
    assert masked.set_by_hand == {(2, 0), (1, 3)}
    assert (masked.value(2, 0), masked.value(1, 3)) == (4.5, 2.5)
    assert np.isnan(masked.value(0, 3))
    assert scaled.set_by_hand == frozenset()
    dots = run.trace.layers[1].dot_products[0, 1]
    assert scaled.value(2, 0) == pytest.approx(dots[2, 0] / 2)  # before the mask, and before it was set


@pytest.mark.parametrize(
    ("applied", "factor"),
    [((), 0.5), ((edits.Unscaled(),), 1.0), ((edits.Temperature(3.0),), 0.5)],
    ids=["scaled", "not scaled", "with a temperature, which is applied later"],
)
def test_scores_are_the_product_times_the_scale_in_use(applied, factor):
    _, (scores, *_) = lines_with(*applied)
    assert [panel.product and panel.product.factor for panel in panels_of(scores)] == [None, None, 1, factor, factor]


@pytest.mark.parametrize("factor", [0.0, -1.5, 2.0])
def test_the_factor_of_a_head_multiplies_its_sum(factor):
    run, (_, _, mixture, one) = lines_with(edits.HeadFactor(1, 1, factor))
    z = panels_of(mixture)[-1]
    assert z.product.factor == factor
    layer = run.trace.layers[1]
    weights, values = layer.pattern[0, 1, 2], layer.v[0, 1, :, 0]
    np.testing.assert_allclose(z.value(2, 0), factor * (weights @ values), rtol=1e-4, atol=1e-6)
    _, _, products, running = panels_of(one)
    np.testing.assert_allclose(products.values[:3, 0], (factor * weights * values)[:3], rtol=1e-5)
    np.testing.assert_allclose(running.values[2, 0], layer.z[0, 1, 2, 0], rtol=1e-4, atol=1e-6)
    signs = [part for line in (mixture, one) for part in line if isinstance(part, str)]
    sign = f"× {factor:g}\n=".replace("-", "−")
    assert signs == ["→", "×", sign, "Σ →", "×", sign, "→"]
    _, (_, _, mixture, one) = lines_with()
    assert sum(part == "=" for line in (mixture, one) for part in line) == 2
