"""What a check found right stands in work/my_transformer.py; what the reader wrote there stays."""

import linecache

import pytest
from torch.nn.functional import cross_entropy

from course import mine
from course.mine import keeping, reader
from course.mine.bench import of_file
from course.mine.checks import verdict
from tests.course.mine.solution import BLOCKS, HEADER
from transformer_lib import make_batch
from transformer_lib.training.optimizers import adam

OURS = [3, 5, 2]  # parts without long checks
FILE = "my_transformer.py"


@pytest.fixture
def work(tmp_path, monkeypatch):
    """A folder `work` in which a notebook runs."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.setattr(keeping, "WORK", folder)
    monkeypatch.setattr(reader, "WRONG", set())
    monkeypatch.chdir(folder)
    return folder


def cell(text, *names):
    """Run a text as a cell of a notebook, and hand these names to the check."""
    file = f"<cell {abs(hash(text))}>"
    linecache.cache[file] = (len(text), None, text.splitlines(keepends=True), file)
    space = {"__name__": "__main__"}
    exec(compile(HEADER, "<first cell>", "exec"), space)
    exec(compile(text, file, "exec"), space)
    mine.check(*(space[name] for name in names))


def attention(words="softmax of Q K^T"):
    return BLOCKS[2].replace("softmax(Q K^T", words)


def test_parts_are_kept_in_their_order_and_run(work, capsys):
    cell(BLOCKS[4], "padding_mask", "causal_mask")
    cell(attention(), "attention")
    cell(BLOCKS[1], "positional_encoding")
    assert capsys.readouterr().out.count("right! It is kept in my_transformer.py.\n") == 3
    text = (work / FILE).read_text(encoding="utf-8")
    assert [int(found[1]) for found in keeping.MARKS.finditer(text)] == [2, 3, 5]
    bench = of_file(text)
    assert all(verdict(bench, number) is None for number in OURS)
    mine.progress()
    told = capsys.readouterr().out
    assert "3 of 12 parts" in told and "✓  3 attention" in told and "○  4 Multi" in told


def test_a_wrong_part_is_not_kept(work):
    cell(BLOCKS[2].replace(" / math.sqrt(query.size(-1))", ""), "attention")
    cell("def attention(query, key, value, mask=None):\n    return ...\n", "attention")
    assert list(work.iterdir()) == []


def test_a_block_that_nobody_changed_is_replaced_and_no_other_line_is_touched(work):
    cell(attention("ONE"), "attention")
    cell(BLOCKS[1], "positional_encoding")
    path = work / FILE
    below = "\n\ndef other():\n    return 3  # mine\n"
    before = "# mine\n" + path.read_text(encoding="utf-8") + below
    path.write_text(before, encoding="utf-8")
    cell(attention("ONE\n    two"), "attention")
    after = path.read_text(encoding="utf-8")
    mark = keeping.MARKS
    assert mark.sub("", after) == mark.sub("", before).replace("ONE", "ONE\n    two")


def test_what_the_reader_changed_stays_and_the_new_one_stands_beside(work, capsys):
    cell(attention("ONE"), "attention")
    path = work / FILE
    text = path.read_text(encoding="utf-8").replace("ONE", "my own")
    path.write_text(text, encoding="utf-8")
    for words in ("two", "three"):  # what stands beside is replaced
        cell(attention(words), "attention")
        assert "stays; this one stands beside it in comments" in capsys.readouterr().out
    after = path.read_text(encoding="utf-8")
    assert after.startswith(text.rstrip()) and after.count("def attention") == 2
    assert "two" not in after and "# def attention" in after and "#     " in after
    assert verdict(of_file(after), 3) is None
    cell(attention("my own"), "attention")  # it is there already
    assert path.read_text(encoding="utf-8") == after


def test_a_file_written_by_hand_is_added_to(work):
    path = work / FILE
    path.write_text("# nothing but this\n", encoding="utf-8")
    cell(attention(), "attention")
    text = path.read_text(encoding="utf-8")
    assert text.startswith("# nothing but this\n") and verdict(of_file(text), 3) is None


def test_what_a_part_needs_of_the_notebook_comes_along(work, capsys):
    cell(
        "import torch.nn.functional as F\nfrom torch import Tensor\nBASE = 10_000\n\n\n"
        "def angles(length: int, d_model: int) -> Tensor:\n"
        "    return torch.arange(length)[:, None] / BASE ** (torch.arange(0, d_model, 2) / d_model)"
        "\n\n\ndef positional_encoding(length, d_model):\n    a = angles(length, d_model)\n"
        "    return F.relu(torch.stack([a.sin(), a.cos()], dim=-1) + 1).flatten(1) - 1\n",
        "positional_encoding",
    )
    assert verdict(of_file((work / FILE).read_text(encoding="utf-8")), 2) is None
    thing = "thing = {'base': 10_000}\n"
    cell(thing + BLOCKS[1].replace("10_000", "thing['base']"), "positional_encoding")
    assert "It isn't kept: it needs `thing`" in capsys.readouterr().out


def test_a_file_that_is_no_python_is_left_alone(work, capsys):
    path = work / FILE
    path.write_text("def f(:\n", encoding="utf-8")
    cell(attention(), "attention")
    mine.progress()
    assert capsys.readouterr().out.count("my_transformer.py is no Python yet. line 1: ") == 2
    assert path.read_text(encoding="utf-8") == "def f(:\n"


def test_outside_work_nothing_is_read_or_written(work, monkeypatch, capsys):
    (work / FILE).write_text("def f(:\n", encoding="utf-8")
    monkeypatch.chdir(work.parent)
    cell(attention(), "attention")
    mine.progress()
    told = capsys.readouterr().out
    assert "attention: ✓ right!\n" in told and "0 of 12 parts" in told
    assert (work / FILE).read_text(encoding="utf-8") == "def f(:\n"
    assert [path.name for path in work.parent.iterdir()] == ["work"]


def test_the_parts_work_together_whoever_wrote_them(work, capsys):
    own_loss = BLOCKS[10].replace("0.1)", "0.0)")  # so that it can be told from the lent one
    (work / FILE).write_text(f"{HEADER}\n{own_loss}", encoding="utf-8")
    own = mine.parts()
    said = capsys.readouterr().out
    assert said.startswith("Yours: label_smoothed_cross_entropy, update.\nLent: Embeddings,")
    model = own.Transformer(9, 9, N=1, d_model=8, d_ff=8, h=2, dropout=0.0)
    batch = make_batch([([5, 6], [7, 8])])
    before = cross_entropy(model(batch.src, batch.tgt_in)[0], batch.tgt_out[0]).item()
    assert own.update(model, adam(model), batch, 0.01) == pytest.approx(before)
    (work / FILE).write_text("def attention(:", encoding="utf-8")
    assert mine.parts().update is not own.update
    assert "is no Python yet" in capsys.readouterr().out


def test_own_parts_translate_and_what_is_missing_is_lent_and_named(work, capsys):
    mine.translate("I like trees")
    told = capsys.readouterr().out
    assert told.startswith("Lent, because you haven't written them yet: Embeddings, ")
    assert "greedy_decode" in told and "cross_entropy" not in told  # only what translates
    assert told.endswith("the course's translator:\n   Me gustan los árboles\n")
    (work / FILE).write_text(BLOCKS[4] + attention().replace("return", "raise OSError  #"))
    mine.translate("I like trees")
    told = capsys.readouterr().out
    assert "padding_mask" not in told.split("Your Transformer")[0]
    assert "Your Transformer stops with OSError" in told and "(line " in told


def test_a_part_that_was_written_and_is_not_right_is_lent_for_another_reason(work, capsys):
    cell(attention().replace(" / math.sqrt(query.size(-1))", ""), "attention")
    mine.translate("I like trees")
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "Lent, because you haven't written them yet: Embeddings, positional_encoding, Mult" in told
    )
    assert "Lent, because the check hasn't found it right yet: attention." in told
    cell(attention(), "attention")
    mine.translate("I like trees")
    assert "the check hasn't" not in capsys.readouterr().out
