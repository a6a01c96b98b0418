"""The rows of the notebook's results: losses before and during training, the generated text."""

import string

import numpy as np
from jaxtyping import Float
from scipy.special import softmax

from encoder_core.figures import Line, PanelStyle, RowBarsStyle, ThemeName, curves, row_bars
from encoder_core.scenes.items import HEIGHT
from encoder_core.support.number_format import format_fixed
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.models import (
    GENERATION,
    TEXT,
    TRAINING,
    VOCABULARY,
    text_logits,
)

# Steps 0, 2000, ..., 48,000 of the notebook's log, rounded to four decimals.
TRAIN_LOSS = (
    4.5865, 1.3877, 1.2808, 1.1979, 1.1772, 1.1472, 1.1074, 1.0969, 1.0773, 1.0501, 1.0541, 1.0358, 1.0403,
    1.0364, 1.0000, 0.9905, 0.9986, 0.9823, 0.9837, 0.9724, 0.9632, 0.9664, 0.9476, 0.9474, 0.9642,
)  # fmt: skip
VALIDATION_LOSS = (
    6.0375, 1.4253, 1.4001, 1.4045, 1.3873, 1.4233, 1.4391, 1.4746, 1.4595, 1.4541, 1.4794, 1.5094, 1.5403,
    1.5169, 1.5625, 1.5720, 1.5269, 1.5732, 1.6341, 1.5423, 1.5658, 1.6112, 1.6129, 1.5690, 1.5936,
)  # fmt: skip
STEPS = tuple(range(0, 50_000, 2_000))
# The beginning of the text that the trained model of the notebook generated.
GENERATED = """GREMIO:
So called, officer:
Peace, for me would be a mighty heart, and I'll do
any good.

MERCUTIO:
Ay, look'd dead made.

VALERIA:
Rather is in the present book of love
Than piece thy thoughts to shame, but yet book known
Where my Edward, whom I so could do it to him;
And see how the government of your blood,
Congeal'd your kingdom then we resign your highness;
Unless you scarcely know how I came, his wife;
And I may contain a little of England's heart
After a king of disdain! supect, tribunes,
The sun under thine is too large:
The senators do add to their trenches stretch'd,
With such as a toy, or be it known, I would
See my shame home, sweet friends, we are too dear:
Tell me consul, what's become the soldiers?

"""


def _first_loss(seed: int) -> Finding:
    logits = text_logits(seed)
    shifted = logits.astype(float) - logits.mean(axis=-1, keepdims=True)
    expected, spread = float(np.log(np.exp(shifted).sum(axis=-1)).mean()), float(logits.std(axis=-1).mean())
    uniform = np.log(len(VOCABULARY))

    def draw(theme: ThemeName) -> Line:
        names = ["equal", "untrained", "training", "validation"]
        values = np.array([uniform, expected, TRAIN_LOSS[0], VALIDATION_LOSS[0]])
        style = RowBarsStyle(row_axis="", colour="muted", span=(0.0, float(values.max())), height=160, theme=theme)
        return [row_bars(values, names, title="loss: two computed, two printed", style=style)]

    return Finding(
        judge(abs(expected - TRAIN_LOSS[0]) < 1e-6, under_condition=abs(expected - TRAIN_LOSS[0]) < 0.5),
        f"here {expected:.2f}",
        f"The same model with 65 characters and other random parameters has the loss **{expected:.2f}** on average "
        f"over all targets. Equal probabilities would give ln 65 = **{uniform:.2f}**; its logits have a standard "
        f"deviation of **{spread:.2f}**. The printed validation loss, {VALIDATION_LOSS[0]:.2f}, was measured after the "
        "first step.",
        draw,
        condition="parameters and batch are those of the notebook",
    )


