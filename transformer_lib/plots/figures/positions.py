"""The figures of notebook 03: where a word stands."""

from matplotlib.figure import Figure

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.positions import positions_heatmap


@figure(
    "positions-paper",
    notebook="03_positional_encoding",
    caption="The paper's position vectors: 20 positions, 512 dimensions.",
    alt="Heat map with one row per position. On the left blue and amber alternate from row to row, "
    "fast; to the right ever more slowly. Beyond dimension 300 the rows look alike: thin grey and "
    "pale stripes, the sines still near 0 and the cosines near 1.",
)
def draw_positions_paper() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_heatmap(positional_encoding(20, 512)).figure
