"""from_scratch/: our solution passes the twelve steps; a classic mistake has its hint."""

import importlib.util
import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

from course.chapters.ch00_start_here.checks import shipped
from course.checks import Hint, NotTried
from course.experiments import load
from course.from_scratch import checks as from_empty
from course.from_scratch.checks import STEPS, OwnFile, own_file, verdict
from tests.course.grading.attempts_from_scratch import MISTAKES, SOLUTION, SOURCE, changed
from transformer_lib.checkpoints import weights
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import make_batch
from transformer_lib.training.optimizers import adam
from transformer_lib.training.schedules import paper_schedule
from transformer_lib.training.step import update

ROOT = Path(__file__).resolve().parents[3]
PAGE = (ROOT / "from_scratch" / "README.md").read_text(encoding="utf-8")
PARTS = re.split(r"^(?=# --- \d+\. )", SOURCE, flags=re.MULTILINE)  # the docstring, then each step


def script(name: str):
    """from_scratch/NAME.py as a module."""
    spec = importlib.util.spec_from_file_location(
        f"from_scratch_{name}", ROOT / "from_scratch" / f"{name}.py"
    )
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def own(tmp_path):
    """Text -> the file that holds it, read."""

    def write(text: str) -> OwnFile:
        path = tmp_path / from_empty.FILE
        path.write_text(text, encoding="utf-8", errors="surrogateescape")
        return own_file(path)

    return write


# --- from empty to translator --------------------------------------------------------------------


def test_with_the_shipped_weights_it_is_the_shipped_translator():
    mine, ours = own_file(SOLUTION), shipped()
    model, translate = from_empty.with_shipped_weights(mine), mine.part("translate")
    english = [pair[0] for name in ("test", "pronoun") for pair in english_spanish.load(name)[:20]]
    theirs = [translate(model, ours.src, ours.tgt, text) for text in english]
    assert theirs == [one.text for one in ours.translate(english)]


def test_the_same_weights_and_batches_are_trained_to_the_same_weights():
    mine, model = own_file(SOLUTION), from_empty.small_model()
    twin = mine.twin("Transformer", (11, 11, 1, 8, 12, 2, 0.0), weights(model))
    pairs = [from_empty.PAIRS[i : i + 2] for i in (0, 1, 2) * 3]
    losses = mine.part("train")(twin, [mine.part("make_batch")(part) for part in pairs], 4)
    optimizer = adam(model)
    ours = [
        update(model, optimizer, [make_batch(part)], paper_schedule(step, 8, 4), 0.1)
        for step, part in enumerate(pairs, start=1)
    ]
    torch.testing.assert_close(torch.tensor(losses), torch.tensor(ours))
    assert losses[-1] < losses[0]
    for name, parameter in weights(model).items():
        torch.testing.assert_close(weights(twin)[name], parameter, rtol=1e-3, atol=1e-5)


# --- mistakes ------------------------------------------------------------------------------------


# --- files that are no answer --------------------------------------------------------------------


def test_an_error_inside_a_part_tells_its_line(own):
    text = changed("return self.w_2(self.w_1(x).relu())", "return self.w_2(x)")
    line = text.splitlines().index("        return self.w_2(x)") + 1
    assert str(verdict(own(text), STEPS[5])).count(f"(line {line})") == 1


# --- the command ---------------------------------------------------------------------------------


def test_the_command_stops_at_the_first_step_that_is_not_right(tmp_path, capsys):
    check, path = script("check"), tmp_path / "my_transformer.py"
    assert check.main(["--file", str(path)]) == 1
    assert "○ not tried yet: make an empty file" in capsys.readouterr().out
    for text, last in (
        ("", " 1 Words as vectors: ○ not tried yet"),
        (SOURCE.replace("(ids != PAD)", "(ids == PAD)"), " 4 Masks: ✗ not yet. `padding_mask(i"),
    ):
        path.write_text(text, encoding="utf-8")
        assert check.main(["--file", str(path)]) == 1
        lines = capsys.readouterr().out.splitlines()
        number = int(last.split()[0])
        assert all(line.endswith(": ✓ right!") for line in lines[: number - 1])
        assert lines[number - 1].startswith(last)
        assert lines[-1] == (
            f"   Read notebooks/{STEPS[number - 1].notebook}.ipynb, "
            f"section {STEPS[number - 1].section}."
        )
    path.write_text(SOURCE, encoding="utf-8")
    assert check.main(["--file", str(path), "3"]) == 0
    assert capsys.readouterr().out == " 3 Attention: ✓ right!\n"


def test_the_command_runs_by_its_path_where_signs_cannot_be_written(tmp_path):
    path = tmp_path / "my_transformer.py"
    path.write_text("", encoding="utf-8")
    run = subprocess.run(
        [sys.executable, str(ROOT / "from_scratch" / "check.py"), "--file", str(path)],
        cwd=tmp_path,
        env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "cp1252"},
        capture_output=True,
        text=True,
        encoding="cp1252",
    )
    assert run.returncode == 1 and " 1 Words as vectors: ? not tried yet" in run.stdout, run.stderr


