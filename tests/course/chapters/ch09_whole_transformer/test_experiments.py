"""What notebook 09 counts: waiting, path, parameters, and the shapes inside a layer."""

import torch

from course.chapters.ch09_whole_transformer import experiments as lab
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.transformer import count_parameters


def test_a_window_is_the_word_itself_and_the_four_before():
    x = torch.zeros(1, 20, 8)
    x[0, 9] = torch.nan  # ink: it stains every word that sees it
    with torch.no_grad():
        stained = lab.convolution_round()(x, x)[0].isnan().any(dim=-1).nonzero().flatten()
    assert stained.tolist() == [9, 10, 11, 12, 13]
    attend = MultiHeadAttention(8, h=2)
    sees = lab.sees(lambda x, _: lab.restricted(attend, x), torch.randn(1, 20, 8), x[:, :0], 13)
    assert sees == ([], [9, 10, 11, 12, 13])


def test_the_base_model_is_mostly_feed_forward():
    tied = lab.on_paper(37_000, 37_000, tie_weights="all")
    parts = lab.parts(tied)
    assert count_parameters(tied) == 63_045_632 == sum(parts.values())
    assert max(parts, key=parts.get) == "feed-forward"
    untied = lab.parts(lab.on_paper(37_000, 37_000))
    words = untied["embeddings"] + untied["generator"]
    assert round(sum(untied.values()) / 1e6, 1) == 100.9 and words > sum(untied.values()) / 2
