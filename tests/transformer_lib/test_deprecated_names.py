"""Old names work until release 2.0, or say where they went."""

import dataclasses
import importlib
import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch

from transformer_lib import deprecated_names
from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.decoding.sampling import sample
from transformer_lib.model.decoder import DecoderLayer
from transformer_lib.model.transformer import make_model
from transformer_lib.text.languages import Language, SubwordLanguage
from transformer_lib.text.subwords import Subwords
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.step import update
from transformer_lib.training.trainer import train
from transformer_lib.translator import Translator
from transformer_lib.variants.feed_forwards import MixtureOfExperts, SwiGLU, load_balancing_loss
from transformer_lib.variants.language_model import LanguageModelLayer
from transformer_lib.variants.modern_attention import ModernAttention
from transformer_lib.variants.recurrent import RecurrentConfig, RecurrentTranslator
from transformer_lib.variants.relative_positions import RelativePositions, Rotary

# What notebooks and assignments imported before, and what they used of a module that they imported.
BEFORE = (Path(__file__).with_name("imports_before.txt")).read_text(encoding="utf-8").splitlines()
WENT = tuple(f"from {old}" for old in deprecated_names.TO_THE_COURSE)


@pytest.mark.parametrize("line", BEFORE, ids=lambda line: line.split()[1])
def test_what_was_imported_is_found_in_its_new_place(line):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        exec(line, names := {})
    module, wanted = line.split()[1], line.partition(" import ")[2].split(", ")
    assert set(wanted) <= names.keys()
    if isinstance(sys.modules[module].__spec__.loader, deprecated_names.StandIn):
        assert caught and {one.category for one in caught} == {FutureWarning}
        assert {one.filename for one in caught} == {"<string>"}, "it blames the line that imports"


def test_the_tables_name_what_is_there():
    import course.deprecated_names

    for old, places in deprecated_names.PLACES.items():
        for place in places:
            importlib.import_module(place)
            assert place != old or place in deprecated_names.KEPT
    for old, place in deprecated_names.HANDED_ON.items():
        name = old.rpartition(".")[2]
        names = vars(importlib.import_module(place))
        assert {deprecated_names.RENAMED.get(name, name), name, f"_{name}"} & names.keys(), old
    assert set(course.deprecated_names.MODULES) & set(deprecated_names.MODULES) == {
        "corpora.english_spanish",
        "corpora.english_spanish.splits",
    }


def run(program: str) -> str:
    """In a Python of its own; what it prints."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.slow
def test_without_the_course_there_is_a_sentence():
    """As for somebody who has installed the library alone."""
    program = f"""
import sys, warnings
warnings.simplefilter("ignore")
sys.modules["course"] = None
for line in {BEFORE}:
    try:
        exec(line)
    except ModuleNotFoundError as missing:
        print(line.split()[1], missing, sep="|")
"""
    said = dict(line.split("|") for line in run(program).splitlines())
    gone = {line.split()[1] for line in BEFORE if line.startswith(WENT)}
    from_parent = {"transformer_lib", "transformer_lib.corpora"}  # `from … import plots`
    with_all = {"transformer_lib.corpora.english_spanish"}  # what notebooks took of it stayed
    assert said.keys() == gone - with_all | from_parent
    for sentence in said.values():
        assert sentence.endswith(
            "is no part of the library any more: it went to the course, which comes with a clone "
            "of the project"
        )


@pytest.mark.slow
def test_an_old_module_leaves_the_function_of_its_name_alone():
    program = """
import warnings
warnings.simplefilter("ignore")
import transformer_lib.attention
from transformer_lib.attention import attention
print(transformer_lib.attention is attention)
"""
    assert run(program) == "True\n"


@pytest.mark.slow
def test_the_library_alone_loads_nothing_of_the_course():
    program = """
