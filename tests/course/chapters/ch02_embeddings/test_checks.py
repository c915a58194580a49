"""What the exercises of notebook 02 say of rows is so."""

import torch

from course.chapters.ch02_embeddings import checks as check


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
