"""The rows of the section Wrapping up: parameters by name, init and apply, and the output of the encoder."""

import numpy as np

from encoder_core.analysis import softmax
from encoder_core.encoder import Encoder
from encoder_core.figures import Line, ThemeName
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.article.models import (
    NOTEBOOK,
    T,
    article_run,
    bar_panel,
    block,
    parameter,
    words,
)
from encoder_core.tutorials.article.transform import Ids, Outputs, transform
from encoder_core.tutorials.item import Finding, Item, Quotation, judge

# Haiku's modules and the shapes of their parameters, as `init` returns them (see the tests); the names of ours.
HAIKU_PARAMETERS: dict[str, tuple[tuple[tuple[int, ...], ...], str]] = {
    "Embedding_layer/embed": (((84, 64),), "token_embedding"),
    "Multihead_Attention": (((4, 64, 16),) * 3, "attention.query attention.key attention.value"),
    "Multihead_Attention/linear": (((64, 64), (64,)), "attention.out"),
    "Post_Attention_Layer_Norm": (((64,), (64,)), "norm1"),
    "FeedForward_Net/linear": (((64, 256), (256,)), "mlp.up"),
    "FeedForward_Net/linear_1": (((256, 64), (64,)), "mlp.down"),
    "Post_FeedForward_Layer_Norm": (((64,), (64,)), "norm2"),
}


def _first_ids(seed: int) -> Ids:
    ids = article_run(seed).trace.ids
    assert ids is not None
    return ids[:1]


def _names(seed: int) -> Finding:
    ours = article_run(seed).parameters
    theirs = {name: sum(int(np.prod(shape)) for shape in shapes) for name, (shapes, _) in HAIKU_PARAMETERS.items()}
    mine = {name: sum(array.size for key, array in ours.items() if any(part in key for part in parts.split()))
            for name, (_, parts) in HAIKU_PARAMETERS.items()}  # fmt: skip
    total = sum(array.size for array in ours.values())

    def draw(theme: ThemeName) -> Line:
        names = ["embed", "WQ, WK, WV", "linear", "norm 1", "FFN linear", "linear_1", "norm 2"]
        return [bar_panel(np.array(list(theirs.values())), names, "parameters of Haiku's modules", theme)]

    return Finding(
        judge(theirs == mine and sum(theirs.values()) == total),
        f"{total:,} parameters",
        f"Haiku's dictionary has **{len(theirs)}** modules with **{sum(theirs.values()):,}** parameters in all; the "
        f"flat dictionary here has **{len(ours)}** arrays with as many in each part (W_Q, W_K and W_V as 64 × 64).",
        draw,
    )


def _init_apply(seed: int) -> Finding:
    functions = transform(lambda encoder, ids: encoder.trace(ids).output)
    ids = _first_ids(seed)
    first, second = functions.init(seed, np.zeros_like(ids)), functions.init(seed, ids)
    same_parameters = all(np.array_equal(first[name], second[name]) for name in first)
    outputs = functions.apply(first, ids), functions.apply(first, ids)
    same = np.array_equal(outputs[0], outputs[1])
    other = np.abs(functions.apply(functions.init(seed + 1, ids), ids) - outputs[0]).max()

    def draw(theme: ThemeName) -> Line:
        name = "layers.0.attention.query.kernel"
        return line_of(
            [
                Matrix(title="init: W_Q", values=first[name], row_axis="dimension"),
                "→",
                Matrix(title="apply: output", values=outputs[0][0], rows=words(seed)),
                "=",
                Matrix(title="apply again", values=outputs[1][0], rows=words(seed)),
            ],
            theme=theme,
        )

    return Finding(
        judge(bool(same_parameters and same and other > 0.1)),
        "same parameters for zeros and for real ids",
        f"Zeros and real ids as dummy data give the same **{len(first)}** arrays. Two calls of apply with the same "
        f"parameters and ids are equal to the last bit; parameters of another seed change the output by up to "
        f"**{other:.2f}**.",
        draw,
    )


def _syntaxes(seed: int) -> Finding:
    @transform
    def decorated(encoder: Encoder, ids: Ids) -> Outputs:
        return encoder.trace(ids).output

    def plain(encoder: Encoder, ids: Ids) -> Outputs:
        return encoder.trace(ids).output

    separate = transform(plain)
    ids = _first_ids(seed)
    outputs = [each.apply(each.init(seed, ids), ids) for each in (decorated, separate)]
    equal = np.array_equal(outputs[0], outputs[1])

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="1: as a decorator", values=outputs[0][0], rows=words(seed)),
                "=",
                Matrix(title="2: applied separately", values=outputs[1][0], rows=words(seed)),
            ],
            theme=theme,
        )

    return Finding(
        judge(equal and isinstance(plain, type), under_condition=equal),
        "equal" if equal else "different",
        f"Both outputs of shape **{outputs[0].shape}** are {'equal to the last bit' if equal else 'different'}. What "
        f"is decorated is a {type(plain).__name__}, not a class.",
        draw,
        "“class decorator” is read as decorator of a function",
    )


