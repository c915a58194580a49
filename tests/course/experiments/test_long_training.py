"""The experiments of a night, in sizes of a second: what they train, choose, measure and keep."""

import dataclasses

import pytest
import torch

from course import experiments
from course.chapters.ch16_before import experiment_waiting as waiting
from course.chapters.ch16_before import experiments as before
from course.chapters.ch16_before.experiment_adjective import exchanged, givers
from course.chapters.ch17_gpt import experiment_language_model as language_model
from course.chapters.ch18_since_2017 import experiments as since
from course.experiments import long_training as long
from course.experiments.long_training import TrainSpec, cache_bytes, cached, tuned
from tests.transformer_lib.torch_twins import randomize
from transformer_lib.files import write_json
from transformer_lib.interpret.pronouns import PronounBatch, measurable
from transformer_lib.model.transformer import count_parameters
from transformer_lib.recipes import TrainingData, learn_language
from transformer_lib.text import english_spanish
from transformer_lib.training.config import TrainingConfig
from transformer_lib.translator import Translation, Translator
from transformer_lib.variants import ModernAttention, Window
from transformer_lib.variants.language_model import LanguageModel
from transformer_lib.variants.recurrent import (
    RecurrentAttention,
    RecurrentConfig,
    RecurrentTranslator,
)

close = torch.testing.assert_close
HOW = TrainingConfig(steps=2, max_tokens=64, max_lr=1e-3, warmup=1, validate_every=1)
TEXTS = [
    ("I like trees", "Me gustan los árboles"),
    ("You read", "Lees"),
    ("I swim", "Nado"),
    ("We are tired", "Estamos cansados"),
]


