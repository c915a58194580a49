"""The command line as a student meets it: what it prints, and what it says when stuck."""

import io
import json
import os
import queue
import shutil
import subprocess
import sys
import threading

import pytest
import torch

from transformer_lib.__main__ import main, parser
from transformer_lib.confidence import Sureness
from transformer_lib.recipes import OPTIMIZERS
from transformer_lib.translator import SHIPPED_MODEL, Translator


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


def test_eight_bits_on_request(run, monkeypatch):
    asked = []
    prepare = Translator.for_decoding

    def watched(translator, **how):
        asked.append(how)
        return prepare(translator, **how)

    monkeypatch.setattr(Translator, "for_decoding", watched)
    for options in ([], ["--int8"]):
        assert run("translate", *options, "I like trees") == (0, "Me gustan los árboles\n", "")
    assert asked == [{"int8": False}, {"int8": True}]


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


def typed_in(monkeypatch, content):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(content)))


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
    assert "; the larger model reads any word" in err and "`translate --model tatoeba`" in err
    typed_in(monkeypatch, b"I like trees!!\nThey like us\n")
    status, out, err = run("translate")
    assert (status, out) == (0, "¡Me gustan los árboles!\nNos gustan\n")
    assert err.startswith("transformer-lib: line 2: guessing: ") and err.count("\n") == 1


@pytest.mark.parametrize("typed", ["Hello", "Good morning"])
def test_who_types_what_the_small_model_has_not_learned_is_sent_to_the_larger(run, typed):
    """The first words of a visitor, who names no model: refused, or translated with a doubt."""
    _, _, err = run("translate", typed)
    assert "`translate --model tatoeba`" in err and err.count("\n") == 1


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


LINES = b"\xef\xbb\xbfI like trees\r\n\nThe \xff grew\nI like xylophones\nThe trees grew"
ANSWERS = "Me gustan los árboles\n\n\n\nLos árboles crecieron\n"


@pytest.mark.parametrize("window", [7, 2**16])
@pytest.mark.parametrize("option", [[], ["--beam", 2]])
def test_a_file_keeps_its_lines(run, tmp_path, monkeypatch, option, window):
    """Whatever is read at a time, and with a byte-order mark, CR LF and no newline at the end."""
    monkeypatch.setattr("transformer_lib.__main__.WINDOW", window)
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


def test_the_old_output_stays_until_the_new_one_is_whole(run, tmp_path, monkeypatch):
    source, target = tmp_path / "english.txt", tmp_path / "spanish.txt"
    source.write_bytes(b"I like trees\n")
    target.write_bytes(b"old\n")

    def stop(translator, texts, **how):
        assert target.read_bytes() == b"old\n"
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(Translator, "translate_many", stop)
        assert run("translate", "--input", source, "--output", target)[0] == 2
    assert target.read_bytes() == b"old\n"
    assert run("translate", "--input", source, "--output", source) == (0, "", "")
    assert source.read_text(encoding="utf-8") == "Me gustan los árboles\n"


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


def test_the_attention_page(run, tmp_path):
    page = tmp_path / "attention.html"
    assert run("translate", "I like trees", "--attention", page)[0] == 0
    text = page.read_text(encoding="utf-8")
    assert (
        "<title>I like trees</title>" in text and '"layer": "decoder.layers.1.cross_attn"' in text
    )
    other = tmp_path / "other.html"
    assert run("view", SHIPPED_MODEL, "I like trees", "--out", other) == (0, f"{other}\n", "")
    assert other.read_bytes() == page.read_bytes()
    refused(run("view", SHIPPED_MODEL, "I like xylophones", "--out", other), "'xylophones'")
    refused(
        run("view", SHIPPED_MODEL, "I like trees", "--out", tmp_path / "a.png"), "a.png", ".html"
    )
    refused(run("view", tmp_path / "none", "I like trees"), "folder is missing")


