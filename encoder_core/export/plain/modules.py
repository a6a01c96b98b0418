"""The cell with the Flax NNX modules that hold the parameters."""

from encoder_core.export.cells import NotebookCell, code, markdown
from encoder_core.trace import Run


def module_cells(run: Run) -> list[NotebookCell]:
    """The modules that hold the parameters."""
    c = run.config
    bias, qkv_bias = f"use_bias={c.use_bias}", f"use_bias={c.has_qkv_bias}"
    final_norm = ["        self.final_norm = layer_norm(rngs)"] if c.final_norm else []
    return [
        markdown(
            """
            ## The encoder as Flax NNX modules

            The modules only hold the parameters; the functions below compute with them, one stage at a time. The names
            of the attributes are those of `parameters`, so that a loop can copy one into the other.
            """
        ),
        code(
            f"""
            class Attention(nnx.Module):
                def __init__(self, rngs):
                    self.query = nnx.Linear(d_model, qkv_dim, {qkv_bias}, rngs=rngs)
                    self.key = nnx.Linear(d_model, qkv_dim, {qkv_bias}, rngs=rngs)
                    self.value = nnx.Linear(d_model, qkv_dim, {qkv_bias}, rngs=rngs)
                    self.out = nnx.Linear(qkv_dim, d_model, {bias}, rngs=rngs)


            class FeedForward(nnx.Module):
                def __init__(self, rngs):
                    self.up = nnx.Linear(d_model, d_ff, {bias}, rngs=rngs)
                    self.down = nnx.Linear(d_ff, d_model, {bias}, rngs=rngs)


            def layer_norm(rngs):
                return nnx.LayerNorm(d_model, epsilon=norm_eps, use_fast_variance=False, rngs=rngs)


            class EncoderLayer(nnx.Module):
                def __init__(self, rngs):
                    self.attention = Attention(rngs)
                    self.mlp = FeedForward(rngs)
                    self.norm1, self.norm2 = layer_norm(rngs), layer_norm(rngs)


            class Encoder(nnx.Module):
                def __init__(self, rngs):
                    self.layers = nnx.List([EncoderLayer(rngs) for _ in range(num_layers)])
            """,
            final_norm,
            "",
            "",
            """
            encoder = nnx.eval_shape(lambda: Encoder(nnx.Rngs(0)))  # without numbers, which would be replaced
            state = nnx.state(encoder, nnx.Param)
            for path, parameter in nnx.to_flat_state(state):
                parameter.set_value(jnp.asarray(parameters[".".join(map(str, path))]))
            nnx.update(encoder, state)
            """,
        ),
    ]
