"""translate as a student meets it: what it prints, and what it says when stuck."""

import io
import os
import queue
import select
import subprocess
import sys
import threading

import pytest

from tests.commands import refused
from transformer_lib.cli import main
from transformer_lib.translator import SHIPPED_MODEL, Translator


@pytest.mark.slow
def test_the_first_example():
    """As a process of its own, the way it is typed."""
    command = [sys.executable, "-W", "error", "-m", "transformer_lib", "translate", "I like trees"]
    done = subprocess.run(command, capture_output=True, encoding="utf-8", timeout=120)
    assert (done.stdout, done.stderr, done.returncode) == ("Me gustan los árboles\n", "", 0)


@pytest.mark.parametrize(
    ("typed", "printed"),
    [
        ("i like trees", "Me gustan los árboles"),
        ("I like trees.", "Me gustan los árboles."),
        ("I don't like trees", "No me gustan los árboles"),
        ("I do not like trees", "No me gustan los árboles"),
        ("Do you like trees?", "¿Te gustan los árboles?"),
        (
            "The animal didn't cross the street because it was too tired",
            "El animal no cruzó la calle porque estaba demasiado cansado",
        ),
        (
            "The animal didn't cross the street because it was too wide",
            "El animal no cruzó la calle porque era demasiado ancha",
        ),
    ],
)
@pytest.mark.slow
def test_sentences_as_people_type_them(run, typed, printed):
    assert run("translate", typed) == (0, printed + "\n", "")


def test_beam_and_nbest(run):
    assert run("translate", "--beam", 4, "I like trees")[1] == "Me gustan los árboles\n"
    status, out, _ = run("translate", "--nbest", 3, "I like trees")
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and len(rows) == 3
    assert rows[0][1] == "Me gustan los árboles"
    assert all(float(log_prob) < 0 for log_prob, _ in rows)
    refused(run("translate", "--beam", 2, "--nbest", 3, "I like trees"), "--nbest 3", "--beam 2")


@pytest.mark.slow
def test_eight_or_sixteen_bits_on_request(run, monkeypatch):
    asked = []
    prepare = Translator.optimize_for_decoding

    def watched(translator, **how):
        asked.append(how)
        return prepare(translator, **how)

    monkeypatch.setattr(Translator, "optimize_for_decoding", watched)
    for options in ([], ["--int8"], ["--bf16"]):
        assert run("translate", *options, "I like trees") == (0, "Me gustan los árboles\n", "")
    assert asked == [
        {"int8": False, "bf16": False},
        {"int8": True, "bf16": False},
        {"int8": False, "bf16": True},
    ]
    with pytest.raises(SystemExit) as stopped:
        run("translate", "--int8", "--bf16", "I like trees")
    assert stopped.value.code == 2


@pytest.mark.slow
def test_sampling(run):
    many = ["translate", "--sample", "--nbest", 20, "--temperature", 2, "I like trees"]
    status, out, _ = run(*many)
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and len(rows) == 20 and 1 < len({text for _, text in rows}) <= 20
    assert run(*many, "--seed", 0)[1] == out != run(*many, "--seed", 1)[1]
    for near_greedy in (["--top-k", 1], ["--top-p", 0.001], ["--temperature", 1e-6]):
        assert run("translate", "--sample", *near_greedy, "I like trees") == (
            0,
            "Me gustan los árboles\n",
            "",
        )


@pytest.mark.parametrize(
    ("options", "parts"),
    [
        (["--sample", "--temperature", 0], ["temperature=0.0", "more than 0"]),
        (["--sample", "--temperature", "nan"], ["temperature=nan"]),
        (["--sample", "--top-k", 0], ["top_k=0"]),
        (["--sample", "--top-p", 1.5], ["top_p=1.5", "at most 1"]),
        (["--sample", "--beam", 4], ["--sample", "--beam 4"]),
        (["--temperature", 0.7], ["--temperature needs --sample"]),
        (["--seed", 7], ["--seed needs --sample"]),
    ],
)
def test_sampling_that_makes_no_sense_is_refused_in_one_sentence(run, options, parts):
    refused(run("translate", *options, "I like trees"), *parts)


def typed_in(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content), encoding="utf-8"))


def test_standard_input_line_by_line(run, monkeypatch):
    typed_in(monkeypatch, b"I like trees\nI like xylophones\n\nThe trees grew\n")
    status, out, err = run("translate")
    assert out.splitlines() == ["Me gustan los árboles", "", "", "Los árboles crecieron"]
    assert status == 2
    assert [line.split(": ")[1] for line in err.splitlines()] == ["line 2", "line 3"]


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


@pytest.mark.parametrize("typed", ["Hello", "Good morning"])
def test_who_types_what_the_small_model_has_not_learned_is_sent_to_the_larger(run, typed):
    """The first words of a visitor, who names no model: refused, or translated with a doubt."""
    _, _, err = run("translate", typed)
    assert 'the larger model, "tatoeba", reads any word' in err and err.count("\n") == 1


