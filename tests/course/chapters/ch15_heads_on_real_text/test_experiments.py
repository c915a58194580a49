"""Heads on real text: sentences, places, changes, patching, the lens, and what is stored."""

import pytest
import torch

from course import experiments
from course.chapters.ch15_heads_on_real_text import corpus, probes, statistics
from course.chapters.ch15_heads_on_real_text import experiments as lab
from course.cli import main
from transformer_lib.files import read_json
from transformer_lib.interpret.recording import record_outputs
from transformer_lib.translator import Translator


@pytest.fixture(scope="module")
def items():
    return corpus.template_items(adjectives=1)


def few(kind, count=8, **more):
    return corpus.template_items([kind], adjectives=1, **more)[:count]


@pytest.fixture(scope="module")
def earlier():
    return Translator.load(lab.EARLIER)


# --- sentences ---


def test_half_of_the_nouns_are_kept_for_measuring(items):
    even, odd = corpus.halves(items)
    assert len(even) == len(odd) == len(items) / 2
    assert not {item.noun for item in even} & {item.noun for item in odd}


def test_a_pronoun_can_be_said_as_its_noun():
    first = [corpus.pronoun_items(said)[0] for said in ("it", "again", "written")]
    head = "The animal didn't cross the street because "
    assert first[0].english == head + "it was too tired."
    assert first[1].english == first[2].english == head + "the animal was too tired."
    assert first[1].spanish == first[0].spanish
    again = " porque el animal estaba demasiado cansada."
    assert first[2].wrong == "El animal no cruzó la calle" + again
    fronted = next(i for i in corpus.pronoun_items("again") if i.english.startswith("Because"))
    assert fronted.noun == (fronted.noun[0], 0)
    assert fronted.english.lower().count(f" {fronted.noun[0]}") == 2


# --- places ---


@pytest.mark.parametrize("name", ["translator", "larger"])
def test_the_batch_knows_its_places(name, request):
    translator = request.getfixturevalue(name)
    batch = corpus.AgreementBatch(translator, few("another noun between"))
    src, tgt = translator.src.vocab.tokens, translator.tgt.vocab.tokens

    def words(ids, mask, tokens):
        return [tokens[i].lstrip("Ġ").lower() for i in ids[mask].tolist()]

    for row, item in enumerate(batch.kept):
        assert words(batch.src[row], batch.noun[row], src) == [item.noun[0]]
        assert words(batch.src[row], batch.adjective[row], src) == [item.adjective[0]]
        assert words(batch.tgt_in[row], batch.noun_out[row], tgt) == [*item.noun_out]
        assert words(batch.tgt_in[row], batch.writing[row], tgt) == ["es"]
        assert tgt[int(batch.right[row])].lstrip("Ġ") == item.spanish.split()[-1][:-1].replace(
            "ñ", "Ã±" if name == "larger" else "ñ"
        )
        assert batch.kept[int(batch.partner[row])].pair == item.pair
    assert (batch.partner != batch.rows).all()


# --- changes ---


def test_switched_off_and_barred():
    weights = torch.rand(2, 3, 4, 4).softmax(dim=-1)
    without = probes.off([("a", 0), ("b", 1), ("a", 2)])["a"](weights)
    assert without.sum(dim=(0, 2, 3)).nonzero().tolist() == [[1]]
    asks, keys = torch.zeros(2, 4, dtype=torch.bool), torch.zeros(2, 4, dtype=torch.bool)
    asks[:, 1], keys[0, 2], keys[1, 3] = True, True, True
    closed = probes.barred(asks, keys)(weights)
    assert (closed[0, :, 1, 2] == 0).all() and (closed[1, :, 1, 3] == 0).all()
    torch.testing.assert_close(closed.sum(-1), torch.ones(2, 3, 4))
    torch.testing.assert_close(closed[:, :, 0], weights[:, :, 0])


# --- measures ---