import sys, transformer_lib.cli
print({"course", "course.deprecated_names", "matplotlib", "altair"} & set(sys.modules))
"""
    assert run(program) == "set()\n"


@pytest.mark.parametrize(
    ("kind", "part"),
    [
        (DecoderLayer, "self_attn"),
        (DecoderLayer, "cross_attn"),
        (DecoderLayer, "feed_forward"),
        (LanguageModelLayer, "self_attn"),
    ],
)
def test_a_part_of_a_layer_is_found_by_its_old_name(kind, part):
    layer = kind(8, 16, 2)
    with pytest.warns(FutureWarning, match=f"around_{part} is now residual_{part}"):
        assert getattr(layer, f"around_{part}") is getattr(layer, f"residual_{part}")


@pytest.mark.parametrize(
    ("kind", "old", "now"),
    [
        (Language, "typed", "preprocess"),
        (Language, "answer", "postprocess"),
        (Language, "text", "decode"),
        (SubwordLanguage, "shown", "display_tokens"),
        (SubwordLanguage, "text", "decode"),
        (SubwordLanguage, "more", "larger_model_hint"),
        (Subwords, "encode_varied", "encode_with_dropout"),
        (Translator, "doubt", "warning"),
        (Translator, "looks", "attention_maps"),
        (Translator, "for_decoding", "optimize_for_decoding"),
        (ConfidenceThresholds, "doubt", "warning"),
        (Rotary, "turn", "rotate"),
    ],
)
def test_a_method_is_found_by_its_old_name(kind, old, now):
    it = kind.__new__(kind)
    with pytest.warns(FutureWarning, match=f"{old} is now {now}"):
        assert getattr(it, old) == getattr(it, now)


@pytest.mark.parametrize(
    ("module", "old", "now"),
    [
        ("decoding.cache", "Prefixes", "DecoderState"),
        ("decoding.sampling", "sharpen", "sampling_distribution"),
        ("decoding.speculative", "Speculation", "SpeculativeResult"),
        ("recipes", "own_pairs", "parallel_recipe"),
        ("translator", "Looks", "AttentionMaps"),
        ("text.parallel", "place_of", "sentence_hash"),
        ("training.step", "words_in", "count_tokens"),
        ("interpret.recording", "part_with_weights", "inner_attention"),
        ("variants", "load_balance", "load_balancing_loss"),
    ],
)
def test_a_function_that_stayed_in_its_module_is_found_by_its_old_name(module, old, now):
    there = importlib.import_module(f"transformer_lib.{module}")
    with pytest.warns(FutureWarning, match=f"^{old} is now {now}; "):
        assert getattr(there, old) is getattr(there, now)


@pytest.mark.parametrize(
    ("module", "old", "now"),
    [
        ("distributed", "exchange", "gradient_sync"),
        ("distributed", "joined", "process_group"),
        ("distributed", "mine", "shard"),
        ("distributed", "total", "all_reduce_sum"),
        ("distributed", "world", "world_size"),
        ("since.exchange", "exchange", "replace_modules"),
        ("decoding.layout", "for_decoding", "optimize_for_decoding"),
        ("decoding.layout", "in_int8", "quantize_int8"),
    ],
)
def test_a_function_whose_module_moved_is_found_by_its_old_name(module, old, now):
    there = importlib.import_module(f"transformer_lib.{module}")
    with pytest.warns(FutureWarning, match=f"and {old} is now {now}; "):
        assert getattr(there, old).__name__ == now


def test_every_old_name_in_the_table_leads_somewhere():
    import course.deprecated_names  # noqa: F401 - its names are in the table, too

    places = {place for several in deprecated_names.PLACES.values() for place in several}
    names = [vars(importlib.import_module(place)) for place in places]
    for old, now in deprecated_names.RENAMED.items():
        for one in now.split():
            assert any(one in each for each in names), f"{old} is {one}, which no place has"


def test_an_old_keyword_works_and_names_the_new_one():
    p = torch.eye(2)
    for now, old, expected in [
        (lambda: TrainingConfig(peak=1.0).max_lr, "peak= is now called max_lr=", 1.0),
        (
            lambda: dataclasses.replace(TrainingConfig(), accumulate=2).accumulation_steps,
            "accumulate= is now called accumulation_steps=",
            2,
        ),
        (
            lambda: MixtureOfExperts(2, [SwiGLU(2, 2)] * 3, top=3).top_k,
            "top= is now called top_k=",
            3,
        ),
        (
            lambda: load_balancing_loss(torch.zeros(1, 2), top=2).item(),
            "top= is now called top_k=",
            2.0,
        ),
        (
            lambda: len(RelativePositions(2, True, buckets=8).table),
            "buckets= is now called num_buckets=",
            8,
        ),
        (lambda: sample(p, lots=torch.zeros(2)).tolist(), "lots= is now called uniform=", [0, 1]),
        (
            lambda: make_model(src_vocab=5, tgt_vocab_size=6).src_embed.table.num_embeddings,
            "src_vocab= is now called src_vocab_size=",
            5,
        ),
        (
            lambda: len(ModernAttention(4, 2, before=[Rotary(2)]).attention.qk_transforms),
            "before= is now called qk_transforms=",
            1,
        ),
    ]:
        with pytest.warns(FutureWarning, match=f"{old}; the old name goes with release 2.0"):
            assert now() == expected
    for function, keyword, new in [(train, "bar", "progress"), (update, "rate", "lr")]:
        with (
            pytest.warns(FutureWarning, match=f"{keyword}= is now called {new}="),
            pytest.raises(TypeError, match="missing"),
        ):
            function(**{keyword: None})
    by_place = TrainingConfig(3, 40)
    assert (by_place.steps, by_place.max_tokens) == (3, 40)


def test_a_part_of_a_variant_is_found_by_its_old_name():
    mixture = MixtureOfExperts(4, [SwiGLU(4, 4), SwiGLU(4, 4)])
    with pytest.warns(FutureWarning, match="top is now top_k"):
        assert mixture.top == mixture.top_k == 2
    model = RecurrentTranslator(5, 5, RecurrentConfig(N=1, d_model=4, hidden=4))
    with pytest.warns(FutureWarning, match="look is now readout"):
        assert model.look is model.readout


def test_what_never_was_is_an_ordinary_mistake():
    for line in (
        "from transformer_lib import plotz",
        "from transformer_lib.training import trian",
        "from transformer_lib.plots import shw",
        "import transformer_lib.plots.shw",
    ):
        with pytest.raises(ImportError, match=line.split()[-1]):
            exec(line)


def test_a_name_that_changed_is_found_by_its_old_one(monkeypatch):
    monkeypatch.setitem(deprecated_names.RENAMED, "old_record", "record_outputs")
    with pytest.warns(FutureWarning, match="interpret.recording, and old_record is now record"):
        from transformer_lib.recording import old_record
    assert old_record.__name__ == "record_outputs"


@pytest.mark.parametrize(
    ("old", "chapter", "name", "notebook"),
    [
        ("one_hot", "ch01_one_hot", "one_hot_rows", "01"),
        ("encoder", "ch07_encoder", "encoder", "07"),
        ("decoder", "ch08_decoder", "runs", "08"),
        ("whole", "ch09_whole_transformer", "count", "09"),
        ("whole", "ch09_whole_transformer", "transformer", "09"),
    ],
)
@pytest.mark.filterwarnings("ignore::FutureWarning")
def test_an_exercise_that_was_replaced_says_so(capsys, old, chapter, name, notebook):
    """Whichever way an older copy of the notebook imports its checks."""
    for line in (
        f"transformer_lib.checks import {old}",
        f"course.chapters.{chapter} import checks",
    ):
        exec(f"from {line} as check", names := {})
        getattr(names["check"], name)(lambda *inputs: ...)
        said = capsys.readouterr().out
        assert said.startswith(f"{name}: ") and f"a new copy of notebook {notebook} has it" in said


def test_what_is_private_by_now_is_said_to_be():
    from transformer_lib import plots  # which went to the course

    with pytest.warns(FutureWarning, match="series_map isn't public any more"):
        assert plots.series_map
