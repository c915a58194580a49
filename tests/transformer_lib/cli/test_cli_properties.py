"""Whatever is typed: a result, or one sentence that says what is wrong."""

import contextlib
import dataclasses
import functools
import io

import pytest
from hypothesis import given
from hypothesis import strategies as st

from transformer_lib import Translator
from transformer_lib.cli import main
from transformer_lib.cli.settings import read_settings, replaced
from transformer_lib.cli.translate import opened, translate_lines
from transformer_lib.model.config import POSITIONS, TIES, ModelConfig
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.schedules import SCHEDULES

COUNTS, NUMBERS = st.integers(1, 10**6), st.floats(0.001, 0.999)
MODELS = st.builds(
    lambda h, d_k, **others: ModelConfig(h=h, d_model=h * d_k, **others),
    h=st.integers(1, 8),
    d_k=st.integers(1, 64),
    N=COUNTS,
    d_ff=COUNTS,
    dropout=NUMBERS,
    norm_first=st.booleans(),
    tie_weights=st.sampled_from(TIES),
    positions=st.sampled_from(POSITIONS),
)
COUNTED = "steps max_tokens accumulation_steps warmup validate_every average".split()
RUNS = st.builds(
    TrainingConfig,
    **dict.fromkeys(COUNTED, COUNTS),
    schedule=st.sampled_from(["paper", *SCHEDULES]),
    max_lr=st.none() | NUMBERS,
    smoothing=NUMBERS,
    bf16=st.booleans(),
    patience=st.none() | COUNTS,
    seed=st.integers(),
    best_by=st.sampled_from(["loss", "bleu"]),
)
NAMES = [
    field.name for config in (ModelConfig, TrainingConfig) for field in dataclasses.fields(config)
]


@given(MODELS, RUNS, st.randoms(use_true_random=False))
def test_settings_that_are_typed_are_those_that_are_used(model, run, random):
    typed = [f"{name}={str(value).lower()}" for name, value in (vars(model) | vars(run)).items()]
    random.shuffle(typed)
    settings = read_settings(typed, ModelConfig, TrainingConfig)
    assert (replaced(ModelConfig(), settings), replaced(TrainingConfig(), settings)) == (model, run)


RIGHT = st.sampled_from(["N=2", "N=3", "seed=1", "bf16=true", "max_lr=none"])
WRONG = st.text(max_size=9) | st.builds("{}={}".format, st.sampled_from(NAMES), st.text(max_size=5))


@given(st.lists(RIGHT, max_size=4) | st.lists(RIGHT | WRONG))
def test_whatever_else_is_typed_as_a_setting_is_named(typed):
    try:
        settings = read_settings(typed, ModelConfig, TrainingConfig)
    except ValueError as error:
        assert any(one.partition("=")[0] in str(error) or repr(one) in str(error) for one in typed)
    else:
        assert len(settings) == len(typed) and settings.keys() <= set(NAMES)


@functools.cache
def translator():
    return Translator.load()


@contextlib.contextmanager
def typed_into_the_command():
    """What it prints; it finds the model loaded."""
    out, err, loaded = io.StringIO(), io.StringIO(), translator()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Translator, "load", lambda model, device="cpu": loaded)
        patch.setattr(Translator, "optimize_for_decoding", lambda self, **how: self)
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            yield out, err


OPTIONS = st.dictionaries(
    st.sampled_from("--beam --nbest --temperature --top-k --top-p --seed".split()),
    st.sampled_from("-1 0 1 2 5 0.5 1.5 nan inf 1e-9 x ² ٣".split() + ["", "1 "]),
    max_size=3,
)
ENGLISH = st.sampled_from(
    ["I like trees", "They like us!", "xylophones", "", "Who is it? I am.", "😀"]
)


@given(OPTIONS, st.booleans(), st.text(max_size=8) | ENGLISH)
@pytest.mark.slow
def test_translate_answers_or_says_in_a_sentence_why_not(options, sample, text):
    arguments = ["translate", *["--sample"] * sample, text or " "]
    arguments += [part for pair in options.items() for part in pair]
    with typed_into_the_command() as (out, err):
        try:
            status = main(arguments)
        except SystemExit as stopped:  # argparse
            status = stopped.code
    said = err.getvalue()
    assert status in (0, 2) and "Traceback" not in said
    if "usage:" in out.getvalue():  # "-h"
        return
    if status == 0:
        count = int(options.get("--nbest", 1))
        assert out.getvalue().count("\n") == count and out.getvalue().strip()
        assert said.count("\n") <= 1
    else:
        assert out.getvalue() == "" and said.startswith(("transformer-lib: ", "usage: "))
        assert said.count("transformer-lib: ") + said.count("translate: error: ") == 1


ODD = st.sampled_from([b" ", b"\t \t", b"\xef\xbb\xbf", b"\xff", "¿ ?".encode()])
LINES = st.lists(
    ODD | st.binary(max_size=8) | (ENGLISH | st.text(max_size=6)).map(str.encode), max_size=8
)


@given(LINES, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
@pytest.mark.slow
def test_of_any_file_each_line_gives_a_line(tmp_path_factory, lines, end, last):
    folder = tmp_path_factory.getbasetemp()
    content = end.join(lines) + end * last
    (folder / "in.txt").write_bytes(content)
    with typed_into_the_command() as (out, err):
        how = {"beam": 1, "n_best": 1}
        with opened(folder / "in.txt", folder / "out.txt") as files:
            status = translate_lines(translator(), how, *files)
    count = content.count(b"\n") + (not content.endswith(b"\n") and content != b"")
    written = (folder / "out.txt").read_text(encoding="utf-8").split("\n")
    assert len(written) == count + 1 and written[-1] == "" and out.getvalue() == ""
    numbers = []
    for said in err.getvalue().splitlines():
        assert said.startswith("transformer-lib: line ")
        numbers.append(int(said.split()[2].rstrip(":")))
    assert numbers == sorted(set(numbers)) and set(numbers) <= set(range(1, count + 1))
    silent = [number for number in range(1, count + 1) if number not in numbers]
    assert all(written[number - 1] for number in silent)
    assert (status == 2) == any(not line for line in written[:-1])
