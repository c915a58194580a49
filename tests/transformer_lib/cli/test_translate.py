"""translate as a student meets it: what it prints, and what it says when stuck."""

import io
import os
import select
import subprocess
import sys

import pytest

from tests.commands import refused
from transformer_lib.cli import main
from transformer_lib.translator import Translator


def test_beam_and_nbest(run):
    assert run("translate", "--beam", 4, "I like trees")[1] == "Me gustan los árboles\n"
    status, out, _ = run("translate", "--nbest", 3, "I like trees")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and len(rows) == 3
    assert rows[0][1] == "Me gustan los árboles"
    assert all(float(log_prob) < 0 for log_prob, _ in rows)


@pytest.mark.slow
def test_eight_or_sixteen_bits_on_request(run, monkeypatch):
    asked = []
    prepare = Translator.optimize_for_decoding
    watched = lambda self, **how: asked.append(how) or prepare(self, **how)  # noqa: E731
    monkeypatch.setattr(Translator, "optimize_for_decoding", watched)
    for options in ([], ["--int8"], ["--bf16"]):
        assert run("translate", *options, "I like trees") == (0, "Me gustan los árboles\n", "")
    assert asked == [{"int8": int8, "bf16": bf16} for int8, bf16 in ((0, 0), (1, 0), (0, 1))]


@pytest.mark.slow
def test_sampling(run):
    many = ["translate", "--sample", "--nbest", 20, "--temperature", 2, "I like trees"]
    status, out, _ = run(*many)
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and len(rows) == 20 and 1 < len({text for _, text in rows})
    assert run(*many, "--seed", 0)[1] == out != run(*many, "--seed", 1)[1]
    for near_greedy in (["--top-k", 1], ["--top-p", 0.001], ["--temperature", 1e-6]):
        found = run("translate", "--sample", *near_greedy, "I like trees")
        assert found == (0, "Me gustan los árboles\n", "")


