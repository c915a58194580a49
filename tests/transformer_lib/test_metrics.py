"""The measures by hand, and the interventions on matrices small enough to read."""

import dataclasses

import pytest
import torch

from transformer_lib import metrics as evaluation
from transformer_lib.interpret import pronouns
from transformer_lib.interpret.patching import ablate_head, block_attention, swap_attention
from transformer_lib.interpret.pronouns import (
    PronounBatch,
    agreement,
    best_head,
    head_accuracy,
    head_report,
    measurable,
)
from transformer_lib.interpret.recording import record_attention
from transformer_lib.metrics import (
    evaluate_everyday,
    evaluate_pronouns,
    evaluate_split,
    evaluate_text,
    quick_bleu,
    sacrebleu_score,
    text_scores,
)
from transformer_lib.model.transformer import make_model
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.text.everyday import EverydayItem
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import EOS, Tokenizer, Vocabulary
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import Translator

ENGLISH = "the animal did not cross street because it was too tired wide , road".split()
SPANISH = "el animal no cruzó la calle porque como estaba era cansado cansada ancho ancha ,".split()


@pytest.fixture
def translator():
    torch.manual_seed(0)
    src = Language(Tokenizer("en"), Vocabulary(ENGLISH))
    tgt = Language(Tokenizer("es"), Vocabulary(SPANISH))
    model = make_model(len(src.vocab), len(tgt.vocab), N=2, d_model=12, d_ff=14, h=3)
    return Translator(model, src, tgt)


def item(adjective="tired", right="cansado", wrong="cansada", pair=1, copula="estaba"):
    antecedent, other = (1, 6) if adjective == "tired" else (6, 1)
    return PronounItem(
        english=f"The animal didn't cross the street because it was too {adjective}",
        spanish=f"El animal no cruzó la calle porque {copula} {right}",
        pair=pair,
        pronoun=8,
        adjective=11,
        antecedent=antecedent,
        other=other,
        right=right,
        wrong=wrong,
    )


def pair(number):
    return [item(pair=number), item("wide", "ancha", "ancho", number, copula="era")]


# --- scores


def with_translations(monkeypatch, translator, found):
    monkeypatch.setattr(translator, "translate_all", lambda texts: [found[text] for text in texts])


def test_bleu_while_training_takes_sentences_from_all_over(translator, monkeypatch):
    def copy(_, src, max_length):
        longest.append(max_length)
        return [[i for i in row if i > EOS] for row in src.tolist()]

    longest = []
    monkeypatch.setattr(evaluation, "greedy_decode", copy)
    right, wrong = ([4, 5, 6, 7, 8], [4, 5, 6, 7, 8]), ([4, 5, 6, 7], [9, 10, 11, 12, 13, 14])
    pairs = [right, wrong, wrong, right, wrong, wrong, right]
    assert quick_bleu(translator, pairs, count=3) == pytest.approx(100)
    assert longest == [5 + 10]
    assert quick_bleu(translator, pairs, count=7) < 80
    assert quick_bleu(translator, pairs[:2], count=7) < 80


def test_exact_match_counts_sentences_that_are_right_to_the_letter(translator, monkeypatch):
    pairs = [
        ("the animal did not cross", "El animal no cruzó la calle"),
        ("the street was too wide", "La calle era ancha"),
        ("the road was too wide", "La calle era ancha"),
    ]
    found = dict(pairs) | {"the road was too wide": "la calle era ancha"}
    with_translations(monkeypatch, translator, found)
    scores = evaluate_split(translator, pairs)
    assert scores["exact_match"] == pytest.approx(2 / 3)
    assert scores["sentences"] == 3
    assert 0 < scores["bleu"] < 100
    assert "tok:13a" in scores["bleu_signature"]


def test_perfect_translations_have_bleu_100(translator, monkeypatch):
    one = item()
    with_translations(monkeypatch, translator, {one.english: one.spanish})
    assert evaluate_split(translator, [(one.english, one.spanish)])["bleu"] == pytest.approx(100)


