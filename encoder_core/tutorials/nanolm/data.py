"""The rows of the notebook's data: lengths, vocabulary, batches, targets."""

import numpy as np

from encoder_core.figures import HeatmapStyle, Line, PanelStyle, ThemeName, Window, bars, curves, heatmap
from encoder_core.scenes.items import HEIGHT, Matrix, line_of
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.forward import CONFIG, embed, forward
from encoder_core.tutorials.nanolm.models import (
    BATCH_SIZE,
    BLOCK_SIZE,
    DATA,
    HYPERPARAMETERS,
    N_ITERATIONS,
    NANOLM,
    TEXT,
    VOCABULARY,
    decode,
    encode,
    parameters_of,
    runs,
    text_batch,
)

PRINTED_TRAIN, PRINTED_VALIDATION = 1_059_624, 55_770


def visible_name(character: str) -> str:
    """A character as a label: newline and space have signs of their own."""
    return {"\n": "↵", " ": "␣"}.get(character, character)


def split_lengths(total: int) -> dict[str, int]:
    """The characters of the dataset's parts: 90 % for training, half of the rest each for validation and test."""
    train = int(total * 0.9)
    validation = (total - train) // 2
    return {"train": train, "validation": validation, "test": total - train - validation}


def _text_lengths(_: int) -> Finding:
    total = PRINTED_TRAIN + PRINTED_VALIDATION
    parts = split_lengths(total)
    exact = (parts["train"] + parts["test"], parts["validation"]) == (PRINTED_TRAIN, PRINTED_VALIDATION)
    close = abs(PRINTED_TRAIN / 1e6 - 1) < 0.15 and abs(PRINTED_VALIDATION / 5e4 - 1) < 0.15
    passes = N_ITERATIONS * BATCH_SIZE * BLOCK_SIZE / PRINTED_TRAIN

    def draw(theme: ThemeName) -> Line:
        return [
            bars(np.array([*parts.values()]) / 1000, [*parts], title="characters of the dataset's parts, thousands",
                 show_values=True, style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    return Finding(
        judge(exact and close),
        f"{PRINTED_TRAIN:,} and {PRINTED_VALIDATION:,}",
        f"Together they are {total:,} characters. Split into 90, 5 and 5 %, training and test have **"
        f"{parts['train'] + parts['test']:,}** characters and validation **{parts['validation']:,}**, as printed. "
        f"Training reads the text **{passes:.0f}** times. The dataset is not loaded here.",
        draw,
    )


def _vocabulary(_: int) -> Finding:
    points = np.array([ord(character) for character in VOCABULARY])
    sorted_set = "".join(sorted(set(VOCABULARY))) == VOCABULARY
    missing = set(TEXT) - set(VOCABULARY)

    def draw(theme: ThemeName) -> Line:
        return [
            curves({"code point": points}, list(range(len(points))), title="code point of the character with each id",
                   x_axis="id", y_axis="code point", style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    kinds = {"letters": str.isalpha, "digit": str.isdigit}
    counts = {name: sum(map(test, VOCABULARY)) for name, test in kinds.items()}
    return Finding(
        judge(len(VOCABULARY) == 65 and sorted_set and not missing),
        f"{len(VOCABULARY)} characters",
        f"The printed string, with the newline at its beginning, has **{len(VOCABULARY)}** different characters: "
        f"{counts['letters']} letters, {counts['digit']} digit, {65 - sum(counts.values())} other signs. They are sorted by "
        "code point, so the newline has the id 0.",
        draw,
    )


def _encode_decode(_: int) -> Finding:
    ids = encode(TEXT)
    back = decode(ids)
    line = TEXT.splitlines()[0]

    def draw(theme: ThemeName) -> Line:
        return [
            bars(ids[: len(line)].astype(float), [visible_name(character) for character in line], title="ids of the first "
                 "line", y_axis="id", show_values=True, style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    return Finding(
        judge(back == TEXT),
        f"{len(TEXT)} of {sum(a == b for a, b in zip(back, TEXT, strict=True))} characters return",
        f"All **{len(TEXT)}** characters of the printed sample that this page uses return from their ids. The ids are "
        f"from {ids.min()} to {ids.max()}.",
        draw,
    )


def _dynamic_slice(seed: int) -> Finding:
    batch = text_batch(seed, BLOCK_SIZE)
    lengths = {len(stretch) for stretch in batch.x}
    places = np.arange(len(TEXT))
    covered = (places >= batch.starts[:, None]) & (places < batch.starts[:, None] + BLOCK_SIZE)

    def draw(theme: ThemeName) -> Line:
        return [
            heatmap(covered.astype(float), [str(row + 1) for row in range(len(covered))], Window(0, len(TEXT), 5),
                    title="the characters of each sequence",
                    style=HeatmapStyle(kind="weights", limit=1.0, row_axis="sentence", column_axis="column",
                                       height=HEIGHT, theme=theme))
        ]  # fmt: skip

    starts = ", ".join(map(str, sorted(batch.starts)))
    return Finding(
        judge(len(lengths) > 1),
        f"all lengths are {', '.join(map(str, lengths))}",
        f"The sequences start at the characters {starts}, and the lengths of all {len(batch.x)} are "
        f"**{', '.join(map(str, lengths))}**.",
        draw,
    )


def _shifted_targets(seed: int) -> Finding:
    batch = text_batch(seed)
    equal = np.array_equal(batch.x[:, 1:], batch.y[:, :-1])
    characters = [visible_name(VOCABULARY[index]) for index in (*batch.x[0], batch.y[0, -1])]
    visible = np.tri(10, 11, dtype=bool)
    targets = np.eye(10, 11, 1)

    def draw(theme: ThemeName) -> Line:
        return line_of(
            [
                Matrix(title="read (light) and target (dark) of each position", values=0.25 * visible + targets,
                       kind="weights", mask=visible | (targets > 0), row_axis="position", column_axis="token",
                       columns=characters, show_values=False)
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(equal),
        "y[:, :-1] = x[:, 1:]",
        f"In all 8 sequences, y without its last character equals x without its first. One sequence of {batch.x.shape[1]} "
        f"characters gives **{batch.x.shape[1]}** predictions.",
        draw,
    )


def _teacher_forcing(seed: int) -> Finding:
    parameters, ids = parameters_of(seed), NANOLM.inputs(seed).inputs.ids[:1]
    whole = runs(seed).ids.logits[0]
    lengths = range(1, ids.shape[1] + 1)
    steps = np.stack([forward(parameters, embed(parameters, ids[:, :n])).logits[0, -1] for n in lengths])
    difference = float(np.abs(whole - steps).max())

    def draw(theme: ThemeName) -> Line:
        names = [str(index) for index in range(CONFIG.vocab_size)]
        return line_of(
            [
                Matrix(title="logits, one pass", values=whole, row_axis="position", column_axis="id", columns=names),
                "=",
                Matrix(title="last logits of 10 passes", values=steps, row_axis="position", column_axis="id",
                       columns=names),
            ],
            theme=theme,
        )  # fmt: skip

    return Finding(
        judge(difference < 1e-4),
        f"difference {difference:.0e}",
        f"One pass over the whole sentence gives the logits of all {len(steps)} positions. Ten passes, over its first token, "
        f"its first two and so on, give the same last logits: the largest difference is **{difference:.0e}**.",
        draw,
    )


DATA_ITEMS = (
    Item(
        "text-lengths",
        "Lengths of the texts",
        "printed result",
        (Quotation("Length of text for training: 1_059_624 characters\nLength of text for validation: 55_770 characters",
                   HYPERPARAMETERS, "code"),
         Quotation("… the length of the training set, which is around one million characters, and that of the validation "
                   "set (around 50k characters).", HYPERPARAMETERS),
         Quotation("# combine train and test examples into a single string", HYPERPARAMETERS, "code")),
        _text_lengths,
        "The model is also trained on the dataset's test part. Only the validation text is new to it, and it is used to "
        "watch the training.",
    ),
    Item(
        "vocabulary",
        "The vocabulary of characters",
        "printed result",
        (Quotation("Length of vocabulary:  65", DATA, "code"),
         Quotation("Vocabulary:,  \n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", DATA, "code")),
        _vocabulary,
        "Every character is a token. The ids carry no meaning: neighbours in the sorted list are not similar for the model, "
        "because each id has its own row of the table.",
        "embedding",
    ),
    Item(
        "encode-decode",
        "Text to ids and back",
        "claim",
        (Quotation("# encoder: take a string, output a list of integers", DATA, "code"),
         Quotation("# decoder: take a list of integers, output a string", DATA, "code")),
        _encode_decode,
        "These two functions are tables. They have nothing in common with the encoder and the decoder of a Transformer.",
        "embedding",
    ),
    Item(
        "dynamic-slice",
        "Sequences of varying lengths",
        "claim",
        (Quotation("This function uses JAX's jax.lax.dynamic_slice function to efficiently handle sequences of varying "
                   "lengths within batches.", DATA),
         Quotation("x = dynamic_slice_vmap(data, ix, (BLOCK_SIZE,))", DATA, "code")),
        _dynamic_slice,
        "What varies is the start. `dynamic_slice` takes the start as an array and the size as a constant, because a "
        "program compiled by `jax.jit` has fixed shapes.",
    ),
    Item(
        "shifted-targets",
        "Targets are the inputs, one later",
        "claim",
        (Quotation("The target sequence is simply the input sequence shifted by one position …", DATA),),
        _shifted_targets,
        "Each row reads the characters up to its position and has the next one as its target. All rows are trained at "
        "once.",
    ),
    Item(
        "teacher-forcing",
        "Teacher forcing: all positions in one pass",
        "claim",
        (Quotation("… as the goal of the language model is to predict the next character given the previous ones.", DATA),),
        _teacher_forcing,
        "During training each position reads the true previous characters, whatever the model would have predicted "
        "there: this is called teacher forcing. Therefore one pass trains all positions. When the model generates text, it "
        "reads its own characters instead, one pass for each, and its errors become its input.",
        "full_stack",
    ),
)  # fmt: skip
