"""What notebook 09 counts: waiting, path, parameters, and the shapes inside a layer."""

import torch
from torch import nn

from course.chapters.ch09_whole_transformer import experiments as lab
from transformer_lib.model.transformer import count_parameters


def test_a_window_is_the_word_itself_and_the_four_before():
    x = torch.zeros(1, 20, 8)
    x[0, 9] = torch.nan  # ink: it stains every word that sees it
    with torch.no_grad():
        stained = lab.convolution_round()(x, x)[0].isnan().any(dim=-1).nonzero().flatten()
    assert stained.tolist() == [9, 10, 11, 12, 13]


def test_the_recurrent_rounds_are_those_of_a_gru():
    """After as many rounds as words, the states are those of PyTorch's GRU."""
    gru, cell = nn.GRU(8, 8, batch_first=True), nn.GRUCell(8, 8)
    cell.load_state_dict({name.removesuffix("_l0"): p for name, p in gru.state_dict().items()})
    x, state = torch.randn(1, 5, 8), torch.zeros(1, 5, 8)
    for _ in range(5):
        state = lab.recurrent_round(cell)(x, state)
    torch.testing.assert_close(state, gru(x)[0])


def test_the_base_model_is_mostly_feed_forward():
    tied = lab.on_paper(37_000, 37_000, tie_weights="all")
    parts = lab.parts(tied)
    assert count_parameters(tied) == 63_045_632 == sum(parts.values())
    assert max(parts, key=parts.get) == "feed-forward"
    untied = lab.parts(lab.on_paper(37_000, 37_000))
    words = untied["embeddings"] + untied["generator"]
    assert round(sum(untied.values()) / 1e6, 1) == 100.9 and words > sum(untied.values()) / 2
