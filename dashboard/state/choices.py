"""The choices that belong to one page or to one control: all their parameters, in one list.

The sidebar's are in settings.py, the position looked at in focus.py, windows on wide axes in window.py, the inspected
cell in cells.py, the edits in what_if/state.py.
"""

from dashboard.state.parameter import flag, number, numbers, option, text
from encoder_core.pretrained.analogy import LONGEST

# Every page
NUMBERS = text("numbers", scope="page")  # the tensor in the table below the picture
DETAILS = option("details", ("Formula", "Code"), "Formula")
STRETCH = flag("stretch")  # colours of weights end at the largest weight

# Embedding and positions
ROWS = text("rows")  # the embedding scale that is compared with the positions
ANALOGY = text("analogy", longest=LONGEST)
ENCODING = text("encoding")  # the position encoding that is shown
SHUFFLE = number("shuffle", 1, 9999, 1)  # the order in which the words are shuffled
CURVES = numbers("curves", None, most=6)  # the dimensions drawn as curves

# Attention
ALL_HEADS = flag("all_heads")  # Q, K and V of all heads side by side
TEMPERATURES = (0.1, 0.2, 0.3, 0.5, 0.7, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0)
TEMPERATURE = option("temperature", TEMPERATURES, 1.0)  # of the Softmax page
HIDE_ROW = flag("hide_row")  # the query of the Softmax page sees no key
VALUE_DIMENSION = number("value_dimension", 0)
PART = text("part")  # of the page Multi-head
HEADS_OFF = numbers("heads_off", (0,), most=64)

# Add and norm, feed-forward
NORM = text("which_norm")
NORM_DIMENSION = number("norm_dimension", 0)
SCALE_AND_SHIFT = text("scale_and_shift", scope="page")  # layer.norm.dimension~γ~β to try
NEURON = number("neuron", 0)
EXCHANGED = number("exchanged", 0)  # the token whose row takes another's place; 0 for a row of zeros

# Full stack
VIEW = text("view")
ROLE = text("role")
WORD = text("word")  # that occurs in several sentences

# Recipes
RECIPE = text("recipe")
RECIPE_VARIANT = text("recipe_variant")
RECIPE_VIEW = text("recipe_view")
RECIPE_FIGURE = text("recipe_figure")
DROPPED_AT = text("dropped_at")
DROPOUT_SEED = number("dropout_seed", 0, 9999, 0)
ARTICLE_TOKEN = number("article_token", 1)
ARTICLE_LAYER = number("article_layer", 1)
ARTICLE_HEAD = number("article_head", 1)
HAND_TOKENS = numbers("hand_tokens", None, most=3)
HAND_QUERY = number("hand_query", 1, 3, 2)
HAND_TABLE = text("hand_table", "", longest=1_000)
LOOKUP_TOKEN = number("lookup_token", 0, 9, 2)
LOOKUP_TABLE = text("lookup_table", "", longest=1_000)
