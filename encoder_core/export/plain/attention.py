"""The cells of attention: each function is applied to the first layer, and used by the whole stack later."""

from encoder_core.export.cells import NotebookCell, code, markdown
from encoder_core.export.plain.edits import dropout_lines
from encoder_core.trace import Run


def attention_cells(run: Run) -> list[NotebookCell]:
    """From the queries, keys and values to the output of attention, in the first layer."""
    c = run.config
    attn_in = "encoder_layer.norm1(embedded)" if c.norm == "pre" else "embedded"
    return [
        markdown(
            f"""
            ## Queries, keys, values

            Layer 0 comes first, stage by stage; the whole stack follows. Three linear maps, then every head takes its
            own {c.d_head} of the {c.qkv_width} features. {_norm_text(run)}
            """
        ),
        code(
            """
            def split_heads(x):
                \"\"\"(batch, seq, qkv_dim) -> (batch, head, seq, d_head)\"\"\"
                return x.reshape(batch, seq, num_heads, d_head).swapaxes(1, 2)


            def queries_keys_values(encoder_layer, x):
                attention = encoder_layer.attention
                return split_heads(attention.query(x)), split_heads(attention.key(x)), split_heads(attention.value(x))
            """,
            "",
            "",
            [
                "encoder_layer = encoder.layers[0]",
                f"attn_in = {attn_in}",
                "q, k, v = queries_keys_values(encoder_layer, attn_in)",
            ],
            'compare("layers.0.", resid_pre=embedded, attn_in=attn_in, q=q, k=k, v=v)',
        ),
        markdown(f"## Scores\n\n{_score_text(run)}"),
        code(_scores(run)),
        markdown(
            "## Softmax\n\nEach row of scores becomes weights that add up to one. The maximum of the row is subtracted "
            "first, so that `exp` stays finite."
            + (" A row without a visible key becomes zeros." if _has_empty_row(run) else "")
        ),
        code(_softmax(run)),
        markdown(
            """
            ## Weighted values and the output projection

            Each query takes the sum of all values, weighted by its row of `pattern`. The heads stand side by side in
            `concat`, and one more linear map mixes them.
            """
        ),
        code(_mix(run)),
    ]


def _norm_text(run: Run) -> str:
    if run.config.norm == "pre":
        return "Pre-norm: a norm comes before the sublayer."
    return "Post-norm: attention reads the residual stream itself."


def _score_text(run: Run) -> str:
    scaled = "divided by the square root of `d_head`, and " if run.scales_scores else "not scaled here, and "
    return f"The dot product of every query with every key, {scaled}minus infinity where the key is masked."


def _scores(run: Run) -> list[str]:
    scaled = "dot_products / np.float32(np.sqrt(d_head))" if run.scales_scores else "dot_products"
    edits = [
        "    for cell, score in set_scores.get(layer, {}).items():",
        "        scores = scores.at[cell].set(score)",
    ]
    return [
        "def attention_scores(q, k, layer):",
        "    dot_products = q @ k.swapaxes(-1, -2)  # (batch, head, query, key)",
        f"    scores = jnp.where(mask, {scaled}, -jnp.inf)",
        *(edits if run.effects.scores else []),
        "    return dot_products, scores",
        "",
        "",
        "dot_products, scores = attention_scores(q, k, 0)",
        'compare("layers.0.", dot_products=dot_products, scores=scores)',
    ]


def _has_empty_row(run: Run) -> bool:
    """Whether every key is masked for some query, in some layer."""
    return any((layer.scores.max(axis=-1) == float("-inf")).any() for layer in run.trace.layers)


def _softmax(run: Run) -> list[str]:
    empty = _has_empty_row(run)
    shifted = "(scores - row_max) / temperature" if run.effects.temperature != 1 else "scores - row_max"
    lowest = ", initial=jnp.finfo(jnp.float32).min" if empty else ""
    row_sum = "jnp.where(row_sum == 0, 1, row_sum)" if empty else "row_sum"
    dropped = dropout_lines(run, "pattern")
    layer, first = (", layer", ", 0") if dropped else ("", "")
    return [
        f"def softmax(scores{layer}):",
        f"    row_max = scores.max(axis=-1, keepdims=True{lowest})",
        f"    exp = jnp.exp({shifted})",
        "    row_sum = exp.sum(axis=-1, keepdims=True)",
        *(
            [f"    pattern = exp / {row_sum}", *dropped, "    return pattern"]
            if dropped
            else [f"    return exp / {row_sum}"]
        ),
        "",
        "",
        f"pattern = softmax(scores{first})",
        'compare("layers.0.", pattern=pattern)',
    ]


def _mix(run: Run) -> list[str]:
    factors = [
        "    for (edited_layer, head), factor in head_factors.items():",
        "        if edited_layer == layer:",
        "            z = z.at[:, head].multiply(factor)",
    ]
    return [
        "def mix_values(encoder_layer, pattern, v, layer):",
        "    z = pattern @ v  # (batch, head, seq, d_head)",
        *(factors if run.effects.head_factors else []),
        "    concat = z.swapaxes(1, 2).reshape(batch, seq, qkv_dim)",
        "    attn_out = encoder_layer.attention.out(concat)",
        *dropout_lines(run, "attn_out"),
        "    return z, concat, attn_out",
        "",
        "",
        "z, concat, attn_out = mix_values(encoder_layer, pattern, v, 0)",
        'compare("layers.0.", z=z, concat=concat, attn_out=attn_out)',
    ]
