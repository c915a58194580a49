"""The figures of notebook 05: several heads."""

from typing import Any

import torch
from matplotlib.figure import Figure

from transformer_lib.plots import heads
from transformer_lib.plots.attention import attention_heads, attention_heatmap
from transformer_lib.plots.figures.registry import figure

TIRED = "The animal didn't cross the street because it was too tired"


@figure(
    "heads-recap",
    notebook="05_multi_head_attention",
    caption="The way of three words through eight heads, with all shapes.",
    alt="From X, 3 × 512, eight arrows lead to eight rows of Q, K and V, each 3 × 64, and on to "
    "Z 0 to Z 7, each 3 × 64. Side by side they are 3 × 512 again; times W O, 512 × 512, they give "
    "the output, 3 × 512, the shape of X.",
)
def draw_heads_recap() -> Figure:
    return heads.heads_recap(["I", "like", "trees"])


@figure(
    "heads-filters",
    notebook="05_multi_head_attention",
    caption="How far two encoder heads look: mean weight at each distance in 200 test sentences.",
    alt="Two bar charts over distances from three words to the left to three to the right. Layer "
    "2, head 2 has its tallest bar one word to the left and almost nothing on the right; layer 2, "
    "head 3 looks at the word itself and its right neighbor most, and some way to both sides.",
)
def draw_heads_filters() -> Figure:
    from transformer_lib.corpora import english_spanish
    from transformer_lib.translator import Translator

    texts = [english for english, _ in english_spanish.load("test")[:200]]
    profiles = heads.weight_by_distance(Translator.load(), texts)
    return heads.distance_bars({f"layer 2, head {head}": profiles[f"layer 2, head {head}"]
                                for head in (2, 3)})  # fmt: skip


def looks_at_tired() -> Any:
    from transformer_lib.translator import Translator

    return Translator.load().looks(TIRED)


@figure(
    "heads-eight",
    notebook="05_multi_head_attention",
    caption="All eight encoder heads of the shipped translator on the same sentence.",
    alt="Two rows of four heat maps, thirteen words each way. In layer 1 many words look at the "
    "sign for the end. In layer 2, head 2 has its dark cells just left of the diagonal; in head 3 "
    "'it' and 'tired' look at 'animal'; heads 1 and 4 are pale all over.",
)
def draw_heads_eight() -> Figure:
    looks = looks_at_tired()
    named = heads.encoder_heads(looks)
    weights = torch.stack(list(named.values()))
    drawn = attention_heads(weights, looks.src, looks.src, list(named), across=4)
    for ax in drawn.axes:
        ax.tick_params(labelsize=10.5)
    return drawn


@figure(
    "heads-one-two-all",
    notebook="05_multi_head_attention",
    caption="What 'it' looks at: in one head, in two, in all eight.",
    alt="Three times two columns with the words of the sentence, and lines from 'it'. In (a) one "
    "thick line goes to 'animal'; in (b) a second head adds one to 'because'; in (c) lines in "
    "eight colors fan out to every word, the thickest to 'animal', 'because', 'not' and the end.",
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
    "tired'. From 'it' on the left, colored lines lead to the words on the right: one thick line "
    "of head 3 to 'animal', one of head 2 to 'because', thin ones of heads 1 and 4 to most words.",
)
def draw_heads_token_view() -> Any:
    return heads.token_view(looks_at_tired(), word="it")


@figure(
    "heads-three-uses",
    notebook="05_multi_head_attention",
    caption="The three uses of attention, in the last layers, on 'I like trees'.",
    alt="Three heat maps. English looks at English: every cell has some weight. Spanish at "
    "Spanish: only cells on and below the diagonal are in use, the others are grey. Spanish at "
    "English: 'gustan' looks at 'like', 'árboles' at 'trees' and the end at the end.",
)
def draw_heads_three_uses() -> Figure:
    from transformer_lib.translator import Translator

    return heads.three_uses(Translator.load().looks("I like trees"))


@figure(
    "attention-animal",
    notebook="05_multi_head_attention",
    caption="What 'tired' and 'wide' look at, and what 'it' looks at, in the encoder head that "
    "finds the right noun most often.",
    alt="Heat map of four rows over the words of 'The animal didn't cross the street because it "
    "was too tired / wide'. 'tired' looks at 'animal' and 'wide' at 'street', with nearly all "
    "their weight. The two rows of 'it' are alike: in both sentences 'it' looks at 'animal', so it "
    "doesn't tell which noun is meant.",
)
def draw_attention_animal() -> Figure:
    from transformer_lib.corpora import english_spanish
    from transformer_lib.evaluation import best_head
    from transformer_lib.translator import Translator

    translator = Translator.load()
    layer, head = best_head(translator, english_spanish.load_pronoun())
    adjectives = ("tired", "wide")
    rows = {}
    for adjective in adjectives:
        looks = translator.looks(
            f"The animal didn't cross the street because it was too {adjective}"
        )
        weights = looks.weights[layer][head]
        rows[adjective] = weights[looks.src.index(adjective)]
        rows[f"it (… {adjective})"] = weights[looks.src.index("it")]
    names = sorted(rows, key=lambda name: name.startswith("it"))
    words = [" / ".join(adjectives) if word in adjectives else word for word in looks.src]
    matrix = torch.stack([rows[name] for name in names])
    number = int(layer.split(".")[2]) + 1  # encoder.layers.0.self_attn is the first
    title = f"encoder layer {number}, head {head + 1}"
    return attention_heatmap(matrix, names, words, title=title).figure