def test_an_interval_holds_the_mean_and_groups_stay_together():
    values, groups = torch.tensor([1.0, 1, 0, 0, 1, 1]), torch.tensor([0, 0, 1, 1, 2, 2])
    low, high = statistics.interval(values, groups)
    assert low == 0 and high == 1
    assert statistics.interval(torch.ones(6), groups) == [1, 1]
    many = torch.arange(400) % 2
    low, high = statistics.interval(many, torch.arange(400))
    assert 0.44 < low < 0.5 < high < 0.56
    assert statistics.interval(many, torch.arange(400) // 2) == [0.5, 0.5]


def test_the_head_of_notebook_13_is_found_again(translator, items):
    batch = corpus.AgreementBatch(translator, items[:96])
    table = probes.finds(translator, batch)
    best = max(table, key=lambda row: row["finds"])
    head = best["layer"], best["head"]
    assert head == ("encoder.layers.1.self_attn", 2)
    without = probes.right_endings(translator, batch, edits=probes.off([head]))
    assert probes.right_endings(translator, batch) == 1 and without < 0.6


def test_all_vectors_of_a_state_bring_all_of_the_gender(translator):
    batch = corpus.AgreementBatch(translator, few("after is"))
    table = probes.patched(translator, batch, "encoder")
    assert table.shape == (3, 5) and table[0, 1] > 0.9 > 0.1 > table[0, 0].abs()
    last = probes.patched(translator, batch, "decoder")
    assert last[-1, int(batch.out[0])] == pytest.approx(1, abs=1e-4)  # what is written from
    with record_outputs(translator.model, "src_positions") as outputs:
        before = probes.margins(translator, batch)
    every = {"src_positions": lambda x: outputs["src_positions"][batch.partner]}
    other = probes.margins(translator, batch, src=batch.src[batch.partner])
    torch.testing.assert_close(probes.margins(translator, batch, outputs=every), other)
    assert (other < 0).all() and (before > 0).all()
    with pytest.raises(ValueError, match="needs its partner"):
        probes.patched(translator, corpus.AgreementBatch(translator, few("after is", 3)), "encoder")


def test_the_lens_ends_where_the_model_does(larger):
    batch = corpus.AgreementBatch(larger, few("after is"))
    found = probes.lens(larger, batch)
    assert len(found) == 1 + larger.model.config.N
    assert found[-1]["margin"] == pytest.approx(
        probes.margins(larger, batch).mean().item(), abs=1e-4
    )
    assert found[0]["top"] == 0 and found[-1]["right"] == probes.right_endings(larger, batch)


# --- the command ---


def test_models_are_named_on_the_command_line_and_others_stay(monkeypatch, tmp_path, capsys):
    monkeypatch.setattr(lab, "measure_model", lambda translator: {"N": translator.model.config.N})
    command = ["experiment", "heads-on-real-text", "--out", str(tmp_path)]
    assert main([*command, "--model", "tatoeba"]) == 0
    found = read_json(tmp_path / "heads-on-real-text.json")["models"]
    stored = experiments.load("heads-on-real-text")["models"]
    assert found == stored | {"tatoeba": {"N": 3}}
    assert main([*command, "--model", "tatoeba", "tatoeba"]) == 2
    assert "have the same name" in capsys.readouterr().err
    assert main([*command, "--model", str(tmp_path / "none")]) == 2
    assert "there is no trained model in" in capsys.readouterr().err


# --- what is stored ---


@pytest.mark.parametrize("name", ["translator", "larger", "earlier"])
def test_a_part_of_it_measured_again_is_the_same(name, request):
    translator = request.getfixturevalue(name)
    stored = experiments.load("heads-on-real-text")["models"][
        {"translator": "grammar", "larger": "tatoeba", "earlier": "earlier"}[name]
    ]
    batch = corpus.AgreementBatch(translator, corpus.template_items(["after is"]))
    told = stored["right"]["after is"]["adjective"]
    assert told["sentences"] == len(batch)
    right = probes.right_endings(translator, batch)
    assert right == pytest.approx(told["right"]["share"], abs=0.02)
    assert probes.margins(translator, batch).mean().item() == pytest.approx(
        told["margin"], abs=0.02
    )
    again = probes.patched(translator, batch, "decoder")
    torch.testing.assert_close(
        again, torch.tensor(stored["where"]["after is"]["decoder"]), atol=0.02, rtol=0
    )
