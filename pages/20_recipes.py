"""Recipes: five tutorials, reproduced, with the points in which code, text and paper differ."""

from dashboard.lessons.recipes import by_hand, facts, figures, notes, training
from dashboard.lessons.recipes.pick import pick
from dashboard.page_list import page_named
from dashboard.selection.view_choice import choice
from dashboard.shell import frame
from dashboard.shell.frame import Shape
from dashboard.state.choices import RECIPE_VIEW

current = frame.begin()
seed = current.settings.seed
recipe, variant = pick(current.settings)
config, example = recipe.config(variant), recipe.example

frame.heading(
    page_named("recipes"),
    f"**{recipe.title}** ({recipe.library}, [source]({recipe.source})). {recipe.builds}",
    [Shape("ids", (example.batch, example.seq))],
    [
        Shape("weights", (config.num_layers, example.batch, config.num_heads, example.seq, example.seq), "attention"),
        Shape("output", (example.batch, example.seq, config.d_model)),
        *([Shape("logits", (example.batch, example.seq, config.vocab_size))] if config.output_head else []),
    ],
)
facts.sizes(recipe, variant)

VIEWS = {
    "Its figures": lambda: figures.show(recipe.name, variant, seed),
    "Text and code": lambda: notes.show(recipe, seed),
    **({"Training and evaluation": lambda: training.show(recipe.name, variant, seed)} if config.dropout else {}),
    **({"Attention by hand": by_hand.attention, "One-hot by hand": by_hand.one_hot} if recipe.name == "nanolm" else {}),
    "All five compared": facts.compared,
}


def body() -> None:
    VIEWS[choice("View", list(VIEWS), RECIPE_VIEW, default="Its figures", silent=True)]()


frame.interactive(body)
