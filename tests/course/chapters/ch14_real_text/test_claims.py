"""What notebook 14 says where no output of a cell shows it."""

from statistics import fmean

from course.chapters.ch10_training.experiments import stored_rows
from course.chapters.ch14_real_text import experiments as real_text
from course.experiments import load, load_runs
from transformer_lib.files import read_json
from transformer_lib.text import everyday, phrasebook
from transformer_lib.text.languages import read_languages
from transformer_lib.translator import MODELS


def test_a_sentence_has_27_translations_and_a_word_fewer_than_one_and_a_half_pieces():
    test = everyday.load()
    assert round(fmean(len(item.translations) for item in test)) == 27
    both, _ = read_languages(MODELS["tatoeba"])
    texts = [item.english for item in test]
    assert real_text.pieces_per_word(both.tokenizer, texts) < 1.5


def test_dropout_cost_rows_of_digits_40_points():
    shares = {row["what"]: fmean(row["shares"]) for row in stored_rows()}
    assert [round(shares[what], 2) for what in ("base", "dropout 0.1")] == [0.9, 0.5]


def test_the_larger_translator_was_trained_as_it_is_told():
    recipe = read_json(MODELS["tatoeba"] / "recipe.json")
    how = recipe["training"]
    assert recipe["optimizer"] == "muon" and how["bf16"] and how["average"] == 5
    words = load("real-text")["words"]["real"]
    assert words["sentences"] == 112_116


def test_what_was_seen_what_is_a_word_away_and_the_other_test():
    stored = load("everyday")
    new = {item.english for item in everyday.load()} - set(stored["seen"])
    near = real_text.one_word_away(sorted(new), [entry.english for entry in phrasebook.load()])
    assert (len(stored["seen"]), len(new), len(near)) == (101, 99, 26)
    first = stored["first"]
    assert (first["sentences"], round(first["exact_match"], 2)) == (60, 0.73)
    assert round(first["references"] / first["sentences"]) == 109  # more than the first test has
    groups = first["groups"]
    assert groups["famous lines"] == {"sentences": 7, "exact_match": 0.0}
    wrong = {name: round(of["sentences"] * (1 - of["exact_match"])) for name, of in groups.items()}
    assert wrong["unseen"] == 14 and wrong["seen"] == wrong["seen: greetings"]  # no famous one
    assert set(real_text.FIVE) & set(stored["seen"]) and len(set(real_text.FIVE) - new) == 3


def test_a_warning_meets_46_of_66_wrong_translations_and_one_of_54_right_ones():
    doubted = load("doubt")["scores"]["mean log-probability"]["told on"]
    assert round(66 * doubted["wrong doubted"], 6) == 46
    assert round(54 * doubted["right doubted"], 6) == 1


def test_the_longest_penalty_won_on_validation_with_every_seed():
    for run in load_runs("multi30k"):
        scores = list(run["validation_bleu"].values())
        assert scores == sorted(scores) and run["length_penalty"] == 2.2


def test_what_fifty_sentences_teach_and_what_is_forgotten():
    runs = load_runs("lora")
    alone, phrases, grammar = (
        [round(200 * (0.94 - run["everyday"])) for run in runs if run["replay"] == replay]
        for replay in (None, "phrasebook", "grammar")
    )
    assert [(min(some), max(some)) for some in (alone, phrases)] == [(7, 11), (2, 5)]
    assert grammar == [40, 40, 17, 5, 9, 8]
    for replays in ((None,), (None, "phrasebook")):
        words = [run["words"] for run in runs if run["replay"] in replays]
        assert (min(words), max(words)) == (0.8, 0.88)
    assert {run["rate"] for run in runs} == {0.0003, 0.01}
    assert {round(run["weights"] / 7_569_408, 3) for run in runs} == {0.036, 1.0}