def test_who_waits_for_an_answer_gets_it_before_the_next_line(monkeypatch):
    """A real pipe: the second line is written when the first translation was flushed."""
    flushed = queue.Queue()

    class Screen(io.StringIO):
        def flush(self):
            flushed.put(self.getvalue())

    reading, writing = os.pipe()
    seen = []

    def converse():
        with open(writing, "wb", buffering=0) as keyboard:
            for line in (b"I like trees\n", b"The trees grew"):
                keyboard.write(line)
                if line.endswith(b"\n"):
                    seen.append(flushed.get(timeout=60))

    monkeypatch.setattr(sys, "stdout", Screen())
    with open(reading, encoding="utf-8") as stdin:
        monkeypatch.setattr(sys, "stdin", stdin)
        person = threading.Thread(target=converse, daemon=True)
        person.start()
        assert main(["translate"]) == 0
        person.join(60)
    assert seen == ["Me gustan los árboles\n"]
    assert sys.stdout.getvalue() == "Me gustan los árboles\nLos árboles crecieron\n"


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
    translate = Translator.translate

    def stop(translator, texts, **how):
        if texts == ["The trees grew"]:
            raise KeyboardInterrupt
        return translate(translator, texts, **how)

    command = ("translate", "--input", source, "--output", target)
    with monkeypatch.context() as patch:
        patch.setattr(Translator, "translate", stop)
        status, _, err = run(*command)
    part = tmp_path / "spanish.txt.part"
    assert status == 2 and str(part) in err and target.read_bytes() == b"old\n"
    assert part.read_text(encoding="utf-8") == "Me gustan los árboles\n"
    assert run(*command) == (0, "", "")
    assert part.read_text(encoding="utf-8") == "Me gustan los árboles\n"
    assert target.read_text(encoding="utf-8") == part.read_text("utf-8") + "Los árboles crecieron\n"
    assert target.stat().st_mode & 0o777 == 0o600
    assert sorted(path.name for path in tmp_path.iterdir()) == [
        "english.txt",
        "spanish.txt",
        "spanish.txt.part",
    ]


@pytest.mark.parametrize("name", ["F", "d/../F", "link", "hard", None])
def test_the_file_that_is_read_is_never_the_one_that_is_written(run, tmp_path, monkeypatch, name):
    source = tmp_path / "F"
    source.write_bytes(b"I like trees\n")
    (tmp_path / "d").mkdir()
    (tmp_path / "link").symlink_to(source)
    (tmp_path / "hard").hardlink_to(source)
    if name:
        refused(run("translate", "--input", source, "--output", tmp_path / name), "is read", name)
        with open(source, encoding="utf-8") as text:
            monkeypatch.setattr(sys, "stdin", text)
            refused(run("translate", "--output", tmp_path / name), "is read", name)
    else:
        with monkeypatch.context() as patch, open(source, "a", encoding="utf-8") as out:  # >> F
            patch.setattr(sys, "stdout", out)
            assert main(["translate", "--input", str(source)]) == 2
    assert source.read_bytes() == b"I like trees\n"


def test_an_output_stays_a_link_and_is_refused_before_the_work(run, tmp_path, monkeypatch):
    source, link = tmp_path / "english.txt", tmp_path / "link.txt"
    source.write_bytes(b"I like trees\n")
    link.symlink_to(tmp_path / "spanish.txt")
    assert run("translate", "--input", source, "--output", link)[0] == 0 and link.is_symlink()
    assert (tmp_path / "spanish.txt").read_text(encoding="utf-8") == "Me gustan los árboles\n"
    monkeypatch.delattr(Translator, "load")
    refused(run("translate", "--input", source, "--output", source / "x"), str(source))
    refused(run("translate", "--input", tmp_path / "none", "--output", link), "none")


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


def test_files_that_cannot_be_used_are_named(run, tmp_path, monkeypatch):
    refused(run("translate", "--input", tmp_path / "none"), "none")
    refused(run("translate", "--output", tmp_path), str(tmp_path))
    refused(run("translate", "--output", os.devnull), os.devnull)
    refused(run("translate", "Ana", "--input", tmp_path / "x"), "--input", "'Ana'")
    refused(run("translate", "Ana", "--output", tmp_path / "x"), "--output", "'Ana'")
    typed_in(monkeypatch, b"x" * 1_100_000)
    refused(run("translate"), "1,000,000 bytes")


@pytest.mark.parametrize(
    ("errors_on_screen", "answers_on_screen", "bar"),
    [(True, False, True), (True, True, False), (False, False, False)],
)
def test_a_progress_bar_on_a_terminal_only(monkeypatch, errors_on_screen, answers_on_screen, bar):
    for name, screen in (("stderr", errors_on_screen), ("stdout", answers_on_screen)):
        stream = io.StringIO()
        stream.isatty = lambda screen=screen: screen
        monkeypatch.setattr(sys, name, stream)
    typed_in(monkeypatch, b"I like trees\nThe trees grew\n")
    assert main(["translate"]) == 0
    assert sys.stdout.getvalue() == "Me gustan los árboles\nLos árboles crecieron\n"
    assert ("2 lines" in sys.stderr.getvalue()) == bar
    assert bool(sys.stderr.getvalue()) == bar


def test_the_words_it_knows(run):
    status, out, err = run("translate", "--words")
    words = out.splitlines()
    assert (status, err) == (0, "") and {"trees", "I", "Ana"} <= set(words)
    assert f"knows {len(words)} words" in run("translate", "Hello")[2]


@pytest.mark.slow
def test_bad_sentences_get_one_clear_sentence(run):
    refused(run("translate", "I like xylophones"), "'xylophones'")
    refused(run("translate", ""), "empty")
    refused(run("translate", "trees " * 65), "65 words", "64")
    refused(run("translate", "I like trees. I like dogs."), "one at a time")
    refused(run("translate", "Ich mag Bäume"), "'ich'", "reads English", "tatoeba")
    assert "did you mean" not in run("translate", "Ich mag Bäume")[2]


def test_models_that_cannot_be_read(run, tmp_path):
    missing = run("translate", "I like trees", "--model", tmp_path / "none")
    refused(missing, "folder is missing (grammar and tatoeba come with the library)")
    for name in ("config.json", "vocabulary.json", "model.safetensors"):
        (tmp_path / name).write_bytes((SHIPPED_MODEL / name).read_bytes()[:99])
    refused(run("translate", "I like trees", "--model", tmp_path), "damaged")