def test_token_accuracy_counts_next_words_after_a_right_beginning(translator):
    target = translator.tgt.vocab
    with torch.no_grad():  # a generator that always says "el", whatever it reads
        translator.model.decoder.layers[-1].residual_feed_forward.norm.weight.zero_()
        translator.model.decoder.layers[-1].residual_feed_forward.norm.bias.fill_(1.0)
        translator.model.generator.proj.weight.zero_()
        translator.model.generator.proj.weight[target.ids["el"]] = 1.0
    # el animal <eos>, la calle <eos>: one of six words is "el"
    pairs = [("the animal", "El animal"), ("the street", "La calle")]
    assert evaluation.token_accuracy(translator, pairs) == pytest.approx(1 / 6)


def test_a_pair_counts_only_if_both_members_are_right(translator, monkeypatch):
    items = pair(1) + pair(2)
    found = {one.english: one.spanish for one in pair(1)}
    with_translations(monkeypatch, translator, found)
    assert evaluate_pronouns(translator, items)["pair_exact_match"] == 1.0
    found[items[1].english] = "La calle"
    assert evaluate_pronouns(translator, items)["pair_exact_match"] == 0.0
    assert evaluate_pronouns(translator, items)["exact_match"] == 0.5


# --- several references


HUNGRY = ["Tengo mucha hambre hoy.", "Hoy tengo mucha hambre."]
RAIN = ["Está lloviendo."]


def test_any_of_the_references_is_right():
    scores = text_scores(["Hoy tengo mucha hambre.", "Llueve."], [HUNGRY, RAIN])
    assert scores["exact_match"] == 0.5
    scores = text_scores(["Hoy tengo mucha hambre.", "Está lloviendo."], [HUNGRY, RAIN])
    assert (scores["exact_match"], scores["bleu"]) == (1.0, pytest.approx(100))
    assert "nrefs:var" in scores["bleu_signature"]
    assert text_scores(["hoy tengo mucha hambre."], [HUNGRY])["exact_match"] == 0
    assert text_scores(["Hoy tengo mucha hambre"], [HUNGRY])["exact_match"] == 0


def test_a_text_is_no_list_of_references():
    """Its letters would be taken for references."""
    with pytest.raises(TypeError, match="list of references"):
        text_scores(["Llueve."], ["Llueve."])


def test_every_sentence_needs_its_references():
    with pytest.raises(ValueError, match="shorter"):
        text_scores(["Llueve.", "Está lloviendo."], [RAIN])


def test_chrf_gives_credit_for_parts_of_words():
    near = sacrebleu_score("chrf", ["Estaba lloviendo."], [RAIN])
    far = sacrebleu_score("chrf", ["Hace sol."], [RAIN])
    assert 100 > near["chrf"] > far["chrf"] and "nc:6" in near["chrf_signature"]
    assert sacrebleu_score("chrf", RAIN, [["Llueve.", *RAIN]])["chrf"] == pytest.approx(100)


@pytest.mark.parametrize("name", ["bleu", "chrf"])
def test_the_interval_is_drawn_by_lot_with_a_seed_that_is_told(name, monkeypatch):
    monkeypatch.delenv("SACREBLEU_SEED", raising=False)
    mixed = ["Tengo mucha hambre hoy.", "No llueve.", "Está lloviendo.", "Tengo sed."] * 3
    references = [HUNGRY, RAIN, RAIN, HUNGRY] * 3
    one, again = (sacrebleu_score(name, mixed, references, resamples=200) for _ in range(2))
    low, high = one[f"{name}_interval"]
    assert one == again and low < one[name] < high
    assert "bs:200|seed:12345" in one[f"{name}_signature"]
    monkeypatch.setenv("SACREBLEU_SEED", "1")
    other = sacrebleu_score(name, mixed, references, resamples=200)
    assert other[name] == one[name] and other[f"{name}_interval"] != one[f"{name}_interval"]
    right = sacrebleu_score(name, HUNGRY, [HUNGRY, HUNGRY], resamples=200)
    assert right[f"{name}_interval"] == pytest.approx([100, 100])
    nothing = sacrebleu_score(name, ["???"] * 2, [["a"]] * 2, resamples=200)
    assert nothing[f"{name}_interval"] == [0, 0]


def test_a_score_without_an_interval_where_a_set_of_sentences_has_nothing_right():
    """A quarter of the sets holds the second sentence twice."""
    score = sacrebleu_score("chrf", ["Llueve.", "???"], [["Llueve."], ["a"]], resamples=50)
    assert score["chrf"] > 0 and "bs" not in score["chrf_signature"]


