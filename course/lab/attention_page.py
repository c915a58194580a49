"""Recorded attention to look around in: all heads small, one large, words chosen by hand or key.

    maps = attention_map_layers(translator.attention_maps("I like trees"))
    AttentionView(maps).save("maps.html")

What is drawn comes as arrays with words, of any model. The drawing is attention_view.js. In the
last line of a notebook's cell a view is stored with its data, which tests compare and the site
draws, and with a picture and words for where nothing is drawn.
"""

import html
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from course.drawing.values import steady_round
from course.lab.pages import HERE, inline
from transformer_lib.files import write_file
from transformer_lib.translator import AttentionMaps

DECIMALS = 4
MIME = "application/vnd.transformer-lib.attention+json"
NOT_TRUSTED = "To choose layers, heads and words here, run this cell."


@dataclass(frozen=True)
class Layer:
    """One attention layer: weights (h, q, k), the q words that look, the k that are looked at.

    written: the q words are those that the looking positions write, not those that they read.
    weights: anything that NumPy reads; PyTorch tensors without gradients too. ValueError if words
    and weights don't fit each other.
    """

    name: str
    weights: Any
    queries: Sequence[str]
    keys: Sequence[str]
    written: bool = False

    def __post_init__(self):
        shape = np.shape(self.weights)
        wanted = (len(self.queries), len(self.keys))
        if len(shape) != 3 or shape[1:] != wanted or 0 in shape:
            raise ValueError(
                f"{self.name}: {wanted[0]} words that look and {wanted[1]} that are looked at need "
                f"weights of shape (heads, {wanted[0]}, {wanted[1]}), not {shape}"
            )

    def data(self) -> dict[str, Any]:
        """As attention_view.js takes it."""
        weights = np.asarray(self.weights, dtype=float).round(DECIMALS).tolist()
        words = {"queries": list(self.queries), "keys": list(self.keys)}
        return {"name": self.name, **words, "weights": weights}


def attention_map_layers(maps: AttentionMaps) -> list[Layer]:
    """The layers of `Translator.attention_maps`; a decoder's word looks while it is written."""
    layers = []
    for name, weights in maps.weights.items():
        written = name.startswith("decoder")
        queries = maps.tgt_out if written else maps.src
        keys = maps.tgt_in if written and name.endswith("self_attn") else maps.src
        layers.append(Layer(name, weights, queries, keys, written))
    return layers


def huggingface_layers(
    output: Any, src: Sequence[str], tgt: Sequence[str] = (), *, sentence: int = 0
) -> list[Layer]:
    """The layers of an output of Hugging Face's transformers that has its attentions.

    output: of a model called with output_attentions=True and made with
    attn_implementation="eager" (others don't hand their weights out). src, tgt: the tokens of the
    encoder and of the decoder; of a model with one half only, src. sentence: which of the batch.
    ValueError for an output without attentions, or if the tokens don't fit.

        words = tokenizer.convert_ids_to_tokens(ids[0])
        AttentionView(huggingface_layers(model(ids, output_attentions=True), words))
    """
    kinds = [
        ("attentions", "layers.{}.self_attn", src, src),
        ("encoder_attentions", "encoder.layers.{}.self_attn", src, src),
        ("decoder_attentions", "decoder.layers.{}.self_attn", tgt, tgt),
        ("cross_attentions", "decoder.layers.{}.cross_attn", tgt, src),
    ]
    layers = []
    for field, name, queries, keys in kinds:
        for i, weights in enumerate(getattr(output, field, None) or ()):
            layers.append(Layer(name.format(i), weights[sentence].detach().cpu(), queries, keys))
    if not layers:
        raise ValueError(
            "there are no attentions in this output: call the model with output_attentions=True, "
            'and make it with attn_implementation="eager"'
        )
    return layers


