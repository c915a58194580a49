"""The exercises of notebook 13: predictions about the shipped translator, and a function.

And one of assignment 6.
"""

import functools
from typing import Any

import torch
from torch import Tensor

from course.chapters.ch00_start_here.checks import shipped, spanish
from course.checks import Exercise, Hint, Value, drawn, exercise, expect, no_slip, one_number
from transformer_lib.interpret.patching import ablate_head, patch_attention, swap_attention
from transformer_lib.interpret.pronouns import measurable
from transformer_lib.interpret.recording import attention_layers

LAYER, HEAD = "encoder.layers.1.self_attn", 2  # what the notebook finds; a test finds it again
GUILTY = "decoder.layers.1.cross_attn", 1  # without it verbs go wrong


def word_read(guess: Any) -> str:
    expect(isinstance(guess, str), "Give the word in quotes.")
    return guess.strip(" .").lower()


def another_word(guess: str) -> None:
    raise Hint(
        f"{guess} isn't what it writes. The English adjective is still read, so the Spanish word "
        "is a form of estrecho; which one does the model take when it knows no noun?"
    )


without_the_head = Value(
    "without_the_head",
    "The last Spanish word of the narrow suitcase with the best head switched off.",
    read=word_read,
    right="estrecho",
    mistakes={
        "estrecha": "estrecha is what the whole model writes: it agrees with maleta. Without the "
        "head, what is left of that?",
    },
    unlike=another_word,
)


@exercise
def guilty_head(layer: str, head: int, share: float) -> None:
    """The head without which the verb is least often right, and the share that is left."""
    known = attention_layers(shipped().model)
    expect(
        layer in known and head in range(shipped().model.config.h),
        'Give the layer as the library calls it, such as "encoder.layers.1.self_attn", and the '
        "head as a number from 0 to 3.",
    )
    expect(
        (layer, head) != (LAYER, 1),
        "That is the head of the picture. Switch it off: how many verbs are still right?",
    )
    expect(
        (layer, head) != (LAYER, HEAD),
        "That one carries the gender of the noun. How many verbs are right without it?",
    )
    measured = verbs_without(layer, head)
    expect(
        (layer, head) == GUILTY,
        f"Without this head {measured:.2f} of the verbs are right. Another one is missed more: try "
        "the heads of all six layers, the decoder's too.",
    )
    wanted = "The head is right. Give the share as a number from 0 to 1."
    share = one_number(share, wanted)
    expect(0 <= share <= 1, wanted)
    no_slip(
        abs(share - (1 - measured)) > 0.01,
        "That is the share of verbs that go wrong. The question is how many stay right.",
    )
    no_slip(abs(share - measured) < 0.01, "The head is right; measure the share again.")


@functools.cache
def verbs_without(layer: str, head: int) -> float:
    """The share of right verbs in the measured sentences without this head."""
    from course.chapters.ch13_what_heads_learned.experiments import right_verbs
    from transformer_lib.interpret.pronouns import PronounBatch
    from transformer_lib.text import english_spanish

    items = measurable(shipped(), english_spanish.load_pronoun(), half=1)
    return right_verbs(shipped(), PronounBatch(shipped(), items), {layer: ablate_head(head)})


# B sentences, H heads, S words: different primes, so that a swapped axis can't pass.
B, H, S = 5, 3, 7


def rows_and_places() -> tuple[Tensor, Tensor]:
    """Weights (B, H, S), and a place for each sentence, at which some heads look most."""
    scores = drawn(B, H, S, seed=1)
    places = torch.tensor([3, 6, 0, 1, 2])
    for sentence, head in ((0, 0), (1, 0), (2, 0), (3, 0), (0, 1), (2, 1), (4, 2)):
        scores[sentence, head, places[sentence]] = 3.0
    return scores.softmax(dim=-1), places


def hits(rows: Tensor, places: Tensor) -> Tensor:
    """Is the largest weight at the place? (b, h)"""
    return rows.argmax(dim=-1) == places[:, None]


