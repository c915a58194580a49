"""The command line as a student meets it: what it prints, and what it says when stuck."""

import io
import json
import subprocess
import sys

import pytest
import torch

from transformer_lib.__main__ import main
from transformer_lib.translator import SHIPPED_MODEL


@pytest.fixture
def run(capsys):
    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


def refused(result, *parts):
    """Status 2, nothing on standard output, one sentence on standard error."""
    status, out, err = result
    assert (status, out) == (2, "")
    assert err.startswith("transformer-lib: ") and err.count("\n") == 1
    assert "Traceback" not in err
    for part in parts:
        assert part in err


# --- translate


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


def test_sampling(run):
    many = ["translate", "--sample", "--nbest", 20, "--temperature", 2, "I like trees"]
    status, out, _ = run(*many)
    rows = [line.split("\t") for line in out.splitlines()]
    assert status == 0 and len(rows) == 20 and 1 < len({text for _, text in rows}) <= 20
    assert run(*many, "--seed", 0)[1] == out != run(*many, "--seed", 1)[1]
    for near_greedy in (["--top-k", 1], ["--top-p", 0.001], ["--temperature", 1e-6]):
        assert run("translate", "--sample", *near_greedy, "I like trees") == (
            0, "Me gustan los árboles\n", "",
        )  # fmt: skip


@pytest.mark.parametrize(("options", "parts"), [
    (["--sample", "--temperature", 0], ["temperature=0.0", "more than 0"]),
    (["--sample", "--temperature", "nan"], ["temperature=nan"]),
    (["--sample", "--top-k", 0], ["top_k=0"]),
    (["--sample", "--top-p", 1.5], ["top_p=1.5", "at most 1"]),
    (["--sample", "--beam", 4], ["--sample", "--beam 4"]),
    (["--temperature", 0.7], ["--temperature needs --sample"]),
    (["--seed", 7], ["--seed needs --sample"]),
])  # fmt: skip
def test_sampling_that_makes_no_sense_is_refused_in_one_sentence(run, options, parts):
    refused(run("translate", *options, "I like trees"), *parts)


def test_standard_input_line_by_line(run, monkeypatch):
    lines = "I like trees\nI like xylophones\n\nThe trees grew\n"
    monkeypatch.setattr(sys, "stdin", io.StringIO(lines))
    status, out, err = run("translate")
    assert out.splitlines() == ["Me gustan los árboles", "", "", "Los árboles crecieron"]
    assert status == 2
    assert [line.split(": ")[1] for line in err.splitlines()] == ["line 2", "line 3"]


def test_doubt_is_said_beside_the_translation(run, monkeypatch):
    """What it is unsure of is translated all the same; the remark stays out of the output."""
    status, out, err = run("translate", "They like us")
    assert (status, out) == (0, "Nos gustan\n")
    assert err.startswith("transformer-lib: guessing: ") and err.count("\n") == 1
    monkeypatch.setattr(sys, "stdin", io.StringIO("I like trees!!\nThey like us\n"))
    status, out, err = run("translate")
    assert (status, out) == (0, "¡Me gustan los árboles!\nNos gustan\n")
    assert err.startswith("transformer-lib: line 2: guessing: ") and err.count("\n") == 1


def test_the_words_it_knows(run):
    status, out, err = run("translate", "--words")
    words = out.splitlines()
    assert (status, err) == (0, "") and {"trees", "I", "Ana"} <= set(words)
    assert f"knows {len(words)} words" in run("translate", "Hello")[2]


def test_bad_sentences_get_one_clear_sentence(run):
    refused(run("translate", "I like xylophones"), "'xylophones'")
    refused(run("translate", ""), "empty")
    refused(run("translate", "trees " * 65), "65 words", "64")
    refused(run("translate", "I like trees. I like dogs."), "one at a time")
    refused(run("translate", "Ich mag Bäume"), "'ich'", "reads English", "--words")
    assert "did you mean" not in run("translate", "Ich mag Bäume")[2]