class AttentionView:
    """Layers to look around in. layer (a name), head, query (a place): what is shown first.

    ValueError for a layer that isn't there.
    """

    def __init__(
        self,
        layers: Sequence[Layer],
        *,
        layer: str | None = None,
        head: int = 0,
        query: int | None = None,
    ):
        named = {one.name: one for one in layers}
        layer = layers[0].name if layer is None else layer
        if layer not in named:
            raise ValueError(f"there is no layer {layer!r}; there are {', '.join(named)}")
        self.layers = list(layers)
        self.shown = named[layer]  # first
        self.chosen = {"layer": layer, "head": head, "query": query}

    def data(self) -> dict[str, Any]:
        """What attention_view.js draws, and what is shown first."""
        return {"layers": [layer.data() for layer in self.layers], "chosen": self.chosen}

    def page(self, title: str = "Attention", *, heading: bool = True) -> str:
        """A page of HTML that needs nothing else."""
        data = json.dumps(self.data(), ensure_ascii=False)
        script = (HERE / "attention_view.js").read_text(encoding="utf-8")
        start = f"const given = {data};\n" + START
        title = html.escape(title)
        head = f"<header><h1>{title}</h1></header>\n" if heading else ""
        return PAGE.format(title=title, head=head, script=inline(f"{script}\n{start}"))

    def save(self, path: Path, title: str = "Attention") -> None:
        write_file(Path(path), self.page(title).encode("utf-8"))

    def alt(self) -> str:
        """What the picture shows, in words."""
        layer = self.shown
        heads = np.asarray(layer.weights, dtype=float)
        rows, columns = " ".join(layer.queries), " ".join(layer.keys)
        said = (
            f"{len(heads)} maps, one for each head of {layer.name}. Rows are "
            f"{'the positions that write' if layer.written else 'the words that attend,'} {rows}; "
            f"columns the words attended to, {columns}."
        )
        query = self.chosen["query"]
        if query is None or query >= len(layer.queries):  # of a longer sentence, before
            return said
        largest = [
            f"in head {head} to “{layer.keys[place]}” with {steady_round(row[place]):.2f}"
            for head, row in enumerate(heads[:, query])
            for place in [int(np.argmax(row >= row.max() - 1e-3))]
        ]
        return f"{said} “{layer.queries[query]}” attends most {', '.join(largest)}."

    def picture(self) -> Any:
        """All heads of the layer that is shown first, as a matplotlib figure."""
        from course.drawing.attention_maps import QUERY, WRITES, attention_heads

        layer = self.shown
        query = WRITES if layer.written else QUERY
        return attention_heads(
            layer.weights, layer.queries, layer.keys, title=layer.name, query=query
        )

    def _repr_mimebundle_(self, **_: Any) -> tuple[dict[str, Any], dict[str, Any]]:
        """What a notebook stores: the page in a frame, its data, a picture and words."""
        from course.drawing.notebook_output import figure_bundle

        alt = self.alt()
        data, notes = figure_bundle(self.picture(), alt)
        rows = max(len(layer.queries) for layer in self.layers)
        # The frame lies over the picture: where frames are not let through, the picture stays.
        data["text/html"] = FRAME.format(
            height=f"{20 + 2.1 * rows:.0f}rem",
            said=NOT_TRUSTED,
            alt=html.escape(alt),
            picture=data["image/png"],
            page=html.escape(self.page(heading=False)),
        )
        return data | {MIME: packed(self.data())}, notes


def packed(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a view with each head as one text of comma-separated values.

    Numbers in lists would take a line each in the notebook's file.
    """

    return with_weights(data, lambda rows: "".join(",".join(map(str, row)) + "\n" for row in rows))


def unpacked(data: dict[str, Any]) -> dict[str, Any]:
    """The data of a view as a notebook stores it -> as attention_view.js takes it."""
    return with_weights(
        data, lambda text: [list(map(float, line.split(","))) for line in text.splitlines()]
    )


def with_weights(data: dict[str, Any], change: Callable[[Any], Any]) -> dict[str, Any]:
    """The data of a view with each head's weights in another form."""
    layers = [layer | {"weights": list(map(change, layer["weights"]))} for layer in data["layers"]]
    return data | {"layers": layers}


START = 'new AttentionView(document.querySelector("main"), given, { chosen: given.chosen });'
FRAME = """<div style="position: relative; height: {height}; overflow: hidden">\
<p>{said}</p><img alt="{alt}" style="max-width: 100%" src="data:image/png;base64,{picture}">\
<iframe srcdoc="{page}" title="Attention" style="position: absolute; top: 0; left: 0; width: 100%; \
height: 100%; border: 0"></iframe></div>"""
PAGE = """<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{title}</title>
<link rel="icon" href="data:,">
<style>
:root {{ color-scheme: light dark; }}
body {{ margin: 1.5rem clamp(1rem, 4vw, 3rem); max-width: 60rem;
  color: light-dark(#1a1a1a, #ececec); background: light-dark(#ffffff, #16181c);
  font: 1rem/1.4 "Course Sans", Verdana, sans-serif; }}
h1 {{ font-size: 1.2rem; }}
</style>
</head>
<body>
{head}<main></main>
<script>{script}</script>
</body>
</html>
"""
