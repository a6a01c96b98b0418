"""Take away: notebooks, arrays and a report of the current encoder, text, mask and edits."""

import streamlit as st

from dashboard.lessons.take_away.downloads import arrays, notebooks, render_files, reports
from dashboard.lessons.take_away.subject import origin_of
from dashboard.page_list import page_named
from dashboard.selection import focus
from dashboard.shell import frame
from dashboard.shell.untrained_note import render_untrained_note
from encoder_core.export import FromFile, Pretrained, Random

current = frame.begin_page()
config, edits = current.config, len(current.edits)
frame.render_heading(
    page_named("take_away"),
    "Files of what you see now: this encoder, its input, its mask"
    + (f" and your {edits} {'edit' if edits == 1 else 'edits'}. " if edits else ". ")
    + "Each file is made when you click its button.",
)
render_untrained_note(current)


def body() -> None:
    columns = st.columns(3, gap="medium")
    with columns[0].container(border=True, height="stretch"):
        st.header("Notebooks", anchor=False)
        st.markdown(
            "**Plain JAX and Flax**: computes every tensor stage by stage, without this project, and compares it with "
            f"the numbers of this app. {parameters_sentence()}\n\n"
            "**With encoder_core**: the same result in a few lines, for the folder of this project."
            + (" It reads the file “Parameters”, too." if isinstance(origin_of(current), FromFile) else "")
        )
        render_files(current, notebooks())
    with columns[1].container(border=True, height="stretch"):
        st.header("Arrays", anchor=False)
        st.markdown(
            "Every tensor of the forward pass, by the names of the Python package: `layers.0.pattern` holds the "
            "attention weights of layer 1, with the axes sentence, head, query and key. The parameters are those in "
            "use, after any edits."
        )
        render_files(current, arrays(current))
    with columns[2].container(border=True, height="stretch"):
        st.header("Report", anchor=False)
        st.markdown("One page with a figure of every stage. It needs no network and is made for printing.")
        at = focus.render_focus_controls(current, "layer", "head")
        render_files(current, reports(at))
    st.markdown(
        "**Single figures and tables** are on the pages of the stages. The button ⤓ in the upper right corner of a "
        "figure saves it as PNG, SVG or HTML, and its numbers as CSV; with a mouse, it appears when you point at the "
        "figure. Under “Numbers”, the table of a tensor has a CSV download, too."
    )


def parameters_sentence() -> str:
    """Where the plain notebook gets the parameters from."""
    match origin_of(current):
        case Random():
            return "It draws the parameters from the seed."
        case FromFile():
            return "It reads the parameters from the file “Parameters”, which must be in the same folder."
        case Pretrained():
            return "It reads the files of the trained model, and downloads them if they are not installed."
        case _:
            return "It draws the parameters of the recipe from the seed, and uses the recipe's batch."


frame.run_as_fragment(body)