def test_models_that_cannot_be_read(run, tmp_path):
    missing = run("translate", "I like trees", "--model", tmp_path / "none")
    refused(missing, "folder is missing (grammar and tatoeba come along)")
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
    status, out, _ = run("figures", "--run", folder, "--out", tmp_path / "drawn")
    assert (status, out) == (0, f"{tmp_path / 'drawn' / 'run-reverse.png'}\n")
    assert (tmp_path / "drawn" / "run-reverse.png").read_bytes().startswith(b"\x89PNG")
    refused(run("figures", "--run", tmp_path), str(tmp_path), "log.jsonl")
    assert run("train", "--out", folder, "--resume")[0] == 0  # it was finished: nothing changes
    assert (folder / "model.safetensors").read_bytes() == before


def test_settings_by_name_stop_and_resume(run, tmp_path):
    folder = tmp_path / "run"
    settings = ["--best-by", "bleu", "--patience", 1, "--accumulate", 2]
    settings += ["--set", "validate_every=1", "peak=1e-9", "d_ff=48", "dropout=0.5", "steps=9"]
    assert run("train", "--task", "copy", "--out", folder, *settings)[0] == 0
    assert json.loads((folder / "config.json").read_text())["d_ff"] == 48
    recipe = json.loads((folder / "recipe.json").read_text())
    assert (recipe["training"]["accumulate"], recipe["model"]["dropout"]) == (2, 0.5)
    history = json.loads((folder / "training.json").read_text())["history"]
    scores = [entry["bleu"] for entry in history]
    assert len(scores) == 2, "it learns nothing, so the second validation isn't better: it stops"
    assert scores == [pytest.approx(scores[0], abs=0.5)] * 2
    whole = (folder / "model.safetensors").stat().st_size
    again = ["train", "--task", "copy", "--out", folder, "--resume", "--half", *settings]
    assert run(*again)[0] == 0  # it had ended: only the form of its weights changes
    assert (folder / "model.safetensors").stat().st_size < 0.6 * whole
    refused(run(*again[:-1], "steps=8"), "other settings")


def test_another_optimizer_is_part_of_the_recipe(run, tmp_path):
    command = ["train", "--task", "copy", "--steps", 3, "--set", "peak=1e-3", "--out"]
    weights = {}
    for name, options in {"adam": [], "muon": ["--optimizer", "muon"]}.items():
        assert run(*command, tmp_path / name, *options)[0] == 0
        assert json.loads((tmp_path / name / "recipe.json").read_text())["optimizer"] == name
        weights[name] = (tmp_path / name / "model.safetensors").read_bytes()
    assert weights["adam"] != weights["muon"]
    for name in OPTIMIZERS:
        assert parser().parse_args(["train", "--optimizer", name]).optimizer == name
    refused(run(*command, tmp_path / "muon", "--resume"), "other settings")
    assert run("train", "--resume", "--out", tmp_path / "muon")[0] == 0  # with its own
    # What was started before there was a choice goes on with Adam.
    path = tmp_path / "adam" / "recipe.json"
    recipe = json.loads(path.read_text())
    del recipe["optimizer"]
    path.write_text(json.dumps(recipe))
    assert run(*command, tmp_path / "adam", "--resume")[0] == 0
    path.write_text(json.dumps(recipe | {"optimizer": "sgd"}))
    refused(run("train", "--resume", "--out", tmp_path / "adam"), "damaged", "'sgd'", "muon")


def test_trainings_that_cannot_start(run, tmp_path):
    refused(run("train"), "--task")
    refused(run("train", "--resume", "--task", "copy", "--out", tmp_path), "nothing to resume")
    blocked = tmp_path / "file"
    blocked.write_text("")
    refused(run("train", "--task", "copy", "--out", blocked / "run"), str(blocked))
    if not torch.cuda.is_available():
        gpu = ["--task", "copy", "--device", "cuda", "--out", tmp_path / "gpu"]
        refused(run("train", *gpu), "'cuda' is not there", "there is")
    for setting, parts in (
        (["--set", "d_modle=64"], ["'d_modle'", "'d_model'"]),
        (["--set", "steps=5", "h=5"], ["d_model=32", "h=5"]),
        (["--set", "steps=5", "--steps", 6], ["--steps", "once"]),
    ):
        refused(run("train", "--task", "copy", *setting, "--out", tmp_path / "set"), *parts)
    assert not (tmp_path / "set").exists()
    (tmp_path / "recipe.json").write_text('{"task": "copy"}')
    refused(run("train", "--resume", "--out", tmp_path), "recipe.json is damaged")


