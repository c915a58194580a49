"""The translator as a language model: who sees whom in the one text, and the stored results."""

import dataclasses
import statistics

import pytest
import torch

from course.chapters.ch17_gpt import experiment_one_text as lab
from course.experiments import load_runs
from course.experiments.long_training import best_loss
from transformer_lib import count_parameters
from transformer_lib.decoding import greedy_decode
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.variants.language_model import LanguageModel

TINY = dataclasses.replace(lab.ONE_STACK, d_model=16, d_ff=32)
BASE = load_runs("since", what="base", chosen=True)
MASKS = {"GPT": lab.gpt_mask, "prefix": lab.both_ways}


def model_with(mask):
    torch.manual_seed(0)
    return lab.OneText(9, 12, TINY, mask).double().eval()


@pytest.fixture(params=MASKS)
def model(request):
    return model_with(MASKS[request.param])


def decode(model, src, tgt_in):
    return model.decode(tgt_in, model.encode(src), src)


SRC, TGT = torch.tensor([[5, 6, 7, EOS]]), torch.tensor([[BOS, 5, 6, 7]])


def test_only_under_the_prefix_mask_the_prompt_sees_what_comes_later():
    for mask, sees_later in [("GPT", False), ("prefix", True)]:
        text = torch.cat([SRC, TGT], dim=1)
        seen = MASKS[mask](text).expand(1, 1, 8, 8)[0, 0]
        for i in range(8):
            for j in range(8):
                assert seen[i, j] == (j <= i or (sees_later and j < 4))


def test_padding_counts_for_nothing(model):
    alone = decode(model, SRC, TGT)
    src, tgt_in = source_batch([[5, 6, 7], [5, 6, 7, 8, 7, 6]]), torch.full((2, 6), PAD)
    tgt_in[0, :4], tgt_in[1] = TGT[0], torch.tensor([BOS, 5, 6, 7, 8, 9])
    torch.testing.assert_close(decode(model, src, tgt_in)[:1, :4], alone)


def test_it_is_the_language_model_of_the_one_text():
    model = model_with(lab.gpt_mask)
    plain = LanguageModel(12 + 9 - 4, TINY).double().eval()
    plain.load_state_dict(model.state_dict())
    # English 5 6 7 are the words 13 14 15 of both languages
    text = torch.tensor([[13, 14, 15, EOS, BOS, 5, 6, 7]])
    torch.testing.assert_close(decode(model, SRC, TGT), plain.decode(text)[:, 4:])


def test_it_writes_word_by_word_what_it_finds_likeliest(model):
    sources = [[5, 6, 7], [8], [6, 6, 5, 7, 8]]
    written = greedy_decode(model, source_batch(sources), max_length=6, cache=False)
    for source, words in zip(sources, written, strict=True):
        read = torch.tensor([[BOS, *words]])
        logits = model.generator(decode(model, source_batch([source]), read))[0]
        logits[:, [PAD, BOS]] = -torch.inf
        written_on = [*words, EOS][:6]  # six words are the most
        assert logits.argmax(dim=-1).tolist()[: len(written_on)] == written_on


def test_all_ways_are_equally_large():
    ways = (lab.TRANSLATOR, *lab.SPECS)
    sizes = [count_parameters(spec.build(955, 1794)) for spec in ways]
    assert max(sizes) < 1.02 * min(sizes)


# --- what is stored ---


def test_the_translator_is_the_base_of_notebook_18():
    assert lab.TRANSLATOR.what == "base"
    # of its ten seeds those that the two language models have
    base = [run for run in BASE if run["seed"] in lab.SEEDS]
    for split in lab.ASKED:
        assert lab.summary()[0][split] == [run["right"][split] for run in base]


def test_the_numbers_that_notebook_17_tells():
    translator, gpt, prefix = ways = lab.summary()
    for split, told in [("test", [0.85, 0.79, 0.76]), ("longer", [0.18, 0.21, 0.05])]:
        assert [round(statistics.mean(way[split]), 2) for way in ways] == told
    assert {round(way["parameters"], -3) for way in ways} == {408_000}
    assert len(english_spanish.load("train")) == 100_000 and lab.TRAINING.steps == 1200
    for split, alike in [("pronoun", ways), ("test", (gpt, prefix))]:
        for one in alike:
            assert all(min(one[split]) < max(other[split]) for other in alike)  # the seeds overlap
    assert min(translator["test"]) > max(gpt["test"] + prefix["test"])
    ten = sorted(map(best_loss, BASE))
    assert len(ten) == 10 and ten[8] < min(gpt["loss"]) < ten[9] < sorted(gpt["loss"])[1]
    assert max(gpt["loss"]) < min(prefix["loss"])


def test_half_or_twice_the_learning_rate_costs_each_kind_at_least_14_points():
    runs = load_runs("prompting-translations", seed=0)
    for kind in {run["what"] for run in runs}:
        of_kind = {run["max_lr"]: run["right"]["test"] for run in runs if run["what"] == kind}
        best = of_kind.pop(0.004)
        assert all(best - other >= 0.14 for other in of_kind.values()), kind
