"""The whole architecture, and where in it each notebook is."""

from functools import partial

from matplotlib.figure import Figure

from transformer_lib.plots.architecture import architecture
from transformer_lib.plots.figures.registry import figure

LAYOUT = (
    "The whole Transformer, in two rows, left to right: the encoder reads 'I like trees' above, "
    "the decoder writes 'los' after '<bos> Me gustan' below."
)


@figure(
    "architecture",
    notebook="09_the_whole_transformer",
    caption="The whole Transformer: the source is read above, the target is written below.",
    alt=f"{LAYOUT} Encoder layer: self-attention and feed-forward, each followed by add and norm. "
    "The decoder layer has cross-attention in between, which gets its keys and values from the "
    "encoder's end, the memory. After the last decoder layer come linear and softmax.",
)
def draw_architecture() -> Figure:
    return architecture()


# "You are here", at the top of a notebook: what it is about, and how it is marked in the drawing.
HERE = {
    "here-one-hot": ("01_one_hot", "the two one-hot boxes", ["*_one_hot"]),
    "here-embeddings": ("02_embeddings", "the two embedding boxes", ["*_embed"]),
    "here-positions": (
        "03_positional_encoding", "the two places where a position is added", ["*_positions"],
    ),
    "here-attention": ("04_attention", "the three attention boxes", ["*_attn"]),
    "here-heads": (
        "05_multi_head_attention", "the three attention boxes with all heads in them",
        ["*_attn", "*.heads"],
    ),
    "here-masks": ("06_masks", "the three masks under the attention boxes", ["*.mask"]),
    "here-encoder": ("07_encoder", "the whole encoder layer", ["encoder.*"]),
    "here-decoder": (
        "08_decoder", "the whole decoder layer, linear and softmax", ["decoder.*", "generator.*"],
    ),
    "here-transformer": (
        "09_the_whole_transformer", "every box",
        ["*_one_hot", "*_embed", "*_positions", "*_attn", "*_norm", "*.feed_forward",
         "generator.*"],
    ),
    "here-training": (
        "10_training", "all boxes whose numbers are found by training",
        ["*_embed", "*_attn", "*_norm", "*.feed_forward", "generator.proj"],
    ),
    "here-decoding": (
        "11_decoding", "linear and softmax, and the target's one-hot box, where each new word "
        "goes in", ["generator.*", "tgt_one_hot"],
    ),
    "here-translation": ("12_translation", "everything, at work together", ["*"]),
    "here-causes": (
        "13_what_the_heads_learned", "the encoder's attention and the decoder's cross-attention, "
        "where we look for causes", ["encoder.self_attn", "decoder.cross_attn"],
    ),
}  # fmt: skip
for name, (notebook, part, patterns) in HERE.items():
    figure(
        name,
        notebook=notebook,
        caption=f"You are here: {part}.",
        alt=f"{LAYOUT} Filled black: {part}.",
    )(partial(architecture, *patterns))
