"""Recorded attention to look around in: all heads small, one large, words chosen by hand or key.

    AttentionView(looks_layers(translator.looks("I like trees"))).save("looks.html")

What is drawn comes as arrays with words, of any model. The drawing is attention_view.js.
"""

import html
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from transformer_lib.checkpoints import write_file
from transformer_lib.translator import Looks
from transformer_lib.web.pages import HERE, inline

DECIMALS = 4


@dataclass(frozen=True)
class Layer:
    """One attention layer: weights (h, q, k), the q words that look, the k that are looked at.

    weights: anything that NumPy reads; PyTorch tensors without gradients too. ValueError if words
    and weights don't fit each other.
    """

    name: str
    weights: Any
    queries: Sequence[str]
    keys: Sequence[str]

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


def looks_layers(looks: Looks) -> list[Layer]:
    """The layers of `Translator.looks`; a decoder's word looks while it is written."""
    layers = []
    for name, weights in looks.weights.items():
        queries = looks.src if name.startswith("encoder") else looks.tgt_out
        own = name.startswith("decoder") and name.endswith("self_attn")
        layers.append(Layer(name, weights, queries, looks.tgt_in if own else looks.src))
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
        names = [one.name for one in layers]
        layer = names[0] if layer is None else layer
        if layer not in names:
            raise ValueError(f"there is no layer {layer!r}; there are {', '.join(names)}")
        self.layers = list(layers)
        self.chosen = {"layer": layer, "head": head, "query": query}

    def page(self, title: str = "Attention") -> str:
        """A page of HTML that needs nothing else."""
        data = {"layers": [layer.data() for layer in self.layers]}
        given = json.dumps([data, {"chosen": self.chosen}], ensure_ascii=False)
        script = (HERE / "attention_view.js").read_text(encoding="utf-8")
        return PAGE.format(
            title=html.escape(title),
            script=inline(
                f"{script}\nnew AttentionView(document.querySelector('main'), ...{given});"
            ),
        )

    def save(self, path: Path, title: str = "Attention") -> None:
        write_file(Path(path), self.page(title).encode("utf-8"))

    def _repr_html_(self) -> str:
        """What a notebook shows: the page inside a frame."""
        rows = max(len(layer.queries) for layer in self.layers)
        return (
            f'<iframe srcdoc="{html.escape(self.page())}" title="Attention" '
            f'style="width: 100%; height: {20 + 2.2 * rows:.0f}rem; border: 0"></iframe>'
        )


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
  font: 1rem/1.4 "DejaVu Sans", Verdana, sans-serif; }}
h1 {{ font-size: 1.2rem; }}
</style>
</head>
<body>
<header><h1>{title}</h1></header>
<main></main>
<script>{script}</script>
</body>
</html>
"""
