"""The cells from the tokens to the input of the first layer."""

import numpy as np
from jaxtyping import Bool

from encoder_core.config import EncoderConfig
from encoder_core.export.cells import NotebookCell, code, lines_of, literal, markdown
from encoder_core.export.mask_source import NAMES, has_mask, mask_cells_source
from encoder_core.export.subject import Pretrained, Subject
from encoder_core.inputs.masks import MaskName
from encoder_core.inputs.tokenizer import encodable
from encoder_core.trace import Run

_RULES: dict[MaskName | None, tuple[str, str]] = {
    None: (
        "Every query attends to every key.",
        "mask = np.ones((batch, num_heads, seq, seq), bool)",
    ),
    "padding": (
        "No query attends to a padding token.",
        "mask = np.broadcast_to(real[:, None, None, :], (batch, num_heads, seq, seq))",
    ),
    "causal": (
        "No query attends to a later token.",
        "mask = np.broadcast_to(np.tri(seq, dtype=bool), (batch, num_heads, seq, seq))",
    ),
    "causal+padding": (
        "No query attends to a later token or to a padding token.",
        "mask = np.broadcast_to(np.tri(seq, dtype=bool) & real[:, None, None, :], (batch, num_heads, seq, seq))",
    ),
}


def token_cells(subject: Subject) -> list[NotebookCell]:
    """The tokens, their ids, and the mask."""
    trace, effects = subject.run.trace, subject.run.effects
    ids = np.zeros((0, 0), int) if trace.ids is None else trace.ids
    names = trace.tokens or ids.astype(str).tolist()  # an input of ids has no words
    rule, mask = _mask(subject.run)
    replaced = " Tokens that were replaced in the app are replaced here." if effects.ids else ""
    cells = [
        markdown(
            "## Tokens\n\nA text becomes tokens, and each token a row number of the embedding table, its id. "
            f"`real` is False where a token is padding.{replaced}"
        ),
        code(
            literal("tokens", [list(sentence) for sentence in names]),
            literal("ids", ids.tolist()),
            "ids = np.array(ids)\nbatch, seq = ids.shape",
            _real(trace.real),
        ),
    ]
    tokenizer = _tokenizer(subject)
    if tokenizer:
        cells.append(tokenizer)
    hidden = [f"mask[{sentence}, :, :, {token}] = False" for sentence, token in sorted(effects.hidden)]
    return [
        *cells,
        markdown(f"`mask` is True where a query (row) may attend to a key (column). {rule}"),
        code(mask, ["mask = mask.copy()  # some tokens were hidden in the app", *hidden] if hidden else []),
    ]


def _tokenizer(subject: Subject) -> NotebookCell | None:
    """How a trained encoder splits the text, if the ids are those of the whole text."""
    trace = subject.run.trace
    is_trained = isinstance(subject.origin, Pretrained)
    if not is_trained or subject.run.effects.ids or len(subject.sentences) != len(trace.real):
        return None
    limit = subject.config.max_len
    return code(
        """
        from tokenizers import Tokenizer

        tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
        tokenizer.no_padding()
        """,
        f"tokenizer.enable_truncation({limit})",
        literal("sentences", [encodable(sentence) for sentence in subject.sentences]),
        """
        for sentence, sentence_ids, is_real in zip(sentences, ids, real):
            assert tokenizer.encode(sentence).ids == sentence_ids[is_real].tolist()
        """,
    )


def _mask(run: Run) -> tuple[str, str]:
    """The rule of the mask in words, and the code that makes it; without the edits that hide tokens."""
    for name in NAMES:
        if has_mask(run, name):
            return _RULES[name]
    broadcast = "mask = np.broadcast_to(mask, (batch, num_heads, seq, seq))"
    return "Here it is written cell by cell: 1 is visible, 0 is masked.", f"{mask_cells_source(run)}\n{broadcast}"


def embedding_cells(run: Run) -> list[NotebookCell]:
    """The lookup, the positions and their sum."""
    c, trace, effects = run.config, run.trace, run.effects
    factor = {"none": "", "sqrt_d": " * np.float32(np.sqrt(d_model))", "inv_sqrt_d": " / np.float32(np.sqrt(d_model))"}
    after: list[str] = []
    if c.embedding_norm:
        after += [
            "embedding_sum = embedded",
            "mean = embedding_sum.mean(-1, keepdims=True)",
            "variance = embedding_sum.var(-1, keepdims=True)",
            "embedded = (embedding_sum - mean) / jnp.sqrt(variance + norm_eps)",
            'embedded = embedded * parameters["embedding_norm.scale"] + parameters["embedding_norm.bias"]',
        ]
    if trace.kept is not None and trace.kept.embedded is not None:
        after.append('embedded = drop(embedded, "embedded", 0)')
    if effects.embedded:
        after.append("# The edits of the input of the first layer")
        after += lines_of(effects.embedded, "embedded = embedded.at[{key}].set({value})")
    embedding_sum = "embedding_sum=embedding_sum, " if c.embedding_norm else ""
    return [
        markdown(f"## Embedding and positions\n\n{_position_text(c)}"),
        code(
            'token_embedding = jnp.asarray(parameters["token_embedding"])[ids]  # (batch, seq, d_model)',
            f"scaled_embedding = token_embedding{factor[c.embedding_scale]}",
            "",
            _position_code(c),
            "",
            "embedded = scaled_embedding + position_encoding",
            after,
            "",
            "compare(token_embedding=token_embedding, scaled_embedding=scaled_embedding,\n"
            f"        position_encoding=position_encoding, {embedding_sum}embedded=embedded)",
        ),
    ]


def _position_text(c: EncoderConfig) -> str:
    match c.positions:
        case "learned":
            return "The position of a token is a row of a table that is a parameter; it is added to the embedding."
        case "none":
            return "This encoder has no positions: zeros are added to the embedding."
    if c.position_frequencies == "pairs":
        return "Sines and cosines of the position are added to the embedding. Two dimensions share a frequency."
    return "Sines and cosines of the position are added to the embedding. Each dimension has its own frequency."


def _position_code(c: EncoderConfig) -> str:
    if c.positions == "learned":
        return 'position_encoding = jnp.asarray(parameters["position_embedding"])[:seq]'
    if c.positions == "none":
        return "position_encoding = jnp.zeros((seq, d_model))"
    lines = ["dimension = np.arange(d_model)"]
    if c.position_layout == "interleaved":
        lines.append("pair, is_cosine = dimension // 2, dimension % 2 == 1")
    else:
        lines += [
            "sines = (d_model + 1) // 2  # all sines come before all cosines",
            "is_cosine = dimension >= sines",
            "pair = dimension - sines * is_cosine",
        ]
    exponent = "-2 * pair / d_model"
    if c.position_frequencies == "dimensions":
        exponent = "-2 * (2 * pair + is_cosine) / d_model"
    return "\n".join(
        [
            *lines,
            f"angles = np.arange(seq)[:, None] * 10_000.0 ** ({exponent})",
            "position_encoding = jnp.asarray(np.where(is_cosine, np.cos(angles), np.sin(angles)), jnp.float32)",
        ]
    )


def _real(real: Bool[np.ndarray, "batch seq"]) -> str:
    """The code of `real`: padding is usually at the end of each sentence."""
    lengths = real.sum(axis=1)
    if real.all():
        return "real = np.ones((batch, seq), bool)"
    if np.array_equal(np.arange(real.shape[1]) < lengths[:, None], real):
        return f"lengths = np.array({lengths.tolist()})\nreal = np.arange(seq) < lengths[:, None]"
    return literal("real", real.astype(int).tolist()) + "\nreal = np.array(real, bool)"
