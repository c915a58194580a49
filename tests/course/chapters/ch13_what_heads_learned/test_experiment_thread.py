"""Who tells "gustan" that there are many: what is stored, measured again on the shipped model."""

import pytest

from course import experiments
from course.chapters.ch13_what_heads_learned import experiment_thread as thread
from course.chapters.ch13_what_heads_learned.experiments import translate_changed
from transformer_lib.interpret.patching import ablate_head

CROSS = "decoder.layers.1.cross_attn"


@pytest.fixture(scope="module")
def stored():
    return experiments.load("thread")["seeds"]


def test_the_shipped_model_gives_what_is_stored_of_it(translator, stored):
    report = thread.report(translator)
    for name in ("best_head", "translations", "sentences"):
        assert report[name] == stored["0"][name]
    for number, shares in report["right"].items():
        assert shares == pytest.approx(stored["0"]["right"][number], abs=0.01)
    for found, kept in zip(report["heads"], stored["0"]["heads"], strict=True):
        assert found == pytest.approx(kept, abs=0.01)


def test_in_the_shipped_model_one_look_brings_the_number(translator, stored):
    """What notebooks 04, 08 and 13 say of it."""
    found = stored["0"]
    [best] = [row for row in found["heads"] if (row["layer"], row["head"]) == (CROSS, 0)]
    others = [row for row in found["heads"] if row is not best]
    assert best["weight"] > 0.99 > 0.03 > best["plural right without"]
    assert best["singular right without"] > 0.99, "without it the verb stays in the singular"
    assert all(row["plural right without"] == 1 and row["weight"] < 0.3 for row in others)
    plural = found["right"]["plural"]
    assert plural["as trained"] == plural["only the best head sees it there"] == 1
    assert plural["every English word sees only itself"] > 0.98
    for changed in found["translations"].values():
        right = changed["as trained"]
        differ = [name for name, said in changed["each head off"].items() if said != right]
        assert differ == [f"{CROSS}.0"] and " gusta " in changed["best head off"]
        assert changed["no other English word sees the noun"] == right
    trees = found["translations"]["I like trees"]
    assert trees["noun hidden from the decoder"] == "Me gusta"
    assert trees["every English word sees only itself"] == "Le gustan los árboles"
    # A witness: more than half of its weight is on trees, and nothing changes without it.
    maps = translator.attention_maps("I like trees")
    row = maps.weights["decoder.layers.0.cross_attn"][2, maps.tgt_out.index("gustan")]
    assert row[maps.src.index("trees")] > 0.5
    off = {"decoder.layers.0.cross_attn": ablate_head(2)}
    assert translate_changed(translator, "I like trees", off) == trees["as trained"]


def test_what_other_seeds_do(stored):
    """Notebook 04: the third goes the way of the first, by another head; the second, another."""
    largest = {
        seed: max(run["heads"], key=lambda head: head["weight"]) for seed, run in stored.items()
    }
    for seed in "02":
        best = stored[seed]["best_head"]
        assert best == {name: largest[seed][name] for name in ("layer", "head")}
    assert largest["1"]["weight"] > 0.4 and largest["1"]["plural right without"] == 1
    first, second, third = (stored[seed]["right"]["plural"] for seed in "012")
    assert second["as trained"] == second["verb's place can't see the noun"] == 1
    assert second["no other English word sees the noun"] < 0.15
    asked = "the English verb doesn't see the noun"
    for text in thread.SENTENCES:
        right = stored["0"]["translations"][text]["as trained"]
        others = [stored[seed]["translations"][text][asked] for seed in "01"]
        assert others == [right, right.replace("gustan", "gusta")]
    assert stored["2"]["best_head"]["layer"] == CROSS and stored["2"]["best_head"]["head"] != 0
    assert third["as trained"] == third["only the best head sees it there"] == 1
    assert round(third["best head off"], 2) == 0.16
    for run in (first, third):
        assert run["no other English word sees the noun"] > 0.95
