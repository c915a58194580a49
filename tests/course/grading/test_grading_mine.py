"""`grade mine`: my_transformer.py is graded as a notebook is, by the same commands."""

import json
import unittest.mock

import pytest

from course.grading.__main__ import main
from course.grading.assignment_files import MINE, assignment, student_version
from course.grading.grade import code_of, judged, read_submission
from course.grading.sandboxes import find_sandbox
from course.mine.bench import FILE
from tests.course.grading.classroom import at_work, command, hand_in, table
from tests.course.mine.solution import MISTAKES, SOLUTION, SOURCE, changed

TRACK = assignment(MINE)
SETUP: dict = {}
exec(TRACK.setup, SETUP)

BORROWS = """
import importlib
theirs = importlib.import_module("transformer_lib.model.attention").MultiHeadAttention
class MultiHeadAttention(theirs):
    def forward(self, query, key, value, mask=None):
        return super().forward(query, key, value, mask=mask)
"""
UPDATES = """
import importlib
def update(model, optimizer, batch, lr):
    return importlib.import_module("transformer_lib.training.step").update(
        model, optimizer, [batch], lr, 0.1
    )
"""
OF_PYTORCH = """
attend = getattr(torch.nn.functional, "scaled_dot_product" + "_attention")
def attention(query, key, value, mask=None):
    return attend(query, key, value, mask)
"""
ENDLESS = "\ndef greedy_decode(model, src, max_length):\n    while True: pass\n"
PATCHES = """
import sys
checks = sys.modules["course.mine.checks"]
checks.compare = checks.expect = checks.no_slip = checks.judge = lambda *anything: None
import torch
torch.allclose = torch.equal = lambda *anything, **options: True
class Embeddings(torch.nn.Module):
    def __init__(self, vocab_size, d_model):
        super().__init__()
        self.table = torch.nn.Embedding(vocab_size, d_model)
    def forward(self, ids): return self.table(ids)
"""


# --- one process for many files ------------------------------------------------------------------


@pytest.fixture(scope="module")
def worker():
    with at_work(TRACK.setup, sandbox=find_sandbox()) as worker:
        yield worker


def judged_there(worker, tmp_path, text, step):
    """(points, hint) of a step of a file that runs in another process."""
    hand_in(tmp_path / FILE, text)
    worker.cells = code_of(read_submission(tmp_path / FILE, TRACK), TRACK)
    worker.run(len(worker.cells) - 1)
    return judged(TRACK.exercises[step - 1], worker, SETUP)


def test_a_loop_that_never_ends_costs_its_part(tmp_path):
    with at_work(TRACK.setup, seconds=8, sandbox=find_sandbox()) as worker:
        points, hint = judged_there(worker, tmp_path, SOURCE + ENDLESS, 12)
        assert points == 0 and "did not end within 8 seconds" in hint
        assert judged(TRACK.exercises[1], worker, SETUP) == (2.0, "")


def test_a_files_first_character_may_say_that_it_is_utf_8(worker, tmp_path):
    assert judged_there(worker, tmp_path, "\ufeff" + SOURCE, 2) == (2.0, "")


# --- a class -------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def graded(tmp_path_factory):
    """Who hands in what; graded by the command of the guide."""
    folder = tmp_path_factory.mktemp("track")
    hand_in(folder / "submissions" / "right" / FILE, SOURCE)
    hand_in(folder / "submissions" / "right" / "check.py", "what was handed out\n")
    hand_in(folder / "submissions" / "nothing" / FILE, "")
    hand_in(folder / "submissions" / "no file" / "my_transformer.zip", "PK")
    hand_in(folder / "submissions" / "leaves.py", "import os\nos._exit(0)\n")
    hand_in(folder / "submissions" / "patches.py", PATCHES)
    unguarded = [] if find_sandbox() else ["--no-sandbox"]
    with unittest.mock.patch("course.grading.__main__.try_solution"):  # it is handed in as well
        assert main(command(folder, *unguarded, number=MINE)) == 0
    return folder


def points(graded):
    found: dict = {}
    for row in table(graded / "grades" / "grades.csv"):
        found.setdefault(row["student"], []).append((float(row["points"]), row["hint"]))
    return found


def test_our_solution_has_all_points_and_an_empty_file_none(graded):
    found = points(graded)
    assert found["right"] == 12 * [(2.0, "")]
    assert found["nothing"][0] == (0.0, "not tried yet")
    assert {one[0] for one in found["nothing"]} == {0.0} and len(found["nothing"]) == 12
    assert "only my_transformer.zip. Unpack it" in found["no file"][0][1]


def test_a_file_that_attacks_harms_only_itself(graded):
    found = points(graded)
    assert "ended the whole program" in found["leaves"][0][1]
    for student in ("leaves", "patches"):
        assert sum(one[0] for one in found[student]) <= 1
    assert found["patches"][0][0] == 1 and "root of d_model is missing" in found["patches"][0][1]
    assert SOLUTION.read_text(encoding="utf-8") == SOURCE
    assert "24 of 24 points" in (graded / "grades" / "pages" / "right.html").read_text("utf-8")


def test_a_classic_mistake_costs_its_part_and_is_told(worker, tmp_path):
    """One of each part; tests/course/mine tries all of them without a process."""
    for step, old, new, hint in {mistake[0]: mistake for mistake in MISTAKES}.values():
        points, told = judged_there(worker, tmp_path, changed(old, new), step)
        assert points in (0, 1) and hint in told, told


def test_borrowed_work_is_seen_while_it_runs(worker, tmp_path):
    for step, more, hint in (
        (4, BORROWS, "`Attention` does too much"),  # a part that came along with what was borrowed
        (11, UPDATES, "`update` does the whole"),
        (3, OF_PYTORCH, "`scaled_dot_product_attention` does the whole"),
    ):
        points, told = judged_there(worker, tmp_path, SOURCE + more, step)
        assert points == 0 and hint in told


def test_what_students_get_has_no_line_of_the_solution():
    words = json.dumps(student_version(TRACK))
    assert "self.table" not in words and "own.judge(my_transformer, 12)" in words