def test_training_stores_what_the_page_speaks_of(tmp_path, monkeypatch, capsys):
    """With a handful of sentences and steps."""
    everything = english_spanish.load
    monkeypatch.setattr(english_spanish, "load", lambda name: everything(name)[:8])
    train = script("train")
    given = ["--file", str(SOLUTION), "--out", str(tmp_path / "mine"), "--steps", "3"]
    assert train.main(given) == 0
    result = json.loads((tmp_path / "mine" / "result.json").read_text(encoding="utf-8"))
    assert result["recipe"]["steps"] == 3 and len(result["losses"]) == 3
    assert result["sentences"] == 8 and result["shipped"] > 0.9 and result["exact_match"] == 0
    assert (tmp_path / "mine" / "model.safetensors").is_file()
    told = capsys.readouterr().out
    assert "Right to the letter, of 8 sentences of the test: yours 0.0%" in told
    assert told.count("yours: ") == 8 and f"The loss fell from {result['losses'][0]:.1f}" in told


# --- the page ------------------------------------------------------------------------------------


def test_what_the_page_says_of_the_training_was_measured():
    found, train, page = load("from-empty"), script("train"), " ".join(PAGE.split())
    for name in ("steps", "max_tokens", "warmup", "seed"):
        assert found["recipe"][name] == getattr(train, name.upper())
    assert found["recipe"].items() >= train.SIZES.items()
    right = 100 * found["exact_match"]
    assert f"right to the letter in {right:.1f} %" in page
    assert f"shipped translator has {100 * found['shipped']:.1f} %" in page
    assert f"{found['cpu_seconds'] / 60:.1f} minutes of one processor core" in page
    assert right - int(re.search(r"yours should reach (\d+) %", page)[1]) >= 5  # a margin


# --- answers -------------------------------------------------------------------------------------


def test_a_file_with_the_first_steps_passes_just_these(own):
    for steps in range(len(STEPS) + 1):
        mine = own("".join(PARTS[: steps + 1]))
        found = [verdict(mine, step) for step in STEPS]
        assert found[:steps] == [None] * steps
        assert all(isinstance(hint, NotTried) for hint in found[steps:])


@pytest.mark.parametrize("number", range(1, len(STEPS) + 1))
def test_a_classic_mistake_gets_its_hint(number, own):
    """And the step before it is not blamed."""
    for _, old, new, hint in (mistake for mistake in MISTAKES if mistake[0] == number):
        mine = own(changed(old, new))
        assert number == 1 or verdict(mine, STEPS[number - 2]) is None
        found = verdict(mine, STEPS[number - 1])
        assert hint in str(found) and not isinstance(found, NotTried)


RIGHT = [
    (1, "self.table.embedding_dim)", "self.table.weight.size(1))"),
    (
        2,
        "10_000 ** (torch.arange(0, d_model, 2) / d_model)",
        "torch.exp(math.log(10_000) * torch.arange(0, d_model, 2) / d_model)",
    ),
    (3, "query @ key.transpose(-2, -1)", 'torch.einsum("...qd,...kd->...qk", query, key)'),
    (4, "scores.masked_fill(~mask, -1e9)", "torch.where(mask, scores, -1e30)"),
    (
        5,
        "x.unflatten(-1, (self.h, -1)).transpose(1, 2)  #",
        "torch.stack(x.chunk(self.h, dim=-1), dim=1)  #",
    ),
    (6, "self.w_1(x).relu()", "self.w_1(x).clamp(min=0)"),
    (
        9,
        "x @ self.tgt_embed.table.weight.T",
        "nn.functional.linear(x, self.tgt_embed.table.weight)",
    ),
    (10, "(each * real).sum() / real.sum()", "each[real].mean()"),
    (11, "optimizer.zero_grad()\n        loss", "model.zero_grad()\n        loss"),
]


def test_another_way_to_be_right_is_right(own):
    for number, old, new in RIGHT:
        assert verdict(own(changed(old, new)), STEPS[number - 1]) is None, new


def test_a_file_that_cannot_be_read_is_told_with_its_line(own):
    for text, told in (
        ("x = 1\ndef f(:\n", "no Python yet. line 2: "),
        ("import torch\n\ntorch.ones(2) @ torch.ones(3)\n", "RuntimeError: .*[(]line 3"),
        ("x = 1\nexit()\n", "SystemExit: .*[(]line 2"),
        ("from transformer_lib.model.attention import attention\n", "Line 1 .*attention.*yourself"),
        ("import transformer_lib as tl\n", "Line 1 .*`transformer_lib`"),
        ("def f():\n    from transformer_lib import greedy_decode\n", "Line 2 .*greedy_decode"),
        (
            "import torch.nn.functional as F\ndef attention(q, k, v, mask=None):\n"
            "    return F.scaled_dot_product_attention(q, k, v)\n",
            "Line 3 .*`scaled_dot_product_at",
        ),
        ("from torch.nn import MultiheadAttention as M\n", "Line 1 .*MultiheadAttention`"),
        ("\udcff\udcfe\0", "can't be read as text"),
    ):
        with pytest.raises(Hint, match=told):
            own(text)


def test_a_part_of_another_kind_is_told(own):
    pytorchs = "self.encoder = nn.Transformer(d_model, h, 1, 1, d_ff, batch_first=True)"
    whole = changed("self.encoder = Encoder(N, d_model, d_ff, h, dropout)", pytorchs)
    for number, text, told in (
        (1, "class Embeddings:\n    def __init__(self, *sizes): pass\n", "an nn.Module"),
        (1, "def Embeddings(size, d_model): pass\n", "`Embeddings(11, 7)`: It returns nothing"),
        (3, "attention = 3\n", "should be a function or a class"),
        (4, "def padding_mask(ids): return ids\n", "`causal_mask` is missing"),
        (9, whole, "`Transformer` does too much"),
    ):
        hint = verdict(own(text), STEPS[number - 1])
        assert told in str(hint) and not isinstance(hint, NotTried)
