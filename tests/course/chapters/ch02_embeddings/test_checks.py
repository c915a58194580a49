"""What the exercises of notebook 02 say of rows and gradients is so."""

import torch
import torch.nn.functional as F

from course.chapters.ch02_embeddings import checks as check
from transformer_lib.model.transformer import make_model


def test_cosines_show_which_rows_are_exchanged():
    articles, rows = check.exchanged_rows()
    cosines = torch.nn.functional.normalize(rows, dim=-1)
    cosines = cosines @ cosines.T
    words = list(articles)
    own = {
        word: sum(
            float(cosines[i, j])
            for j, other in enumerate(words)
            if other != word and articles[other] == articles[word]
        )
        / 3
        for i, word in enumerate(words)
    }
    odd = sorted(own, key=own.get)[:2]
    assert set(odd) == check.EXCHANGED
    assert own[odd[1]] < 0.1 < 0.12 < sorted(own.values())[2]


def test_only_the_words_of_the_sentence_learn():
    """What `rows_that_learn` says is so in a whole Transformer."""
    words = ["<pad>", "<bos>", "<eos>", "<unk>", "the", "I", "like", "trees"]
    model = make_model(len(words), 11, N=2, d_model=8, d_ff=16, h=2, dropout=0.0)
    src = torch.tensor([[words.index(w) for w in "I like trees <eos> <pad>".split()]])
    loss = F.cross_entropy(model(src, torch.tensor([[1, 5, 6]]))[0], torch.tensor([5, 6, 2]))
    loss.backward()
    moved = model.src_embed.table.weight.grad.abs().sum(dim=1) > 0
    assert [word for word, changes in zip(words, moved, strict=True) if changes] == [
        "<eos>",
        "I",
        "like",
        "trees",
    ]
