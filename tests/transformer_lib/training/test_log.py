"""The log: what is measured stands in it, and a killed run neither loses nor doubles a line."""

import json

import pytest

from tests.transformer_lib.training.small_training import copy_pairs, small_model
from transformer_lib.files import CheckpointError
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.log import LOG_FILE, Log, read_log
from transformer_lib.training.trainer import train

AT_10 = {"step": 10, "learning_rate": 0.5, "loss": 2.5, "words_per_second": 50}
AT_13 = {"step": 13, "learning_rate": 0.5, "loss": 1.5, "words_per_second": 50}
FOUND = {"step": 13, "validation_loss": 1.25}


def written(folder):
    return [json.loads(line) for line in (folder / LOG_FILE).read_text().splitlines()]


def ten_steps_and_three(folder):
    one = Log(folder)
    for step in range(1, 14):
        loss = 1.5 if step > 10 else 2.0 if step % 2 else 3.0
        one.step(step, loss=loss, words=step, lr=0.5, seconds=step / 50)
    one.validation(FOUND)


def test_each_line_tells_of_the_steps_since_the_one_before(tmp_path):
    ten_steps_and_three(tmp_path)
    assert written(tmp_path) == [AT_10, AT_13, FOUND]
    assert read_log(tmp_path) == ([AT_10, AT_13], [FOUND])


@pytest.mark.parametrize(("after", "kept"), [(13, 3), (12, 1), (10, 1), (9, 0)])
def test_what_comes_after_the_step_to_go_on_from_is_taken_away(tmp_path, after, kept):
    ten_steps_and_three(tmp_path)
    before = written(tmp_path)
    with open(tmp_path / LOG_FILE, "a", encoding="utf-8") as file:
        file.write('{"step": 1')  # killed while it wrote, so the number is another
    assert read_log(tmp_path) == ([AT_10, AT_13], [FOUND])
    Log(tmp_path, after).validation({"step": 99})
    assert written(tmp_path) == [*before[:kept], {"step": 99}]


def test_without_a_folder_nothing_is_written(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    ten_steps_and_three(None)
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(CheckpointError, match=f"has no {LOG_FILE}"):
        read_log(tmp_path)


def test_the_log_says_what_the_history_says_and_more_often(tmp_path):
    config = TrainingConfig(steps=25, validate_every=20, max_tokens=64)
    history = train(small_model(), copy_pairs(99), copy_pairs(9), config, folder=tmp_path)
    steps, validations = read_log(tmp_path)
    assert validations == history
    assert [entry["step"] for entry in steps] == [10, 20, 25]
    assert all(entry["words_per_second"] > 0 for entry in steps)
    assert (steps[0]["loss"] + steps[1]["loss"]) / 2 == pytest.approx(history[0]["loss"], abs=1e-4)
    assert steps[1]["learning_rate"] == history[0]["learning_rate"]
