"""Heads on real text: sentences, places, changes, patching, the lens, and what is stored."""

import pytest
import torch

from course import experiments
from course.chapters.ch15_heads_on_real_text import corpus, probes, statistics
from course.chapters.ch15_heads_on_real_text import experiments as lab
from course.cli import main
from transformer_lib.files import read_json
from transformer_lib.interpret.patching import patch_outputs
from transformer_lib.interpret.recording import attention_layers, record_outputs
from transformer_lib.text import everyday
from transformer_lib.translator import Translator


@pytest.fixture(scope="module")
def small():
    return Translator.load("grammar")


@pytest.fixture(scope="module")
def large():
    return Translator.load("tatoeba")


@pytest.fixture(scope="module")
def items():
    return corpus.template_items(adjectives=1)


def few(kind, count=8, **more):
    return corpus.template_items([kind], adjectives=1, **more)[:count]


@pytest.fixture(scope="module")
def earlier():
    return Translator.load(lab.EARLIER)


# --- sentences ---


def test_a_pair_differs_in_the_noun_and_in_what_agrees():
    one, other = few("after is", 2)
    assert (one.english, other.english) == ("The road is small.", "The street is small.")
    assert one.spanish == "El camino es pequeño." and one.wrong == "El camino es pequeña."
    assert other.spanish == "La calle es pequeña." and other.wrong == "La calle es pequeño."
    assert (one.pair, one.group, one.gender, other.gender) == (0, 0, "m", "f")
    one = few("another noun between", 1)[0]
    assert one.noun == ("road", 0) and one.other[0] in one.english and one.noun_out != one.other_out


def test_the_article_can_be_what_is_asked():
    one, other = few("beside the noun", 2, asked="article")
    assert one.spanish == "Veo el camino pequeño." and one.wrong == "Veo la camino pequeño."
    assert other.wrong == "Veo el calle pequeña."


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


def test_in_spanish():
    assert corpus.in_spanish("street", True) == "la calle"
    assert corpus.in_spanish("streets", True) == "las calles"
    assert corpus.in_spanish("dogs", False) == "los perros"


# --- places ---


def test_words_are_found_in_pieces(large, small):
    tokens = large.src.tokens(large.src.preprocess("The mysterious cows, and the cows."))
    words = corpus.word_places(large.src, tokens)
    assert [word for word, _ in words] == [
        "the",
        "mysterious",
        "cows",
        ",",
        "and",
        "the",
        "cows",
        ".",
    ]
    assert sorted(place for _, places in words for place in places) == list(range(len(tokens)))
    assert corpus.find(words, "Cows", 1)[0] > corpus.find(words, "cows")[-1]
    with pytest.raises(LookupError, match="'cows' doesn't stand there 3 times"):
        corpus.find(words, "cows", 2)
    assert corpus.word_places(small.src, ["I", "go"]) == [("i", [0]), ("go", [1])]
    assert corpus.phrase(words, ("the", "cows")) == [p for _, ps in words[5:7] for p in ps]
    assert corpus.phrase(words, ()) == []
    with pytest.raises(LookupError, match="the dog"):
        corpus.phrase(words, ("the", "dog"))


@pytest.mark.parametrize("name", ["small", "large"])
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
            "ñ", "Ã±" if name == "large" else "ñ"
        )
        assert batch.kept[int(batch.partner[row])].pair == item.pair
    assert (batch.partner != batch.rows).all()


def test_sentences_that_cannot_be_read_are_left_out(small):
    whole = few("after is", 2)
    unknown = [corpus.Item(**{**vars(whole[0]), "english": "The xylophone is small."})]
    assert corpus.AgreementBatch(small, whole + unknown).kept == whole
    with pytest.raises(ValueError, match="none of these 1 sentences"):
        corpus.AgreementBatch(small, unknown)


# --- changes ---


