"""The whole architecture in one drawing."""

from matplotlib.figure import Figure

from transformer_lib.plots.architecture import architecture
from transformer_lib.plots.figures.registry import figure

LAYOUT = (
    "The whole Transformer, in two columns, from the bottom up: on the left the encoder reads 'I "
    "like trees <eos>', on the right the decoder writes 'los' after '<bos> me gustan'."
)


@figure(
    "architecture",
    notebook="09_the_whole_transformer",
    caption="The whole Transformer: the source is read on the left, the target is "
    "written on the right.",
    alt=f"{LAYOUT} Encoder layer: self-attention and feed-forward, each followed by add and norm. "
    "The decoder layer has cross-attention in between; the memory, a vector for each word from the "
    "encoder's end, goes to each layer, which makes its own keys and values from it. The decoder's "
    "self-attention has a causal and a padding mask. At the end come linear and softmax.",
)
def draw_architecture() -> Figure:
    return architecture(title="Left: the encoder reads.\nRight: the decoder writes\n"
                        "the next word.")  # fmt: skip