def test_the_attention_picture(run, tmp_path):
    picture = tmp_path / "attention.png"
    assert run("translate", "I like trees", "--attention", picture)[0] == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    refused(run("translate", "--attention", picture, "I like trees", "The trees grew"), "2")
    status, _, err = run("translate", "I like trees", "--attention", tmp_path / "attention.doc")
    assert status == 2 and "attention.doc" in err
    blocked = tmp_path / "file"
    blocked.write_text("")
    status, _, err = run("translate", "I like trees", "--attention", blocked / "attention.png")
    assert status == 2 and str(blocked) in err


def test_models_that_cannot_be_read(run, tmp_path):
    refused(run("translate", "I like trees", "--model", tmp_path / "none"), "folder is missing")
    for name in ("config.json", "vocabulary.json", "model.safetensors"):
        (tmp_path / name).write_bytes((SHIPPED_MODEL / name).read_bytes()[:99])
    refused(run("translate", "I like trees", "--model", tmp_path), "damaged")


def test_mistyped_options_are_refused_by_name(run, capsys):
    for arguments in (["translate", "--beam", "0", "x"], ["train", "--task", "sing"], ["fly"], []):
        with pytest.raises(SystemExit) as stopped:
            main(arguments)
        assert stopped.value.code == 2
        assert capsys.readouterr().err


@pytest.mark.parametrize(
    "command", ["", "translate", "train", "evaluate", "corpus", "corpus get", "figures"]
)
def test_help_is_there_for_every_command(command, capsys):
    with pytest.raises(SystemExit) as stopped:
        main([*command.split(), "--help"])
    assert stopped.value.code == 0
    assert "usage: transformer-lib" in capsys.readouterr().out


# --- train


def test_training_and_translating_digits(run, tmp_path):
    threads = torch.get_num_threads()
    folder = tmp_path / "reverse"
    status, out, _ = run("train", "--task", "reverse", "--out", folder, "--threads", threads)
    assert status == 0 and str(folder) in out
    assert run("translate", "--model", folder, "3 1 4 1 5")[1] == "5 1 4 1 3\n"
    refused(run("train", "--task", "reverse", "--out", folder), "already holds", "--resume")
    refused(run("train", "--task", "copy", "--out", folder, "--resume"), "other settings")
    before = (folder / "model.safetensors").read_bytes()
    assert run("train", "--out", folder, "--resume")[0] == 0  # it was finished: nothing changes
    assert (folder / "model.safetensors").read_bytes() == before


def test_trainings_that_cannot_start(run, tmp_path):
    refused(run("train"), "--task")
    refused(run("train", "--resume", "--task", "copy", "--out", tmp_path), "nothing to resume")
    blocked = tmp_path / "file"
    blocked.write_text("")
    refused(run("train", "--task", "copy", "--out", blocked / "run"), str(blocked))
    if not torch.cuda.is_available():
        gpu = ["--task", "copy", "--device", "cuda", "--out", tmp_path / "gpu"]
        refused(run("train", *gpu), "'cuda' is not there", "there is")
    (tmp_path / "recipe.json").write_text('{"task": "copy"}')
    refused(run("train", "--resume", "--out", tmp_path), "recipe.json is damaged")


# --- evaluate, corpus, figures


def test_evaluate_prints_a_table_or_json(run):
    status, out, _ = run("evaluate", "--split", "gustar")
    assert status == 0 and "gustar" in out and "exact match" in out and "BLEU: " in out
    status, out, _ = run("evaluate", "--split", "gustar", "--json")
    gustar = json.loads(out)["splits"]["gustar"]
    assert {"exact_match", "token_accuracy", "bleu"} <= gustar.keys()
    refused(run("evaluate", "--split", "tennis"), "'tennis'", "noun-adjective")


def test_corpus_names_the_files_it_wrote(run, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("")
    refused(run("corpus", "--out", blocked / "data"), str(blocked))
    refused(run("corpus"), "--out", "corpus get")


def test_figures_by_name(run, tmp_path):
    status, out, _ = run("figures", "--list")
    assert status == 0 and "positions-paper" in out
    status, out, _ = run("figures", "--only", "positions-paper", "--out", tmp_path)
    assert status == 0
    assert (tmp_path / "positions-paper.png").read_bytes().startswith(b"\x89PNG")
    refused(run("figures", "--only", "positions-papal", "--out", tmp_path), "positions-papal")
    blocked = tmp_path / "file"
    blocked.write_text("")
    refused(run("figures", "--only", "positions-paper", "--out", blocked / "x"), str(blocked))
