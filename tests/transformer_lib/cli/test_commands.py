"""What holds for every command: its help, and what is said of one that isn't there (any more)."""

import subprocess
import sys

import pytest

from tests.commands import refused
from transformer_lib.cli import main
from transformer_lib.deprecated_names import COMMANDS


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


TYPED_BEFORE = {
    "figures": ["figures", "--all"],
    "experiment": ["experiment", "--list"],
    "view": ["view", "tatoeba", "I like trees"],
    "corpus --out": ["corpus", "--out=x"],
    "translate --attention": ["translate", "I like trees", "--attention", "looks.png"],
}


@pytest.mark.parametrize("old", COMMANDS)
def test_an_old_command_says_in_a_sentence_what_is_typed_now(run, old):
    refused(run(*TYPED_BEFORE[old]), f"`{old}` is now `{COMMANDS[old]}`")


def test_an_option_of_that_name_is_left_alone(run, monkeypatch, tmp_path):
    monkeypatch.setattr("transformer_lib.cli.corpus.run", lambda options: print(options.out) or 0)
    target = tmp_path / "here"
    assert run("corpus", "get", "tatoeba-en-es", "--out", target) == (0, f"{target}\n", "")


@pytest.mark.slow
def test_as_a_process_of_its_own():
    done = subprocess.run(
        [sys.executable, "-m", "transformer_lib", "view"], capture_output=True, text=True
    )
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (2, "", 1)
