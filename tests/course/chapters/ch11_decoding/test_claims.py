"""What notebook 11 says where no output of a cell shows it."""

import math
import statistics
import threading
from itertools import pairwise

from pytest import approx

from course.chapters.ch11_decoding.experiment_speculative import DRAFT
from course.chapters.ch11_decoding.experiments import log_prob_of
from course.chapters.ch11_decoding.figures import EVERY_DAY
from course.experiments import load
from course.notebook_tools import sections
from transformer_lib.decoding import DecoderState, beam_search, penalty
from transformer_lib.text.batching import source_batch
from transformer_lib.text.english_spanish import load as sentences

STORED = {(row["split"], row["beam"], row["alpha"]): row for row in load("beam")["rows"]}


def test_the_student_is_a_sentence_that_training_did_not_have(translator):
    training = [english for english, _ in sentences("train")]
    assert not any("am the" in english for english in training)
    likely = [
        log_prob_of(translator, "I am the student", spanish)
        for spanish in ("Soy estudiante", "Soy el estudiante")
    ]
    assert 400 < math.exp(likely[0] - likely[1]) < 500


def test_the_search_of_the_notebook_ends_when_it_has_found_all_sentences():
    names = {"math": math}
    for start in ("chain = {", "def search("):
        cells = sections.series()["11_decoding"].cells
        exec(next(cell.source for cell in cells if cell.source.startswith(start)), names)  # noqa: S102
    found = []
    search = threading.Thread(
        target=lambda: found.extend(names["search"](names["after_chain"], beam_size=9)), daemon=True
    )
    search.start()
    search.join(timeout=20)
    assert [words for words, _ in found][0] == ("el", "árbol", "<eos>")
    assert len(found) == 6


def test_the_length_penalty_of_the_paper_turns_the_choice_for_one_sentence(translator):
    src = source_batch([translator.src.encode(EVERY_DAY)])
    written = [
        translator.tgt.decode(found.ids)
        for alpha in (0.0, 0.6)
        for found in beam_search(translator.model, src, beam_size=8, length_penalty=alpha)[0]
    ]
    assert written[1] == f"{written[0]} todos los días"
    scores = [
        log_prob_of(translator, EVERY_DAY, text) / penalty(words, 0.6)
        for words, text in zip((12, 15), written, strict=True)
    ]
    assert [round(score, 2) for score in scores] == [-1.67, -1.66]


def test_what_a_written_word_costs_in_memory(translator):
    src = source_batch([translator.src.encode("I like trees")])
    state = DecoderState(translator.model, src, max_length=9, cache=True)
    sizes = []
    for _ in range(2):
        state.append(state.next_logits().argmax(dim=-1))
        sizes.append(state.decoder.bytes)
    assert sizes[1] - sizes[0] == 4 * 512  # numbers of four bytes
    assert len(translator.tgt.vocab.tokens) == 1794


def test_wider_beams_find_likelier_and_shorter_sentences_that_are_not_more_often_right(translator):
    curve = [STORED["longer", beam, 0.0] for beam in (1, 2, 4, 8)]
    assert all(one["log_prob"] < more["log_prob"] for one, more in pairwise(curve))
    assert all(one["words"] > more["words"] for one, more in pairwise(curve))
    lengths = [STORED["longer", 8, alpha]["words"] for alpha in (0.0, 0.6, 1.0, 2.0, 3.0)]
    data = [len(translator.tgt.encode(spanish)) for _, spanish in sentences("longer")]
    assert lengths[1] - lengths[0] < 0.05, "the paper's alpha hardly makes them longer"
    assert max(lengths[:3]) < statistics.mean(data) - 0.2
    assert min(lengths[3:]) > statistics.mean(data) - 0.1
    assert {STORED["test", beam, 0.0]["right"] for beam in (1, 2, 4, 8)} == {997}


def repeats_itself(ids):
    return any(
        ids[at : at + n] == ids[at + n : at + 2 * n]
        for n in range(2, 8)
        for at in range(len(ids) - 2 * n + 1)
    )


def test_most_words_that_a_beam_saves_are_in_13_translations_that_repeated_themselves(translator):
    assert STORED["longer", 1, 0.0]["words"] - STORED["longer", 8, 0.0]["words"] == approx(0.307)
    circles = [62, 124, 249, 307, 418, 551, 562, 647, 787, 827, 829, 858, 879]
    pairs = sentences("longer")
    src = source_batch([translator.src.encode(pairs[i][0]) for i in circles])
    greedy, beam = (
        [
            found[0].ids
            for found in beam_search(translator.model, src, beam_size=k, length_penalty=0)
        ]
        for k in (1, 8)
    )
    assert all(repeats_itself(ids) for ids in greedy)
    assert translator.tgt.decode(greedy[0]).count("en el sendero viejo") == 6
    assert all(len(ids) < len(longer) for ids, longer in zip(beam, greedy, strict=True))
    assert sum(map(len, greedy)) - sum(map(len, beam)) == 220


def test_ahead_of_greedy_the_words_are_the_same_and_the_time_hardly_less():
    assert load("speculative")["draft"] == DRAFT, "one layer"
    for split, rows in load("speculative")["splits"].items():
        assert all(row["same"] == row["sentences"] for row in rows)
        assert all(0.835 < row["time"] < 1.1 for row in rows)
        last = rows[-1]
        assert 4.9 < last["words"] / last["rounds"] < 6
        assert (last["accepted"] / last["drafted"] > 0.95) == (split == "test")
