"""What notebook 02 says is what its cells print, and what no cell shows."""

import re

import pytest
import torch

from course.grammar.classes import english_class
from course.notebook_tools import sections


def test_the_nearest_words_to_trees_and_cow_share_number_and_gender(translator):
    table = torch.nn.functional.normalize(translator.model.src_embed.table.weight.detach(), dim=-1)
    words = translator.src.vocab.tokens
    for word, gender, number in (("trees", "m", "many"), ("cow", "f", "one")):
        near = (table @ table[words.index(word)]).topk(6).indices[1:]
        kinds = [english_class(words[i]) for i in near]
        assert {(kind.gender, kind.number) for kind in kinds} == {(gender, number)}


CELLS = sections.series()["02_embeddings"].cells


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("a6a59da3", r"(?:step|it) (\d+\.\d)"),
        ("embeddings-60", r"(\d+)"),
        ("4d17d137", r"(\d+)"),
        ("embeddings-80", r"(\d+%)"),
    ],
)
def test_the_words_after_a_cell_give_the_numbers_that_it_prints(cell, number):
    place = [one.id for one in CELLS].index(cell)
    printed = re.findall(number, "".join(out.get("text", "") for out in CELLS[place].outputs))
    said = CELLS[place + 1].source
    assert printed and all(re.search(rf"\b{found}(?!\d)", said) for found in printed)
