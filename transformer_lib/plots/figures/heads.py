"""The figures of notebook 05: several heads."""

from typing import Any

import torch
from matplotlib.figure import Figure

from transformer_lib.plots import heads
from transformer_lib.plots.figures.registry import figure

TIRED = "The animal didn't cross the street because it was too tired"
RIDDLE = {word: heads.ASKERS[word] for word in ("it", "tired")}


@figure(
    "heads-recap",
    notebook="05_multi_head_attention",
    caption="The way of three words through eight heads, with all shapes.",
    alt="From X, 3 × 512, lines in eight colors lead down to eight columns of Q, K and V, each 3 × "
    "64, and on to Z 0 to Z 7, each 3 × 64. Below they stand side by side, 3 × 512 again; times W "
    "O, 512 × 512, they give the output, 3 × 512, the shape of X.",
)
def draw_heads_recap() -> Figure:
    return heads.heads_recap(["I", "like", "trees"])


FILTERS = ("layer 1, head 1", "layer 0, head 1")


@figure(
    "heads-filters",
    notebook="05_multi_head_attention",
    caption="How far two encoder heads look: mean weight at each distance in 200 test sentences.",
    alt="Two bar charts over distances from three words to the left to three to the right. Layer "
    "1, head 1 has its tallest bar one word to the left and almost nothing on the right; layer 0, "
    "head 1 looks more to the right than to the left, and nowhere much.",
)
def draw_heads_filters() -> Figure:
    from transformer_lib.corpora import english_spanish
    from transformer_lib.translator import Translator

    texts = [english for english, _ in english_spanish.load("test")[:200]]
    profiles = heads.weight_by_distance(Translator.load(), texts)
    return heads.distance_bars({name: profiles[name] for name in FILTERS})


def looks_at_tired() -> Any:
    from transformer_lib.translator import Translator

    return Translator.load().looks(TIRED)


@figure(
    "heads-eight",
    notebook="05_multi_head_attention",
    caption="Eight heads look at the same sentence, each in its own way.",
    alt="Eight panels, one for each head. In each, thirteen dots on the left, the words that look, "
    "are joined to thirteen on the right, the words looked at. The lines of 'it' are blue, those "
    "of 'tired' orange, and lead elsewhere in each head. In layer 0 many lines meet at the sign "
    "for the end. In layer 1, head 1 looks a little upwards, at the words before; head 2 has few "
    "thick lines, and 'it' and 'tired' both look at 'animal'; heads 0 and 3 spread thin lines.",
    hero=True,
)
def draw_heads_eight() -> Figure:
    looks = looks_at_tired()
    return heads.eight_looks(heads.encoder_heads(looks), looks.src, RIDDLE)


@figure(
    "heads-two-pictures",
    notebook="05_multi_head_attention",
    caption="Which would you believe? Two pictures, each of a word that looks at 'animal'.",
    alt="The sentence 'the animal did not cross the street because it was too tired' twice. In (a) "
    "a thick arrow leads from 'it' to 'animal', 98 % of its attention, in (b) one just as thick "
    "from 'tired' to 'animal', 100 %. The title asks which decides, cansado or cansada.",
)
def draw_two_pictures() -> Figure:
    return heads.two_pictures(looks_at_tired(), "encoder.layers.1.self_attn", 2, RIDDLE)


@figure(
    "heads-one-two-all",
    notebook="05_multi_head_attention",
    caption="What 'it' looks at: in one head, in two, in all eight.",
    alt="Three times the words of the sentence in a column, and lines to them from 'it'. One head: "
    "one thick line goes to 'animal'. Two heads: two lines half as thick, to 'animal' and "
    "'because'. All eight: thin lines fan out to most words, the thickest to 'because' and the "
    "end.",
)
def draw_heads_one_two_all() -> Figure:
    looks = looks_at_tired()
    named = heads.sharpest_first(heads.encoder_heads(looks), looks.src.index("it"))
    weights = torch.stack(list(named.values()))
    return heads.one_two_all(weights, looks.src, looks.src.index("it"), list(named))


@figure(
    "heads-token-view",
    notebook="05_multi_head_attention",
    caption="Who looks at whom, to touch: choose a layer, heads and a word.",
    alt="Two columns with the words of 'The animal didn't cross the street because it was too "
    "tired'. From 'it' on the left, a thick line leads to one word on the right, a "
    "thinner one to another, and thin ones in other colors to most words.",
)
def draw_heads_token_view() -> Any:
    return heads.token_view(looks_at_tired(), word="it")


@figure(
    "heads-three-uses",
    notebook="05_multi_head_attention",
    caption="The three uses of attention, in the last layers, on 'I like trees'.",
    alt="Three panels, each with words that look on the left and words looked at on the right. "
    "English looks at English: lines from each word to each. Spanish looks at the Spanish before "
    "it: no line leads down. Spanish looks at English: to write 'gustan' it looks at 'like', for "
    "'árboles' at 'trees', and for the end at the end.",
)
def draw_heads_three_uses() -> Figure:
    from transformer_lib.translator import Translator

    return heads.three_uses(Translator.load().looks("I like trees"))
