"""A trained Transformer of the reader's is looked into with the library's tools."""

import pytest
import torch

from course.chapters.ch00_start_here.checks import shipped
from course.mine import training
from course.mine.bench import of_file
from tests.course.mine.solution import SOURCE
from transformer_lib.checkpoints import set_weights, weights
from transformer_lib.interpret.recording import attention_layers
from transformer_lib.training.optimizers import adam


@pytest.fixture
def work(tmp_path, monkeypatch):
    monkeypatch.setattr(training, "own_path", lambda: tmp_path / "my_transformer.py")
    return tmp_path


def saved(folder):
    """Our solution of the twelve parts, as if its training had ended at the shipped weights."""
    ours = shipped()
    model = training.new_model(of_file(SOURCE), ours.src, ours.tgt)
    set_weights(model, weights(ours.model), where="the course's translator")
    training.save(folder, model, adam(model), [5.0, 1.0])


@pytest.mark.parametrize("folder", [training.FOLDER, f"{training.FOLDER}/{training.LESSON}"])
def test_what_was_saved_is_found_and_runs_in_the_library(work, capsys, folder):
    saved(work / folder)
    own = training.own_translator()
    assert "Your own Transformer, after 2 steps" in capsys.readouterr().out
    assert own.translate("I like trees").text == "Me gustan los árboles"
    assert attention_layers(own.model).keys() == attention_layers(shipped().model).keys()


def test_a_lesson_of_a_notebook_is_kept_for_the_next_one(work, capsys):
    ours = shipped()
    model = of_file(SOURCE).names["Transformer"](
        len(ours.src.vocab), len(ours.tgt.vocab), *training.SHORT.values()
    )
    training.keep_lesson(model, steps=500)
    own = training.own_translator()
    assert "Your own Transformer, after 500 steps" in capsys.readouterr().out
    theirs = weights(model)
    assert all(torch.equal(weight, theirs[name]) for name, weight in weights(own.model).items())


def test_outside_work_no_lesson_is_kept(work, monkeypatch):
    monkeypatch.setattr(training, "own_path", lambda: None)
    training.keep_lesson(shipped().model, steps=500)
    assert not list(work.iterdir())


def test_without_one_a_small_one_is_trained(work, capsys, monkeypatch):
    pairs = [("I like trees", "Me gustan los árboles")] * 8
    monkeypatch.setattr(training.english_spanish, "load", lambda split: pairs)
    saved(work / training.FOLDER)
    (work / training.FOLDER / training.STATE).write_bytes(b"cut off")
    own = training.own_translator(steps=40)
    assert "no trained Transformer of yours" in capsys.readouterr().out
    assert own.model.config.d_model == training.SHORT["d_model"]
    assert own.translate("I like trees").text == "Me gustan los árboles"
