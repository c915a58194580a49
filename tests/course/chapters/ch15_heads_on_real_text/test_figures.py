"""The picture of what heads find shows two sentences: the heads do attend as its arrows say."""

from itertools import combinations

import numpy as np
import pytest

from course.chapters.ch15_heads_on_real_text import figures as plots
from course.chapters.ch15_heads_on_real_text.corpus import AgreementBatch, template_items
from course.chapters.ch15_heads_on_real_text.probes import last
from course.drawing.registry import FIGURES
from transformer_lib.interpret.recording import record_attention
from transformer_lib.translator import Translator


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


def test_no_words_of_the_ten_claims_lie_on_others():
    figure = FIGURES["real-heads-repeated"].draw()
    figure.canvas.draw()
    for one, other in combinations(figure.axes[0].texts, 2):
        if one.get_position()[1] == other.get_position()[1]:  # in one row
            assert not one.get_window_extent().overlaps(other.get_window_extent())
