"""The workshop's plan: three versions, and the steps with their links, questions and answers."""

from itertools import accumulate

from dashboard.lessons.guide import measures
from dashboard.lessons.guide.step import Misunderstanding, PlanStep, PlanView, Version
from dashboard.state.choices import GUIDE_VERSIONS, PREDICT_FIRST, TRAINING
from dashboard.state.offered_encoders import MINILM
from dashboard.state.setting_parameters import WORDS
from encoder_core.edits import format_edit
from encoder_core.training.shipped import PLANS

FULL, SHORT, ALONE = GUIDE_VERSIONS
VERSIONS = {
    version.name: version
    for version in (
        Version(FULL, "90 minutes", 90),
        Version(SHORT, "45 minutes", 45),
        Version(ALONE, "Self-study, 2 hours", 120, for_group=False),
    )
}

_STORY = {"encoder": MINILM, "layer": 4, "head": 2, "token": 17, "key_token": 4}  # from "it" to "cat"
_ASKED = {"predict": PREDICT_FIRST}  # the page asks its question before it shows the figure
_OTHER_SENTENCE = "The animal did not cross the street because it was too "
_OTHER = {**_STORY, "token": 10, "key_token": 3, "view": "One word"}  # from "it" to "animal"
_PLAN_OF_REVERSE = {"train_task": "reverse"} | {
    parameter.name: value
    for name, parameter in TRAINING.items()
    if (value := getattr(PLANS["reverse"], name)) != parameter.default
}
TAKE_AWAY = PlanView("Take away MiniLM", "take_away", _STORY)  # after the last step

