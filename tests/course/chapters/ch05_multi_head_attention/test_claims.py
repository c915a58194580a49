"""What notebook 05 says of one head and of several, where no output of a cell shows it."""

import torch

from course.chapters.ch05_multi_head_attention import figures
from course.chapters.journey.experiments import trace
from transformer_lib import Translator, patch_attention

RIDDLE = "The animal didn't cross the street because it was too "


def test_one_head_blurs_only_because_its_weights_are_equal():
    dog, man = torch.eye(2)
    for weights, same in (([0.5, 0.5], True), ([0.75, 0.25], False)):
        row = torch.tensor(weights)
        both = row @ torch.stack([dog, man]), row @ torch.stack([man, dog])
        assert torch.equal(*both) == same


def test_cansado_needs_no_head_of_the_encoder_but_ancha_does():
    """So the text may ask whether a head is the reason for the -o, and not say that one is."""
    translator = Translator.load()
    off = {f"encoder.layers.{i}.self_attn": lambda weights: 0 * weights for i in (0, 1)}
    with patch_attention(translator.model, off):
        written = [translator.translate(RIDDLE + one).text for one in ("tired", "wide")]
    assert [text.split()[-1] for text in written] == ["cansado", "ancho"]


def test_in_one_head_it_gives_the_animal_nearly_all_and_in_the_mean_less_than_a_quarter():
    maps = Translator.load().attention_maps(RIDDLE + "tired")
    heads = figures.encoder_heads(maps)
    it, animal = maps.src.index("it"), maps.src.index("animal")
    assert round(float(heads["layer 1, head 2"][it, animal]), 2) == 0.98
    mean = torch.stack(list(heads.values()))[:, it].mean(dim=0)
    assert 0.98 / 8 < mean[animal] < 0.25 and mean.argmax() != animal


def test_no_spanish_word_looks_at_what_comes_later():
    weights = trace(Translator.load(), "I like trees").weights["decoder.layers.1.self_attn"]
    assert weights.triu(1).max() == 0
