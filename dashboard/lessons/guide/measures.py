"""The numbers in the answers of the workshop's plan: one function for each step, computed from the step's views."""

from collections.abc import Sequence

import numpy as np

from dashboard.lessons.guide.step import Numbers, PlanView
from dashboard.lessons.positions.shuffle import output_changes
from dashboard.models.model import Model
from dashboard.models.variants import untrained_model
from encoder_core import SetScore, Temperature, attention_from
from encoder_core.analysis import cosines, logit_lens, softmax, stack_patterns, top_tokens
from encoder_core.experiments.claims import score_scaling, token_mixing
from encoder_core.experiments.claims.learned_attention import NUM_INPUTS, key_weights
from encoder_core.pretrained import nearest_words
from encoder_core.training.expected_keys import TASK_KEYS, key_sets, weight_on

WHAT_IF = SetScore(batch=0, layer=3, head=1, query=16, key=3, value=-5.0)  # the score from "it" to "cat"
OTHER_TEMPERATURE = 2.0
SEEDS = range(5)  # of the random encoders


def start(views: Sequence[PlanView]) -> Numbers:
    """Where "it" attends: in the head with the largest weight to "cat", and as a mean over all heads."""
    trace = views[0].model().trace
    words = trace.tokens[0]
    cat, weights = words.index("cat"), attention_from(trace, words.index("it"))
    layer, head = np.unravel_index(weights[..., cat].argmax(), weights.shape[:2])
    mean = weights.mean(axis=(0, 1))
    return {
        "heads": weights[..., cat].size,
        "layer": int(layer) + 1,
        "head": int(head) + 1,
        "weight": float(weights[layer, head, cat]),
        "top": words[mean.argmax()],
        "top_mean": float(mean.max()),
        "mean": float(mean[cat]),
    }


def embedding(views: Sequence[PlanView]) -> Numbers:
    """The difference of the rows of both "the", and the words nearest to "cat"."""
    model = views[0].model()
    words = model.batch.tokens[0]
    first, second = model.trace.token_embedding[0][[i for i, word in enumerate(words) if word == "the"]]
    neighbours = nearest_words(model.parameters["token_embedding"], model.vocabulary, ["cat"], count=3)
    listed = ", ".join(f"“{neighbour.word}” (cosine {neighbour.cosine:.2f})" for neighbour in neighbours)
    return {
        "difference": float(np.abs(first - second).max()),
        "neighbours": listed,
        "rows": len(model.parameters["token_embedding"]),
    }


def positions(views: Sequence[PlanView]) -> Numbers:
    """The changes of the outputs when the tokens are shuffled as on the page."""
    model = views[0].model()
    changes = output_changes(model.settings, 0, seed=1, choice=model.positions)
    with_positions = changes["with positions"]
    return {
        "without": float(changes["without positions"].max()),
        "smallest": float(with_positions.min()),
        "largest": float(with_positions.max()),
    }


def scores(views: Sequence[PlanView]) -> Numbers:
    """The score from "it" to "cat" with and without the division, and the variances of the experiment."""
    view = views[0]
    model = view.model()
    layer, words = model.trace.layers[view.layer], model.batch.tokens[0]
    it, cat = words.index("it"), words.index("cat")
    products = layer.dot_products[0, view.head, it]
    setup = score_scaling.EXPERIMENT.default_setup
    drawn = int(setup["d_k"]), int(setup["keys"]), int(setup["seed"])
    plain, divided = (score_scaling.score_statistics(*drawn, scaled=scaled).scores.var() for scaled in (False, True))
    return {
        "d_head": model.config.d_head,
        "product": float(products[cat]),
        "score": float(layer.scores[0, view.head, it, cat]),
        "weight": float(layer.pattern[0, view.head, it, cat]),
        "undivided": float(softmax(products)[cat]),
        "d_k": drawn[0],
        "variance": float(plain),
        "divided": float(divided),
    }


def softmax_weights(views: Sequence[PlanView]) -> Numbers:
    """The scores and weights of "cat" and "sofa" for "it", and the weight of "cat" at another temperature."""
    view = views[0]
    model = view.model()
    words = model.batch.tokens[0]
    it, cat, sofa = (words.index(word) for word in ("it", "cat", "sofa"))
    row = model.trace.layers[view.layer].scores[0, view.head, it]
    weights = model.trace.layers[view.layer].pattern[0, view.head, it]
    flatter = model.trace_with(Temperature(OTHER_TEMPERATURE)).layers[view.layer].pattern[0, view.head, it]
    return {
        "gap": float(row[cat] - row[sofa]),
        "ratio": float(weights[cat] / weights[sofa]),
        "cat": float(weights[cat]),
        "sofa": float(weights[sofa]),
        "temperature": OTHER_TEMPERATURE,
        "flatter": float(flatter[cat]),
    }


