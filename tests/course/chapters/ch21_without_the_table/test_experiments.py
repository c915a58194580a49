"""Exchange, copying and times: the models are those that are told of, and the measures measure."""

import pytest
import torch

from course.chapters.ch17_gpt import experiment_induction as rows
from course.chapters.ch18_since_2017.experiments import BASE
from course.chapters.ch21_without_the_table import experiment_copying as copying
from course.chapters.ch21_without_the_table import experiment_times as times
from course.chapters.ch21_without_the_table import experiments as exchange
from course.chapters.ch21_without_the_table.mixers import StateMixer
from transformer_lib import count_parameters
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.text.tokens import BOS


def test_each_self_attention_gives_way_and_the_size_stays():
    for what in exchange.MAKERS:
        made = exchange.in_place_of_self_attention(what).build(955, 955)
        base = exchange.make_spec("base").build(955, 955)
        assert count_parameters(made) == pytest.approx(count_parameters(base), rel=0.01)
        mixers = [part for part in made.modules() if isinstance(part, StateMixer)]
        assert [mixer.both_ways for mixer in mixers] == BASE.N * [True] + BASE.N * [False]
        left = [part for part in made.modules() if type(part) is MultiHeadAttention]
        assert len(left) == BASE.N  # the decoder's, to the source


def test_copied_counts_the_second_row_but_for_its_first_word():
    row = [5, 6, 7, 8]
    ids = torch.tensor([[BOS, *row, *row]])

    class Knows(torch.nn.Module):
        def forward(self, ids):
            after = {5: 6, 6: 7, 7: 9, 8: 5}  # wrong about what follows 7
            said = torch.tensor([[after.get(one, 0) for one in ids[0].tolist()]])
            return torch.nn.functional.one_hot(said, 12).float()

    assert copying.copied(Knows(), ids) == pytest.approx(2 / 3)


def test_all_copiers_see_the_same_and_no_later_word():
    torch.manual_seed(0)
    ids = copying.asked(8)[:2, :-1]
    for layers in copying.models().values():
        model = rows.new_model(layers).eval()
        changed = ids.clone()
        changed[:, 9] = 4 + (changed[:, 9] - 3) % rows.WORDS
        moved = (model(ids) - model(changed)).abs().amax(dim=(0, 2)) > 1e-6
        assert not moved[:9].any() and moved[9]


def test_bytes_are_counted():
    kept = [times.kept_bytes(length) for length in (16, 32)]
    assert kept[1].pop("attention, with a cache") == 2 * kept[0].pop("attention, with a cache")
    assert kept[0] == kept[1]
    assert kept[0]["linear attention"] == 4 * 4 * 32 * 33


def test_every_way_that_is_timed_reads_the_same_text():
    torch.manual_seed(0)
    with torch.inference_mode():
        found = {name: read() for name, read in times.whole_text(20).items()}
        for name in times.mixers():
            ways = [found[f"{name}, {way}"] for way in ("at once", "in blocks", "word by word")]
            for way in ways[1:]:
                torch.testing.assert_close(way, ways[0], rtol=1e-3, atol=1e-4)
        for step in times.one_more_word(20).values():
            step()