STEPS = (
    PlanStep(
        "What does “it” refer to?",
        {FULL: 8, SHORT: 6, ALONE: 10},
        [PlanView("Start", "start", {"encoder": MINILM})],
        "Answer the question on the page, then click other words of the sentence.",
        "What does “it” refer to, and does the encoder attend from “it” to that word?",
        "A reader says: the cat. Of the {heads} heads, layer {layer}, head {head} gives “cat” the largest weight of "
        "“it”: **{weight:.2f}**. As a mean over all heads, “it” attends most to {top} (**{top_mean:.2f}**), and “cat” "
        "gets **{mean:.2f}**.",
        measures.start,
        [
            Misunderstanding("“The encoder knows what it means.”", "A line shows a weight. That this head connects a "
                             "pronoun with its noun is our reading of one head."),
            Misunderstanding("“[CLS] is an important word.”", "It is no word: the tokenizer puts this special token "
                             "at the beginning of every sentence."),
        ],
    ),
    PlanStep(
        "A row for each token",
        {FULL: 7, SHORT: 5, ALONE: 10},
        [PlanView("Tokens and embedding", "embedding", {"encoder": MINILM, "token": 4, **_ASKED})],
        "Answer the question on the page. Then select each “the” in turn (tokens 2 and 7) and “cat” (token 4), and "
        "look at the list of nearest words.",
        "“the” occurs twice. Does it get two different rows of the table? Which rows are most similar to the row of "
        "“cat”?",
        "It is the same row twice: the largest difference is **{difference:.2f}**. Of the {rows:,} rows, those most "
        "similar to the row of “cat” belong to {neighbours}.",
        measures.embedding,
        [
            Misunderstanding("“The row contains what the word means in this sentence.”", "The row is the same in every "
                             "sentence. The layers add the context."),
            Misunderstanding("“A token is a word.”", "A rare word is split into several tokens, and a comma is a "
                             "token, too."),
        ],
    ),
    PlanStep(
        "Word order",
        {FULL: 8, ALONE: 10},
        [
            PlanView("Positions", "positions", {"encoder": MINILM, "token": 17, **_ASKED}),
            PlanView("Experiment: word order", "experiments", {"experiment": "word-order"}),
        ],
        "Answer the question on the page, which is about the dot products of positions. Then go to “Does the token "
        "order matter?” and press “Shuffle again” a few times. The experiment asks the question of this step, about a "
        "random encoder: make a prediction, press “Predict again”, set the positions to sinusoidal, and predict.",
        "The words are shuffled. Which outputs change without positions, and which with positions?",
        "Without positions, none: the largest change is **{without:.2f}**. With positions, in the first shuffle, the "
        "outputs change by **{smallest:.2f}** to **{largest:.2f}**.",
        measures.positions,
        [
            Misunderstanding("“Attention reads from left to right.”", "It compares all pairs of tokens at once. "
                             "Without positions and with no causal mask, the order does not enter anywhere."),
            Misunderstanding("“The position vector depends on the word.”", "It depends on the position alone. It is "
                             "added to the row of whichever token stands there."),
        ],
    ),
    PlanStep(
        "Scores",
        {FULL: 10, SHORT: 7, ALONE: 15},
        [
            PlanView("Scaled scores", "scaled_scores", {**_STORY, **_ASKED}),
            PlanView("Experiment: why divide?", "experiments", {"experiment": "score-scaling"}),
        ],
        "Answer the question on the page, which is about a query that becomes twice as long. Click the cell “it” → "
        "“cat” and read its arithmetic. Then make a prediction in the experiment, which is about the division.",
        "Why is the dot product of the query of “it” and the key of “cat” divided by √d_head?",
        "The dot product is **{product:.2f}**; divided by √{d_head} it is **{score:.2f}**. With the same queries and "
        "keys but no division, softmax would give “cat” **{undivided:.2f}** instead of **{weight:.2f}**. In the "
        "experiment, at d_k = {d_k}, the variance of q · k is **{variance:.2f}**, and **{divided:.2f}** after the "
        "division: there, the scores keep their spread when heads get wider.",
        measures.scores,
        [
            Misunderstanding("“The division keeps the scores below 1.”", "Scores can have any size. The division keeps "
                             "their variance from growing with the width of a head."),
            Misunderstanding("“A high score means that two words are similar.”", "It means that a query matches a key. "
                             "W_Q and W_K, which are learned, decide what matches."),
        ],
    ),
    PlanStep(
        "Softmax",
        {FULL: 8, SHORT: 6, ALONE: 10},
        [PlanView("Softmax weights", "softmax", {**_STORY, **_ASKED})],
        "Answer the question on the page. Then compare “cat” and “sofa” in the columns of the row, and move the "
        "temperature.",
        "What does the difference of two scores become? What happens to the weight of “cat” at a higher temperature?",
        "A difference of **{gap:.2f}** becomes a ratio of exp({gap:.2f}), about **{ratio:.1f}**: the weight of “cat” "
        "is **{cat:.2f}**, that of “sofa” **{sofa:.2f}**. At T = {temperature:g} in every layer, “cat” gets "
        "**{flatter:.2f}**.",
        measures.softmax_weights,
        [
            Misunderstanding("“Twice the score is twice the weight.”", "Differences count. The same number added to "
                             "all scores of a row changes no weight."),
            Misunderstanding("“A masked key gets a small weight.”", "Its score is −∞, and its weight is exactly 0 as "
                             "long as the query has any visible key."),
        ],
    ),
    PlanStep(
        "What if?",
        {FULL: 12, SHORT: 8, ALONE: 15},
        [
            PlanView("The edited score", "softmax", {**_STORY, "edits": (format_edit(measures.WHAT_IF),)}),
            PlanView("A second sentence", "full_stack", {**_OTHER, "text": f"{_OTHER_SENTENCE}wide"}),
            PlanView("The same with “tired”", "full_stack", {**_OTHER, "text": f"{_OTHER_SENTENCE}tired"}),
        ],
        "Answer before you open the links. In the first, the score from “it” to “cat” is set to −5; remove the edit "
        "and set other values.",
        "Which word does “it” attend to most when its score with “cat” is −5? And in “The animal did not cross the "
        "street because it was too wide”, to which noun does this head attend more?",
        "“{top}” gets the most, **{weight:.2f}**; “cat” falls from **{before:.2f}** to **{cat:.2g}**. Every other "
        "weight of the row is multiplied by the same factor, **{factor:.2f}**. In the second sentence “animal” gets "
        "**{animal:.2f}** and “street” **{street:.2f}**, although it is the street that is wide; with “tired”, "
        "“animal” gets **{animal_tired:.2f}** and “street” **{street_tired:.2f}**.",
        measures.what_if,
        [
            Misunderstanding("“We have told the encoder what the word means.”", "One number in one head of one layer "
                             "has changed. The other heads still see the same input in this layer."),
            Misunderstanding("“A head that is right in one sentence resolves pronouns.”", "One sentence is one "
                             "example. The second one tests the idea."),
        ],
    ),
    PlanStep(
        "Values",
        {FULL: 6, ALONE: 5},
        [PlanView("Weighted values", "weighted_values", {**_STORY, **_ASKED})],
        "Answer the question on the page. Then look at the weighted rows, click a cell of z and read its sum.",
        "“cat” has the largest weight. What does “it” receive from “cat”?",
        "**{weight:.2f}** times the value row of “cat”, which has {d_head} numbers. So z of “it” is similar to this "
        "row: their cosine is **{cat:.2f}**; with the value row of “sofa” it is **{sofa:.2f}**.",
        measures.values,
        [
            Misunderstanding("“The vector of the word is copied.”", "A value row is a projection of the vector: x W_V, "
                             "with other parameters in every head."),
            Misunderstanding("“The weight alone says how much a word contributes.”", "The contribution is weight times "
                             "value row, and value rows have different lengths."),
        ],
    ),
    PlanStep(
        "Who mixes the tokens?",
        {FULL: 7, ALONE: 10},
        [PlanView("Experiment: token mixing", "experiments", {"experiment": "token-mixing"})],
        "Make a prediction and look at the result. Then press “Predict again”, set the mask to causal, and predict.",
        "One word of the sentence is replaced. How many rows of the values change, how many after attention, and does "
        "the feed-forward network add any? How many are there after attention with a causal mask?",
        "“{word}” is replaced: **{values}** row of the values changes, and **{attention}** of {count} rows after "
        "attention. After the feed-forward network it is **{network}** rows: it works on each row alone. With a causal "
        "mask, **{causal}** of {count} rows change after attention: that of “{word}” and those of all later words.",
        measures.mixing,
        [
            Misunderstanding("“The feed-forward network combines the words.”", "It is applied to each token "
                             "separately. What it knows of other tokens came through attention."),
            Misunderstanding("“Layer norm is computed over the sentence.”", "Mean and variance are those of one "
                             "token's numbers."),
        ],
    ),
    PlanStep(
        "Predictions",
        {FULL: 7, ALONE: 10},
        [PlanView("Logit lens", "full_stack",
                  {"encoder": WORDS, "text": "The cat drinks [MASK].", "token": 4, "view": "Logit lens", **_ASKED})],
        "Answer the question on the page. Then follow the row of [MASK] from the input to the last layer.",
        "The encoder must guess the hidden word in “The cat drinks [MASK].” Which word would you guess? Is the "
        "encoder's guess as probable before its last layer as after it?",
        "After the last layer, the guess is “{last}” with a probability of **{last_share:.2f}**, before {others}. "
        "Before layer {layers}, “{last}” has **{middle_share:.2f}**, and before the first layer the most probable word "
        "is “{first}” (**{first_share:.2f}**).",
        measures.predictions,
        [
            Misunderstanding("“The encoder has three guesses and chooses one.”", "Each stage is one vector, to which "
                             "the lens applies the output head. Only the last one is the encoder's prediction."),
            Misunderstanding("“0.9 means that it is right in nine of ten cases.”", "It is the share of softmax. "
                             "Whether it is right so often must be measured."),
        ],
    ),
    PlanStep(
        "Untrained",
        {FULL: 7, SHORT: 5, ALONE: 10},
        [PlanView("A random encoder", "full_stack",
                  {"seed": 4, "layer": 1, "head": 1, "token": 16, "key_token": 7, "view": "One word"})],
        "Change the seed in the sidebar (More choices) and look at the same word again.",
        "In this encoder, one head attends from “it” mostly to “sofa”. Does “it” refer to the sofa, then?",
        "No. The parameters are random numbers: who attends to whom is chance. Here the largest weight of “it” is that "
        "of “{word}”, **{weight:.2f}**; with the seeds {first} to {last} it belongs to {others}.",
        measures.untrained,
        [
            Misunderstanding("“A dark cell has a meaning.”", "Random numbers have a largest one, too. Compare with "
                             "another seed, or with the untrained state of an encoder."),
            Misunderstanding("“An untrained encoder attends to all words alike.”", "Its weights differ; they have "
                             "nothing to do with the language."),
        ],
    ),
    PlanStep(
        "Attention is learned",
        {FULL: 10, SHORT: 8, ALONE: 15},
        [
            PlanView("Training", "training", _PLAN_OF_REVERSE),
            PlanView("Trained next to untrained", "softmax",
                     {"encoder": "reverse", "layer": 2, "head": 2, "token": 1, "key_token": 7, "untrained": True}),
            PlanView("Experiment: learned attention", "experiments", {"experiment": "learned-attention"}),
        ],
        "Make a prediction, press Run, and watch the heads. Then compare with the encoder that was trained before.",
        "An encoder learns to write words backwards, from right outputs alone. To which letter will a head attend?",
        "To the mirror image: the anti-diagonal. In the encoder “reverse”, layer {layer}, head {head} gives it "
        "**{after:.2f}** of the weight, as a mean over {inputs} random inputs; before training it was **{before:.2f}**"
        ", and equal weights would be **{equal:.2f}**. For “{example}”, the example of the page, it is "
        "**{example_after:.2f}**, and **{example_before:.2f}** before training. The first link has the settings of "
        "this encoder, so its run begins with the same parameters; it can end with other weights, because rounding "
        "differs between machines.",
        measures.training,
        [
            Misunderstanding("“Somebody told the head where to look.”", "The loss compares outputs only. The pattern "
                             "lowers the loss, so training arrives at it."),
            Misunderstanding("“A high weight proves that the output is read from there.”", "It shows where the head "
                             "looks. Switching the head off tests whether the output depends on it."),
        ],
        "With more than a few participants, press Run on the projector only, and give them the link to the run with "
        "Share. A run takes some seconds, and the first one longer: it starts the training process and compiles. A "
        "process of the server trains two runs at a time, unless ENCODER_TRAINING_RUNS sets another number; further "
        "ones wait in a queue. Only the process that trains a run can show it, and `make serve` starts two: with "
        "`make serve PROCESSES=1`, everybody sees it.",
    ),
)  # fmt: skip


def steps_of(version: str) -> list[tuple[int, PlanStep]]:
    """The steps of a version, each with the minute at which it begins."""
    steps = [step for step in STEPS if version in step.minutes]
    begins = accumulate((step.minutes[version] for step in steps), initial=0)
    return list(zip(begins, steps, strict=False))


def title_of(version: str) -> str:
    """The title of a version."""
    return VERSIONS[version].title
