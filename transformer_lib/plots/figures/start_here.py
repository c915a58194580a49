"""The figures of notebook 00: the whole machine from outside."""

from typing import Any

from matplotlib.figure import Figure

from transformer_lib.plots import style
from transformer_lib.plots.attention import attention_heatmap
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.figures.trees import vectors
from transformer_lib.plots.series import Stage, series_map


@figure(
    "series-map",
    notebook="00_start_here",
    caption="The way of one word through the machine, every number true, and where it is opened.",
    alt="'I like trees' stands on top, 'Me gustan los árboles' at the bottom. In between, the word "
    "'trees' as six strips of colored cells: its number in a list, learned numbers, with its "
    "position, with its neighbors, understood; then, in the decoder, about to be written. An arrow "
    "leads from 'trees' to its mark in the list, another from the last strip to 'árboles'. "
    "Beside each strip the notebooks that open it: 01, 02, 03, 04 to 06, 07, 08 and 11.",
    hero=True,
)
def draw_series_map() -> Figure:
    found = vectors()
    stations = [
        Stage("its number in a list", "01", found["one-hot"]),
        Stage("128 learned numbers", "02", found["embedding"]),
        Stage("+ its position", "03", found["+ position"]),
        Stage("+ its neighbors", "04–06", found["encoder layer 0"], "encoder"),
        Stage("understood", "07", found["memory"], "encoder"),
        Stage("about to be written", "08, 11", found["decoder"], "decoder"),
    ]
    return series_map(
        ["I", "like", "trees"], ["Me", "gustan", "los", "árboles"], "trees", "árboles", stations,
        "09 all parts  ·  10 how it learns  ·  12 how good it is  ·  "
        "13 what decides  ·  14, 15 real text  ·  16–18 before, since",
    )  # fmt: skip


def draw_cross_attention(translator: Any, text: str) -> Figure:
    """Where the decoder's last layer looks in `text` while it writes each word, mean of its heads.

    translator: a `Translator`. Raises its InputError for a text it can't read.
    """
    looks = translator.looks(text)
    layers = [name for name in looks.weights if name.endswith("cross_attn")]
    weights = looks.weights[layers[-1]]
    ax = attention_heatmap(weights.mean(dim=0), looks.tgt_out, looks.src,
                           title="Where the translator looks while it writes")  # fmt: skip
    which = f"decoder layer {len(layers) - 1}, mean of {len(weights)} heads"
    ax.set(xlabel=f"English word looked at\n({which})", ylabel="to write this word")
    for tick in (*ax.get_xticklabels(), *ax.get_yticklabels()):
        if tick.get_text() in style.WORDS:
            tick.set(color=style.WORDS[tick.get_text()], weight="bold")
    return ax.figure


@figure(
    "attention-trees",
    notebook="00_start_here",
    caption="Where the decoder looks in 'I like trees' while it writes 'Me gustan los árboles'.",
    alt="Heat map with a row for each Spanish word that is written. 'gustan' looks at 'like' "
    "and 'árboles' at 'trees', each with more than half of its weight; the end looks at the end; "
    "'los' is spread over several words.",
)
def draw_attention_trees() -> Figure:
    from transformer_lib.translator import Translator

    return draw_cross_attention(Translator.load(), "I like trees")
