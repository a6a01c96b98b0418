"""What a user can take away from a run: notebooks, arrays and a report, as pure functions of a `Subject`.

subject       a run, and how its encoder and its inputs came about
arrays        the trace and the parameters as .npz and safetensors
notebook      Jupyter notebooks: one in plain JAX and Flax, one with `encoder_core`
plain         the cells of the former
with_package  the cells of the latter
report        one HTML page with all stages
svg           heatmaps as SVG
"""

from encoder_core.export.arrays import parameters_safetensors, trace_arrays, trace_npz, trace_safetensors
from encoder_core.export.notebook import encoder_core_notebook, notebook_json, plain_notebook
from encoder_core.export.report import report_html
from encoder_core.export.subject import FromFile, Pretrained, Random, SomeRecipe, Subject

__all__ = [
    "FromFile",
    "Pretrained",
    "Random",
    "SomeRecipe",
    "Subject",
    "encoder_core_notebook",
    "notebook_json",
    "parameters_safetensors",
    "plain_notebook",
    "report_html",
    "trace_arrays",
    "trace_npz",
    "trace_safetensors",
]
