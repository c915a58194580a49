"""What holds for every command: its help, and what is said of one that isn't there (any more)."""

import pytest
import torch

from transformer_lib.cli import main


@pytest.mark.parametrize("command", ["", "translate", "train", "evaluate", "corpus", "corpus get"])
def test_help_is_there_for_every_command(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([*command.split(), "--help"])
    assert stopped.value.code == 0
    assert "usage: transformer-lib" in capsys.readouterr().out


def test_the_version_is_told_with_pytorchs_for_a_report(capsys):
    with pytest.raises(SystemExit) as stopped:
        main(["--version"])
    shown = capsys.readouterr().out
    assert stopped.value.code == 0
    assert shown.startswith("transformer-lib 1.") and f"PyTorch {torch.__version__}" in shown
