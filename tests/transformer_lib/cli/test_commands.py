"""What holds for every command: its help, and what is said of one that isn't there (any more)."""

import subprocess
import sys

import pytest

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
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
