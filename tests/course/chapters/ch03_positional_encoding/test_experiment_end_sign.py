"""The experiment on the row of <eos>: what is changed where, and what was found."""

import pytest
import torch

from course import experiments
from course.chapters.ch03_positional_encoding import experiment_end_sign as end_sign
from course.chapters.journey.experiments import untrained
from transformer_lib.text.batching import source_batch
from transformer_lib.text.tokens import EOS
from transformer_lib.translator import Translator

SRC = source_batch([[25, 40, 498], [25, 40, 498, 30, 31]])  # the first is padded


@pytest.fixture(scope="module")
def translator():
    return Translator.load()


@pytest.mark.parametrize("which, places", [("<eos>", [3, 5]), ("last word", [2, 4])])
def test_only_the_named_place_is_changed(translator, which, places):
    model = translator.model
    with torch.no_grad():
        before = model.src_embed(SRC)
        with end_sign.changed(model, which, lambda x, at: x + at[:, None]):
            during = model.src_embed(SRC)
    moved = (during - before)[..., 0].round()
    expected = torch.zeros_like(moved)
    for row, place in enumerate(places):
        expected[row, place] = place
    assert torch.equal(moved, expected)
    assert torch.equal(model.src_embed(SRC), before)
    assert not model.src_embed._forward_hooks


def test_changes_do_what_they_are_called(translator):
    model = translator.model
    table, row = model.src_positions.table, model.src_embed.table.weight[EOS] * 128**0.5
    common = end_sign.mean_position(model)
    found, at = end_sign.changes(model), torch.tensor([3])

    def after(name: str) -> torch.Tensor:
        """The sum of row and position, with this change."""
        return (found[name][1](row[None], at) + table[3])[0].detach()

    close = torch.testing.assert_close
    close(after("<eos>: 8 further"), (row + table[11]).detach())
    close(after("<eos>: no position"), row.detach())
    close(after("<eos>: a row of zeros"), table[3])
    without = after("<eos>: without the part along the positions") - table[3]
    assert abs(without @ common) < 1e-4
    along = after("<eos>: only the part along the positions") - table[3]
    close(without + along, row.detach())
    assert torch.cosine_similarity(along, common, dim=0) == pytest.approx(-1)
    elsewhere = after("<eos>: as much changed elsewhere") - table[3] - row.detach()
    assert elsewhere.norm() == pytest.approx(along.norm().item(), rel=1e-4)


def test_what_is_stored_is_whole_and_is_what_is_measured(translator):
    stored = experiments.load("end-sign")
    runs = {(run["seed"], run["steps"], run["d_model"]): run for run in stored["runs"]}
    assert list(runs) == [
        (0, 0, 128),
        *((*run, 128) for run in end_sign.RUNS),
        *((*run, 64) for run in end_sign.NARROW),
    ]
    names = ["as trained", *end_sign.changes(translator.model)]
    assert all(list(runs[*run, 128]["right"]) == names for run in end_sign.RUNS)
    for key, model in (((0, 0, 128), untrained(translator)), ((0, 8000, 128), translator)):
        for name, value in end_sign.against_the_positions(model).items():
            assert value == pytest.approx(runs[key]["rows"][name], abs=0.01), name


def test_what_the_notebook_says_was_found():
    stored = experiments.load("end-sign")["runs"]
    at_first, shipped, *others = [run for run in stored if run["d_model"] == 128]
    assert abs(at_first["rows"]["eos"]) < 0.05 and shipped["rows"]["eos"] < -0.85
    assert all(-0.4 < run["rows"]["eos"] < -0.25 for run in others)
    for run in (shipped, *others):
        right = run["right"]
        assert abs(right["<eos>: 1 further"] - right["as trained"]) < 0.01
        gone = right["as trained"] - right["<eos>: without the part along the positions"]
        assert gone <= 0.0101
        assert right["last word: no position"] < right["<eos>: no position"]
        assert right["<eos>: no position"] < right["as trained"] - 0.01
    only = "<eos>: only the part along the positions"
    assert shipped["right"][only] > 0.9 and all(run["right"][only] < 0.6 for run in others)
    zeros = [round(run["right"]["<eos>: a row of zeros"], 2) for run in (shipped, *others)]
    assert zeros[0] == 0.71 and (min(zeros[1:]), max(zeros[1:])) == (0.37, 0.45)
    assert all(
        0.05 < run["right"][only] - zero < 0.13 for run, zero in zip(others, zeros[1:], strict=True)
    )