def typed_in(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


def test_doubt_is_said_beside_the_translation(run, monkeypatch):
    """What it is unsure of is translated all the same; the remark stays out of the output."""
    status, out, err = run("translate", "They like us")
    assert (status, out) == (0, "Nos gustan\n")
    assert err.startswith("transformer-lib: guessing: ") and err.count("\n") == 1
    assert '; the larger model, "tatoeba", reads any word' in err
    typed_in(monkeypatch, b"I like trees!!\nThey like us\n")
    status, out, err = run("translate")
    assert (status, out) == (0, "¡Me gustan los árboles!\nNos gustan\n")
    assert err.startswith("transformer-lib: line 2: guessing: ") and err.count("\n") == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no pseudo-terminals")
@pytest.mark.slow
def test_in_a_terminal_it_asks_answers_and_asks_again():
    """A process of its own in a real terminal: two sentences, one it can't read, an arrow key."""
    import pty

    keyboard, terminal = pty.openpty()
    command = [sys.executable, "-m", "transformer_lib", "translate"]
    process = subprocess.Popen(command, stdin=terminal, stdout=terminal, stderr=terminal)
    os.close(terminal)
    screen = ""

    def wait_for(text, times=1):
        nonlocal screen
        while screen.count(text) < times:
            answers, _, _ = select.select([keyboard], [], [], 60)
            assert answers, f"it waits, and {text!r} isn't there: {screen}"
            screen += os.read(keyboard, 10_000).decode("utf-8")

    for typed, answer, times in [
        (b"I like trees\n", "Me gustan los árboles", 1),
        (b"\n", "> ", 3),
        (b"I like xylophones\n", "has not learned 'xylophones'", 1),
        (b"\x1b[A\x1b[A\n", "Me gustan los árboles", 2),  # up twice: the first sentence again
    ]:
        os.write(keyboard, typed)
        wait_for(answer, times)
    wait_for("> ", 5)
    os.write(keyboard, b"\x04")
    assert process.wait(60) == 0
    os.close(keyboard)
    assert "Ctrl-D ends" in screen and "Traceback" not in screen


LINES = b"\xef\xbb\xbfI like trees\r\n\nThe \xff grew\nI like xylophones\nThe trees grew"
ANSWERS = "Me gustan los árboles\n\n\n\nLos árboles crecieron\n"


@pytest.mark.parametrize("window", [7, 2**16])
@pytest.mark.parametrize("option", [[], ["--beam", 2]])
def test_a_file_keeps_its_lines(run, tmp_path, monkeypatch, option, window):
    """Whatever is read at a time, and with a byte-order mark, CR LF and no newline at the end."""
    monkeypatch.setattr("transformer_lib.cli.translate.WINDOW", window)
    source, target = tmp_path / "english.txt", tmp_path / "new" / "spanish.txt"
    source.write_bytes(LINES)
    status, out, err = run("translate", *option, "--input", source, "--output", target)
    assert (status, out) == (2, "")
    assert target.read_bytes() == ANSWERS.encode()
    complaints = err.splitlines()
    assert [line.split(": ")[1] for line in complaints] == ["line 2", "line 3", "line 4"]
    assert "empty" in complaints[0] and "UTF-8" in complaints[1] and "letter 5" in complaints[1]
    typed_in(monkeypatch, LINES)
    assert run("translate", *option) == (2, ANSWERS, err)


def test_a_stopped_run_loses_neither_the_old_output_nor_its_own(run, tmp_path, monkeypatch):
    """Stopped in the second of two batches; the next run leaves alone what the first one left."""
    monkeypatch.setattr("transformer_lib.cli.translate.WINDOW", 13)
    source, target = tmp_path / "english.txt", tmp_path / "spanish.txt"
    source.write_bytes(b"I like trees\nThe trees grew\n")
    target.write_bytes(b"old\n")
    target.chmod(0o600)
    translate, part = Translator.translate, tmp_path / "spanish.txt.part"

    def stop(translator, texts, **how):
        if texts == ["The trees grew"]:
            raise KeyboardInterrupt
        return translate(translator, texts, **how)

    command = ("translate", "--input", source, "--output", target)
    with monkeypatch.context() as patch:
        patch.setattr(Translator, "translate", stop)
        status, _, err = run(*command)
    assert status == 2 and str(part) in err and target.read_bytes() == b"old\n"
    assert run(*command) == (0, "", "")
    assert part.read_text("utf-8") == "Me gustan los árboles\n"
    assert target.read_text("utf-8") == "Me gustan los árboles\nLos árboles crecieron\n"
    assert target.stat().st_mode & 0o777 == 0o600
    assert {path.name for path in tmp_path.iterdir()} == {source.name, target.name, part.name}


@pytest.mark.parametrize("name", ["F", "d/../F", "link", "hard"])
def test_the_file_that_is_read_is_never_the_one_that_is_written(run, tmp_path, monkeypatch, name):
    source = tmp_path / "F"
    source.write_bytes(b"I like trees\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to(source)
    (tmp_path / "hard").hardlink_to(source)
    refused(run("translate", "--input", source, "--output", tmp_path / name), "is read", name)
    with monkeypatch.context() as patch, open(source, encoding="utf-8") as text:
        patch.setattr(sys, "stdin", text)
        refused(run("translate", "--output", tmp_path / name), "is read", name)
    with monkeypatch.context() as patch, open(source, "a", encoding="utf-8") as out:  # >> F
        patch.setattr(sys, "stdout", out)
        assert main(["translate", "--input", str(tmp_path / name)]) == 2
    assert source.read_bytes() == b"I like trees\n"


def test_an_output_stays_a_link_and_is_refused_before_the_work(run, tmp_path, monkeypatch):
    source, link = tmp_path / "english.txt", tmp_path / "link.txt"
    source.write_bytes(b"I like trees\n")
    link.symlink_to(tmp_path / "spanish.txt")
    assert run("translate", "--input", source, "--output", link)[0] == 0 and link.is_symlink()
    assert (tmp_path / "spanish.txt").read_text(encoding="utf-8") == "Me gustan los árboles\n"
    monkeypatch.delattr(Translator, "load")
    for wrong in (source / "x", tmp_path):
        refused(run("translate", "--input", source, "--output", wrong), str(wrong.parent))


def test_what_is_wrong_with_most_lines_is_said_at_once(run, tmp_path, monkeypatch):
    monkeypatch.setattr("transformer_lib.cli.translate.MANY", 4)
    source, target = tmp_path / "english.txt", tmp_path / "spanish.txt"
    source.write_text("I like trees\n" + "I like xylophones\n" * 5, encoding="utf-8")
    status, _, err = run("translate", "--input", source, "--output", target)
    assert status == 2
    first, last = err.splitlines()
    assert "5 of the first 6 lines" in first and "line 2: this model has not learned" in first
    assert "knows 947 words" in first and '"tatoeba", reads any word' in first
    assert "5 of 6 lines are empty" in last
    assert target.read_text(encoding="utf-8") == "Me gustan los árboles\n" + "\n" * 5


def test_a_line_without_end_is_refused(run, monkeypatch):
    typed_in(monkeypatch, b"x" * 1_100_000)
    refused(run("translate"), "1,000,000 bytes")


def test_the_words_it_knows(run):
    status, out, err = run("translate", "--words")
    assert (status, err) == (0, "") and {"trees", "I", "Ana"} <= {*out.split("\n")}
