"""What notebook 11 says where no output of a cell shows it."""

import math
from itertools import pairwise

import pytest

from course.chapters.ch11_decoding.experiments import log_prob_of
from course.chapters.ch11_decoding.figures import EVERY_DAY
from course.experiments import load
from transformer_lib.decoding import DecoderState, beam_search
from transformer_lib.text.batching import source_batch
from transformer_lib.text.english_spanish import load as sentences
from transformer_lib.translator import Translator


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


def test_the_student_is_a_sentence_that_training_did_not_have(translator):
    training = [english for english, _ in sentences("train")]
    assert not any("am the" in english for english in training)
    likely = [
        log_prob_of(translator, "I am the student", spanish)
        for spanish in ("Soy estudiante", "Soy el estudiante")
    ]
    assert 400 < math.exp(likely[0] - likely[1]) < 500


def test_the_length_penalty_of_the_paper_turns_the_choice_for_one_sentence(translator):
    src = source_batch([translator.src.encode(EVERY_DAY)])
    written = [
        translator.tgt.decode(found.ids)
        for alpha in (0.0, 0.6)
        for found in beam_search(translator.model, src, beam_size=8, length_penalty=alpha)[0]
    ]
    assert written[1] == f"{written[0]} todos los días"


def test_what_a_written_word_costs_in_memory(translator):
    src = source_batch([translator.src.encode("I like trees")])
    state = DecoderState(translator.model, src, max_length=9, cache=True)
    sizes = []
    for _ in range(2):
        state.append(state.next_logits().argmax(dim=-1))
        sizes.append(state.decoder.bytes)
    assert sizes[1] - sizes[0] == 4 * 512  # numbers of four bytes
    assert len(translator.tgt.vocab.tokens) == 1794


def test_wider_beams_find_likelier_and_shorter_sentences_that_are_not_more_often_right():
    stored = {(row["split"], row["beam"], row["alpha"]): row for row in load("beam")["rows"]}
    curve = [stored["longer", beam, 0.0] for beam in (1, 2, 4, 8)]
    assert all(one["log_prob"] < more["log_prob"] for one, more in pairwise(curve))
    assert all(one["words"] > more["words"] for one, more in pairwise(curve))
    assert {stored["test", beam, 0.0]["right"] for beam in (1, 2, 4, 8)} == {997}


def test_ahead_of_greedy_the_words_are_the_same_and_the_time_hardly_less():
    for split, rows in load("speculative")["splits"].items():
        assert all(row["same"] == row["sentences"] for row in rows)
        assert all(0.8 < row["time"] < 1.1 for row in rows)
        last = rows[-1]
        assert 4.9 < last["words"] / last["rounds"] < 6
        assert (last["accepted"] / last["drafted"] > 0.95) == (split == "test")
