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
from course.notebook_tools import sections
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
        path.write_text(text, encoding="utf-8")
        return own_file(path)

    return write


# --- from empty to translator --------------------------------------------------------------------


@pytest.mark.parametrize("steps", range(len(STEPS) + 1))
def test_a_file_with_the_first_steps_passes_just_these(steps, own):
    mine = own("".join(PARTS[: steps + 1]))
    found = [verdict(mine, step) for step in STEPS]
    assert found[:steps] == [None] * steps
    assert all(isinstance(hint, NotTried) for hint in found[steps:])


def test_the_solution_has_a_part_for_each_step():
    assert len(PARTS) == len(STEPS) + 1
    for part, step in zip(PARTS[1:], STEPS, strict=True):
        assert set(step.names) <= set(re.findall(r"^(?:def|class) (\w+)", part, re.MULTILINE))
    code = [line for line in SOURCE.splitlines() if line.strip() and not line.startswith("#")]
    assert 150 <= len(code) <= 200 and "about two hundred lines" in " ".join(PAGE.split())


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


def test_a_file_with_the_former_names_is_told_the_new_ones(own):
    for name, former in from_empty.FORMER.items():
        (step,) = [step for step in STEPS if name in step.names]
        text = re.sub(rf"\b{name}\b", former, SOURCE)
        found = verdict(own(text), step)
        assert f"`{former}` is called `{name}` now" in str(found)
        assert not isinstance(found, NotTried)


def test_a_generator_of_another_name_is_missed(own):
    found = verdict(own(SOURCE.replace("generator(", "to_logits(")), STEPS[8])
    assert "`generator`: It is missing" in str(found)


# --- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("number, old, new, hint", MISTAKES)
def test_a_classic_mistake_gets_its_hint(number, old, new, hint, own):
    """And the step before it is not blamed."""
    mine = own(changed(old, new))
    assert number == 1 or verdict(mine, STEPS[number - 2]) is None
    found = verdict(mine, STEPS[number - 1])
    assert hint in str(found) and not isinstance(found, NotTried)


@pytest.mark.parametrize(
    "number, old, new",
    [
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
        (
            11,
            "        optimizer.zero_grad()\n        loss.backward()",
            "        model.zero_grad()\n        loss.backward()",
        ),
    ],
)
def test_another_way_to_be_right_is_right(number, old, new, own):
    assert verdict(own(changed(old, new)), STEPS[number - 1]) is None


# --- files that are no answer --------------------------------------------------------------------


@pytest.mark.parametrize(
    "text, told",
    [
        ("x = 1\ndef f(:\n", "no Python yet. line 2: "),
        ("import torch\n\ntorch.ones(2) @ torch.ones(3)\n", "RuntimeError: .*(line 3)"),
        ("x = 1\nexit()\n", "SystemExit: .*(line 2)"),
        ("import no_such_thing\n", "ModuleNotFoundError: .*(line 1)"),
        ("from transformer_lib.model.attention import attention\n", "Line 1 .*attention.*yourself"),
        ("import transformer_lib as tl\n", "Line 1 .*`transformer_lib`"),
        ("def f():\n    from transformer_lib import greedy_decode\n", "Line 2 .*greedy_decode"),
        (
            "import torch.nn.functional as F\ndef attention(q, k, v, mask=None):\n"
            "    return F.scaled_dot_product_attention(q, k, v)\n",
            "Line 3 .*`scaled_dot_product_at",
        ),
        ("from torch.nn import MultiheadAttention as M\n", "Line 1 .*MultiheadAttention`"),
    ],
)
def test_a_file_that_cannot_be_read_is_told_with_its_line(text, told, own):
    with pytest.raises(Hint) as caught:
        own(text)
    assert re.search(told.replace("(", r"\(").replace(")", r"\)"), str(caught.value))


def test_bytes_that_are_no_text(tmp_path):
    path = tmp_path / "my_transformer.py"
    path.write_bytes(b"\xff\xfe\x00")
    with pytest.raises(Hint, match="can't be read as text"):
        own_file(path)


def test_a_whole_transformer_of_pytorch_is_seen(own):
    pytorchs = "self.encoder = nn.Transformer(d_model, h, 1, 1, d_ff, batch_first=True)"
    text = changed("self.encoder = Encoder(N, d_model, d_ff, h, dropout)", pytorchs)
    assert "`Transformer` does too much" in str(verdict(own(text), STEPS[8]))


