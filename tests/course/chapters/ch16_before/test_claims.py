"""What notebook 16 says of stored results, where no cell asserts it."""

from course import experiments
from course.chapters.ch16_before.experiments import chosen


def test_the_additive_writer_looks_at_the_adjective_and_needs_it():
    for run in (trained["gender"] for trained in chosen()["additive"]):
        looks, right = run["looks_at"], run["agreement"]
        assert looks["adjective"] > 0.98 and looks["antecedent"] + looks["other"] < 0.01
        assert 0.6 < right["adjective not seen"] < right["as trained"] - 0.1


def test_the_vector_at_the_adjective_has_most_of_the_gender_in_transformers_alone():
    for run in experiments.load("before-adjective")["runs"]:
        found = run["agreement"]
        assert found["own"] > found["same gender"] > found["other gender"]
        if run["what"] == "transformer":
            assert found["other gender"] < 0.15 and found["same gender"] > 0.85
        else:  # nearly two thirds, as without any attention
            assert 0.6 < found["other gender"] < 2 / 3 and found["same gender"] > 0.75
    without = [run["gender"]["agreement"]["as trained"] for run in chosen()["none"]]
    assert all(0.6 < share < 2 / 3 for share in without)


def test_with_a_beam_each_at_its_best_length_penalty():
    ladder = {run["what"]: run for run in experiments.load("multi30k-ladder")["runs"]}
    bleu = {what: ladder[what]["beam_bleu"] for what in ("as it is", "recurrent, with attention")}
    transformer, recurrent = (max(by_penalty.values()) for by_penalty in bleu.values())
    assert round(transformer - recurrent, 1) == 2.1


def test_additive_scores_gain_less_on_the_validation_sentences():
    runs = {run["what"]: run for run in experiments.load("multi30k-recurrent")["runs"]}
    none, dot, additive = (runs[what] for what in ("none", "dot", "additive"))

    def gain(split: str, more: dict, less: dict) -> int:
        return round(more[split]["bleu"] - less[split]["bleu"])

    assert [gain(split, dot, none) for split in ("test", "validation")] == [10, 13]
    assert [gain(split, additive, dot) for split in ("test", "validation")] == [6, 3]
