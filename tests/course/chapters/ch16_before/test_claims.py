"""What notebook 16 says of stored results, where no cell prints it."""

import numpy as np
import pytest

from course.chapters.ch16_before.experiment_adjective import FROM
from course.chapters.ch16_before.experiment_waiting import LENGTHS, quickest
from course.chapters.ch16_before.experiments import SPECS, chosen
from course.chapters.ch16_before.figures import LEARNED
from course.experiments import load, load_runs, long_training
from course.experiments.long_training import SPLITS
from transformer_lib.text import english_spanish


def exchanged(kind: str, whose: str) -> list[float]:
    return [run["agreement"][whose] for run in load_runs("before-adjective", what=kind)]


def right(kind: str, split: str) -> list[float]:
    return [run["right"][split] for run in chosen()[kind]]


def by_length(kind: str) -> dict[int, float]:
    """Tokens -> percent of the translations that are right, in the mean of three."""
    found: dict[int, list[float]] = {}
    for entry in (entry for run in chosen()[kind] for entry in run["by_length"]):
        found.setdefault(entry["tokens"], []).append(100 * entry["right"] / entry["sentences"])
    return {tokens: float(np.mean(shares)) for tokens, shares in found.items()}


# --- digits


def looked_at(run: dict) -> np.ndarray:
    """The digit with the largest weight for each that is written."""
    return np.array(run["looks"])[:-1].argmax(axis=1)


def test_with_attention_most_rows_of_ten_digits_are_right_and_it_runs_backwards():
    runs = load_runs("backwards", attention="dot")
    assert round(100 * np.mean([run["by_length"][-1]["right"] for run in runs])) == 86
    for run in runs:
        assert [*looked_at(run)] == [*reversed(range(len(run["looks"]) - 1))]


def test_with_additive_scores_a_digit_or_two_is_attended_to_elsewhere_and_more_rows_are_right():
    dot, additive = (load_runs("backwards", attention=kind) for kind in ("dot", "additive"))
    right = [[run["by_length"][-1]["right"] for run in runs] for runs in (dot, additive)]
    assert min(right[1]) > max(right[0])
    for run in additive:
        most = looked_at(run)
        assert np.sum(most != np.arange(len(most))[::-1]) in (1, 2)


# --- four translators


def test_with_it_and_on_longer_sentences_no_seed_changes_the_order():
    assert min(right("transformer", "pronoun")) > max(right("additive", "pronoun"))
    assert max(right("transformer", "longer")) < min(right("additive", "longer"))


def test_what_attention_brings_on_ordinary_and_on_longer_sentences():
    for split, gain in ("test", 13), ("longer", 62):
        assert round(100 * (np.mean(right("dot", split)) - np.mean(right("none", split)))) == gain


def test_how_far_one_state_is_behind_by_length():
    blind, additive = by_length("none"), by_length("additive")
    behind = [round(additive[n] - blind[n]) for n in range(7, LEARNED + 1)]
    assert (min(behind), max(behind)) == (22, 40)
    assert blind[3] > 90 and additive[3] - blind[3] < 4
    assert round(additive[4] - blind[4]) == 9


def test_short_sentences_are_hardly_ever_about_it_and_those_before_the_line_nearly_always(
    translator,
):
    """Why the text says not to read much into a curve."""
    tokens, about_it = translator.src.tokenizer, {}
    for split in SPLITS:
        for english, _ in english_spanish.load(split):
            words = {word.lower() for word in tokens(english)}
            found = "because" in words and bool(words & {"it", "they"})
            about_it.setdefault(len(tokens(english)), []).append(found)
    shares = {length: sum(found) / len(found) for length, found in about_it.items()}
    assert all(share < 0.02 for length, share in shares.items() if length < 9)
    assert all(shares[n] > 0.9 for n in range(12, LEARNED + 1))


def test_the_best_rate_of_the_transformer_is_ahead_by_less_than_its_seeds_differ():
    runs = load_runs("before", what="transformer", seed=0)
    losses = {run["max_lr"]: long_training.best_loss(run) for run in runs}
    seeds = [long_training.best_loss(run) for run in chosen()["transformer"]]
    assert 0 < losses[0.004] - losses[0.002] < max(seeds) - min(seeds)