def test_a_sentence_on_several_lines_counts_once(translator, monkeypatch):
    monkeypatch.setattr(evaluation, "RESAMPLES", 20)
    pairs = [
        ("the animal", "El animal"),
        ("the street", "La calle"),
        ("the animal", "La calle"),
        ("the animal", "El animal"),
    ]
    with_translations(monkeypatch, translator, {"the animal": "La calle", "the street": "El"})
    scores = evaluate_text(translator, pairs)
    assert (scores["sentences"], scores["references"], scores["exact_match"]) == (2, 3, 0.5)
    assert {"bleu_interval", "chrf_interval", "token_accuracy"} <= scores.keys()
    monkeypatch.setattr(evaluation, "MOST_RESAMPLED", 1)
    assert "bleu_interval" not in evaluate_text(translator, pairs)


def test_everyday_sentences_by_group_and_by_what_was_seen(translator, monkeypatch):
    monkeypatch.setattr(evaluation, "RESAMPLES", 20)
    items = [
        EverydayItem("The animal was wide.", ("El animal es ancho.", "Es ancho."), "shape"),
        EverydayItem("The road", ("La calle",), "shape"),
        EverydayItem("It is raining.", ("Llueve.",), "weather"),
    ]
    scores = evaluate_everyday(translator, items, training=["IT IS RAINING"])
    assert scores["unreadable"] == 1  # the words of rain are not in the vocabulary
    assert scores["groups"]["unseen"] == {"sentences": 2, "exact_match": 0}

    def found(texts):
        texts = [type("Found", (), {"text": text}) for text in ("Es ancho.", "La calle")]
        return [[texts[0]], [texts[1]], InputError("no such word")]

    monkeypatch.setattr(translator, "translate_many", found)
    scores = evaluate_everyday(translator, items, training=["the road", "It rains"])
    assert scores["exact_match"] == pytest.approx(2 / 3)
    assert scores["groups"] == {
        "shape": {"sentences": 2, "exact_match": 1},
        "weather": {"sentences": 1, "exact_match": 0},
        "seen": {"sentences": 1, "exact_match": 1},
        "unseen": {"sentences": 2, "exact_match": 0.5},
    }
    assert [found["right"] for found in scores["translations"]] == [True, True, False]
    assert evaluate_everyday(translator, items)["groups"].keys() == {"shape", "weather"}


# --- interventions


WEIGHTS = torch.tensor([[0.2, 0.3, 0.5], [0.6, 0.3, 0.1], [0.0, 0.5, 0.5]]).expand(2, 2, 3, 3)
ROWS, QUERY = torch.arange(2), torch.tensor([0, 2])


def test_switching_a_head_off():
    edited = ablate_head(1)(WEIGHTS)
    assert edited[:, 1].abs().sum() == 0
    assert torch.equal(edited[:, 0], WEIGHTS[:, 0])


def test_forbidding_a_look_spreads_it_over_the_other_words():
    edited = block_attention(ROWS, QUERY, [torch.tensor([2, 1])])(WEIGHTS)
    torch.testing.assert_close(edited[0, :, 0], torch.tensor([[0.4, 0.6, 0.0]] * 2))
    torch.testing.assert_close(edited[1, :, 2], torch.tensor([[0.0, 0.0, 1.0]] * 2))
    assert torch.equal(edited[0, :, 1:], WEIGHTS[0, :, 1:])


def test_swapping_two_numbers_in_one_row_of_one_head():
    edited = swap_attention(ROWS, 1, QUERY, torch.tensor([0, 0]), torch.tensor([2, 1]))(WEIGHTS)
    torch.testing.assert_close(edited[0, 1, 0], torch.tensor([0.5, 0.3, 0.2]))
    torch.testing.assert_close(edited[1, 1, 2], torch.tensor([0.5, 0.0, 0.5]))
    assert torch.equal(edited[:, 0], WEIGHTS[:, 0])
    assert torch.equal(edited[0, 1, 1:], WEIGHTS[0, 1, 1:])
    everywhere = swap_attention(
        ROWS, slice(None), QUERY, torch.tensor([0, 0]), torch.tensor([2, 1])
    )(WEIGHTS)
    assert torch.equal(everywhere, edited[:, [1, 1]])