@pytest.fixture(autouse=True)
def elsewhere(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_LIB_CACHE", str(tmp_path))


@pytest.fixture
def tiny(monkeypatch):
    """A corpus of four sentences, and test splits of three."""
    src, tgt = (
        learn_language(code, [pair[side] for pair in TEXTS])
        for side, code in enumerate(("en", "es"))
    )
    pairs = [(src.encode(a), tgt.encode(b)) for a, b in TEXTS]
    monkeypatch.setattr(long, "training_data", lambda: TrainingData(src, tgt, pairs, pairs))
    monkeypatch.setattr(english_spanish, "load", lambda split: TEXTS[:3])
    monkeypatch.setattr(english_spanish, "load_pronoun", lambda: [])
    monkeypatch.setattr(long, "pair_exact_match", lambda translator, items: 0.5)


def test_what_was_found_is_not_measured_again():
    calls = []

    def measure():
        calls.append(1)
        return {"found": len(calls)}

    assert cached("a", {"seed": 0}, measure) == {"seed": 0, "found": 1}
    assert cached("a", {"seed": 0}, measure) == {"seed": 0, "found": 1}
    assert cached("a", {"seed": 1}, measure) == {"seed": 1, "found": 2}
    assert cached("b", {"seed": 0}, measure) == {"seed": 0, "found": 3}


LOSSES = {"one": {1e-3: 0.5, 2e-3: 0.3}, "other": {1e-3: 0.1, 2e-3: 0.2}}
SPECS = [TrainSpec("one", None), TrainSpec("other", None, {"schedule": "cosine"})]


@pytest.fixture
def calls(monkeypatch):
    """Trainings that give the losses above; what was trained is written down."""
    trained = []

    def learn(spec, how):
        trained.append((spec.what, how.max_lr, how.seed))
        best = LOSSES[spec.what][how.max_lr] + how.seed / 100
        return best, {"history": [{"validation_loss": best}, {"validation_loss": 9.0}]}

    monkeypatch.setattr(long, "learn_to_translate", learn)
    monkeypatch.setattr(long, "scores", lambda best: {"right": {"test": 1 - best}})
    return trained


def choose():
    return tuned("x", SPECS, HOW, max_lrs=(1e-3, 2e-3), seeds=(0, 7))


def test_the_peak_is_chosen_on_validation_by_the_first_seed(calls):
    found = choose()
    assert calls == [
        ("one", 1e-3, 0),
        ("one", 2e-3, 0),
        ("one", 2e-3, 7),
        ("other", 1e-3, 0),
        ("other", 2e-3, 0),
        ("other", 1e-3, 7),
    ]
    runs = found["runs"]
    assert [run["chosen"] for run in runs] == [False, True, True, True, False, True]
    assert [run["right"]["test"] for run in runs] == [
        1 - x for x in (0.5, 0.3, 0.37, 0.1, 0.2, 0.17)
    ]
    assert [run["training"]["schedule"] for run in runs] == ["paper"] * 3 + ["cosine"] * 3
    assert choose() == found  # goes on where it was: at the end
    assert len(calls) == 6


def test_what_others_are_compared_with_gets_more_seeds(calls):
    found = tuned("x", SPECS, HOW, (1e-3, 2e-3), (0, 7), more_seeds={"one": (8, 9)})
    assert [call for call in calls if call[2] > 7] == [("one", 2e-3, 8), ("one", 2e-3, 9)]
    assert sum(run["chosen"] for run in found["runs"] if run["what"] == "one") == 4


def test_rates_go_on_beyond_the_grid_until_the_loss_rises(calls, monkeypatch):
    falling = {1e-3: 0.9, 2e-3: 0.5, 4e-3: 0.3, 8e-3: 0.4}
    monkeypatch.setitem(LOSSES, "one", falling)
    monkeypatch.setattr(since, "SPECS", SPECS)
    monkeypatch.setattr(since, "MAX_LRS", (1e-3, 2e-3))
    monkeypatch.setattr(since, "SEEDS", (0, 7))
    stored = [{"what": what, "max_lr": 2e-3, "chosen": what == "one"} for what in ("one", "other")]
    monkeypatch.setattr(since, "load", lambda name: {"runs": stored})
    found = since.rates_beyond_the_grid()["runs"]
    assert calls == [*(("one", lr, 0) for lr in falling), ("one", 4e-3, 7)]
    assert [run["max_lr"] for run in found if run["chosen"]] == [4e-3, 4e-3]


def test_what_is_stored_is_not_trained_again(calls, tmp_path, monkeypatch):
    def keep(found, version):
        write_json(tmp_path / "stored" / "x.json", {"torch": version} | found)
        monkeypatch.setenv("TRANSFORMER_LIB_CACHE", str(tmp_path / str(len(calls)) / version))

    monkeypatch.setattr(long.experiments, "RESULTS", tmp_path / "stored")
    (tmp_path / "stored").mkdir()
    found = choose()
    keep({"runs": found["runs"][:3]}, torch.__version__.split("+")[0])  # of the first spec
    assert choose() == found
    assert calls[6:] == calls[3:6]
    keep(found, version="1.0")
    choose()
    assert calls[9:] == calls[:6]


def test_what_is_complete_is_stored_when_it_is_stopped(calls, monkeypatch):
    def scores(best):
        if best == 0.17:
            raise KeyboardInterrupt
        return {}

    monkeypatch.setattr(long, "scores", scores)
    assert [run["what"] for run in choose()["runs"]] == ["one"] * 3


@pytest.mark.parametrize(
    "spec",
    [
        one
        for one in (*before.SPECS, *since.SPECS)
        if one.what in ("none", "additive", "base", "mixture of experts", "Muon", "today")
    ],
    ids=lambda spec: spec.what,
)
def test_a_training_is_measured(spec, tiny):
    how = dataclasses.replace(HOW, **spec.training)
    translator, found = long.learn_to_translate(spec, how)
    found |= long.scores(translator)
    assert [entry["step"] for entry in found["history"]] == [1, 2]
    assert set(found["right"]) == set(long.SPLITS)
    assert found["pronoun_pairs"] == 0.5
    assert [(row["tokens"], row["sentences"]) for row in found["by_length"]] == [(2, 12), (3, 6)]
    assert found["seconds_per_step"] > 0


def test_right_sentences_are_counted(tiny):
    class Parrot:
        src = long.training_data().src

        def translate(self, texts, return_errors=False):
            return [Translation(text, [], 0.0) for text in ("Me gustan los árboles", "", "nado")]

    found = long.scores(Parrot())
    assert found["right"] == dict.fromkeys(long.SPLITS, 1 / 3)
    assert found["by_length"] == [
        {"tokens": 2, "sentences": 12, "right": 0},
        {"tokens": 3, "sentences": 6, "right": 6},
    ]


@pytest.mark.parametrize("spec", since.SPECS, ids=lambda spec: spec.what)
def test_each_part_is_exchanged_at_equal_size(spec):
    base, model = (one.build(8, 8) for one in (since.SPECS[0], spec))
    fewer = {
        "grouped queries": 4 * 2 * 64 * 32,
        "today": 4 * 2 * 64 * 32,
        "multi-query": 4 * 2 * 64 * 48,
    }.get(spec.what, 0)
    assert count_parameters(model) + fewer == pytest.approx(count_parameters(base), rel=0.01)
    same = str(model) == str(base)
    assert same == (spec.what in ("base", "not tied", "AdamW", "Muon", "cosine", "stable"))


def test_the_rivals_are_equally_large():
    sizes = [count_parameters(one.build(1500, 2000)) for one in before.SPECS]
    assert max(sizes) / min(sizes) < 1.01


def test_the_cache_of_a_sentence():
    # 2 layers, own words and source, keys and values of 20 words, 64 numbers of 4 bytes
    models = {one.what: one.build(8, 8) for one in since.SPECS}
    own = 2 * 2 * 20 * 64 * 4
    assert cache_bytes(models["base"]) == 2 * own
    assert cache_bytes(models["grouped queries"]) == own + own // 2
    assert cache_bytes(models["multi-query"]) == own + own // 4


def test_every_part_has_its_group():
    parts = [what for group in since.GROUPS.values() for what in group]
    assert ["base", *sorted(parts)] == ["base", *sorted(one.what for one in since.SPECS[1:])]


def test_points_are_counted_from_the_mean_of_the_base():
    def runs(what, *shares):
        right = [{"test": share, "pronoun": 0.5, "longer": share / 2} for share in shares]
        return [{"what": what, "chosen": True, "right": one} for one in right]

    # the order is that of the groups, and what isn't there yet is left out
    other_peaks = [run | {"chosen": False} for run in runs("base", 0.1, 0.9, 0.9)]
    found = since.points(
        [*other_peaks, *runs("GELU", 0.7), *runs("base", 0.5, 0.7), *runs("RMSNorm", 0.2)]
    )
    assert [(row["what"], row["group"]) for row in found] == [
        ("base", "base"),
        ("RMSNorm", "norms"),
        ("GELU", "feed-forward"),
    ]
    assert found[0]["test"] == pytest.approx([-10, 10]) and found[2]["test"] == pytest.approx([10])
    assert found[1]["longer"] == pytest.approx([-20]) and found[1]["pronoun"] == [0]


@pytest.fixture
def few_sentences(monkeypatch):
    monkeypatch.setattr(language_model, "SENTENCES", (10, 30))
    monkeypatch.setattr(language_model, "WIDTHS", (8, 16))
    monkeypatch.setattr(language_model, "VALIDATION", 5)
    monkeypatch.setattr(language_model, "SEEDS", (0,))
    monkeypatch.setattr(language_model, "TRAINING", HOW)
    language_model.language.cache_clear()
    yield
    language_model.language.cache_clear()


def test_a_language_model_of_drawn_sentences(few_sentences):
    found = language_model.distance_to_the_floor()
    runs = [(run["sentences"], run["d_model"], run["seed"]) for run in found["runs"]]
    assert runs == [(10, 16, 0), (30, 16, 0), (30, 8, 0)]
    assert found["runs"][0]["parameters"] > found["runs"][2]["parameters"]
    assert found["runs"][0]["history"] != found["runs"][1]["history"]
    assert all(run["history"][-1]["step"] == 2 for run in found["runs"])


def test_each_part_fits_a_language_model(few_sentences):
    ids = torch.tensor([[1, 5, 6, 7]])
    outputs = []
    for spec in since.SPECS:
        torch.manual_seed(0)
        model = spec.build(0, 8)
        assert isinstance(model, LanguageModel)
        outputs.append(model.eval()(ids))
    alike = [
        one.what
        for one, out in zip(since.SPECS, outputs, strict=True)
        if torch.equal(out, outputs[0])
    ]
    # what differs only in how it is trained
    assert alike == ["base", "AdamW", "Muon", "cosine", "stable"]
    today = since.SPECS[-1]
    _, found = language_model.learn(today, dataclasses.replace(HOW, **today.training))
    assert [entry["step"] for entry in found["history"]] == [1, 2]


def test_what_a_model_learns_from_is_not_what_it_is_tested_on():
    assert language_model.sentences(30, seed=11) != language_model.sentences(30, seed=12)


# --- what the recurrent translator looks at


def untrained(attention: str) -> Translator:
    """A small recurrent model with the languages of the shipped translator."""
    shipped = Translator.load()
    torch.manual_seed(0)
    sizes = len(shipped.src.vocab), len(shipped.tgt.vocab)
    config = RecurrentConfig(N=1, d_model=8, hidden=8, attention=attention, dropout=0.0)
    return Translator(RecurrentTranslator(*sizes, config), shipped.src, shipped.tgt)


def test_without_attention_there_is_nothing_to_swap():
    found = before.gender(untrained("none"))
    assert set(found["agreement"]) == {"as trained"} and "looks_at" not in found
    assert before.attention_map(untrained("none"))["weights"] == {}


def test_the_two_nouns_change_places_where_the_adjective_is_written(monkeypatch):
    translator = untrained("dot")
    items = english_spanish.load_pronoun()[:40]
    measured = [item for half in (0, 1) for item in measurable(translator, items, half)]
    monkeypatch.setattr(english_spanish, "load_pronoun", lambda: items)

    def look(layer, query, key, mask):  # at the adjective's antecedent and nothing else
        batch = PronounBatch(translator, measured)
        weights = torch.zeros(len(query), 1, query.size(2), key.size(2))
        weights[batch.rows, 0, :, batch.antecedent] = 1.0
        return weights

    def forward(layer, query, key, value, mask=None):  # the model itself goes on as it is
        return own(layer, query, key, mask) @ value

    own = RecurrentAttention.weights
    monkeypatch.setattr(RecurrentAttention, "forward", forward)
    monkeypatch.setattr(RecurrentAttention, "weights", look)
    found = before.gender(translator)
    assert found["sentences"] == len(measured) > 30
    assert found["looks_at"] == {"adjective": 0, "antecedent": 1, "other": 0, "pronoun": 0}
    shares = found["first_noun"]
    assert (shares["m"] + shares["f"]) / 2 == pytest.approx(
        found["agreement"]["as trained"], abs=0.1
    )
    assert set(found["agreement"]) == {
        "as trained",
        "two numbers swapped",
        "nouns not seen",
        "adjective not seen",
    }


def test_a_transformer_is_changed_in_the_same_place():
    """In all heads of its cross-attention, and only where the adjective is written."""
    translator = Translator.load()
    batch = PronounBatch(translator, english_spanish.load_pronoun()[:4])
    weights = torch.rand(4, 4, batch.tgt_in.size(1), batch.src.size(1)).softmax(dim=-1)
    edits = before.cross_attention_edits(translator, batch)
    for name, edit in edits.items():
        assert set(edit) == {f"decoder.layers.{i}.cross_attn" for i in (0, 1)}
        for change in edit.values():
            changed = ((change(weights) - weights).abs() > 1e-6).any(dim=-1)  # (b, h, t)
            assert (changed.sum(dim=-1) == 1).all(), name
            assert changed[batch.rows, :, batch.adjective_out].all(), name
    (swapped, *_), (unseen, *_) = (
        [change(weights)[batch.rows, :, batch.adjective_out] for change in edits[name].values()]
        for name in ("two numbers swapped", "adjective not seen")
    )
    plain = weights[batch.rows, :, batch.adjective_out]
    assert torch.equal(swapped[batch.rows, :, batch.antecedent], plain[batch.rows, :, batch.other])
    assert (unseen[batch.rows, :, batch.adjective] == 0).all()


def test_a_giver_has_the_same_adjective_and_the_gender_that_was_asked_for():
    translator = Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), half=1)[:200]
    words = [translator.src.tokenizer(item.english)[item.adjective] for item in items]
    rows = givers(translator, items)
    assert len(rows) > 100
    for place, same, unlike in rows:
        assert words[place] == words[same] == words[unlike]
        assert items[place].pair not in (items[same].pair, items[unlike].pair)
        assert items[same].right == items[place].right == items[unlike].wrong