# --- the gender


def test_the_third_additive_translator_looks_at_it_too():
    weights = [
        each["weights"]["readout.cross_attn"][0][each["written"].index("estaba")][
            each["read"].index("it")
        ]
        for each in (run["map"] for run in chosen()["additive"])
    ]
    assert max(weights[:2]) < 0.1 and weights[2] == pytest.approx(0.5, abs=0.03)
    assert all(run["gender"]["sentences"] == 997 for run in chosen()["additive"])


def test_the_vector_at_the_adjective_has_most_of_the_gender_in_transformers_alone():
    for kind, told in ("transformer", (94, 6, 13)), ("additive", (86, 9, 64)):
        own, same, other = (100 * np.mean(exchanged(kind, whose)) for whose in FROM)
        assert (round(own), round(own - same), round(other)) == told
        for share in exchanged(kind, "own"):
            assert share * 906 == pytest.approx(round(share * 906), abs=1e-3)  # sentences


# --- waiting


def test_how_many_times_as_long_a_recurrent_layer_takes():
    time = quickest(load_runs("waiting"))
    times = {n: time["recurrent", n] / time["self-attention", n] for n in (8, 128, 512)}
    assert [round(factor) for factor in times.values()] == [3, 10, 6]


def test_less_of_the_difference_is_left_in_a_training_step():
    step = quickest(load("waiting")["translators"], "what", "training_step")
    times = [step["dot", words] / step["transformer", words] for words in (8, 128)]
    assert [round(factor, 1) for factor in times] == [1.1, 2.4]


def test_a_second_thread_slows_the_recurrent_layer_and_helps_self_attention_from_256_words_on():
    one, two = (quickest(load_runs("waiting", threads=threads)) for threads in (1, 2))
    assert all(two["recurrent", n] > one["recurrent", n] for n in LENGTHS)
    layer = "self-attention"
    assert [n for n in LENGTHS if two[layer, n] < one[layer, n]] == [256, 512]


def test_what_is_kept_while_a_translator_writes_is_what_the_notebook_computes():
    old, new = (spec.build(100, 100).eval() for spec in SPECS[2:])
    for words in (8, 32):
        assert long_training.cache_bytes(new, words) == 4 * 2 * 2 * 128 * (words + words)
        assert long_training.cache_bytes(old, words) == 4 * 204 * 2  # where it is now
        memory = old.encode(next(old.parameters()).new_ones(1, words).long())
        assert memory.numel() == 204 * (words + 2)


# --- real sentences


def test_with_a_beam_each_at_its_best_length_penalty():
    ladder = {run["what"]: run for run in load_runs("multi30k-ladder")}
    new, old = ladder["as it is"], ladder["recurrent, with attention"]
    assert round(new["best_bleu"] - old["best_bleu"], 1) == 2.1
    alike = [new["beam_bleu"][penalty] - old["beam_bleu"][penalty] for penalty in new["beam_bleu"]]
    assert round(max(alike)) == 4
    both = {run["what"]: run for run in load_runs("multi30k-recurrent")}
    greedily = [new["greedy_bleu"] - old["greedy_bleu"]]
    for split in ("validation", "test"):
        greedily.append(both["transformer"][split]["bleu"] - both["additive"][split]["bleu"])
    told = greedily[0], min(greedily), max(greedily)
    assert [round(gain, 1) for gain in told] == [0.9, 0.9, 2.2]


def test_what_attention_brings_on_real_sentences():
    runs = {run["what"]: run for run in load_runs("multi30k-recurrent")}

    def gain(split: str, more: str, less: str) -> float:
        return runs[more][split]["bleu"] - runs[less][split]["bleu"]

    both = "test", "validation"
    assert [round(gain(split, "dot", "none")) for split in both] == [10, 13]
    assert [round(gain(split, "additive", "dot")) for split in both] == [6, 3]
    assert round(gain("test", "transformer", "additive")) == 2
    lengths = [runs["dot"][split] for split in both]
    words = [each["written_tokens"] / each["reference_tokens"] for each in lengths]
    assert [round(share, 2) for share in words] == [1.14, 0.99]
    assert [run["training"]["max_lr"] for run in runs.values()] == [0.004, 0.004, 0.004, 0.003]