# --- heads


def test_the_places_are_those_of_the_words(translator):
    batch = PronounBatch(translator, pair(1))
    src, tgt = translator.src.vocab.tokens, translator.tgt.vocab.tokens
    for row, adjective, noun, right in (
        (0, "tired", "animal", "cansado"),
        (1, "wide", "street", "ancha"),
    ):
        ids = batch.src[row]
        assert src[ids[batch.adjective[row]]] == adjective
        assert src[ids[batch.pronoun[row]]] == "it"
        assert src[ids[batch.antecedent[row]]] == noun
        assert tgt[batch.tgt_out[row, batch.adjective_out[row]]] == right
        assert tgt[batch.tgt_out[row, batch.pronoun_out[row]]] == ("estaba", "era")[row]


def test_the_adjective_is_found_in_both_clause_orders(translator):
    turned = dataclasses.replace(item(), spanish="Como estaba cansado, el animal no cruzó la calle")
    batch = PronounBatch(translator, [turned])
    assert (batch.pronoun_out.item(), batch.adjective_out.item()) == (1, 2)


def test_head_accuracy_counts_where_the_largest_weight_goes(translator):
    items = pair(1)
    batch = PronounBatch(translator, items)
    with torch.no_grad(), record_attention(translator.model.eval()) as weights:
        translator.model(batch.src, batch.tgt_in)
    table = {
        (row["layer"], row["head"], row["from"]): row for row in head_accuracy(translator, batch)
    }
    assert len(table) == 2 * 2 * 3 * 2  # encoder and cross, 2 layers, 3 heads, 2 words
    layer = "encoder.layers.1.self_attn"
    looks = [weights[layer][i, 2, one.adjective] for i, one in enumerate(items)]
    row = table[layer, 2, "adjective"]
    right = [int(look.argmax()) == one.antecedent for look, one in zip(looks, items, strict=True)]
    mass = [look[one.antecedent].item() for look, one in zip(looks, items, strict=True)]
    assert row["right"] == sum(right) / 2
    assert row["mass"] == pytest.approx(sum(mass) / 2)
    assert row["right"] + row["other"] <= 1


def test_agreement_compares_the_two_genders(translator):
    batch = PronounBatch(translator, pair(1))
    ids = translator.tgt.vocab.ids
    with torch.no_grad():  # cansado before cansada, but ancho before ancha: one of two is right
        proj = translator.model.generator.proj.weight
        x = translator.model.eval()
        hidden = x.decode(batch.tgt_in, x.encode(batch.src), batch.src)
        first, second = hidden[batch.rows, batch.adjective_out]
        proj[ids["cansado"]], proj[ids["cansada"]] = first, -first
        proj[ids["ancho"]], proj[ids["ancha"]] = second, -second
    assert agreement(translator, batch) == 0.5


def test_two_pairs_together_go_to_one_half_and_the_next_two_to_the_other(translator):
    items = [one for number in range(1, 10) for one in pair(number)]
    halves = [[one.pair for one in measurable(translator, items, half)] for half in (0, 1)]
    assert halves == [[1, 1, 4, 4, 5, 5, 8, 8, 9, 9], [2, 2, 3, 3, 6, 6, 7, 7]]
    unknown = [item(right="rojo", pair=2), item(wrong="roja")]
    assert not any(measurable(translator, unknown, half) for half in (0, 1))


def test_the_report_chooses_the_head_on_one_half_and_measures_on_the_other(translator):
    report = head_report(translator, pair(1) + pair(2) + pair(3))
    assert report["sentences"] == 4  # pairs 2 and 3
    assert report["best_head"] in report["heads"]
    assert len(report["each_head_off"]) == 2 * 2 * 3
    assert all(0 <= share <= 1 for share in report["agreement"].values())


def test_the_head_is_chosen_on_the_half_that_measures_nothing(translator, monkeypatch):
    halves = []

    def remembered(*given, half):
        halves.append(half)
        return measurable(*given, half)

    monkeypatch.setattr(pronouns, "measurable", remembered)
    items = pair(1) + pair(2)
    best_head(translator, items)
    assert halves == [0]
    head_report(translator, items)
    assert halves == [0, 0, 1]
