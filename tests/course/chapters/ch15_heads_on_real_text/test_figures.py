"""Drawings of patching, heads, the lens and shares: the data reaches the picture."""

import numpy as np
import pytest
from matplotlib.patches import Rectangle

from course.chapters.ch15_heads_on_real_text import figures as plots
from course.chapters.ch15_heads_on_real_text.corpus import AgreementBatch, template_items
from course.chapters.ch15_heads_on_real_text.probes import last
from transformer_lib.interpret.recording import record_attention
from transformer_lib.translator import Translator


def texts(ax) -> list[str]:
    return [text.get_text() for text in ax.texts]


def test_a_word_and_a_bar_for_each_state():
    row = ["es", "nueva"], [0, 0.5]
    ax = plots._written_by_layer({"one": row, "two": row}, "Title").axes[0]
    bars = [patch.get_width() for patch in ax.patches if isinstance(patch, Rectangle)]
    assert bars[:3:2] == [bars[0]] * 2 and bars[1] == 0 and bars[3] == pytest.approx(bars[0] / 2)
    assert bars[4:] == bars[:4]
    assert texts(ax)[-5:] == ["two", "es", "0 %", "nueva", "50 %"]
    states = [text for text in texts(ax) if "layer" in text]
    assert states[-2:] == ["before layer 0", "after layer 0"]


def test_the_best_head_and_the_rule_look_where_the_arrows_lead():
    small = Translator.load("grammar")
    found = plots._load_stored()["small model"]["looks"]["encoder.self_attn"]
    for text, noun in (("The key is new.", 1), ("I see the new key.", 4)):
        (item,) = (each for each in template_items() if each.english == text)
        batch = AgreementBatch(small, [item])
        with record_attention(small.model.eval()) as recorded:
            batch.logits(small)
        query = last(batch.adjective)[0]
        best = recorded[found["best"]["layer"]][0, found["best"]["head"], query]
        assert best.argmax() == noun and best.max() > 0.9
    hits = [
        item.english.rstrip(".").endswith(f"{item.adjective[0]} {item.noun[0]}")
        for item in template_items(adjectives=1)
    ]
    assert np.mean(hits) == pytest.approx(found["place"], abs=0.001), "the rule: one word on"