@pytest.mark.parametrize("attention", [None, "dot"])
def test_the_vector_at_the_adjective_is_exchanged_and_nothing_else(attention, monkeypatch):
    """Our Transformer turns round with it; without attention to it nothing would."""
    translator = untrained(attention) if attention else Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), half=1)[:120]
    read, own = [], type(translator.model).decode

    def decode(model, tgt_in, memory, *rest, **more):
        read.append(memory)
        return own(model, tgt_in, memory, *rest, **more)

    monkeypatch.setattr(type(translator.model), "decode", decode)
    shares = exchanged(translator, items)
    plain, same, unlike = read
    first = plain.size(1) - PronounBatch(translator, items).src.size(1)
    places = [items[place].adjective + first for place, *_ in givers(translator, items)]
    for other in (same, unlike):
        changed = (other != plain).any(dim=-1)
        assert [row.nonzero().flatten().tolist() for row in changed] == [[at] for at in places]
    if not attention:
        assert shares["own"] > 0.98 and shares["same gender"] > 0.98
        assert shares["other gender"] < 0.05
    with pytest.raises(ValueError, match="no sentence has another one with its adjective"):
        exchanged(translator, items[:2])


def test_the_two_numbers_of_a_transformer_are_those_of_its_best_head():
    found = before.gender(Translator.load())
    assert (found["layer"], found["head"]) == ("encoder.layers.1.self_attn", 2)
    assert found["agreement"]["as trained"] > 0.99 and min(found["first_noun"].values()) > 0.98
    assert found["agreement"]["two numbers swapped"] < 0.02