@pytest.mark.parametrize(
    "number, text, told",
    [
        (1, "class Embeddings:\n    def __init__(self, *sizes): pass\n", "an nn.Module"),
        (1, "def Embeddings(size, d_model): pass\n", "`Embeddings(11, 7)`: It returns nothing"),
        (3, "attention = 3\n", "should be a function or a class"),
        (4, "def padding_mask(ids): return ids\n", "`causal_mask` is missing"),
        (
            4,
            "def attention(*a): ...\ndef padding_mask(ids): ...\n"
            "def causal_mask(length): return ...\n",
            "`causal_mask`: not tried yet",
        ),
    ],
)
def test_a_part_of_another_kind_is_told(number, text, told, own):
    hint = verdict(own(text), STEPS[number - 1])
    assert told in str(hint) and not isinstance(hint, NotTried)


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


def test_a_file_in_the_folder_of_before_is_found_and_named(tmp_path, capsys):
    old, new = tmp_path / "build" / "my_transformer.py", tmp_path / "from_scratch"
    old.parent.mkdir()
    old.write_text("", encoding="utf-8")
    for name in ("check", "train"):
        assert script(name).main(["--file", str(new / old.name)]) == 1
        assert f"Your file is still {old}: move it to {new / old.name}." in capsys.readouterr().out


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


def test_training_needs_a_step(capsys):
    with pytest.raises(SystemExit):
        script("train").main(["--file", str(SOLUTION), "--steps", "0"])
    assert "--steps 0: it takes at least one" in capsys.readouterr().err


def test_training_needs_the_parts(tmp_path, capsys):
    path = tmp_path / "my_transformer.py"
    path.write_text("", encoding="utf-8")
    assert script("train").main(["--file", str(path)]) == 1
    assert (
        "`Transformer` is missing. First: python from_scratch/check.py" in capsys.readouterr().out
    )


# --- the page ------------------------------------------------------------------------------------

MINUTES_A_LINE = 1.5
ON_PAGE = re.findall(r"^### (\d+)\. (.+?)\n(.+?)(?=^##)", PAGE, re.MULTILINE | re.DOTALL)


def test_the_page_has_the_steps_with_their_names_sections_and_minutes():
    assert [(int(number), title) for number, title, _ in ON_PAGE] == [
        (number, step.title) for number, step in enumerate(STEPS, start=1)
    ]
    series = sections.series()
    for (_, _, text), step, part in zip(ON_PAGE, STEPS, PARTS[1:], strict=True):
        anchor = re.search(rf"\(\.\./notebooks/{step.notebook}\.ipynb#(.+?)\)", text)[1]
        parts = sections.sections(series[step.notebook])
        assert anchor.startswith(f"{step.section}.-") and anchor in [p.anchor for p in parts]
        code = re.search(r"```\n(.+?)```", text, re.DOTALL)[1]
        for name in step.names:
            assert re.search(rf"^(class )?{name}\(", code, re.MULTILINE)
        lines = [line for line in part.splitlines() if line.strip() and line[0] != "#"]
        said = int(re.search(r"Minutes:\s(\d+)", text)[1])
        assert said == pytest.approx(MINUTES_A_LINE * len(lines), abs=3), step.title


def test_what_the_page_says_of_the_training_was_measured():
    found, train = load("from-empty"), script("train")
    now = {
        "steps": train.STEPS,
        "max_tokens": train.MAX_TOKENS,
        "warmup": train.WARMUP,
        "seed": train.SEED,
    } | train.SIZES
    assert found["recipe"] == now
    page = " ".join(PAGE.split())
    right = 100 * found["exact_match"]
    assert f"right to the letter in {right:.1f} %" in page
    assert f"shipped translator has {100 * found['shipped']:.1f} %" in page
    assert f"{train.STEPS:,} steps" in page and found["threads"] == 1
    assert f"{found['cpu_seconds'] / 60:.1f} minutes of one processor core" in page
    least = int(re.search(r"yours should reach (\d+) %", page)[1])
    assert 5 <= right - least <= 10  # a margin
    assert found["cpu_seconds"] < 600 and "in ten minutes" in page
