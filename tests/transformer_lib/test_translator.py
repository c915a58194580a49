"""Text in, text out, with a model of random weights: nonsense, but well formed."""

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
import torch

from transformer_lib import metrics
from transformer_lib import translator as translating
from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.decoding import Hypothesis
from transformer_lib.text.parallel import digest, read_parallel
from transformer_lib.text.subwords import Subwords
from transformer_lib.text.tokens import Vocabulary, learn_truecasing
from transformer_lib.text.user_input import InputError, UserInput
from transformer_lib.training.threads import FEW, using_threads
from transformer_lib.translator import MODELS, SHIPPED_MODEL, Translator, model_folder


def test_models_go_by_name(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert model_folder("grammar") == SHIPPED_MODEL == MODELS["grammar"]
    assert model_folder("tatoeba") == MODELS["tatoeba"]
    assert model_folder("./tatoeba") == Path("tatoeba")  # a folder of one's own
    assert model_folder(Path("tatoeba")) == Path("tatoeba")


def test_saying_never_stops(translator, capsys):
    translator.say("I like trees.")
    translator.say("I like xylophones")
    translator.say(...)
    first, second, third = capsys.readouterr().out.splitlines()
    assert first == translator.translate("I like trees.").text
    assert second.startswith("I can't read that: this model has not learned 'xylophones';")
    assert third.startswith("I can't read that: give one sentence in quotes")


def test_the_translations_of_a_beam_come_best_first(translator):
    best = translator.translate("I like trees", beam=3, n_best=3)
    log_probs = [one.log_prob for one in (best, *best.others)]
    assert len(log_probs) == len({best.text, *(one.text for one in best.others)}) == 3
    assert str(best) == best.text and all(not one.others for one in best.others)


def test_what_cannot_be_read_keeps_its_place_among_many(translator):
    texts = ["Ana", "", "I like zebras", "Ana \udcff"]
    good, empty, bad, broken = translator.translate(texts, return_errors=True)
    assert good == translator.translate("Ana")
    for error, part in ((empty, "empty"), (bad, "'zebras'"), (broken, "not UTF-8 text, from lett")):
        assert isinstance(error, InputError) and part in str(error)
    assert translator.translate([]) == []
    with pytest.raises(InputError, match="text 2 of 4: .* empty"):
        translator.translate(texts)


TEXT = "I like trees"
SUBWORDS = Translator.load("tatoeba").src.tokenizer
NEED_A_LIST = {
    "translate": lambda t: t.translate(TEXT.encode()),
    "mean_log_probs": lambda t: metrics.mean_log_probs(t, TEXT),
    "text_scores": lambda t: metrics.text_scores(TEXT, [[a] for a in TEXT]),
    "sacrebleu_score": lambda t: metrics.sacrebleu_score("chrf", TEXT, [[a] for a in TEXT]),
    "learn_truecasing": lambda t: learn_truecasing(TEXT, t.src.tokenizer),
    "detokenize": lambda t: t.tgt.tokenizer.detokenize(TEXT),
    "Vocabulary": lambda t: Vocabulary("abc"),
    "Vocabulary.build": lambda t: Vocabulary.build([TEXT]),
    "encode": lambda t: t.src.vocab.encode(TEXT),
    "Subwords.learn": lambda t: Subwords.learn(TEXT, 300),
    "encode_all": lambda t: SUBWORDS.encode_all(TEXT),
    "Subwords.detokenize": lambda t: SUBWORDS.detokenize(TEXT),
    "read_parallel": lambda t: list(read_parallel("pairs.tsv")),
    "digest": lambda t: digest("pairs.tsv"),
}


@pytest.mark.parametrize("function", NEED_A_LIST)
def test_a_text_is_no_list_of_texts(translator, function):
    """Its letters would be taken for texts."""
    with pytest.raises(TypeError, match="a list of .* is needed"):
        NEED_A_LIST[function](translator)


def test_a_few_sentences_take_one_thread_and_give_the_others_back(translator, monkeypatch):
    seen = []

    def spied(search):
        return lambda *given, **how: seen.append(torch.get_num_threads()) or search(*given, **how)

    for name in ("beam_search", "sample_decode", "greedy_decode"):
        monkeypatch.setattr(translating, name, spied(getattr(translating, name)))
    with using_threads(2):
        translator.translate("I like trees", beam=5)
        translator.translate(["I like trees"] * FEW, beam=8)  # 16 at a time
        translator.translate("I like trees", sample={})
        translator.attention_maps("I like trees")
        with ThreadPoolExecutor() as others:
            others.submit(translator.translate, "I like trees").result()
        assert seen == [1, 2, 2, 1, 1, 2] and torch.get_num_threads() == 2


def test_a_translation_is_one_line(translator):
    """Whatever bytes a model writes one by one."""
    odd = Hypothesis([translator.tgt.vocab.ids["me"]], -1.0, -1.0, True)
    for sign in "\t\n\r\x0b\x0c\x1c\x85\u2028\x00\x1b\x7f":
        translator.tgt.vocab.tokens[odd.ids[0]] = f"ma{sign}{sign}ma{sign}"
        assert translator.translation(odd, UserInput("x")).text == "Ma ma"


def test_a_seed_draws_the_same_for_many_as_one_by_one(translator):
    """Also where a line in between can't be read, and whatever a batch would hold."""
    texts = ["I do not like trees", "", "Ana", "do I like the queen's duck?"]

    def how():
        return {"n_best": 2, "sample": {"generator": torch.Generator().manual_seed(3)}}

    together = translator.translate(texts, **how(), return_errors=True)
    same = how()
    one_by_one = [translator.translate(text, **same) for text in texts if text]
    assert [found for found in together if not isinstance(found, InputError)] == one_by_one
    assert together != translator.translate(texts[::-1], **how(), return_errors=True)[::-1]


def test_looks_have_a_label_for_every_row_and_column(translator):
    maps = translator.attention_maps("I like trees", translation=["me", "gustan", "los", "árboles"])
    assert maps.src == ["I", "like", "trees", "<eos>"]
    assert maps.tgt_in[1:] == maps.tgt_out[:-1] == ["me", "gustan", "los", "árboles"]
    assert (maps.tgt_in[0], maps.tgt_out[-1]) == ("<bos>", "<eos>")
    last = maps.weights["decoder.layers.1.cross_attn"]
    assert last.shape == (3, 5, 4) and maps.last_cross_attention().equal(last.mean(dim=0))
    own = translator.attention_maps("I like trees")  # of its own translation
    assert own.tgt_out[:-1] == translator.translate("I like trees").tokens


def test_a_translator_comes_back_from_its_folder(translator, tmp_path):
    translator.save(tmp_path)
    assert Translator.load(tmp_path).confidence is None
    assert Translator.load(tmp_path).notice == ""
    translator.confidence = ConfidenceThresholds(-0.1, -0.2, 7)
    translator.notice = "Learned from what others wrote: name them, á.\n"
    translator.save(tmp_path)
    loaded = Translator.load(tmp_path)
    assert loaded.confidence == translator.confidence and loaded.notice == translator.notice
    assert loaded.src.vocab.tokens == translator.src.vocab.tokens
    assert loaded.translate("Ana's duck") == translator.translate("Ana's duck")
    assert loaded.read("i like ana") == ["I", "like", "Ana"]