def on_place(rows: Tensor, places: Tensor) -> Tensor:
    """The weights at the places, (b, h)."""
    return rows[torch.arange(len(rows)), :, places]


AN_AXIS = (
    "The places, (b), are compared with something (b, h), and PyTorch lines up the last axes. "
    "Give the places an axis for the heads: places[:, None]."
)
TRUTH = "The mean of True and False isn't defined: make numbers of them first, with .float()."
share_on = Exercise(
    "share_on",
    "share_on(rows, places): (b, h, s), (b) -> (h), in what share of the sentences the largest "
    "weight of each head is at the place.",
    inputs=rows_and_places,
    right=[
        lambda rows, places: hits(rows, places).float().mean(dim=0),
        lambda rows, places: torch.tensor(
            [sum(head == places).item() / len(places) for head in rows.argmax(dim=-1).T]
        ),
    ],
    errors={
        f"tensor a ({H}) must match the size of tensor b ({B})": AN_AXIS,
        "mean(): could not infer": TRUTH,
        "must be either a floating": TRUTH,
    },
    slips={
        AN_AXIS: [lambda rows, places: (rows.argmax(dim=-1) == places).float().mean(dim=0)],
        TRUTH: [lambda rows, places: hits(rows, places).mean(dim=0)],
        "That is a share for each sentence, over its heads. Average over the sentences, axis 0, "
        "so that each head keeps its own.": [
            lambda rows, places: hits(rows, places).float().mean(dim=1)
        ],
        "That is one number for all heads together. Average over the sentences only.": [
            lambda rows, places: hits(rows, places).float().mean()
        ],
        "That is how many. Divide by the number of sentences.": [
            lambda rows, places: hits(rows, places).sum(dim=0)
        ],
        "That says for each sentence and head whether. Now the share over the sentences.": [hits],
        "That is the mean weight on the place. The question is in how many sentences the "
        "*largest* weight is there.": [lambda rows, places: on_place(rows, places).mean(dim=0)],
        "That is how large the largest weight is, wherever it is. `argmax` says where.": [
            lambda rows, places: rows.amax(dim=-1).mean(dim=0)
        ],
        "That is the smallest weight.": [
            lambda rows, places: hits(-rows, places).float().mean(dim=0)
        ],
        "A weight can be the largest without being more than half.": [
            lambda rows, places: (on_place(rows, places) > 0.5).float().mean(dim=0)
        ],
        "That is the mean of the heads, which hides what each of them does. Take the argmax head "
        "by head.": [lambda rows, places: (rows.mean(1).argmax(-1) == places).float().mean()],
        "That is the mean place. Compare the places with those given.": [
            lambda rows, places: rows.argmax(dim=-1).float().mean(dim=0)
        ],
    },
)

OF_THE_NOTEBOOK = ("animal", "street", "trophy", "box", "suitcase")


@exercise
def flips(sentence: str, word: str, one: str, another: str) -> None:
    """A sentence in which exchanging two numbers of word's row changes the gender."""
    before = spanish(sentence)
    words = shipped().read(sentence)
    for name in (word, one, another):
        expect(name in words, f"{name!r} is not one of the words: {', '.join(words)}.")
    used = [noun for noun in OF_THE_NOTEBOOK if noun in words]
    expect(not used, f"Take other nouns: {' and '.join(used)} stand in this notebook's sentences.")
    places = [words.index(name) for name in (word, one, another)]
    with patch_attention(shipped().model, {LAYER: swap_attention(0, HEAD, *places)}):
        after = spanish(sentence)
    stays = f"The translation stays “{' '.join(before)}”. "
    expect(
        before != after or not word_without_gender(before[-1]),
        f"{stays}Its last word, *{before[-1]}*, is the same in both genders: end with an adjective "
        "that shows its gender, like *pequeño*.",
    )
    expect(
        before != after,
        f"{stays}The word that looks should be the adjective at the end, and the two nouns of "
        "different gender in Spanish.",
    )
    differ = [
        (a, b) for a, b in zip(before, after, strict=False) if a != b
    ]  # of a longer one, the rest doesn't matter: a message below says it
    expect(
        len(before) == len(after) and len(differ) == 1,
        f"More than one word has changed: “{' '.join(after)}”. Try a sentence nearer to the ones "
        "above.",
    )
    old, new = differ[0]
    expect(
        differ_in_gender(old, new),
        f"{old} became {new}: that is a different word, not a different gender.",
    )