def what_if(views: Sequence[PlanView]) -> Numbers:
    """The weights of "it" after the edit, and those of the same head in the other sentence."""
    view, other, third = views
    model = view.model()
    words = model.batch.tokens[0]
    it, cat = words.index("it"), words.index("cat")
    before, after = (
        trace.layers[view.layer].pattern[0, view.head, it] for trace in (model.trace, model.trace_with(WHAT_IF))
    )
    top = int(after.argmax())
    return {
        "top": words[top],
        "weight": float(after[top]),
        "before": float(before[cat]),
        "cat": float(after[cat]),
        "factor": float(after[top] / before[top]),
        "animal": _weight(other, "animal"),
        "street": _weight(other, "street"),
        "animal_tired": _weight(third, "animal"),
        "street_tired": _weight(third, "street"),
    }


def values(views: Sequence[PlanView]) -> Numbers:
    """How similar z of "it" is to the value rows of "cat" and "sofa"."""
    view = views[0]
    model = view.model()
    layer, words = model.trace.layers[view.layer], model.batch.tokens[0]
    it, cat, sofa = (words.index(word) for word in ("it", "cat", "sofa"))
    z, v = layer.z[0, view.head, it], layer.v[0, view.head]
    similar = cosines(z[None], v[[cat, sofa]])[0]
    return {
        "weight": float(layer.pattern[0, view.head, it, cat]),
        "d_head": model.config.d_head,
        "cat": float(similar[0]),
        "sofa": float(similar[1]),
    }


def mixing(_: Sequence[PlanView]) -> Numbers:
    """The rows that change at each stage when a word is replaced, in the default setup of the experiment, and those
    that change after attention with a causal mask."""
    setup = token_mixing.EXPERIMENT.default_setup
    token, seed = int(setup["token"]) - 1, int(setup["seed"])
    rows, causal_rows = (
        {name: token_mixing.changed_rows(change) for name, change in changes.items()}
        for changes in (token_mixing.row_changes(token, causal, seed) for causal in (False, True))
    )
    return {
        "word": token_mixing.SENTENCE[token],
        "values": rows["values 1"],
        "attention": rows["attention 1"],
        "network": rows["FFN 1"],
        "causal": causal_rows["attention 1"],
        "count": len(token_mixing.SENTENCE),
    }


def predictions(views: Sequence[PlanView]) -> Numbers:
    """The most probable word at [MASK] before the first layer and after the last, and how it got there."""
    model = views[0].model()
    place = model.batch.tokens[0].index("[MASK]")
    lens = logit_lens(model.run)[:, place]
    top = top_tokens(lens, 3)
    names = [[model.vocabulary[index] for index in ids] for ids in top.ids]
    shares = softmax(lens)[:, top.ids[-1, 0]]
    return {
        "first": names[0][0],
        "first_share": float(top.probabilities[0, 0]),
        "last": names[-1][0],
        "last_share": float(shares[-1]),
        "middle_share": float(shares[-2]),
        "layers": model.config.num_layers,
        "others": " and ".join(f"“{name}”" for name in names[-1][1:]),
    }


def untrained(views: Sequence[PlanView]) -> Numbers:
    """The word to which some head gives the largest weight of "it", for random encoders of several seeds."""
    view = views[0]
    strongest = {seed: _strongest(view, seed) for seed in SEEDS}
    word, weight = _strongest(view, int(view.link["seed"]))
    return {
        "word": word,
        "weight": weight,
        "others": ", ".join(f"“{strongest[seed][0]}” ({strongest[seed][1]:.2f})" for seed in SEEDS),
        "first": SEEDS[0],
        "last": SEEDS[-1],
    }


def training(views: Sequence[PlanView]) -> Numbers:
    """The weight on the mirror image before and after training, over random inputs and for the word of the page."""
    view = views[1]
    weights = key_weights("reverse")
    untrained = untrained_model(view.model())
    assert untrained is not None, "the initial state of a shipped encoder is known"
    before, after = (_mirror_weight(model, view) for model in (untrained, view.model()))
    return {
        "layer": view.layer + 1,
        "head": view.head + 1,
        "after": float(weights.after[view.layer, view.head]),
        "before": float(weights.before[view.layer, view.head]),
        "equal": weights.equal,
        "inputs": NUM_INPUTS,
        "example": "".join(view.model().batch.tokens[0]),
        "example_after": after,
        "example_before": before,
    }


def _weight(view: PlanView, noun: str) -> float:
    """The weight from "it" to a noun, in the head of a view."""
    trace = view.model().trace
    words = trace.tokens[0]
    return float(trace.layers[view.layer].pattern[0, view.head, words.index("it"), words.index(noun)])


def _strongest(view: PlanView, seed: int) -> tuple[str, float]:
    """The word with the largest weight of "it" in any head of the random encoder with this seed, and this weight."""
    trace = view.model(seed=seed).trace
    words = trace.tokens[0]
    weights = attention_from(trace, words.index("it"))
    return words[int(weights.max(axis=(0, 1)).argmax())], float(weights.max())


def _mirror_weight(model: Model, view: PlanView) -> float:
    """The mean weight on the mirror image, in the head of a view."""
    weights = weight_on(key_sets("reverse", model.batch.ids[0])[TASK_KEYS["reverse"]], stack_patterns(model.trace, 0))
    assert weights is not None, "every letter has a mirror image"
    return float(weights[view.layer, view.head])
