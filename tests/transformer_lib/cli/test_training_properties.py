"""Whatever `train` and `evaluate` get: a result, or one sentence that says why not."""

import contextlib
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_lib import recipes
from transformer_lib.cli import main
from transformer_lib.translator import Translator

ODD = "-1 0 1 3 0.5 nan inf 1e9 x ² ٣ adam bleu cpu".split() + ["", " 1", "N=0", "N=2", "h=3"]
TRAIN = """--steps --seed --average --best-by --patience --accumulation-steps --set --optimizer
    --device --skip-bad --subwords --task --validation""".split()
EVALUATE = "--split --data --training --model".split()
FLAGS = "--resume --bf16 --half --int8 --json --heads --confidence".split()


def called(arguments):
    """(status, what it printed, what it said) of a command."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        try:
            status = main(arguments)
        except SystemExit as stopped:  # argparse
            status = stopped.code
    return status, out.getvalue(), err.getvalue()


def is_refusal(status, out, said):
    """One sentence, after the usage where the parser says it; nothing was printed as a result."""
    (last,) = [line for line in said.splitlines() if line.startswith("transformer-lib")]
    return status == 2 and out == "" and said.endswith(f"{last}\n") and len(last) > 30


@given(
    st.dictionaries(st.sampled_from(TRAIN), st.sampled_from(ODD), max_size=2),
    st.lists(st.sampled_from(FLAGS), max_size=1),
    st.sampled_from(["copy", "sort", "en-es"]),
)
def test_train_starts_or_says_in_a_sentence_why_not(tmp_path_factory, options, flags, task):
    folder = tmp_path_factory.getbasetemp() / "never"
    started = []
    typed = [
        "train",
        *flags,
        *(part for pair in ({"--task": task} | options).items() for part in pair),
    ]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(recipes, "train_recipe", lambda recipe, *_, **__: started.append(recipe))
        found = called([*typed, "--out", str(folder)])
    if found[0] == 0:
        assert len(started) == 1 and found[1].count("\n") == 1
    else:
        assert not started and is_refusal(*found), found
    assert not folder.exists()


@given(
    st.dictionaries(st.sampled_from(EVALUATE), st.sampled_from(ODD), min_size=1, max_size=3),
    st.lists(st.sampled_from(FLAGS), max_size=2, unique=True),
)
def test_evaluate_says_in_a_sentence_what_there_is_not(options, flags):
    """No model, file or split has one of these names."""
    assert is_refusal(*called(["evaluate", *flags, *(p for pair in options.items() for p in pair)]))


WORDS = st.sampled_from(
    "I like trees. | Me gustan los árboles. | no | \u2028 | ' | 😀".split(" | ")
)
SIDE = WORDS | st.text(max_size=6)
PAIRS = st.lists(st.builds("{}\t{}".format, SIDE, SIDE).map(str.encode), min_size=2, max_size=6)
ANY = st.lists(st.binary(max_size=8) | SIDE.map(str.encode), max_size=4)


GOOD = [f"The {word} is {n}.\tEs {n}.".encode() for n, word in enumerate("sun sea sky".split())]


@pytest.mark.slow
@given(PAIRS | ANY, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
def test_of_any_file_a_model_is_trained_or_the_file_is_named(tmp_path_factory, lines, end, skip):
    """Among good pairs stands what else there is: at most as many lines as may be skipped."""
    folder = tmp_path_factory.mktemp("any")
    file, others, run = folder / "pairs.tsv", folder / "validation.tsv", folder / "run"
    content = end.join([*lines[::2], *GOOD, *lines[1::2]])
    file.write_bytes(content)
    others.write_bytes(b"The moon is full.\tHay luna llena.\n")
    small = ["--steps", "1", "--subwords", "300", "--set", "N=1", "d_model=8", "h=1", "d_ff=8"]
    small += ["--skip-bad", str(content.count(b"\n") + 1)] * skip
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TRANSFORMER_LIB_CACHE", str(folder / "cache"))
        data = ["--data", str(file), "--validation", str(others)]
        status, _, said = called(["train", *data, *small, "--out", str(run)])
    assert "Traceback" not in said
    if status == 0:
        assert Translator.load(run).translate("The sun is 1.")
    else:
        last = said.splitlines()[-1]
        assert status == 2 and last.startswith("transformer-lib: ") and not skip, said
        assert str(file) in last and not (run / "model.safetensors").exists()


@pytest.mark.slow
@given(PAIRS | ANY, st.sampled_from([b"\n", b"\r\n"]))
def test_of_any_file_there_are_scores_or_the_file_is_named(tmp_path_factory, lines, end):
    file = tmp_path_factory.getbasetemp() / "scored.tsv"
    file.write_bytes(end.join(lines))
    found = called(["evaluate", "--data", str(file), "--json"])
    if found[0] == 0:
        (scores,) = json.loads(found[1])["splits"].values()
        assert 1 <= scores["sentences"] <= len(lines) and 0 <= scores["exact_match"] <= 1
    else:
        assert is_refusal(*found), found
