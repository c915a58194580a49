"""Every figure of the series by name: `FIGURES[name].draw()` makes it from what is shipped.

A figure is a function without arguments that returns a matplotlib figure or an Altair chart.
Its decorator says what it is called, which notebook it belongs to, what it is about (caption) and
what can be seen in it (alt text). The model is imported only where it is drawn.
"""

import difflib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

import matplotlib as mpl
import torch
from matplotlib.figure import Figure

from transformer_lib.plots import style
from transformer_lib.plots.attention import attention_heatmap
from transformer_lib.plots.positions import positions_heatmap
from transformer_lib.plots.series import series_map
from transformer_lib.plots.showing import convert, is_chart, portable
from transformer_lib.plots.training import learning_curve, smoothing_floor

FORMATS = ("svg", "png", "pdf")
DOTS_PER_INCH = 200


@dataclass(frozen=True)
class FigureEntry:
    """One figure of the series. notebook: the file's name without its ending."""

    name: str
    notebook: str
    caption: str
    alt: str
    draw: Callable[[], Any]


FIGURES: dict[str, FigureEntry] = {}


def figure(name: str, *, notebook: str, caption: str, alt: str) -> Callable:
    """Register the function below as a figure of the series, under a name that never changes."""

    def register(draw: Callable[[], Any]) -> Callable[[], Any]:
        if name in FIGURES:
            raise ValueError(f"there are two figures with the name {name!r}")
        FIGURES[name] = FigureEntry(name, notebook, caption, alt, draw)
        return draw

    return register


def save(name: str, folder: str | Path, format: str = "svg") -> Path:
    """Draw a figure of the series into folder/name.format -> the file's path.

    format: svg, png or pdf. The folder is made where it is missing. On one machine the bytes are
    the same each time. Raises ValueError for an unknown name or format, OSError where nothing can
    be written.
    """
    if name not in FIGURES:
        near = difflib.get_close_matches(name, FIGURES, n=1)
        way_out = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(FIGURES)}"
        raise ValueError(f"there is no figure {name!r}; {way_out}")
    path = Path(folder) / f"{name}.{format}"
    _check_format(path)
    entry = FIGURES[name]
    save_figure(entry.draw(), path, title=entry.caption, alt=entry.alt)
    return path


def save_figure(drawn: Any, path: str | Path, title: str = "", alt: str = "") -> None:
    """Write a matplotlib figure or an Altair chart to a .svg, .png or .pdf file.

    Title and alt text travel inside the file, where its kind has a place for them. Raises
    ValueError for another kind of file, OSError where nothing can be written.
    """
    path = Path(path)
    format = _check_format(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        if is_chart(drawn):
            spec = portable(drawn.properties(description=alt).to_dict())
            path.write_bytes(_with_words(convert(spec, format), format, title, alt))
        else:
            with mpl.rc_context(style.PRINT):
                drawn.savefig(path, format=format, dpi=DOTS_PER_INCH, bbox_inches="tight",
                              metadata=_metadata(format, title, alt))  # fmt: skip
    except OSError as error:
        raise OSError(f"cannot write {path}: {error.strerror or error}") from error


def _check_format(path: Path) -> str:
    format = path.suffix.removeprefix(".").lower()
    if format not in FORMATS:
        raise ValueError(f"figures are saved as {', '.join(FORMATS)}, but not as {path.name}")
    return format


def _metadata(format: str, title: str, alt: str) -> dict[str, Any]:
    """What the file says about itself: never the date or the program, which would change."""
    return {
        "svg": {"Title": title, "Description": alt, "Date": None, "Creator": None},
        "png": {"Title": title, "Description": alt, "Software": None},
        "pdf": {"Title": title, "Subject": alt, "CreationDate": None,
                "Creator": None, "Producer": None},
    }[format]  # fmt: skip


def _with_words(content: bytes, format: str, title: str, alt: str) -> bytes:
    """Title and description of an SVG that Vega drew, which leaves them out."""
    if format != "svg":
        return content
    words = f"<title>{escape(title)}</title><desc>{escape(alt)}</desc>".encode()
    head, rest = content.split(b">", 1)
    return head + b">" + words + rest


# --- the figures, in the order of the notebooks --------------------------------------------------


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
    ax = attention_heatmap(weights.mean(dim=0), looks.tgt_out, looks.src, title=title)
    ax.set(xlabel="key: the word that is read", ylabel="query: the word that is written")
    return ax.figure


@figure(
    "attention-trees",
    notebook="00_start_here",
    caption="Where the decoder looks in 'I like trees' while it writes 'Me gustan los árboles'.",
    alt="Heat map with a row for each Spanish word. 'gustan' looks at 'like' and 'árboles' at "
    "'trees', each with more than half of its weight; the end looks at the end.",
)
def draw_attention_trees() -> Figure:
    from transformer_lib.translator import Translator

    return draw_cross_attention(Translator.load(), "I like trees")


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


@figure(
    "learning-curve",
    notebook="00_start_here",
    caption="The loss of the shipped translator while it was trained.",
    alt="Two curves over the steps fall steeply at first, then flatten. On training text, where "
    "the targets are smoothed, the loss comes down to a dotted line near 1.1, the least there can "
    "be; on validation text, without smoothing, it comes close to 0.1.",
)
def draw_learning_curve() -> Figure:
    from transformer_lib.checkpoints import read_json
    from transformer_lib.tokens import SPECIALS
    from transformer_lib.translator import SHIPPED_MODEL

    record, recipe, vocabulary = (
        read_json(SHIPPED_MODEL / f"{name}.json") for name in ("training", "recipe", "vocabulary")
    )
    words = len(vocabulary["target"]["words"]) + len(SPECIALS)
    floor = smoothing_floor(recipe["training"]["smoothing"], words)
    return learning_curve(record["history"], floor=floor).figure