def test_switched_off_barred_and_swapped():
    weights = torch.rand(2, 3, 4, 4).softmax(dim=-1)
    edits = probes.off([("a", 0), ("b", 1), ("a", 2)])
    assert edits["a"](weights)[:, [0, 2]].sum() == 0 and edits["b"](weights)[:, 1].sum() == 0
    assert torch.equal(edits["a"](weights)[:, 1], weights[:, 1])
    asks, keys = torch.zeros(2, 4, dtype=torch.bool), torch.zeros(2, 4, dtype=torch.bool)
    asks[:, 1], keys[0, 2], keys[1, 3] = True, True, True
    closed = probes.barred(asks, keys)(weights)
    assert (closed[0, :, 1, 2] == 0).all() and (closed[1, :, 1, 3] == 0).all()
    torch.testing.assert_close(closed.sum(-1), torch.ones(2, 3, 4))
    torch.testing.assert_close(closed[:, :, 0], weights[:, :, 0])
    other = torch.zeros_like(keys)
    other[:, 0] = True
    swapped = probes.swap_weights(asks, keys, other)(weights)
    assert torch.equal(swapped[0, :, 1, 2], weights[0, :, 1, 0])
    assert torch.equal(swapped[1, :, 1, 0], weights[1, :, 1, 3])
    assert torch.equal(swapped[:, :, 2], weights[:, :, 2])


def test_an_output_is_changed_only_inside_the_with(small):
    batch = corpus.AgreementBatch(small, few("after is"))
    before = probes.margins(small, batch)
    zero = {"encoder.layers.0": torch.zeros_like}
    assert not torch.allclose(probes.margins(small, batch, outputs=zero), before)
    torch.testing.assert_close(probes.margins(small, batch), before)
    with pytest.raises(KeyError, match="no part 'encoder.layers.9'"):
        with patch_outputs(small.model, {"encoder.layers.9": torch.zeros_like}):
            pass


# --- measures ---


def test_margins_are_differences_of_log_probabilities(small):
    batch = corpus.AgreementBatch(small, few("after is"))
    with torch.no_grad():
        logits = small.model(batch.src, batch.tgt_in)[batch.rows, batch.out].log_softmax(-1)
    by_hand = logits[batch.rows, batch.right] - logits[batch.rows, batch.wrong]
    torch.testing.assert_close(probes.margins(small, batch), by_hand, rtol=1e-4, atol=1e-4)


