"""The figures of notebook 05: several heads."""

import torch
from matplotlib.figure import Figure

from transformer_lib.plots.attention import attention_heatmap
from transformer_lib.plots.figures.registry import figure


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
