"""Beam search step by step against the library's, and its tree: what is kept is what is drawn."""

import math

import numpy as np
import pytest
import torch
from matplotlib.patches import Rectangle

from course.chapters.ch11_decoding import figures
from course.chapters.ch11_decoding.figures import beam_steps, finished, next_words
from transformer_lib.decoding import beam_search, sampling_distribution
from transformer_lib.model.transformer import make_model
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.translator import Translator

CHAIN = {
    (): {"a": 0.6, "b": 0.3, "c": 0.1},
    ("a",): {"x": 0.4, "y": 0.35, "z": 0.25},
    ("b",): {"x": 0.9, "y": 0.1},
}


def after(words):
    return {word: math.log(p) for word, p in CHAIN.get(words, {"<eos>": 1.0}).items()}


def model_and_source():
    torch.manual_seed(10)
    model = make_model(6, 6, N=1, d_model=16, d_ff=32, h=2, dropout=0.0).eval()
    with torch.no_grad():
        model.generator.proj.weight *= 2
    return model, torch.tensor([[4, 5, EOS]])


def test_the_short_program_finds_what_beam_search_finds():
    model, src = model_and_source()

    def following(words):
        ids = [BOS, *(int(word) for word in words)]
        with torch.no_grad():
            logits = model(src, torch.tensor([ids]))[0, -1]
        logits[[PAD, BOS]] = -math.inf
        numbers = logits.log_softmax(-1).tolist()
        names = {EOS: "<eos>"}
        return {names.get(i, str(i)): p for i, p in enumerate(numbers) if p > -math.inf}

    for beam_size in [1, 2, 3, 5]:
        steps = beam_steps(following, beam_size, max_length=9)
        done = finished(steps)
        found = beam_search(
            model, src, beam_size=beam_size, n_best=beam_size, length_penalty=0.0, max_length=9
        )[0]
        found = [one for one in found if one.finished]
        assert len(done) == len(found) > 0
        for branch, one in zip(done, found, strict=True):
            assert branch.words == (*map(str, one.ids), "<eos>")
            assert branch.log_prob == pytest.approx(one.log_prob, abs=1e-4)


def test_steps_keep_the_best_and_drop_the_rest():
    first, second, third = beam_steps(after, beam_size=2)
    assert [(b.words, b.fate) for b in first] == [
        (("a",), "kept"),
        (("b",), "kept"),
        (("c",), "dropped"),
    ]
    assert [b.words for b in second if b.fate == "kept"] == [("b", "x"), ("a", "x")]
    assert [round(math.exp(b.log_prob), 3) for b in second] == [0.27, 0.24, 0.21, 0.15, 0.03]
    assert [b.fate for b in third] == ["finished", "finished"]
    assert finished([first, second, third])[0].words == ("b", "x", "<eos>")


def test_a_finished_branch_keeps_its_place():
    chain = {(): {"<eos>": math.log(0.5), "a": math.log(0.3), "b": math.log(0.2)}}
    steps = beam_steps(lambda words: chain.get(words, {"<eos>": -1.0, "c": -2.0}), beam_size=2)
    assert [b.fate for b in steps[0]] == ["finished", "kept", "dropped"]
    assert [b.fate for b in steps[1]] == ["finished", "dropped"]  # one place was left
    assert len(steps) == 2


def test_each_way_to_sharpen_has_its_bar():
    panels = figures._first_words()
    patches = figures.draw_sampling().axes[0].patches
    wide = [p.get_width() for p in patches if isinstance(p, Rectangle)]
    plain, hot, cold, cut = panels.values()
    for row, bars in zip((plain, hot), (wide[:3], wide[3:6]), strict=True):
        shares = [row["estoy"], row["soy"], 1 - row["estoy"] - row["soy"]]
        np.testing.assert_allclose(np.divide(bars, sum(wide[:3])), shares, atol=1e-5)
    for row, bars in zip((cold, cut), (wide[6:9], wide[9:]), strict=True):
        shares = [row["estoy"], row["soy"], 1 - row["estoy"] - row["soy"]]
        np.testing.assert_allclose(np.divide(bars, sum(wide[:3])), shares, atol=1e-5)
    following = next_words(Translator.load(), figures.STUDENT)(())
    top_p = sampling_distribution(torch.tensor(list(following.values())), top_p=0.7).tolist()
    assert list(cut.values()) == pytest.approx(top_p), "k = 2 and p = 0.7 keep the same two"
    assert {word for word, p in cut.items() if p > 0} == {"estoy", "soy"}
