"""The figures of notebook 17: what is left of the Transformer, its floor, its dials, its heads."""

import math

import torch
from matplotlib.figure import Figure

from transformer_lib.plots.architecture import architecture
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.gpt import (
    above_the_floor,
    dial_bars,
    heads_off,
    moment,
    share_dots,
    way_to_the_floor,
)
from transformer_lib.plots.masks import mask_maps

NOTEBOOK = "17_from_here_to_gpt"
LEFT = ("tgt_*", "decoder.self_attn", "decoder.self_attn_norm", "decoder.self_attn.causal.mask",
        "decoder.feed_forward*", "generator.*")  # fmt: skip


@figure(
    "gpt-what-is-left",
    notebook=NOTEBOOK,
    hero=True,
    caption="The decoder without cross-attention: what GPT keeps of the paper's figure.",
    alt="The paper's figure of the Transformer. Marked on the right half: one-hot, embedding and "
    "position, self-attention with its causal mask, feed-forward, add & norm after both, linear "
    "and softmax. Not marked: the whole encoder on the left, and cross-attention, which reads it.",
)
def draw_what_is_left() -> Figure:
    return architecture(*LEFT, title="Black is what\nis left: GPT")


@figure(
    "gpt-floor",
    notebook=NOTEBOOK,
    caption="The loss of a small GPT on the grammar's sentences, and the floor under it.",
    alt="Nats per token against the step of training. A hollow dot at 6.9 says where all words are "
    "equally likely. The curve begins at 3.69 after 100 steps, falls to 3.05 at step 200, "
    "flattens, and ends at 2.33 at step 1,000, 0.35 above a line at 1.98. Below this line "
    "is a tinted area: the floor, which the grammar's own dice decide.",
)
def draw_floor() -> Figure:
    from transformer_lib import experiments

    stored = experiments.load("writing")
    floor = experiments.load("floor")["nats_per_token"]
    return way_to_the_floor(stored["history"], floor, math.log(stored["words"]))


@figure(
    "gpt-scaling",
    notebook=NOTEBOOK,
    caption="How far above the floor language models come, by sentences, weights and steps.",
    alt="Three panels with logarithmic axes: nats per token above the floor, three seeds close "
    "together. From 1,000 over 3,000 and 10,000 to 30,000 sentences the distance falls from 1.80 "
    "over 0.95 and 0.38 to 0.20; from 21,744 over 55,776 to 160,704 weights from 0.74 over 0.38 to "
    "0.20; from step 250 to step 1,500 of one training from 0.85 to 0.20. All three are nearly "
    "straight lines.",
)
def draw_scaling() -> Figure:
    from transformer_lib.experiments.language_model import distances

    return above_the_floor(distances())


@figure(
    "gpt-dials",
    notebook=NOTEBOOK,
    caption="What a small GPT writes, by the way in which its words are drawn.",
    alt="Three panels of bars with five rows: words drawn as they are, with temperature 0.5, with "
    "temperature 1.5, with top-k 10, with top-p 0.9. The grammar could have written the share of "
    "0.20, 0.49, 0.06, 0.43 and 0.27; nearly all of these aren't in the training text. In 150 "
    "sentences there are 415, 277, 503, 279 and 358 different words.",
)
def draw_dials() -> Figure:
    from transformer_lib import experiments

    return dial_bars(experiments.load("writing")["rows"])


@figure(
    "gpt-masks",
    notebook=NOTEBOOK,
    caption="Three masks for one text: of an encoder, of GPT, and of a prompt read both ways.",
    alt="Three squares with a row and a column for each of I like trees => me gustan los árboles. "
    "Encoder: all cells are 1. GPT: 1 on and below the diagonal. Prefix: the first four columns, "
    "the prompt, are 1 everywhere; right of them 1 only on and below the diagonal.",
)
def draw_masks() -> Figure:
    from transformer_lib.language_model import prefix_mask
    from transformer_lib.masks import causal_mask

    words = "I like trees => me gustan los árboles".split()
    ids = torch.arange(len(words))[None]
    masks = {
        "encoder": torch.ones(len(words), len(words), dtype=torch.bool),
        "GPT": causal_mask(len(words))[0, 0],
        "prefix": prefix_mask(ids, separator=words.index("=>"))[0, 0],
    }
    return mask_maps(masks, words, words)


@figure(
    "gpt-translations",
    notebook=NOTEBOOK,
    caption="English to Spanish, by a translator and by language models with a prompt.",
    alt="Three panels with a dot for each of three seeds: the share of sentences right to the "
    "letter, by a translator, a language model under GPT's mask, and one under the prefix mask. "
    "Like the training, the means are 0.85, 0.79 and 0.76; with “it”, 0.70, 0.63 and 0.64, the "
    "seeds far apart; longer than the training, 0.18, 0.21 and 0.05.",
)
def draw_translations() -> Figure:
    from transformer_lib.experiments.one_text import told

    titles = {"test": "like the training", "pronoun": "with “it”", "longer": "longer"}
    panels = {title: [row | {"shares": row[split]} for row in told()]
              for split, title in titles.items()}  # fmt: skip
    return share_dots(panels, "share of new sentences without a mistake")


@figure(
    "gpt-prompting",
    notebook=NOTEBOOK,
    caption="Rows of digits backwards, by a translator and by language models with a prompt.",
    alt="Three rows with a dot for each of three seeds, the share of held-out rows without a "
    "mistake. Encoder and decoder: close together around 0.90. A language model under GPT's mask: "
    "0.51, 0.60 and 0.59. One under the prefix mask: far apart, 0.84, 0.32 and 0.09. Each has "
    "about 22,000 weights.",
)
def draw_prompting() -> Figure:
    from transformer_lib import experiments

    return share_dots({"": experiments.load("prompting")["rows"]},
                      "share of held-out rows without a mistake")  # fmt: skip


@figure(
    "gpt-induction",
    notebook=NOTEBOOK,
    caption="Three models learn to repeat what they have read, slowly and then fast.",
    alt="Two panels against the step of training, with a line for each of three seeds. Above, the "
    "loss on a row that has been read before falls from 3.7 slowly to about 3 nats, in two seeds "
    "with a jump back, and then below a half within 100 to 175 steps, at step 425, 450 and 550; "
    "the loss on the first reading stays at 3.7. Below, the largest weight of any head on "
    "the place to copy from rises from 0.2 to about 0.8 in these steps, and then above 0.9.",
)
def draw_induction() -> Figure:
    from transformer_lib import experiments

    return moment(experiments.load("induction")["runs"])


@figure(
    "gpt-heads-off",
    notebook=NOTEBOOK,
    caption="The same three models with one of their eight heads switched off.",
    alt="Three panels, a bar for each of eight heads: the loss on the repeated row without it. "
    "With all heads it is 0.03, 0.01 and 0.06. Without the most important head of layer 0 it is "
    "0.68, 1.07 and 2.31; without the most important one of layer 1 it is 0.27, 0.49 and 0.71. "
    "A dashed line at 3.7 is the loss on the first row. All heads of layer 1 are marked: they look "
    "at the copy. In layer 0 two are, which look at the word before. Without the most "
    "important of the others the loss is 0.06, 0.67 and 0.54.",
)
def draw_heads_off() -> Figure:
    from transformer_lib import experiments

    return heads_off(experiments.load("induction")["runs"])
