"""Two processes do what one does, and a training outlives the death of one of them."""

import json
import os
import random
import shutil
import signal
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest
import torch
from safetensors.torch import load_file

from transformer_lib.cli import main
from transformer_lib.recipes import RECIPES, train_recipe
from transformer_lib.training import distributed
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.distributed import (
    STOPPED,
    ProcessError,
    first_before_others,
    local_device,
    process_group,
    seed_process,
)
from transformer_lib.training.log import read_log
from transformer_lib.training.state import STATE_FILE
from transformer_lib.training.trainer import train

SMALL = """--subwords 300 --steps 10 --accumulation-steps 3 --set N=1 d_model=16 d_ff=32 h=2
    validate_every=5 max_tokens=256 warmup=2""".split()
TORCHRUN = "-m torch.distributed.run --standalone --nproc-per-node 2".split()
# Five trainings, one after another. The third stops at step 8 in both processes, the fourth goes on
# with it, and in the last process 1 dies at step 8.
SEVERAL = """
import json, os, signal, sys
from transformer_lib.cli import main
from transformer_lib.cli.common import complain
from transformer_lib.training import trainer
from transformer_lib.training.distributed import ProcessError, process_group

two, dropout, stopped, resumed, killed = json.load(open(sys.argv[1]))
update = trainer.update

def until_step_8(do):
    steps = []
    def update_or_stop(*arguments):
        steps.append(1)
        if len(steps) == 8:
            do()
        return update(*arguments)
    return update_or_stop

def stop():
    raise ValueError("stopped here")

def die():
    if os.environ["RANK"] == "1":
        os.kill(os.getpid(), signal.SIGKILL)

try:
    with process_group():
        assert main(two) == main(dropout) == 0
        trainer.update = until_step_8(stop)
        assert main(stopped) == 2
        trainer.update = update
        assert main(resumed) == 0
        trainer.update = until_step_8(die)
        main(killed)
except ProcessError as error:
    sys.exit(complain(error))
"""


@pytest.fixture(scope="module")
def command(tmp_path_factory):
    """The arguments of a training in a folder, with a share of dropout."""
    folder = tmp_path_factory.mktemp("distributed")
    draw, pairs = random.Random(0), folder / "pairs.tsv"
    rows = [[f"w{draw.randrange(40)}" for _ in range(draw.randrange(1, 8))] for _ in range(300)]
    lines = [" ".join(row) + "\t" + " ".join(reversed(row)) + "\n" for row in rows]
    pairs.write_text("".join(lines), encoding="utf-8")

    def arguments(name, dropout, *more):
        start = ["train", "--data", str(pairs), "--out", str(folder / name)]
        return [*start, *SMALL, f"dropout={dropout}", *more]

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSFORMER_LIB_CACHE", str(folder / "cache"))
        yield arguments


