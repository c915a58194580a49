"""The translator in a web page: a laboratory, and attention to look around in.

The JavaScript beside this file has the library's names and gives the same numbers; a test holds
both against each other:

    tokens.js       text -> tokens -> ids, and back, with the library's messages
    subwords.js     the same for subwords
    model.js        the forward pass, in the order in which data flows
    decoding.js     greedy, beam search, sampling
    recording.js    look inside, and change one thing
    translator.js   text in, text out
    loading.js      fetches what was trained, in parts; packing.py makes them
    theme.js        light or dark, as on the site
    attention_view.js   draws the attention of any model; needs nothing else
    tour.js, lab.js, lab.html, lab.css   the laboratory

node.py has Node, where it is installed, run the same scripts.
"""

from course.lab.attention_page import AttentionView, Layer, attention_map_layers, huggingface_layers
from course.lab.node import python_logits
from course.lab.notebook import Laboratory, laboratory
from course.lab.pages import WebError, lab_page, write_lab

__all__ = [
    "AttentionView",
    "Laboratory",
    "Layer",
    "WebError",
    "huggingface_layers",
    "lab_page",
    "laboratory",
    "attention_map_layers",
    "python_logits",
    "write_lab",
]
