"""Drawings of recurrent translators beside the Transformer: the data reaches the picture."""

import numpy as np
import pytest

from course.chapters.ch16_before.experiments import chosen
from course.chapters.ch16_before.figures import LABELS, LEARNED, SPLITS
from course.drawing.registry import FIGURES
from transformer_lib.text import english_spanish
from transformer_lib.translator import Translator


def test_a_split_has_a_bar_for_each_translator_and_a_sentence_of_its_own():
    figure = FIGURES["before-splits"].draw()
    said = [text.get_text() for text in figure.axes[0].texts]
    wide = np.array([bar.get_width() for bar in figure.axes[0].patches])
    means = [
        np.mean([run["right"][split] for run in chosen()[kind]])
        for split in SPLITS
        for kind in LABELS
    ]
    assert list(wide[1::2] / wide[::2]) == pytest.approx(means)
    assert [text for text in said if text.endswith("%")] == [f"{m:.0%}" for m in means]
    tokens = Translator.load().src.tokenizer
    for split, (name, sentence) in SPLITS.items():
        length = {english: len(tokens(english)) for english, _ in english_spanish.load(split)}
        assert name in said and (length[sentence] > LEARNED) == (split == "longer")
        if split == "longer":
            assert min(length.values()) == LEARNED + 1
