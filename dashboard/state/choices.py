"""The parameters of single pages and controls, in one list.

Declared elsewhere: the sidebar's in setting_parameters.py, the focus in selection/focus.py, windows of wide axes in
selection/axis_window.py, the inspected cell in selection/inspected_cell.py, the edits in edit_history.py.
"""

from dashboard.state.parameter import declare_flag, declare_number, declare_numbers, declare_option, declare_text
from dashboard.state.setting_parameters import SETTINGS
from encoder_core.pretrained.analogy import MAX_LENGTH
from encoder_core.training import TrainingPlan
from encoder_core.training.compare import COMPARISONS
from encoder_core.training.plan import CHOICES

# Every page
NUMBERS = declare_text("numbers", scope="page")  # the tensor in the table below the plot
DETAILS = declare_option("details", ("Formula", "Code"), "Formula")
UNTRAINED = declare_flag("untrained")  # show a trained encoder's tensors next to those of its initial state
PREDICT_FIRST = "first"
PREDICT = declare_option(
    "predict", ("below", PREDICT_FIRST), "below"
)  # where the question stands; first: figure hidden
FULL_SCALE = declare_flag("full_scale")  # the colour scale of weights ends at 1, not at the largest weight

PRESENT = declare_option("present", ("off", "on"), "off", adds_history_entry=True)  # presentation mode

# Start
STORY_TOKEN = declare_number("story_token", 1)  # the selected word; None: "it", or the first word
STORY_ANSWER = declare_option("story_answer", ("cat", "sofa", "skipped"), None)  # None: the lines are hidden

# Guide
GUIDE_VERSIONS = ("90", "45", "self-study")
GUIDE_VERSION = declare_option("plan", GUIDE_VERSIONS, GUIDE_VERSIONS[0])  # of the workshop's plan

# Embedding and positions
ROWS = declare_text("rows")  # the embedding scale that is compared with the positions
ANALOGY = declare_text("analogy", max_length=MAX_LENGTH)
ENCODING = declare_text("encoding")  # the position encoding in the plot
SHUFFLE = declare_number("shuffle", 1, 9999, 1)  # the seed of the shuffle
CURVES = declare_numbers("curves", None, max_count=6)  # the dimensions plotted as curves

# Attention
OWN_SCALES = declare_flag("own_scales")  # scores have another colour scale than the dot products
ALL_HEADS = declare_flag("all_heads")  # Q, K and V of all heads side by side
TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
TEMPERATURE = declare_option("temperature", TEMPERATURES, 1.0)  # of the page Softmax
HIDE_ROW = declare_flag("hide_row")  # mask every key of the query on the page Softmax
VALUE_DIMENSION = declare_number("value_dimension", 0)
PART = declare_text("part")  # the section of the page Multi-head
HIDE_SPECIAL = declare_flag("hide_special")  # hide [CLS] and [SEP] as keys
FIGURES = ("Heatmap", "Lines")
WEIGHTS_FIGURE = declare_option("figure", FIGURES, FIGURES[0])  # how Multi-head and One word show weights
HEADS_OFF = declare_numbers("heads_off", None, max_count=64)  # None: the selected head

# Add and norm, feed-forward
NORM = declare_text("which_norm")
NORM_DIMENSION = declare_number("norm_dimension", 0)
SCALE_AND_SHIFT = declare_text("scale_and_shift", scope="page")  # layer.norm.dimension~γ~β to try
NEURON = declare_number("neuron", 0)
EXCHANGED = declare_number("exchanged", 0)  # the token whose row replaces the selected one; 0: a row of zeros

# Full stack
VIEW = declare_text("view")
ROLE = declare_text("role")
WORD = declare_text("word")  # a word that occurs in several sentences
CONTEXT_LAYER = declare_number("context_layer", 0)  # the layer whose vectors are searched; 0: the input
OTHER_WORDS = declare_flag("other_words")  # list the nearest other words only
PAIR_KIND = declare_text("pair_kind")
RESIDUAL_STAGE = declare_text("residual_stage")  # of the residual stream, in the view Geometry; None: the last one
PLANE = declare_text("plane")  # the word whose occurrences determine the plane, or all words
OUTPUT_ID = declare_number("output_id", 0)  # a token of the vocabulary, of which a prediction is explained

# Recipes
RECIPE = declare_text("recipe", adds_history_entry=True)
RECIPE_VARIANT = declare_text("recipe_variant")
RECIPE_VIEW = declare_text("recipe_view")
RECIPE_FIGURE = declare_text("recipe_figure")
RECIPE_ITEM = declare_text("recipe_item")  # the row of the tutorial's table
DROPPED_AT = declare_text("dropped_at")
DROPOUT_SEED = declare_number("dropout_seed", 0, 9999, 0)
ARTICLE_TOKEN = declare_number("article_token", 1)
ARTICLE_LAYER = declare_number("article_layer", 1)
ARTICLE_HEAD = declare_number("article_head", 1)
HAND_TOKENS = declare_numbers("hand_tokens", None, max_count=3)
HAND_QUERY = declare_number("hand_query", 1, 3, 2)
HAND_TABLE = declare_text("hand_table", "", max_length=1_000)
LOOKUP_TOKEN = declare_number("lookup_token", 0, 9, 2)
LOOKUP_TABLE = declare_text("lookup_table", "", max_length=1_000)

# Experiments
EXPERIMENT = declare_text("experiment", adds_history_entry=True)
SETUP = declare_text("setup", "", max_length=300)  # the settings that differ from the defaults: d_k=64~keys=16
PREDICTION = declare_number("prediction", 0)  # the number of the chosen option, or 0: the result without a prediction

# Training. The run, its task and the checkpoint are among the settings, because stage pages can show them.
TRAINING = {
    "task": SETTINGS["train_task"],
    **{name: declare_option(f"train_{name}", options, getattr(TrainingPlan(), name))
       for name, options in CHOICES.items()},
}  # fmt: skip
TRAINING_COMPARISON = declare_option("train_compare", ("none", *COMPARISONS), "none")
TRAINING_TEXT = declare_text("train_text")  # the input whose attention is shown; None: the first example of the task
TRAINING_HEAD = declare_numbers("train_head", None, max_count=2)  # layer and head that are enlarged, from 1
TRAINING_PREDICTION = declare_number("train_prediction", 0)  # the number of the chosen option
RUN, CHECKPOINT_STEP = SETTINGS["run"], SETTINGS["checkpoint"]
