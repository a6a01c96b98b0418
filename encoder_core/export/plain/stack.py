"""The cells of the feed-forward network in the first layer, and of all layers."""

from encoder_core.export.cells import NotebookCell, code, markdown
from encoder_core.export.plain.edits import dropout_lines, residual_of
from encoder_core.export.subject import ACTIVATION_NAMES
from encoder_core.trace import Run

_ACTIVATIONS = {
    "relu": "jax.nn.relu({})",
    "gelu": "jax.nn.gelu({}, approximate=False)",
    "gelu_tanh": "jax.nn.gelu({}, approximate=True)",
}


def feed_forward_cells(run: Run) -> list[NotebookCell]:
    """From the sum after attention to the output of the first layer."""
    c = run.config
    second = c.activation_after == "second_linear"
    activate, out = _ACTIVATIONS[c.activation], "encoder_layer.mlp.down(mlp_act)"
    function = [
        "def feed_forward(encoder_layer, x, layer):",
        "    mlp_pre = encoder_layer.mlp.up(x)",
        f"    mlp_act = {'mlp_pre' if second else activate.format('mlp_pre')}",
        *dropout_lines(run, "mlp_act"),
        f"    mlp_out = {activate.format(out) if second else out}",
        *dropout_lines(run, "mlp_out"),
        "    return mlp_pre, mlp_act, mlp_out",
    ]
    if c.norm == "post":
        steps = ["mlp_in = encoder_layer.norm1(resid_mid)"]
        last = f"resid_post = encoder_layer.norm2({residual_of(run, 'mlp_in', 'mlp', '0')} + mlp_out)"
        text = "Post-norm: the sum of the residual and the sublayer is normalised."
    else:
        steps = ["mlp_in = encoder_layer.norm2(resid_mid)"]
        last = f"resid_post = {residual_of(run, 'resid_mid', 'mlp', '0')} + mlp_out"
        text = "Pre-norm: the input of the sublayer is normalised, the sum is not."
    activation = ACTIVATION_NAMES[c.activation]
    where = "after the second linear map, as in the code of the tutorial" if second else "between two linear maps"
    return [
        markdown(
            f"## Add and norm, feed-forward\n\n{text} The feed-forward network applies {activation} {where}, "
            "to each token alone."
        ),
        code(
            function,
            "",
            "",
            f"resid_mid = {residual_of(run, 'embedded', 'attention', '0')} + attn_out",
            steps,
            "mlp_pre, mlp_act, mlp_out = feed_forward(encoder_layer, mlp_in, 0)",
            last,
            'compare("layers.0.", resid_mid=resid_mid, mlp_in=mlp_in, mlp_pre=mlp_pre, mlp_act=mlp_act,\n'
            "        mlp_out=mlp_out, resid_post=resid_post)",
        ),
    ]


def stack_cells(run: Run) -> list[NotebookCell]:
    """All layers, the output and the logits."""
    c = run.config
    is_pre = c.norm == "pre"
    reads_input = c.attention_read_out == "input"
    if is_pre:
        rows = ["    mlp_in = encoder_layer.norm2(resid_mid)"]
        last = f"    resid_post = {residual_of(run, 'resid_mid', 'mlp')} + mlp_out"
    else:
        rows = ["    mlp_in = encoder_layer.norm1(resid_mid)"]
        last = f"    resid_post = encoder_layer.norm2({residual_of(run, 'mlp_in', 'mlp')} + mlp_out)"
    comparison = (
        'compare(f"layers.{layer}.", resid_pre=x, attn_in=attn_in, q=q, k=k, v=v, dot_products=dot_products,\n'
        "            scores=scores, pattern=pattern, z=z, concat=concat, attn_out=attn_out, resid_mid=resid_mid,\n"
        "            mlp_in=mlp_in, mlp_pre=mlp_pre, mlp_act=mlp_act, mlp_out=mlp_out, resid_post=resid_post)"
    )
    body = [
        "    encoder_layer = encoder.layers[layer]",
        f"    attn_in = {'encoder_layer.norm1(x)' if is_pre else 'x'}",
        "    q, k, v = queries_keys_values(encoder_layer, attn_in)",
        "    dot_products, scores = attention_scores(q, k, layer)",
        "    pattern = softmax(scores)"
        if not dropout_lines(run, "pattern")
        else "    pattern = softmax(scores, layer)",
        "    z, concat, attn_out = mix_values(encoder_layer, pattern, v, layer)",
        f"    resid_mid = {residual_of(run, 'x', 'attention')} + attn_out",
        *rows,
        "    mlp_pre, mlp_act, mlp_out = feed_forward(encoder_layer, mlp_in, layer)",
        last,
    ]
    if reads_input:
        body.append("    if is_compared:\n" + "\n".join(f"    {line}" for line in f"    {comparison}".splitlines()))
    else:
        body.append(f"    {comparison}")
    apply = [
        "x = embedded",
        "for layer in range(num_layers):",
        "    x = encode_layer(x, layer)",
        f"output = {'encoder.final_norm(x)' if c.final_norm else 'x'}",
        "compare(output=output)",
    ]
    if reads_input:
        apply = [
            "for layer in range(num_layers):",
            "    encode_layer(embedded, layer, is_compared=True)  # the app shows every layer applied to `embedded`",
            *apply,
        ]
    if c.output_head:
        bias = ' + parameters["output_head.bias"]' if c.use_bias else ""
        apply += [f'logits = output @ parameters["output_head.kernel"]{bias}', "compare(logits=logits)"]
    final = " A norm follows the last layer." if c.final_norm else ""
    return [
        markdown(f"## The whole stack\n\nThe same functions, for every layer in turn.{final}"),
        code(
            f"def encode_layer(x, layer{', is_compared=False' if reads_input else ''}):",
            body,
            ["    return resid_post", "", ""],
            apply,
        ),
    ]
