"""What holds for every command: its help, and what is said of one that isn't there (any more)."""

import subprocess
import sys

import pytest
import torch

from transformer_lib.cli import main


def test_mistyped_options_are_refused_by_name(run, capsys):
    for arguments in (
        ["translate", "--beam", "0", "x"],
        ["train", "--task", "sing"],
        ["corpus"],
        ["fly"],
        [],
    ):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert capsys.readouterr().err


@pytest.mark.parametrize("command", ["", "translate", "train", "evaluate", "corpus", "corpus get"])
def test_help_is_there_for_every_command(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([*command.split(), "--help"])
    assert stopped.value.code == 0
    assert "usage: transformer-lib" in capsys.readouterr().out


@pytest.mark.slow
def test_as_a_process_of_its_own():
    done = subprocess.run(
        [sys.executable, "-m", "transformer_lib", "view"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, "invalid choice" in done.stderr) == (2, "", True)


def test_the_version_is_told_with_pytorchs_for_a_report(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    shown = capsys.readouterr().out
    assert stopped.value.code == 0
    assert shown.startswith("transformer-lib 1.") and f"PyTorch {torch.__version__}" in shown


@pytest.mark.parametrize(
    "command", [["translate", "I like trees"], ["evaluate", "--split", "gustar"]]
)
def test_a_device_that_is_not_there_is_named(command, run, capsys):
    assert main([*command, "--device", "cuda:99"]) == 2
    assert "device 'cuda:99' is not there for this PyTorch" in capsys.readouterr().err
