"""python -m course mine: it checks, trains and translates, and says what is lent."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from course.cli import main
from course.mine import reader, training
from course.mine.bench import of_file
from tests.course.mine.solution import BLOCKS, HEADER, SOLUTION, SOURCE
from transformer_lib.files import read_tensors
from transformer_lib.text import english_spanish

ROOT = Path(__file__).resolve().parents[3]
BY_HAND = HEADER + BLOCKS[0] + BLOCKS[2].replace(" / math.sqrt(query.size(-1))", "") + BLOCKS[1]


def typed(*words):
    return main(["mine", *map(str, words)])


def test_it_lists_all_and_has_a_hint_for_the_first_that_is_wrong(tmp_path, capsys):
    path = tmp_path / "mine.py"
    assert typed("--file", path) == 1
    assert f"○ not tried yet: there is no {path}" in capsys.readouterr().out
    path.write_text(BY_HAND.replace("sin()", "cos()"), encoding="utf-8")
    assert typed("--file", path) == 1
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == " 1 Embeddings: ✓ right!"
    assert lines[1].startswith(" 2 positional_encoding: ✗ not yet. ") and "First" not in lines[1]
    assert lines[2] == " 3 attention: ✗ not yet. First mend the one above."
    assert lines[3].endswith("○ not tried yet (notebooks/05_multi_head_attention.ipynb)")
    assert lines[-1] == "Your own Transformer: 1 of 12 parts."
    assert typed("check", 1, "--file", path) == 0
    assert typed("--file", path, "check", 3) == 1
    assert "The scores are not scaled" in capsys.readouterr().out
    path.write_text("def f(:\n", encoding="utf-8")
    assert typed("--file", path) == 1 and "line 1" in capsys.readouterr().out
    assert typed("translate", "I like trees", "--file", path) == 2
    assert "no Python yet" in capsys.readouterr().err


def test_a_file_from_before_is_found(tmp_path, monkeypatch, capsys):
    former, work = tmp_path / "from_scratch" / "my_transformer.py", tmp_path / "work"
    former.parent.mkdir()
    former.write_text(SOURCE, encoding="utf-8")
    monkeypatch.setattr(reader, "FORMER", former)
    monkeypatch.setattr(reader, "WORK", work)
    assert reader.report(work / "my_transformer.py") == 1
    assert f"Your file is still {former}. Move it into" in capsys.readouterr().out


def test_what_is_missing_is_lent_and_named(tmp_path, capsys):
    path = tmp_path / "mine.py"
    path.write_text(HEADER + "".join(BLOCKS[2:4]), encoding="utf-8")
    assert typed("translate", "I like trees", "--file", path) == 0
    told = capsys.readouterr().out
    assert told.startswith("Lent, because you haven't written them yet: Embeddings, positional_enc")
    assert "attention," not in told and told.endswith(":\nMe gustan los árboles\n")
    assert typed("translate", "I like treez", "--file", path) == 2  # no word is guessed
    assert "has not learned 'treez' (did you mean" in capsys.readouterr().err


def test_what_is_lent_is_made_of_what_is_there(tmp_path, capsys):
    path = tmp_path / "mine.py"
    stub = "def positional_encoding(length, d_model):\n    return ...\n"
    attention = BLOCKS[2].replace("    return (", "    raise ValueError('here I am')\n    return (")
    path.write_text(HEADER + stub + attention, encoding="utf-8")
    assert typed("translate", "I like trees", "--file", path) == 2
    told, error = capsys.readouterr()
    assert "positional_encoding" in told and "here I am (line " in error


@pytest.fixture
def few(monkeypatch):
    """A handful of sentences, a small model, and a save after each step."""
    everything = english_spanish.load
    monkeypatch.setattr(english_spanish, "load", lambda name: everything("train")[:40])
    sizes = {"N": 1, "d_model": 16, "d_ff": 16, "h": 2, "dropout": 0.0}
    monkeypatch.setattr(training, "SIZES", sizes)
    monkeypatch.setattr(training, "MAX_TOKENS", 64)
    monkeypatch.setattr(training, "EVERY", 1)


@pytest.mark.parametrize("source", [SOURCE, HEADER], ids=["own", "lent"])
def test_a_training_that_was_killed_goes_on_as_if_it_had_not(tmp_path, monkeypatch, few, source):
    whole = training.train(of_file(source, at_work=True), tmp_path / "whole", steps=6)
    bench, calls = of_file(source, at_work=True), 0
    update = bench.names["update"]

    def killed(*given):
        nonlocal calls
        calls += 1
        if calls == 4:
            raise KeyboardInterrupt
        return update(*given)

    bench.names["update"] = killed
    with pytest.raises(KeyboardInterrupt):
        training.train(bench, tmp_path / "again", steps=6)
    assert training.train(of_file(source, at_work=True), tmp_path / "again", steps=6) == whole
    assert len(whole) == len(set(whole)) == 6
    one, other = (read_tensors(tmp_path / name / training.STATE)[0] for name in ("whole", "again"))
    assert one.keys() == other.keys()
    assert all(torch.equal(one[name], other[name]) for name in one)


def test_training_is_told_and_translating_uses_it(tmp_path, few, capsys):
    path, sentence = tmp_path / "mine.py", english_spanish.load("train")[0][0]
    path.write_text(SOURCE, encoding="utf-8")
    assert typed("train", "--steps", 2, "--file", path) == 0
    told = capsys.readouterr().out
    assert "step     2   loss " in told and "Right to the letter, of 40 sentences" in told
    assert typed("train", "--steps", 3, "--file", path) == 0
    assert "It goes on after step 2" in capsys.readouterr().out
    assert typed("translate", sentence, "--file", path) == 0
    assert "after 3 steps of training" in capsys.readouterr().out
    broken = SOURCE.replace("self.w_2(self.w_1(x).relu())", "self.w_2(x) + nothing")
    path.write_text(broken, encoding="utf-8")
    assert typed("train", "--steps", 9, "--file", path) == 2
    assert "Your Transformer stops with NameError" in capsys.readouterr().err
    other = SOURCE.replace("self.w_1 = ", "self.w_3 = nn.Linear(2, 2)\n        self.w_1 = ")
    path.write_text(other, encoding="utf-8")
    assert typed("translate", sentence, "--file", path) == 2
    assert "was made for another model" in capsys.readouterr().err


def test_it_runs_where_signs_cannot_be_written(tmp_path):
    run = subprocess.run(
        [sys.executable, "-m", "course", "mine", "--file", str(SOLUTION), "check", "2"],
        cwd=ROOT,
        env=os.environ | {"PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        text=True,
        encoding="cp1252",
    )
    assert run.returncode == 0 and " 2 positional_encoding: ? right!" in run.stdout, run.stderr