def test_of_each_pair_the_first_noun_is_the_same():
    genders = {}
    for item in english_spanish.load_pronoun():
        genders.setdefault(item.pair, set()).add(before.first_noun(item))
    assert {len(found) for found in genders.values()} == {1}
    assert [next(iter(genders[pair])) for pair in (1, 2, 3, 4)] == ["m", "m", "f", "m"]


def test_a_map_has_a_row_for_each_written_word_and_the_end():
    found = before.attention_map(untrained("additive"), "I like trees")
    ((head,),) = found["weights"].values()
    assert found["read"] == ["I", "like", "trees"]
    assert len(head) == len(found["written"]) + 1 and len(head[0]) == 4
    assert all(sum(row) == pytest.approx(1, abs=0.01) for row in head)


# --- time against length


def test_restricted_attention_is_attention_with_a_window():
    restricted = randomize(waiting.RestrictedAttention(24, 4, r=2))
    windowed = ModernAttention(24, 4, biases=[Window(3)]).double()
    windowed.load_state_dict(restricted.state_dict())
    x = torch.randn(3, 7, 24, dtype=torch.float64)
    close(restricted(x), windowed(x, x, x))


def test_each_time_is_told_as_what_it_is(monkeypatch):
    for name in ("training_step", "writing", "there_and_back"):
        monkeypatch.setattr(waiting, name, lambda *_, name=name: name)
    monkeypatch.setattr(waiting, "milliseconds", dict)
    found = waiting.time_of_a_layer()
    assert {run["milliseconds"] for run in found["runs"]} == {"there_and_back"}
    told = {(one["training_step"], one["sentence"]) for one in found["translators"]}
    assert told == {("training_step", "writing")}


