"""evaluate as a student meets it: the table, and what it leaves out."""

import json
import shutil

import pytest

from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.translator import SHIPPED_MODEL


@pytest.mark.slow
def test_evaluate_on_everyday_sentences(run, tmp_path, monkeypatch):
    monkeypatch.setattr("transformer_lib.metrics.RESAMPLES", 100)  # quicker
    training = tmp_path / "train.tsv"
    training.write_text("i don't know\tNo sé\n", encoding="utf-8")
    status, out, _ = run("evaluate", "--split", "everyday", "--training", training)
    lines = [line.split() for line in out.split("\n")]
    assert status == 0 and lines[0][-2:] == ["BLEU", "chrF"]
    (everyday,) = [line for line in lines if line[:1] == ["everyday"]]
    assert everyday[1] == "200" and len(everyday) == 5  # no token accuracy
    assert ["seen", "1", "0.00%"] in lines and ["greetings", "12", "8.33%"] in lines
    ((*_, bleu, chrf),) = [line for line in lines if line[:3] == ["95", "%,", "from"]]
    assert float(bleu) < float(everyday[3]) and float(chrf) < float(everyday[4])


def test_evaluate_on_pairs_of_ones_own(run, tmp_path):
    """A sentence on two lines has two translations that are right."""
    file = tmp_path / "my-test-pairs.tsv"
    trees = "I like trees\tAmo los árboles\nI like trees\tMe gustan los árboles\n"
    file.write_text(trees + "I like red trees\tAmo los árboles rojos\n", encoding="utf-8")
    status, out, _ = run("evaluate", "--data", file, "--json")
    scores = json.loads(out)["splits"]["my-test-pairs.tsv"]
    assert status == 0 and (scores["sentences"], scores["references"]) == (2, 3)
    assert scores["exact_match"] == 0.5 and "chrf_interval" not in scores


def test_a_table_says_why_a_number_is_missing_and_what_is_refused(run, tmp_path):
    file = tmp_path / "right.tsv"
    file.write_text("I slept\tDormí\nI like xylophones\tMe gustan los xilófonos\n", "utf-8")
    status, out, err = run("evaluate", "--data", file)
    assert status == 0 and ["right.tsv", "2", "50.00%"] == out.splitlines()[1].split()[:3]
    assert "right.tsv: BLEU counts four words in a row" in out and "BLEU: nrefs" not in out
    assert "right.tsv: fewer than 30 sentences" in out and "95 %, from" not in out
    assert "1 of 2 sentences can't be translated" in err and "'xylophones'" in err


def test_confidence_is_stored_of_the_sentences_that_are_named(run, tmp_path):
    model = shutil.copytree(SHIPPED_MODEL, tmp_path / "model")
    file = tmp_path / "held-out.tsv"
    file.write_text("I like trees\tAmo\nI like trees\tMe\nI like red trees\tAmo\n", "utf-8")
    assert run("evaluate", "--model", model, "--data", file, "--confidence")[0] == 0
    assert ConfidenceThresholds.load(model).sentences == 2
