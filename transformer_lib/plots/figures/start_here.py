"""The figures of notebook 00: the whole machine from outside."""

from typing import Any

from matplotlib.figure import Figure

from transformer_lib.plots.attention import attention_heatmap
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.series import series_map


@figure(
    "series-map",
    notebook="00_start_here",
    caption="The way of a sentence through the Transformer, and through this series.",
    alt="Twelve boxes joined by arrows lead from 'I like trees' to 'Me gustan los árboles': "
    "one-hot, embeddings, positions, attention, heads, masks; then encoder, decoder, "
    "transformer, training, decoding, translation.",
)
def draw_series_map() -> Figure:
    return series_map()


def draw_cross_attention(translator: Any, text: str) -> Figure:
    """Where the decoder's last layer looks in `text` while it writes each word, mean of its heads.

    translator: a `Translator`. Raises its InputError for a text it can't read.
    """
    looks = translator.looks(text)
    layers = [name for name in looks.weights if name.endswith("cross_attn")]
    weights = looks.weights[layers[-1]]
    title = f"decoder layer {len(layers)}, mean of {len(weights)} heads"
    return attention_heatmap(weights.mean(dim=0), looks.tgt_out, looks.src, title=title).figure


@figure(
    "attention-trees",
    notebook="00_start_here",
    caption="Where the decoder looks in 'I like trees' while it writes 'Me gustan los árboles'.",
    alt="Heat map with a row for each Spanish word. 'gustan' looks at 'like' and 'árboles' at "
    "'trees', each with more than half of its weight; the end looks at the end; 'los' is spread "
    "over several words.",
)
def draw_attention_trees() -> Figure:
    from transformer_lib.translator import Translator

    return draw_cross_attention(Translator.load(), "I like trees")