def test_an_interval_holds_the_mean_and_groups_stay_together():
    values, groups = torch.tensor([1.0, 1, 0, 0, 1, 1]), torch.tensor([0, 0, 1, 1, 2, 2])
    low, high = statistics.interval(values, groups)
    assert low == 0 and high == 1
    assert statistics.interval(torch.ones(6), groups) == [1, 1]
    many = torch.arange(400) % 2
    low, high = statistics.interval(many, torch.arange(400))
    assert 0.44 < low < 0.5 < high < 0.56
    assert statistics.interval(many, torch.arange(400) // 2) == [0.5, 0.5]


def test_the_head_of_notebook_13_is_found_again(small, items):
    batch = corpus.AgreementBatch(small, items[:96])
    table = probes.finds(small, batch)
    best = max(table, key=lambda row: row["finds"])
    assert (best["layer"], best["head"]) == ("encoder.layers.1.self_attn", 2)
    without = probes.right_endings(small, batch, edits=probes.off([(best["layer"], best["head"])]))
    assert probes.right_endings(small, batch) == 1 and without < 0.6


def test_place_alone_and_chance_are_what_they_say(small):
    same = corpus.AgreementBatch(
        small, few("after is")
    )  # always two words to the left, second word
    assert probes.by_place_alone(same, same, "encoder.self_attn") == 1
    assert probes.by_chance(same, "encoder.self_attn") == pytest.approx(1 / 5)
    assert probes.by_chance(same, "decoder.self_attn") == pytest.approx(2 / 4)
    other = corpus.AgreementBatch(small, few("beside the noun"))
    assert probes.by_place_alone(same, other, "encoder.self_attn") == 0


def test_all_vectors_of_a_state_bring_all_of_the_gender(small):
    batch = corpus.AgreementBatch(small, few("after is"))
    table = probes.patched(small, batch, "encoder")
    assert table.shape == (3, 5) and table[0, 1] > 0.9 > 0.1 > table[0, 0].abs()
    last = probes.patched(small, batch, "decoder")
    assert last[-1, int(batch.out[0])] == pytest.approx(1, abs=1e-4)  # what is written from
    with record_outputs(small.model, "src_positions") as outputs:
        before = probes.margins(small, batch)
    every = {"src_positions": lambda x: outputs["src_positions"][batch.partner]}
    other = probes.margins(small, batch, src=batch.src[batch.partner])
    torch.testing.assert_close(probes.margins(small, batch, outputs=every), other)
    assert (other < 0).all() and (before > 0).all()
    with pytest.raises(ValueError, match="needs its partner"):
        probes.patched(small, corpus.AgreementBatch(small, few("after is", 3)), "encoder")


def test_the_lens_ends_where_the_model_does(large):
    batch = corpus.AgreementBatch(large, few("after is"))
    found = probes.lens(large, batch)
    assert len(found) == 1 + large.model.config.N
    assert found[-1]["margin"] == pytest.approx(
        probes.margins(large, batch).mean().item(), abs=1e-4
    )
    assert found[0]["top"] == 0 and found[-1]["right"] == probes.right_endings(large, batch)


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


def test_an_experiment_with_models_of_its_own_refuses_others(tmp_path, capsys):
    command = ["experiment", "heads-off", "--model", "tatoeba", "--out", str(tmp_path)]
    assert main(command) == 2
    assert "'heads-off' has models of its own: it takes no --model" in capsys.readouterr().err


# --- what is stored ---


@pytest.mark.parametrize("name", [*lab.MODELS, "earlier"])
def test_what_is_stored_is_whole(name, request):
    stored = experiments.load("heads-on-real-text")["models"][name]
    translator = request.getfixturevalue(
        {"grammar": "small", "tatoeba": "large", "earlier": "earlier"}[name]
    )
    heads = len(attention_layers(translator.model)) * translator.model.config.h
    assert stored["sentences"] == stored["of"] == len(corpus.template_items()) == 672
    assert len(stored["heads off"]["alone"]) == heads
    assert [row["heads"] for row in stored["heads off"]["together"]] == [*lab.TOGETHER]
    assert sum(len(kind["heads"]) for kind in stored["looks"].values()) == heads
    for kind, found in stored["where"].items():
        assert len(found["source"]) == len(found["encoder"][0]), kind
        assert len(found["target"]) == len(found["decoder"][0]), kind


@pytest.mark.parametrize(("name", "there"), [("grammar", "small"), ("tatoeba", "larger")])
def test_what_people_say_has_the_score_that_it_has_elsewhere(name, there):
    told = experiments.load("heads-on-real-text")["models"][name]["everyday"]
    elsewhere = experiments.load("everyday")["everyday"][there]
    assert {"sentences", "exact_match", "bleu", "bleu_interval"} == set(told)
    assert all(told[what] == pytest.approx(elsewhere[what], abs=1e-3) for what in told)


def test_the_score_is_that_of_everyday_sentences(monkeypatch, large):
    items = everyday.load()[30:34]
    monkeypatch.setattr(everyday, "load", lambda: items)
    told = lab.everyday_score(large)
    assert told["sentences"] == 4 and 0 <= told["exact_match"] <= 1 and told["bleu"] > 0


@pytest.mark.parametrize("name", ["small", "large", "earlier"])
def test_a_part_of_it_measured_again_is_the_same(name, request):
    translator = request.getfixturevalue(name)
    stored = experiments.load("heads-on-real-text")["models"][
        {"small": "grammar", "large": "tatoeba", "earlier": "earlier"}[name]
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
