"""The rows on the chart of the position encoding, whose numbers are stored in the notebook."""

import numpy as np

from encoder_core.figures import Line, ThemeName
from encoder_core.inputs.positions import sinusoid_frequency
from encoder_core.scenes.items import Matrix, line_of
from encoder_core.support.number_format import format_number
from encoder_core.tutorials.annotated.models import NOTEBOOK, SEQ, D, encodings
from encoder_core.tutorials.item import Finding, Item, Quotation, judge
from encoder_core.tutorials.panels import Parts, curve_panel

# The numbers of the chart (Vega-Lite) that is stored in the notebook: dimension -> positions 0, 1, 2, 3 and 99.
CHART = {
    4: (0.0, 0.15782664716243744, 0.3116971552371979, 0.45775455236434937, 0.017519766464829445),
    5: (1.0, 0.9874668121337891, 0.9501814842224121, 0.8890786170959473, -0.9998465180397034),
    6: (0.0, 0.06305387616157532, 0.12585681676864624, 0.18815888464450836, -0.03669935464859009),
    7: (1.0, 0.9980100989341736, 0.992048442363739, 0.9821385741233826, 0.9993263483047485),
}
CHART_POSITIONS = [0, 1, 2, 3, 99]


def _chart(_: int) -> Finding:
    encoding = encodings()[0]
    difference = max(float(np.abs(encoding[CHART_POSITIONS, j] - numbers).max()) for j, numbers in CHART.items())
    wavelengths = 2 * np.pi / sinusoid_frequency(np.array([2, 3]), D)

    def draw(theme: ThemeName) -> Line:
        series = {f"dimension {j}": encoding[:, j] for j in CHART}
        return [curve_panel(series, range(SEQ), title="position encoding, dimensions 4 to 7", x_axis="position",
                            y_axis="embedding", theme=theme)]  # fmt: skip

    return Finding(
        judge(difference < 2e-6),
        f"difference {format_number(difference, 1)}",
        "The chart's numbers at positions 0, 1, 2, 3 and 99 differ from those computed here by at most "
        f"**{format_number(difference, 1)}**. The wavelengths are **{wavelengths[0]:.1f}** positions (dimensions 4 and "
        f"5) and **{wavelengths[1]:.1f}** (6 and 7).",
        draw,
    )


def _axis_name(_: int) -> Finding:
    embedding = np.zeros((SEQ, D), np.float32)
    total = embedding + encodings()[0]

    def draw(theme: ThemeName) -> Line:
        parts: Parts = [Matrix(title="embedding: zeros", values=embedding[:24]), "+",
                        Matrix(title="position encoding", values=encodings()[0, :24]), "=",
                        Matrix(title="drawn as “embedding”", values=total[:24])]  # fmt: skip
        return line_of(parts, theme=theme)

    return Finding(
        judge(bool(embedding.any())),
        "the embedding is 0 everywhere",
        f"The input of the encoding is `jnp.zeros((1, 100, 20))`: its largest number is **{embedding.max():g}**. The "
        "chart draws the position encoding alone.",
        draw,
    )


CHART_ITEMS = (
    Item(
        "encoding-chart",
        "The chart of the encoding",
        "figure",
        (Quotation("chart = plot_encoding(encodings, 100, [4, 5, 6, 7])", NOTEBOOK, "code"),
         Quotation("chart.interactive()", NOTEBOOK, "code")),
        _chart,
        "Two neighbouring dimensions are the sine and the cosine of one wavelength. As there, you can read a value at "
        "every position.",
        "positions",
    ),
    Item(
        "chart-axis",
        "The name of the chart's axis",
        "figure",
        (Quotation('.encode(x="position", y="embedding", color="dimension:N")', NOTEBOOK, "code"),
         Quotation("x = jnp.zeros((1, 100, 20))", NOTEBOOK, "code")),
        _axis_name,
        "The column of the data frame is called “embedding”, and the chart takes its name. With zeros as input, the "
        "sum is the encoding itself.",
        "positions",
    ),
)  # fmt: skip
