"""Drawings of recurrent translators beside the Transformer: the data reaches the picture."""

import numpy as np
import pytest

from course import experiments
from course.chapters.ch16_before.experiments import chosen
from course.chapters.ch16_before.figures import LABELS, LEARNED, SPLITS, runs
from course.drawing.registry import FIGURES
from course.experiments.long_training import SPLITS as SCORED
from transformer_lib.text import english_spanish
from transformer_lib.translator import Translator


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


# --- the pictures show the stored results


def test_a_split_has_a_bar_for_each_translator_and_a_sentence_of_its_own():
    figure = FIGURES["before-splits"].draw()
    said, kinds = texts(figure), ("transformer", "additive", "none")
    wide = np.array([bar.get_width() for bar in figure.axes[0].patches])
    means = [
        np.mean([run["right"][split] for run in runs()[kind]]) for split in SPLITS for kind in kinds
    ]
    assert list(wide[1::2] / wide[::2]) == pytest.approx(means)
    assert [text for text in said if text.endswith("%")] == [f"{m:.0%}" for m in means]
    tokens = Translator.load().src.tokenizer
    for split, (name, sentence) in SPLITS.items():
        assert name in said and sentence in [english for english, _ in english_spanish.load(split)]
        assert (len(tokens(sentence)) > LEARNED) == (split == "longer")


# --- what the text says of the data


def test_the_line_stands_where_the_split_of_longer_sentences_begins():
    tokens = Translator.load().src.tokenizer
    lengths = {
        split: [len(tokens(english)) for english, _ in english_spanish.load(split)]
        for split in ("validation", "longer")
    }
    assert max(lengths["validation"]) == LEARNED == min(lengths["longer"]) - 1


def test_short_sentences_are_hardly_ever_about_it_and_those_before_the_line_nearly_always():
    """Why the text says not to follow one curve."""
    tokens, about_it = Translator.load().src.tokenizer, {}
    for split in SCORED:
        for english, _ in english_spanish.load(split):
            words = {word.lower() for word in tokens(english)}
            found = "because" in words and bool(words & {"it", "they"})
            about_it.setdefault(len(tokens(english)), []).append(found)
    shares = {length: sum(found) / len(found) for length, found in about_it.items()}
    assert all(share < 0.02 for length, share in shares.items() if length < 9)
    assert all(shares[n] > 0.9 for n in range(12, LEARNED + 1))


# --- what the figures say of the stored results


def every_run() -> list:
    return [run for mine in runs().values() for run in mine]


def mean(shares: list[float]) -> int:
    return round(100 * sum(shares) / len(shares))


# --- what the notebook says of the stored results


def test_the_notebook_says_what_share_of_five_digits_is_right():
    five = [
        entry["right"]
        for run in experiments.load("backwards")["runs"]
        if run["attention"] == "none"
        for entry in run["by_length"]
        if entry["digits"] == 5
    ]
    assert len(five) == 3 and all(0.88 < share < 0.96 for share in five)


def test_the_notebook_says_how_often_both_of_a_pair_are_right():
    both = {kind: mean([run["pronoun_pairs"] for run in chosen()[kind]]) for kind in LABELS}
    assert (both["transformer"], both["additive"]) == (89, 74)


def test_the_notebook_says_how_far_the_old_one_is_behind_on_real_sentences():
    runs = experiments.load("multi30k-ladder")["runs"]
    bleu = {run["what"]: run["beam_bleu"] for run in runs}
    new, old = bleu["as it is"], bleu["recurrent, with attention"]
    behind = [new[penalty] - old[penalty] for penalty in new]
    assert (round(min(behind), 1), round(max(behind), 1)) == (1.4, 4.0)
    greedy = {run["what"]: run["greedy_bleu"] for run in runs}
    assert round(greedy["as it is"] - greedy["recurrent, with attention"], 1) == 0.9


def test_the_notebook_says_how_far_one_state_is_behind():
    found = {}
    for run in every_run():
        for entry in run["by_length"]:
            share = entry["right"] / entry["sentences"]
            found.setdefault((run["what"], entry["tokens"]), []).append(100 * share)
    behind = [np.mean(found["additive", n]) - np.mean(found["none", n]) for n in range(7, 15)]
    assert (round(min(behind)), round(max(behind))) == (22, 40)


def test_the_notebook_says_that_another_seed_looks_at_it():
    seen = chosen()["additive"][2]["map"]
    weights = np.array(seen["weights"]["readout.cross_attn"][0])  # (t, s)
    assert weights[:, seen["read"].index("it")].max() > 0.1


def test_the_notebook_says_that_both_nouns_can_come_after_the_adjective():
    items = english_spanish.load_pronoun()
    after = [max(item.adjective, item.antecedent, item.other) != item.adjective for item in items]
    begins = [item.english.startswith("Because") for item in items]
    assert after == begins and 0.4 < sum(begins) / len(begins) < 0.6


def test_the_notebook_says_that_a_chain_takes_as_much_longer_as_it_has_more_words():
    times = {
        (run["threads"], run["layer"], run["length"]): run["milliseconds"]
        for run in experiments.load("waiting")["runs"]
    }
    for threads in (1, 2):
        grows = {
            layer: times[threads, layer, 512] / times[threads, layer, 128]
            for layer in ("recurrent", "self-attention")
        }
        assert 3.9 < grows["recurrent"] < 4.3 and grows["self-attention"] > 6