# --- evaluate, corpus, figures


def test_evaluate_prints_a_table_or_json(run):
    status, out, _ = run("evaluate", "--split", "gustar")
    assert status == 0 and "gustar" in out and "exact match" in out and "BLEU: " in out
    status, out, _ = run("evaluate", "--split", "gustar", "--json")
    gustar = json.loads(out)["splits"]["gustar"]
    assert {"exact_match", "token_accuracy", "bleu"} <= gustar.keys()
    refused(run("evaluate", "--split", "tennis"), "'tennis'", "noun-adjective", "everyday")


def test_evaluate_in_8_bits(run, monkeypatch):
    asked = []
    own = Translator.for_decoding
    monkeypatch.setattr(
        Translator, "for_decoding", lambda self, **how: asked.append(how) or own(self, **how)
    )
    assert run("evaluate", "--split", "gustar", "--int8")[0] == 0 and asked == [{"int8": True}]
    assert run("evaluate", "--split", "gustar")[0] == 0 and len(asked) == 1
    refused(run("evaluate", "--int8", "--heads"), "--heads looks into the", "leave out --int8")


def test_evaluate_on_everyday_sentences(run, tmp_path, monkeypatch):
    monkeypatch.setattr("transformer_lib.metrics.RESAMPLES", 100)  # quicker
    training = tmp_path / "train.tsv"
    training.write_text("i don't know\tNo sé\n", encoding="utf-8")
    status, out, _ = run("evaluate", "--split", "everyday", "--training", training)
    lines = [line.split() for line in out.split("\n")]
    assert status == 0 and lines[0][-2:] == ["BLEU", "chrF"]
    (everyday,) = [line for line in lines if line[:1] == ["everyday"]]
    assert everyday[1] == "200" and len(everyday) == 5  # no token accuracy
    assert ["seen", "1", "0.00%"] in lines and ["greetings", "12", "8.33%"] in lines
    low, high = (
        next(line for line in lines if line[:-2] == label)
        for label in (["95", "%,", "from"], ["to"])
    )
    assert float(low[-2]) < float(everyday[3]) < float(high[-2])
    assert float(low[-1]) < float(everyday[4]) < float(high[-1])
    refused(run("evaluate", "--training", training), "--training needs --split everyday")


def test_evaluate_on_pairs_of_ones_own(run, tmp_path):
    """A sentence on two lines has two translations that are right."""
    file = tmp_path / "my-test-pairs.tsv"
    trees = "I like trees\tAmo los árboles\nI like trees\tMe gustan los árboles\n"
    file.write_text(trees + "I like red trees\tAmo los árboles rojos\n", encoding="utf-8")
    status, out, _ = run("evaluate", "--data", file, "--json")
    scores = json.loads(out)["splits"]["my-test-pairs.tsv"]
    assert status == 0 and (scores["sentences"], scores["references"]) == (2, 3)
    assert scores["exact_match"] == 0.5 and scores["chrf_interval"][0] <= scores["chrf"]


def test_sureness_is_stored_of_the_sentences_that_are_named(run, tmp_path):
    model = shutil.copytree(SHIPPED_MODEL, tmp_path / "model")
    file = tmp_path / "held-out.tsv"
    file.write_text("I like trees\tAmo\nI like trees\tMe\nI like red trees\tAmo\n", "utf-8")
    assert run("evaluate", "--model", model, "--data", file, "--sureness")[0] == 0
    assert Sureness.load(model).sentences == 2


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