@pytest.fixture(scope="module")
def runs(command, tmp_path_factory):
    """The folder of all runs, and how the two processes ended."""
    names = {"two": 0, "dropout": 0.1, "stopped": 0.1, "killed": 0.1}
    plan = [command(name, dropout) for name, dropout in names.items()]
    plan.insert(3, command("stopped", 0.1, "--resume"))
    folder = tmp_path_factory.mktemp("plan")
    (folder / "plan.json").write_text(json.dumps(plan))
    (folder / "several.py").write_text(SEVERAL)
    done = subprocess.run(
        [sys.executable, *TORCHRUN, folder / "several.py", folder / "plan.json"],
        env=os.environ | {"OMP_NUM_THREADS": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    return Path(plan[0][plan[0].index("--out") + 1]).parent, done


def logged(folder):
    """The log without its speeds: (step, loss) of the steps, and the validations."""
    steps, found = read_log(folder)
    return [(entry["step"], entry["loss"]) for entry in steps], found


@pytest.mark.slow
def test_two_processes_do_what_one_does(runs, command):
    folder, done = runs
    assert done.stdout.count("saved in") == 3, done.stderr  # each training says it once
    assert main(command("one", 0)) == 0
    one, two = (load_file(folder / name / STATE_FILE) for name in ("one", "two"))
    assert one.keys() == two.keys() and "adam.exp_avg/src_embed.table.weight" in one
    for name in one:  # weights, and Adam's averages: Adam itself forgives a wrong factor
        if name != "random":
            torch.testing.assert_close(one[name], two[name], atol=2e-6, rtol=1e-4, msg=name)
    (steps, _), (same, _) = logged(folder / "one"), logged(folder / "two")
    assert [step for step, _ in steps] == [5, 10]
    for a, b in zip(steps, same, strict=True):
        assert a == pytest.approx(b, abs=2e-4)
    for name, processes in (("one", 1), ("two", 2)):
        assert json.loads((folder / name / "training.json").read_text())["processes"] == processes
    recipes = [(folder / name / "recipe.json").read_text() for name in ("one", "two")]
    assert recipes[0] == recipes[1]


@pytest.mark.slow
def test_two_processes_go_on_to_the_same_bytes(runs):
    folder, done = runs
    assert done.stderr.count("stopped here") == 2
    for name in ("model.safetensors", STATE_FILE):
        resumed, whole = ((folder / run / name).read_bytes() for run in ("stopped", "dropout"))
        assert resumed == whole, name
    assert logged(folder / "stopped") == logged(folder / "dropout")


@pytest.mark.slow
def test_when_a_process_dies_the_others_end_with_one_sentence(runs):
    folder, done = runs
    ours = [line for line in done.stderr.splitlines() if "another process" in line]
    assert len(ours) == 1 and "transformer-lib: " in ours[0] and "resume" in ours[0]
    assert done.returncode != 0 and not (folder / "killed" / "training.json").exists()


@pytest.mark.slow
def test_what_two_processes_began_one_goes_on_with(runs, command):
    folder, _ = runs
    shutil.copytree(folder / "killed", folder / "alone")
    assert main(command("alone", 0.1, "--resume")) == 0
    steps, (first, last) = logged(folder / "alone")
    _, (before, other) = logged(folder / "dropout")
    assert [step for step, _ in steps] == [5, 10]
    assert first == before and last["loss"] != other["loss"]  # other dropout from there on
    assert last["validation_loss"] == pytest.approx(other["validation_loss"], abs=0.1)


def test_more_processes_than_batches_or_gpus_are_told(monkeypatch, tmp_path):
    monkeypatch.setattr("transformer_lib.training.trainer.world_size", lambda: 4)
    with pytest.raises(ProcessError, match="accumulation_steps=1 batches"):
        train_recipe(RECIPES["copy"], tmp_path / "run")
    assert not (tmp_path / "run").exists()  # so the same name is free for the next try
    with pytest.raises(
        ProcessError, match="accumulation_steps=2 batches .* 4 processes: .* to 4 or"
    ):
        train(torch.nn.Linear(1, 1), [1], [1], TrainingConfig(accumulation_steps=2))
    monkeypatch.setattr(distributed, "world_size", lambda: 4)
    monkeypatch.setattr(torch.cuda, "device_count", lambda: 2)
    monkeypatch.setenv("LOCAL_RANK", "2")
    with pytest.raises(ProcessError, match="more processes than GPUs: start 2"):
        local_device(torch.device("cuda"))
    with pytest.raises(ProcessError, match="mps: train on the CPU"):
        local_device(torch.device("mps"))
    assert local_device(torch.device("cpu")) == torch.device("cpu")
    chosen = []
    monkeypatch.setattr(torch.cuda, "set_device", chosen.append)
    monkeypatch.setenv("LOCAL_RANK", "1")
    assert local_device(torch.device("cuda")) == torch.device("cuda:1") and chosen == [1]


def test_where_the_first_process_fails_the_others_end_in_silence(monkeypatch):
    told = []
    monkeypatch.setattr(distributed, "all_reduce_sum", lambda *given: told.append(given) or given)
    with first_before_others():
        pass
    with pytest.raises(OSError), first_before_others():
        raise OSError
    assert told == [(0,), (1,)]
    monkeypatch.setattr(distributed, "rank", lambda: 1)
    with first_before_others():
        told.clear()
    monkeypatch.setattr(distributed, "all_reduce_sum", lambda *_: [1.0])
    with pytest.raises(SystemExit) as stopped, first_before_others():
        told.append("done")
    assert stopped.value.code == 2 and told == []


def test_each_process_draws_its_own_random_numbers_and_the_first_keeps_what_it_had(monkeypatch):
    seeds = []
    for rank, seed, step in ((0, 0, 5), (1, 0, 5), (2, 0, 5), (1, 0, 6), (1, 1, 5), (1, 5, 0)):
        monkeypatch.setattr(distributed, "rank", lambda rank=rank: rank)
        torch.manual_seed(9)
        seed_process(seed, step)
        seeds.append(torch.initial_seed())
    assert seeds[0] == 9 and len(set(seeds)) == len(seeds)
    assert seeds[1] == 1955102642035440064  # so a run goes on as it began, also in a later version


@pytest.fixture
def group(monkeypatch):
    """As in one of two processes that torchrun has started: what is done to their group."""
    done = []
    monkeypatch.setenv("WORLD_SIZE", "2")
    monkeypatch.setattr(
        "torch.distributed.init_process_group", lambda _, timeout: done.append(timeout)
    )
    monkeypatch.setattr("torch.distributed.destroy_process_group", lambda: done.append("ended"))
    before = signal.getsignal(signal.SIGTERM)
    yield done
    signal.signal(signal.SIGTERM, before)


@pytest.mark.parametrize(
    ("error", "of_others"),
    [
        (torch.distributed.DistError("no answer"), True),
        (RuntimeError("[gloo/transport/tcp] Connection closed by peer"), True),
        (RuntimeError("not enough memory"), False),
        (ValueError("gloom.tsv, line 3: no tab"), False),
    ],
)
def test_that_another_process_is_gone_is_told_apart_from_an_own_mistake(group, error, of_others):
    with pytest.raises(ProcessError if of_others else type(error)) as told, process_group():
        raise error
    assert str(told.value) == (STOPPED if of_others else str(error))
    assert signal.getsignal(signal.SIGTERM) == signal.SIG_IGN  # torchrun ends the others


def test_torchrun_ends_a_process_with_one_sentence_while_it_trains_and_as_ever_after(group):
    before = signal.getsignal(signal.SIGTERM)
    with process_group():
        with pytest.raises(ProcessError, match="another process .* resume"):
            signal.raise_signal(signal.SIGTERM)
    assert signal.getsignal(signal.SIGTERM) == before
    patience, ended = group
    assert ended == "ended" and patience >= timedelta(hours=1)  # a large corpus takes its time
