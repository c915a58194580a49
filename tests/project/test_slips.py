"""Planted slips: what is changed, what is told, and that harmless ones are harmless."""

import ast
import functools
import importlib
import os
import subprocess
import sys
import types

import pytest

import slips
from harmless_slips import HARMLESS
from slips import ROOT, Slip, is_harmless, own_and_others, sample, slips_in

TEXT = '''"""Two of three."""


def share(part: int | None, whole, *, much=0.5):  # ½ of it: letters of several bytes
    if not part or whole <= 0 and much is None:
        raise ValueError(f"{part + 1} of {whole}")
    return min(part / whole, 1.0) + (part @ whole)
'''


def lines_of(text):
    return {slip.lines for slip in slips_in("transformer_lib/share.py", text)}


def test_one_place_is_changed_and_types_and_messages_are_left_alone():
    found = slips_in("transformer_lib/share.py", TEXT)
    assert len({slip.after for slip in found}) == len(found)
    for slip in found:
        ast.parse(slip.after)
        before, after = slip.before.splitlines(), slip.after.splitlines()
        assert sum(one != other for one, other in zip(before, after, strict=True)) == 1
        assert "int | None" in slip.after and "{part + 1}" in slip.after
        assert all(line in slip.diff() for line in slip.lines)
    assert {slip.kind for slip in found} == {"operator", "number", "comparison", "name", "order"}


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("much=0.5", "much=1.5"),
        ("if not part", "if part"),
        ("or whole", "and whole"),
        ("whole <= 0", "whole < 0"),
        ("whole <= 0", "whole <= 1"),
        ("is None", "is not None"),
        ("min(", "max("),
        ("part / whole", "part * whole"),
        ("part / whole, 1.0", "1.0, part / whole"),
        (") + (part", ") - (part"),
        ("part @ whole", "part * whole"),
    ],
)
def test_what_may_be_typed_wrongly(before, after):
    line = next(line.strip() for line in TEXT.splitlines() if before in line)
    assert (line, line.replace(before, after)) in lines_of(TEXT)


def test_the_seed_draws_each_place_once():
    drawn = sample(["transformer_lib/model"], 20, seed=1)
    assert drawn == sample(["transformer_lib/model"], 20, seed=1)
    assert drawn != sample(["transformer_lib/model"], 20, seed=2)
    assert len({(slip.module, slip.place) for slip in drawn}) == 20
    assert len({slip.module for slip in drawn}) > 3


def test_every_module_has_tests_that_there_are():
    for folder in slips.FOLDERS:
        for path in (ROOT / folder).glob("[!_]*.py"):
            own, others = own_and_others(path.relative_to(ROOT).as_posix())
            assert own or others
            assert all((ROOT / test).is_file() for test in (*own, *others))
    assert all((ROOT / f"transformer_lib/{name}.py").is_file() for name in slips.ELSEWHERE)


MODULE = "transformer_lib/model/masks.py"


def with_slip(before, after):
    content = (ROOT / MODULE).read_text(encoding="utf-8")
    assert before in content
    return Slip(MODULE, "comparison", (0, 0), content, content.replace(before, after))


@pytest.mark.parametrize("green", [True, False])
def test_what_no_test_sees_is_told_with_its_place(monkeypatch, capsys, green):
    slip = with_slip("ids != PAD", "PAD != ids")
    monkeypatch.setattr(slips, "sample", lambda *how: [slip] * 3)
    monkeypatch.setattr(slips, "Copy", lambda folder: types.SimpleNamespace(is_seen=is_seen))
    seen = iter([True, green])

    def is_seen(slip):
        return next(seen)

    assert slips.main(["--only", "0", "2"]) == (0 if green else 1)
    told = capsys.readouterr().out
    assert ("NOT SEEN: comparison in transformer_lib/model/masks.py" in told) != green
    assert "-    return (ids != PAD)" in told and "+    return (PAD != ids)" in told
    assert told.endswith(f"{1 + green} seen, {1 - green} NOT SEEN, 0 harmless\n")


# In a process that hasn't imported the library yet.
PLANT = """
import sys
from pathlib import Path
from slips import Copy, Slip
copy = Copy(Path(sys.argv[1]))
before, after = (Path(name).read_text(encoding="utf-8") for name in sys.argv[2:])
print(copy.is_seen(Slip("transformer_lib/model/masks.py", "comparison", (0, 0), before, after)))
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
def test_a_slip_is_seen_in_a_copy_and_the_project_stays_as_it_is(tmp_path):
    before, after, copy = (tmp_path / name for name in ("before", "after", "copy"))
    slip = with_slip("ids != PAD", "ids == PAD")
    assert slip.lines[1] == "return (ids == PAD)[:, None, None, :]"
    before.write_text(slip.before, encoding="utf-8")
    after.write_text(slip.after, encoding="utf-8")
    command = [sys.executable, "-c", PLANT, *map(str, (copy, before, after))]
    tools = os.environ | {"PYTHONPATH": str(ROOT / "tools")}
    run = subprocess.run(command, cwd=ROOT, env=tools, capture_output=True, text=True)
    assert run.stdout == "True\n", run.stderr
    assert (ROOT / MODULE).read_text(encoding="utf-8") == slip.before
    assert (copy / MODULE).read_text(encoding="utf-8") == slip.before
    assert not list((copy / "transformer_lib").rglob("*.pyc"))


@functools.cache
def by_lines(module):
    """The slips that a module can have, by what is different."""
    found = {}
    for slip in slips_in(module, (ROOT / module).read_text(encoding="utf-8")):
        found.setdefault(slip.lines, []).append(slip)
    return found


@pytest.mark.parametrize("one", HARMLESS, ids=lambda one: one.why)
def test_a_harmless_slip_changes_no_output(one):
    name = one.module.removesuffix(".py").replace("/", ".")
    for slip in by_lines(one.module)[one.before, one.after]:  # a line can stand there twice
        assert is_harmless(slip)
        changed = types.ModuleType(f"{name}_with_a_slip")
        changed.__file__ = str(ROOT / one.module)  # some look for what lies beside them
        exec(compile(slip.after, one.module, "exec"), vars(changed))
        one.proof(importlib.import_module(name), changed)
