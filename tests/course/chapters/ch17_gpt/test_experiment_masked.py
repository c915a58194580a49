"""BERT's task: what is covered, what is seen, and that each place is asked for the right word."""

import pytest
import torch

from course import experiments
from course.chapters.ch17_gpt import experiment_masked as masked
from course.chapters.ch17_gpt.experiment_language_model import config
from course.chapters.ch17_gpt.experiment_masked import COVER, MaskedModel, cover, each_place
from transformer_lib.model.transformer import count_parameters
from transformer_lib.text.tokens import PAD, SPECIALS
from transformer_lib.variants.language_model import LanguageModel

WORDS = 50


def test_so_many_are_guessed_and_so_many_of_them_covered():
    generator = torch.Generator().manual_seed(0)
    ids = torch.randint(len(SPECIALS), WORDS, (20_000,), generator=generator).tolist()
    read, asked = cover(ids, WORDS, generator)
    words, seen, answers = torch.tensor(ids), torch.tensor(read), torch.tensor(asked)
    guessed = answers != PAD
    kinds = [guessed, seen == COVER, guessed & (seen == words)]
    shares = [kind.double().mean().item() for kind in kinds]
    assert shares == pytest.approx([0.15, 0.12, 0.015], abs=0.006)  # the rest is another word
    assert answers[guessed].equal(words[guessed]) and seen[~guessed].equal(words[~guessed])


def test_each_place_sees_all_words_but_no_padding():
    torch.manual_seed(0)
    model = MaskedModel(WORDS, config(16)).eval()
    ids = torch.tensor([[5, 6, 7, 8, PAD]])
    changed, longer = ids.clone(), torch.tensor([[5, 6, 7, 8, PAD, PAD]])
    changed[0, 3] = 9
    assert (model(ids) != model(changed)).any(dim=-1)[0, :4].all()
    torch.testing.assert_close(model(longer)[:, :4], model(ids)[:, :4])
    other = LanguageModel(WORDS, config(16))
    assert {name for name, _ in model.named_parameters()} == dict(other.named_parameters()).keys()
    assert count_parameters(model) == count_parameters(other)


def test_a_word_is_asked_for_while_it_is_covered():
    """A model that copies what it reads would be right everywhere if the word could be seen."""

    class Copies(MaskedModel):
        def forward(self, ids):
            seen.append(ids)
            return 20.0 * torch.nn.functional.one_hot(ids, WORDS)

    seen = []
    places = each_place(Copies(WORDS, config(16)), [[5, 6, 7]])
    assert [place for place, *_ in places] == [0, 1, 2]
    assert not any(best for *_, best in places) and all(nats > 15 for _, nats, _ in places)
    assert [row.index(COVER) for row in seen[0].tolist()] == [0, 1, 2]


def test_a_language_model_is_asked_for_the_word_after_those_it_has_read():
    class Counts(LanguageModel):
        def forward(self, ids):
            return 20.0 * torch.nn.functional.one_hot((ids + 1).clamp(max=WORDS - 1), WORDS)

    places = each_place(Counts(WORDS, config(16)), [[2, 3, 4, 9]])  # 1 is <bos>
    assert [best for *_, best in places] == [True, True, True, False]


def test_what_is_stored_is_of_equal_models_and_says_the_same_with_each_seed():
    stored = experiments.load("masked")
    assert len({run["parameters"] for run in stored["runs"]}) == 1
    assert [(run["what"], run["seed"]) for run in stored["runs"]] == [
        (what, seed) for seed in masked.SEEDS for what in ("GPT", "BERT")
    ]
    for gpt, bert in zip(stored["runs"][::2], stored["runs"][1::2], strict=True):
        for one, other in ((gpt, bert), (gpt["first_word"], bert["first_word"])):
            assert one["right"] < other["right"] and one["nats_per_word"] > other["nats_per_word"]
    # As notebook 17 tells it.
    assert masked.TRAINING.steps == 1500 and max(masked.SENTENCES) == 30_000
    assert stored["sentences"] == 2000