def _output_figure(seed: int) -> Finding:
    output = article_run(seed).trace.output
    mean, std = output.mean(-1), output.std(-1)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [Matrix(title=f"Output of the Encoder Block, outputs_shape={output.shape}", values=output[0],
                    rows=words(seed))],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(bool(output.shape == (32, 10, 64) and np.abs(mean).max() < 1e-5 and np.abs(std - 1).max() < 1e-3)),
        str(output.shape),
        f"The output has shape **{output.shape}**. Each row has mean 0 (to {format_number(np.abs(mean).max(), 1)}) and "
        f"deviation 1 (to {format_number(np.abs(std - 1).max(), 1)}), like the rows stored in the notebook, because a "
        "layer norm is last.",
        draw,
    )


def _decoder(seed: int) -> Finding:
    layer, x = block(seed), article_run(seed).trace
    q, k = layer.q[0, 0], layer.k[0, 0]
    causal = softmax(np.where(np.tril(np.ones((10, 10), bool)), q @ k.T / 4, -np.inf))
    keys = x.output[1] @ parameter(seed, "attention.key.kernel")[:, :16]
    cross = softmax(q @ keys.T / 4)

    def draw(theme: ThemeName) -> Line:
        titles = {
            "encoder": layer.pattern[0, 0],
            "decoder: causal mask": causal,
            "decoder: keys of another text": cross,
        }
        return line_of(
            [Matrix(title=title, values=values, kind="weights", row_axis="query", column_axis="key", show_values=False)
             for title, values in titles.items()],
            theme=theme,
        )  # fmt: skip

    later = causal[np.triu_indices(10, 1)].max()
    error = max(np.abs(weights.sum(-1) - 1).max() for weights in (causal, cross))
    return Finding(
        judge(bool(later == 0 and error < 1e-6)),
        "same attention, other mask and keys",
        f"With the same W_Q and W_K, a causal mask leaves later words a weight of **{later:.0f}**, and keys from the "
        f"output for another sequence give weights of shape **{cross.shape}**; rows add up to 1 in both.",
        draw,
    )


WRAP_UP_ITEMS = (
    Item(
        "named-parameters",
        "A name for each layer",
        "claim",
        (Quotation("notice that in Haiku, we assign a name to each layer, so that learnable parameters are separated "
                   "and easy to access.", T),),
        _names,
        "Haiku nests module names and parameter names: `params['Encoder_module/~/Multihead_Attention/linear']['w']` is "
        "`layers.0.attention.out.kernel` here.",
        "map",
    ),
    Item(
        "init-and-apply",
        "init and apply",
        "claim",
        (Quotation("Applying hk.transform returns a transformed object having access to two functions: init and apply.",
                   T),
         Quotation("The former enables us to initialize the module with a random key as well as some dummy data "
                   "(notice that here we pass an array of zeros with shape batch_size, seq_len) while the latter "
                   "allows us to process real data.", T),
         Quotation("JAX embraces the functional programming paradigm, therefore, Haiku follows the same "
                   "principles.", T)),
        _init_apply,
        "The dummy data tell Haiku shapes, not values. `apply` takes a key as well; this model draws nothing in the "
        "forward pass, so any key, or None, gives the same output.",
        "map",
    ),
    Item(
        "equivalent-syntaxes",
        "Two equivalent syntaxes",
        "claim",
        (Quotation("# Note: the two following syntaxes are equivalent\n# 1: Using transform as a class decorator\n"
                   "# 2: Applying transfom separately", T, "code"),),
        _syntaxes,
        "`@hk.transform` before a function is the same as `hk.transform(function)`. The encoder is a class, but what "
        "is transformed is the function that calls it.",
    ),
    Item(
        "encoder-output",
        "Output of the encoder",
        "figure",
        (Quotation("Output of the Encoder Block, outputs_shape=(32, 10, 64)", NOTEBOOK),),
        _output_figure,
        "A test runs the article's modules with its key and today's libraries and finds the notebook's stored numbers "
        "to 1e-5, with JAX's former generator of random numbers; the present one draws others.",
        "full_stack",
    ),
    Item(
        "decoder",
        "The blocks of a decoder",
        "claim",
        (Quotation("adding a decoder, which reuses most of the blocks we introduced so far", T),),
        _decoder,
        "A decoder block has two attentions: one with a causal mask, one whose keys and values come from the encoder. "
        "Residuals, norms and feed-forward network are the same.",
        "softmax",
    ),
)  # fmt: skip
