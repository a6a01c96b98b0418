"""The rows of the notebook's data: lengths, vocabulary, batches, targets."""

import numpy as np

from encoder_core.figures import Line, PanelStyle, RowBarsStyle, ThemeName, bars, curves, row_bars
from encoder_core.scenes.items import HEIGHT
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.nanolm.models import (
    BATCH_SIZE,
    BLOCK_SIZE,
    DATA,
    HYPERPARAMETERS,
    N_ITERATIONS,
    TEXT,
    VOCABULARY,
    decode,
    encode,
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
        values = np.array([*parts.values()]) / 1000
        style = RowBarsStyle(row_axis="", colour="muted", decimals=1, span=(0.0, float(values.max())),
                             numbers_width=0.3, height=140, theme=theme)  # fmt: skip
        return [row_bars(values, [*parts], title="characters of the dataset's parts, thousands", style=style)]

    return Finding(
        judge(exact and close),
        f"{PRINTED_TRAIN:,} and {PRINTED_VALIDATION:,}",
        f"Together they are {total:,} characters. Split into 90, 5 and 5 %, training and test have **"
        f"{parts['train'] + parts['test']:,}** characters and validation **{parts['validation']:,}**, as printed. "
        f"Training reads the text **{passes:.0f}** times. The dataset is not loaded here.",
        draw,
    )


def _vocabulary(_: int) -> Finding:
    points = np.array([ord(character) for character in VOCABULARY], float)
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
        f"{counts['letters']} letters, {counts['digit']} digit, {65 - sum(counts.values())} other signs. They are "
        "sorted by code point, so the newline has the id 0.",
        draw,
    )


def _encode_decode(_: int) -> Finding:
    ids = encode(TEXT)
    back = decode(ids)
    line = TEXT.splitlines()[0]

    def draw(theme: ThemeName) -> Line:
        return [
            bars(ids[: len(line)].astype(float), [visible_name(character) for character in line],
                 title="ids of the first line", y_axis="id", show_values=True,
                 style=PanelStyle(height=HEIGHT, theme=theme))
        ]  # fmt: skip

    return Finding(
        judge(back == TEXT),
        f"{len(TEXT)} of {sum(a == b for a, b in zip(back, TEXT, strict=True))} characters return",
        f"All **{len(TEXT)}** characters of the printed sample that this page uses return from their ids. The ids are "
        f"from {ids.min()} to {ids.max()}.",
        draw,
    )


DATA_ITEMS = (
    Item(
        "text-lengths",
        "Lengths of the texts",
        "printed result",
        (Quotation("Length of text for training: 1_059_624 characters\n"
                   "Length of text for validation: 55_770 characters", HYPERPARAMETERS, "code"),
         Quotation("… the length of the training set, which is around one million characters, and that of the "
                   "validation set (around 50k characters).", HYPERPARAMETERS),
         Quotation("# combine train and test examples into a single string", HYPERPARAMETERS, "code")),
        _text_lengths,
        "The model is also trained on the dataset's test part. Only the validation text is new to it, and it is used "
        "to watch the training.",
    ),
    Item(
        "vocabulary",
        "The vocabulary of characters",
        "printed result",
        (Quotation("Length of vocabulary:  65", DATA, "code"),
         Quotation("Vocabulary:,  \n !$&',-.3:;?ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz", DATA, "code")),
        _vocabulary,
        "Every character is a token. The ids carry no meaning: neighbours in the sorted list are not similar for the "
        "model, because each id has its own row of the table.",
        "embedding",
    ),
    Item(
        "encode-decode",
        "Text to ids and back",
        "claim",
        (Quotation("# encoder: take a string, output a list of integers", DATA, "code"),
         Quotation("# decoder: take a list of integers, output a string", DATA, "code")),
        _encode_decode,
        "These two functions are tables. They have nothing in common with the encoder and the decoder of a "
        "Transformer.",
        "embedding",
    ),
)  # fmt: skip