def _convergence(_: int) -> Finding:
    train, validation = np.array(TRAIN_LOSS), np.array(VALIDATION_LOSS)
    best = int(validation.argmin())
    rise = float(validation[-1] - validation[best])

    def draw(theme: ThemeName) -> Line:
        series = {"train": train[1:], "validation": validation[1:]}
        return [
            curves(series, STEPS[1:], title="printed losses from step 2000", x_axis="steps", y_axis="loss",
                   style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    return Finding(
        judge(best == len(validation) - 1),
        f"lowest at step {STEPS[best]:,}",
        f"The second curve is the loss on the validation text, computed every 2,000 steps. It is lowest at step "
        f"**{STEPS[best]:,}** with {validation[best]:.2f} and then rises by **{rise:.2f}**, while the training loss "
        f"falls from {train[best]:.2f} to **{train[-1]:.2f}**.",
        draw,
    )


def letter_shares(text: str) -> Float[np.ndarray, "letter"]:
    """The share of each letter from a to z among the letters of a text, whatever their case."""
    counts = np.array([text.lower().count(letter) for letter in string.ascii_lowercase], float)
    return counts / counts.sum()


def _generated_text(seed: int) -> Finding:
    weights = softmax(text_logits(seed).astype(float), axis=-1).mean(axis=(0, 1))
    cases = [[VOCABULARY.index(letter), VOCABULARY.index(letter.upper())] for letter in string.ascii_lowercase]
    untrained = weights[np.array(cases)].sum(axis=1)
    shares = {"Shakespeare": letter_shares(TEXT), "printed": letter_shares(GENERATED),
              "untrained": untrained / untrained.sum()}  # fmt: skip
    printed, ours = (float(np.corrcoef(shares["Shakespeare"], shares[name])[0, 1]) for name in ("printed", "untrained"))

    def draw(theme: ThemeName) -> Line:
        return [
            curves(shares, [*string.ascii_lowercase], title="share of each letter", x_axis="", y_axis="",
                   style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    return Finding(
        judge(ours > 0.99, under_condition=printed > 0.85),
        f"letters: {printed:.2f}; untrained {format_fixed(ours, 2)}",
        f"The letters of the generated text are about as frequent as those of the printed sample of Shakespeare: the "
        f"correlation is **{printed:.2f}**. For an untrained model it is **{format_fixed(ours, 2)}**. The notebook's "
        "weights are not published, so the text cannot be generated again here.",
        draw,
        condition="the model has been trained as in the notebook",
    )


RESULT_ITEMS = (
    Item(
        "first-loss",
        "The first losses",
        "printed result",
        (Quotation("Step: 0\t train loss: 4.586461067199707\t eval loss: 6.037547588348389", TRAINING, "code"),),
        _first_loss,
        "The final norm makes the standard deviation of the untrained logits about 1. That costs about a half: the "
        "loss starts near ln 65 + ½, above that of equal probabilities. The notebook's own numbers need its dataset.",
        "full_stack",
    ),
    Item(
        "convergence",
        "Convergence of the training",
        "figure",
        (Quotation("Convergence of adamw (train loss)", TRAINING),
         Quotation('all_eval_losses,\nlabel="test",', TRAINING, "code")),
        _convergence,
        "The curves are the printed numbers of the notebook, not computed here. Its figure calls the validation loss "
        "“test”, and the true test part was used for training. A validation loss that rises while the training loss "
        "falls is overfitting: it had not improved for 40,000 steps.",
    ),
    Item(
        "generated-text",
        "Text that resembles Shakespeare",
        "printed result",
        (Quotation("… we use the generate function to let the NanoGPT model demonstrate its ability to create text "
                   "that "
                   "resembles Shakespeare, albeit in a miniature form.", GENERATION),
         Quotation("GREMIO:\nSo called, officer:\nPeace, for me would be a mighty heart, and I'll do\nany good.",
                   GENERATION, "code")),
        _generated_text,
        "The frequency of letters is the simplest resemblance; the printed text also has words, names and lines like "
        "those of a play. The model is called NanoLM everywhere else in the notebook; NanoGPT is the project that "
        "inspired it.",
    ),
)  # fmt: skip
