"""What notebook 05 says of one head and of several, where no output of a cell shows it."""

import torch

from course.chapters.journey.experiments import trace
from transformer_lib import Translator, patch_attention
from transformer_lib.interpret.patching import ablate_head
from transformer_lib.text import english_spanish

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


def test_without_one_head_person_and_number_go_wrong_and_without_another_the_gender():
    translator = Translator.load()
    sentences = [english for english, _ in english_spanish.load("test")[:200]]
    whole, changed = translator.translate(sentences), {}
    for head in (1, 2):
        with patch_attention(translator.model, {"encoder.layers.1.self_attn": ablate_head(head)}):
            without = translator.translate(sentences)
        both = zip(whole, without, strict=True)
        changed[head] = [(a.text, b.text) for a, b in both if a.text != b.text]

    def only_gender(a: str, b: str) -> bool:
        return a.replace("o", "a") == b.replace("o", "a")

    assert (len(changed[1]), len(changed[2])) == (29, 49)
    assert sum(only_gender(*pair) for pair in changed[2]) == 41
    fallen = [pair for pair in changed[2] if only_gender(*pair)]
    assert sum(all(x == "a" for x, y in zip(a, b, strict=True) if x != y) for a, b in fallen) == 36
    words = [(a.split(), b.split()) for a, b in changed[1] if not only_gender(a, b)]
    assert sum(len(a) == len(b) for a, b in words) == 28, "the 29th is another sentence"


def test_heads_with_large_weights_need_not_matter():
    translator = Translator.load()
    sentences = [english for english, _ in english_spanish.load("test")[:200]]
    whole = translator.translate(sentences)

    def changed(layer: int, *heads: int) -> int:
        def off(weights: torch.Tensor) -> torch.Tensor:
            for head in heads:
                weights = ablate_head(head)(weights)
            return weights

        with patch_attention(translator.model, {f"encoder.layers.{layer}.self_attn": off}):
            without = translator.translate(sentences)
        return sum(a.text != b.text for a, b in zip(whole, without, strict=True))

    assert changed(0, 2) == changed(0, 3) == 1
    assert changed(1, 0, 3) == 3


def test_no_spanish_word_looks_at_what_comes_later():
    weights = trace(Translator.load(), "I like trees").weights["decoder.layers.1.self_attn"]
    assert weights.triu(1).max() == 0
