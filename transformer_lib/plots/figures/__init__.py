"""Every figure of the series by name: `FIGURES[name].draw()` makes it from what is shipped.

A figure is a function without arguments that returns a matplotlib figure or an Altair chart.
Its decorator says what it is called, which notebook it belongs to, what it is about (caption) and
what can be seen in it (alt text). Data and model are loaded only where they are drawn.
"""

from importlib import import_module

from transformer_lib.plots.figures.display import show
from transformer_lib.plots.figures.gallery import gallery_html, gallery_markdown
from transformer_lib.plots.figures.registry import FIGURES, FigureEntry, figure, find
from transformer_lib.plots.figures.saving import FORMATS, save, save_figure

# A module for each notebook, in the order of the series: so are the figures in FIGURES.
TOPICS = ("start_here", "overview", "trees", "one_hot", "embeddings", "positions", "attention",
          "heads", "masks", "encoder", "decoder", "whole", "training", "decoding",
          "translation", "causes", "real_text", "heads_on_real_text", "before", "gpt",
          "since", "primer")  # fmt: skip
for topic in TOPICS:
    import_module(f"{__name__}.{topic}")

__all__ = [
    "FIGURES",
    "FORMATS",
    "FigureEntry",
    "figure",
    "find",
    "gallery_html",
    "gallery_markdown",
    "save",
    "save_figure",
    "show",
]
