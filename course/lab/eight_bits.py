"""Experiment: what 8 bits cost the larger translator, in BLEU, on the page and in Python.

The library's tests hold the page's JavaScript against `packing.in_eight_bits`, number by number; so
that copy is scored here in place of the page.
"""

from typing import Any

from course.chapters.ch14_real_text.experiment_everyday import paired, references_of, text_of
from course.experiments import experiment
from course.lab.packing import in_eight_bits
from transformer_lib.metrics import real_text_scores
from transformer_lib.text import downloads
from transformer_lib.text.parallel import read_parallel
from transformer_lib.translator import Translator


@experiment("eight-bits")
def measure_eight_bits() -> dict[str, Any]:
    """How much BLEU the larger translator loses with 8-bit weights, on the page and in Python."""
    held_out = references_of(read_parallel([downloads.get("tatoeba-en-es")["test"]]))
    whole = Translator.load("tatoeba")
    ways = {
        "half precision": whole,
        "8 bits, as a page has them": in_eight_bits(whole),
        "8 bits, --int8": whole.optimize_for_decoding(int8=True),
    }
    written = {
        name: list(map(text_of, one.translate(held_out, return_errors=True)))
        for name, one in ways.items()
    }
    references = list(held_out.values())
    first, *others = written
    return {
        "sentences": len(held_out),
        "scores": {
            name: {
                **real_text_scores(texts, references),
                "the same": sum(a == b for a, b in zip(texts, written[first], strict=True)),
            }
            for name, texts in written.items()
        },
        "paired": {
            name: paired(written[first], written[name], references)["bleu"] for name in others
        },
    }
