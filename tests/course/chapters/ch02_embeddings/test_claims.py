"""What notebook 02 says where no output of a cell shows it."""

import torch

from course.grammar.classes import english_class
from transformer_lib import Translator


def test_the_nearest_words_to_trees_and_cow_share_number_and_gender():
    translator = Translator.load()
    table = torch.nn.functional.normalize(translator.model.src_embed.table.weight.detach(), dim=-1)
    words = translator.src.vocab.tokens
    for word, gender, number in (("trees", "m", "many"), ("cow", "f", "one")):
        near = (table @ table[words.index(word)]).topk(6).indices[1:]
        kinds = [english_class(words[i]) for i in near]
        assert {(kind.gender, kind.number) for kind in kinds} == {(gender, number)}
