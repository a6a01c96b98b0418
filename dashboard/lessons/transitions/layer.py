"""Transitions of the stages that complete a layer: add and norm, feed-forward, and the full stack."""

from dashboard.lessons.full_stack.view import input_content, layers_text
from dashboard.lessons.sublayers.edited_residuals import edited_residuals_note
from dashboard.lessons.transitions.transition import Demonstration, Transition, Why, experiment
from dashboard.models.model import Model
from dashboard.state.choices import RECIPE, RECIPE_VARIANT, RECIPE_VIEW
from encoder_core.scenes.feed_forward import activation_name
from encoder_core.support.wording import format_count


def add_and_norm(model: Model) -> Transition:
    """From the output of a sublayer to the residual stream."""
    numbers, is_post = format_count(model.config.d_model, "number"), model.config.norm == "post"
    normed = "the sum, as in **norm(x + sublayer(x))**"
    if not is_post:
        normed = "the sublayer's input, as in **x + sublayer(norm(x))**"
    return Transition(
        f"Attention gives {numbers} for each token, but to replace its vector x by them would lose x: so they are added"
        f" to the [[residual stream]] x, and [[layer norm]] normalises {normed}."
        + edited_residuals_note(model, "attention", "mlp"),
        f"The next stage needs the output of norm{1 if is_post else 2}: {numbers} for each token. What it computes is "
        + ("added to its input and normalised, too." if is_post else "added to x, too.")
        + edited_residuals_note(model, "mlp"),
        "Why add, why a norm?",
        [
            Why(
                "Why a residual?",
                "A sublayer then computes a change of x and need not repeat what x contains. In training, the "
                "[[gradient]] has a path around each sublayer, on which that sublayer cannot shrink it"
                + (": only the norms after the sums change it there." if is_post else "."),
                experiment("residual-gradients"),
            ),
            Why(
                "Why a norm?",
                "A sum usually grows with each term: without a norm, the size of a sublayer's input would depend on "
                "how many layers precede it. Layer norm gives the numbers of each token mean 0 and variance 1 (less "
                "because of ε); then each dimension is multiplied by its γ and its β is added, which are parameters.",
                experiment("norm-placement"),
            ),
        ],
    )


def feed_forward(model: Model) -> Transition:
    """From mixed tokens to a nonlinear function of each."""
    config, activation = model.config, activation_name(model.config)
    numbers, d_model, d_ff = format_count(config.d_model, "number"), config.d_model, config.d_ff
    first, second = ("", "") if d_ff == d_model else (
        (" (**narrow**)", " (**widen**)") if d_ff < d_model else (" (**expand**)", " (**contract**)"))  # fmt: skip
    network = f"the [[feed-forward network]] transforms the result, from {numbers} to {d_ff:,}{first}"
    collapse = (
        f"Two linear layers in a row are one linear layer: without a function between them, W_up W_down is a single "
        f"{d_model} × {d_model} matrix, whatever d_ff is."
    )
    if config.activation_after == "first_linear":
        network += f", through {activation} (**[[activation|activate]]**), and back to {d_model}{second}."
        answer = f"{collapse} {activation} between them makes the network a function that no single matrix can replace."
    else:
        network += (
            f" and back to {d_model}{second}, and {activation} is applied to the result "
            "(**[[activation|activate]]**). There is no activation between the two linear layers."
        )
        answer = f"{collapse} So it is here, as in the tutorial's code: {activation} follows both layers."
    return Transition(
        f"Given its weights, attention only adds up linear maps of the vectors: {network}",
        f"The next stage needs vectors of the same width as before: mlp out has {numbers} for each token again, so "
        "that it can be added, which completes the layer.",
        "Why an activation?",
        [
            Why(
                "Why a nonlinearity?",
                answer,
                Demonstration(
                    "Recipe: two linear layers are one affine map",
                    "recipes",
                    [(RECIPE, "nnx"), (RECIPE_VARIANT, "as written"), (RECIPE_VIEW, "Text and code")],
                ),
            )
        ],
    )


def full_stack(model: Model) -> Transition:
    """From one layer to the output of the encoder."""
    config = model.config
    if config.num_layers > 1:
        start = (
            f"One [[layer]] collects from the other tokens once: this encoder applies {layers_text(config)} in "
            "sequence, each with its own parameters, so that a"
        )
    else:
        start = "All parts of a [[layer]] are known: this encoder has one, in which a"
    return Transition(
        f"{start} vector that encodes {input_content(config)} becomes one that can also depend on the tokens to which "
        "it may attend.",
    )
