"""A small GPT: its text as the grammar writes it, what is judged, and the stored results."""

import math

import pytest
import torch

from course.chapters.ch17_gpt import experiment_language_model as language_model
from course.chapters.ch17_gpt import experiments as gpt
from course.experiments import load, load_runs
from course.grammar.random_choices import Draw
from course.grammar.splits import draw_sentence
from course.grammar.surprise import CountingDraw, draw_counted
from course.grammar.words import english_text
from transformer_lib.recipes import learn_language
from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.training.step import batch_loss
from transformer_lib.variants.language_model import LanguageModel, as_lm_pairs

TEXTS = [english_text(draw_sentence(draw).english) for draw in [Draw(seed=2)] for _ in range(300)]


@pytest.fixture(scope="module")
def words():
    return learn_language("en", TEXTS)


def test_the_floor_counts_the_tokens_of_the_model(words):
    # each word of the grammar is one token: nats per token mean the same of both
    draw = Draw(seed=2)
    for text in TEXTS:
        assert len(words.encode(text)) == len(draw_sentence(draw).english.words)


def test_the_floor_is_that_of_the_sentences_that_are_scored():
    """The same 500, and 2,000, in the same order; measured again, the same nats."""
    counting = CountingDraw(language_model.VALIDATION_SEED)
    drawn, nats, tokens = [], 0.0, 0
    for _ in range(language_model.SHORT_VALIDATION):
        sentence, cost = draw_counted(counting)
        drawn.append(english_text(sentence.english))
        nats, tokens = nats + cost, tokens + len(sentence.english.words) + 1
    assert drawn == gpt.training_data()[2]
    assert gpt.floor() == pytest.approx(nats / tokens)
    longer = language_model.sentences(language_model.VALIDATION, language_model.VALIDATION_SEED)
    assert longer[: len(drawn)] == drawn
    stored = load("floor")
    floors = [stored["grammar"], *stored["validation"].values()]
    assert [round(one["nats_per_token"], 3) for one in floors] == [1.984, 1.96, 1.953]
    assert [one["sentences"] for one in floors] == [40_000, 500, 2_000]


def test_the_interval_of_a_share():
    """Wilson's, by hand: none of ten, half of a hundred; and it contains what was seen."""
    assert gpt.interval(0.0, 10) == pytest.approx((0.0, 0.2775), abs=1e-3)
    assert gpt.interval(0.5, 100) == pytest.approx((0.4038, 0.5962), abs=1e-3)
    assert gpt.interval(0.2, 150) == pytest.approx((0.144, 0.271), abs=1e-3)


def test_what_is_judged():
    texts = ["I like trees", "I like trees", "I like tree", "We are tired"]
    assert gpt.judge(texts, ["We are tired"]) == {
        "drawn": 4,
        "own": 0.75,
        "own_and_new": 0.5,
        "different": 0.75,
        "words": 7,
    }


def test_random_weights_begin_above_all_words_equal(words):
    batch = make_batch(as_lm_pairs([words.encode(text) for text in TEXTS]))
    for seed in range(3):
        torch.manual_seed(seed)
        model = LanguageModel(len(words.vocab), gpt.MODEL).eval()
        tokens = (batch.tgt_out != PAD).sum()
        assert batch_loss(model, batch, 0.0) / tokens > math.log(len(words.vocab)) + 0.2


# --- counting, the yardstick ---

FEW = ["I like trees", "I like music", "I like trees", "We like trees"]


def test_what_follows_two_words_is_counted():
    few = learn_language("en", FEW)
    counted, ids = gpt.Counted(few, FEW), few.vocab.ids
    like, trees, music = (ids[word] for word in ("like", "trees", "music"))
    i = few.encode("I")[0]
    assert counted.after[i, like] == {trees: 2, music: 1}
    assert counted.after[(like,)] == {trees: 3, music: 1} and counted.after[()].total() == 16
    lowest = (3 + 20 / len(few.vocab)) / (16 + 20)  # of trees, after nothing
    after_like = (3 + 20 * lowest) / (4 + 20)
    assert counted.chance((i, like), trees) == pytest.approx((2 + 20 * after_like) / (3 + 20))
    assert counted.chance((trees, like), trees) == pytest.approx(after_like)  # never seen


def test_its_chances_are_chances_and_the_loss_is_their_mean(words):
    counted = gpt.Counted(words, TEXTS)
    for before in [(BOS, BOS), (7, 9), (5,), ()]:
        chances = [counted.chance(before, word) for word in range(len(words.vocab))]
        assert sum(chances) == pytest.approx(1) and min(chances) > 0
    places = counted.places(TEXTS[0])
    assert [word for _, word in places] == [*words.encode(TEXTS[0]), EOS]
    nats = [-math.log(counted.chance(*place)) for place in places]
    assert counted.loss(TEXTS[:1]) == pytest.approx(sum(nats) / len(nats))


# --- what is stored ---


def test_what_notebook_17_tells_of_the_dials():
    plain, cold, hot, top_k, _ = rows = load("writing")["rows"]
    assert [row["what"] for row in rows] == list(gpt.DIALS)
    low, high = gpt.interval(plain["own"], plain["drawn"])
    assert 1 / 7.1 < low and high < 1 / 3.6  # "between one in seven and one in four"
    assert 2 * plain["own"] < min(cold["own"], top_k["own"])
    assert hot["own"] < plain["own"] / 2 and round(plain["own"], 2) == 0.2
    assert cold["words"] < 0.8 * plain["words"] and plain["words"] < 0.9 * hot["words"]
    assert all(row["own_and_new"] > 0.9 * row["own"] for row in rows)


def test_what_notebook_17_tells_of_counting():
    """It stands between the two others: about 1.00 nats above the floor, and the GPT 0.37."""
    words, learned, others = gpt.training_data()
    stored = load("writing")
    assert round(gpt.Counted(words, learned).loss(others) - gpt.floor(), 1) == 1.0
    assert round(stored["history"][-1]["validation_loss"], 2) == 2.33
    assert stored["sentences"] == len(learned)
    assert len(set(others) - set(learned)) > 0.95 * len(others)


def test_what_notebook_17_tells_of_the_distance_to_the_floor():
    for sizes in language_model.distances().values():
        mean = {size: sum(seeds) / len(seeds) for size, seeds in sizes.items()}
        (small, first), *_, (large, last) = mean.items()
        slope = math.log(first / last) / math.log(large / small)
        assert 0.585 < 0.5**slope < 0.665
        for size, distance in mean.items():  # at most a fifth from the straight line
            assert abs(math.log(distance / first) + slope * math.log(size / small)) < 0.2
    for run in load_runs("language-model"):  # learned by heart
        losses = [entry["validation_loss"] for entry in run["history"]]
        assert (run["sentences"] <= 3000) == (losses[-1] > losses[0] == min(losses))