def test_every_layer_is_timed_at_every_length(monkeypatch):
    threads = torch.get_num_threads()
    monkeypatch.setattr(waiting, "LENGTHS", (3, 20))
    monkeypatch.setattr(waiting, "REPEATS", 1)
    monkeypatch.setattr(waiting, "SENTENCES", (5,))
    monkeypatch.setattr(waiting, "BATCH", 10)
    found = waiting.time_of_a_layer()
    runs, translators = found["runs"], found["translators"]
    assert torch.get_num_threads() == threads
    assert [(one["what"], one["threads"]) for one in translators] == [
        (spec.what, threads) for threads in (1, 2) for spec in before.SPECS
    ]
    assert all(one["training_step"] > 0 and one["sentence"] > 0 for one in translators)
    assert len({(run["layer"], run["threads"], run["length"]) for run in runs}) == 4 * 2 * 2
    assert all(run["milliseconds"] > 0 for run in runs)


def test_a_batch_has_as_many_words_whatever_the_length(monkeypatch):
    seen = []

    def loss(model, batch, smoothing):
        seen.append((tuple(batch.src.shape), tuple(batch.tgt_out.shape)))
        assert (batch.src > 0).all() and (batch.tgt_out > 0).all()  # no padding
        return torch.zeros((), requires_grad=True)

    monkeypatch.setattr(waiting, "batch_loss", loss)
    for length in waiting.SENTENCES:
        waiting.training_step(torch.nn.Identity(), length)()
    assert seen == [((128, 8),) * 2, ((32, 32),) * 2, ((8, 128),) * 2]


def test_so_many_words_are_written(monkeypatch):
    model, steps = before.SPECS[0].build(waiting.VOCABULARY, waiting.VOCABULARY), []
    write = model.write
    monkeypatch.setattr(model, "write", lambda *given: steps.append(given) or write(*given))
    waiting.writing(model, 5)()
    assert len(steps) == 5 and all(given[0].shape == (1, 1) for given in steps)
    assert model.training


def test_the_layers_keep_the_shape():
    x = torch.randn(2, 5, waiting.D_MODEL)
    assert {layer(x).shape for layer in waiting.layers().values()} == {x.shape}


def test_of_each_translator_the_runs_with_its_own_rate():
    found, stored = before.chosen(), experiments.load("before")
    assert list(found) == [spec.what for spec in before.SPECS]
    for name, runs in found.items():
        assert [run["seed"] for run in runs] == list(before.SEEDS)
        best = min(
            (run for run in stored["runs"] if (run["what"], run["seed"]) == (name, 0)),
            key=long.best_loss,
        )
        assert {run["max_lr"] for run in runs} == {best["max_lr"]}
    assert stored["training"] == dataclasses.asdict(before.TRAINING)