def word_without_gender(word: str) -> bool:
    """Not *ancho* or *anchas*, but *grande*: a form for both genders."""
    return not word.removesuffix("s").endswith(("o", "a"))


@exercise
def alike_in_the_picture(changes: Any, stays: Any) -> None:
    """Assignment 6: two sentences, each with two nouns, in which the head looks the same way.

    Each is (sentence, noun, other noun) and ends with the adjective. Exchanging the two weights
    flips both; without the head the first changes its gender, the second doesn't.
    """
    without = {}
    for name, given in (("changes", changes), ("stays", stays)):
        expect(
            isinstance(given, list | tuple)
            and len(given) == 3
            and all(isinstance(part, str) for part in given),
            f"{name}: give the sentence, the noun that is meant and the other noun, each in "
            "quotes and all three in parentheses.",
        )
        without[name] = endings(name, *given)
    first, second = (before == after for before, after in without.values())
    if first and not second:
        raise Hint(
            "The two are exchanged: `changes` is the one whose ending changes without the head.",
            keeps=0.5,
        )
    no_slip(
        not (first and second),
        f"changes: without the head it still says {without['changes'][1]}. What does the model say "
        "when it knows no noun, and when would that be wrong?",
    )
    no_slip(
        second or first,
        f"stays: without the head {' becomes '.join(without['stays'])}. What does the model say "
        "when it knows no noun, and when would that be right?",
    )


@functools.cache  # the same sentence is handed in again, with another beside it
def endings(name: str, sentence: str, noun: str, other: str) -> tuple[str, str]:
    """The last Spanish word, with the head and without; a Hint if it doesn't look as asked."""
    before, words = spanish(sentence), shipped().read(sentence)
    for one in (noun, other):
        expect(one in words, f"{name}: {one!r} is not one of the words: {', '.join(words)}.")
    expect(
        "animal" not in words or "street" not in words,
        f"{name}: take nouns other than animal and street.",
    )
    row = shipped().attention_maps(sentence).weights[LAYER][HEAD, len(words) - 1]
    largest = row.argmax().item()
    looked_at = [*words, "the end of the sentence"][largest]
    expect(
        looked_at == noun,
        f"{name}: in the head {words[-1]!r} looks most at {looked_at!r}, not at {noun!r}. The "
        "sentence should end with an adjective that suits only one of the nouns, and that one "
        "comes first in the parentheses.",
    )
    weight = row[largest].item()
    expect(weight > 0.9, f"{name}: the weight on {noun!r} is {weight:.2f}; it should be above 0.9.")
    places = [len(words) - 1, words.index(noun), words.index(other)]
    with patch_attention(shipped().model, {LAYER: swap_attention(0, HEAD, *places)}):
        swapped = spanish(sentence)
    expect(
        swapped[:-1] == before[:-1] and differ_in_gender(swapped[-1], before[-1]),
        f"{name}: with the two weights exchanged it is “{' '.join(swapped)}”, but the last word "
        "should change its gender, and nothing else. Have the two nouns different genders in "
        "Spanish, and does the adjective show them?",
    )
    with patch_attention(shipped().model, {LAYER: ablate_head(HEAD)}):
        after = spanish(sentence)
    expect(
        after[:-1] == before[:-1],
        f"{name}: without the head more than the last word changes: “{' '.join(after)}”. Try a "
        "simpler sentence.",
    )
    return before[-1], after[-1]


def differ_in_gender(one: str, another: str) -> bool:
    """Two forms of one adjective, such as ancho and ancha."""
    stems = {word.removesuffix("s")[:-1] for word in (one, another)}
    return one != another and len(stems) == 1
