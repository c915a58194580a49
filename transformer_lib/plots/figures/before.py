"""The figures of notebook 16: what the Transformer replaced, and what that was worth."""

from collections.abc import Mapping
from typing import Any

from matplotlib.figure import Figure

from transformer_lib.plots import before
from transformer_lib.plots.figures.registry import figure

NOTEBOOK = "16_before"
SPLITS = {
    "test": "ordinary sentences",
    "noun-adjective": "nouns with new\nadjectives",
    "gustar": "liking: gustar",
    "pronoun": "“it” and its noun",
    "longer": "longer than any\nin training",
}
LEARNED = 14  # tokens of the longest sentence in training


def runs() -> list[Mapping[str, Any]]:
    from transformer_lib.experiments.before import chosen

    return [run for mine in chosen().values() for run in mine]


@figure(
    "before-three",
    notebook=NOTEBOOK,
    hero=True,
    caption="What a word is written from: one state, all states, or all words.",
    alt="Three rows of boxes, one for each word of 'I like trees' and 'me gustan los árboles'. "
    "2014: arrows lead from box to box through all of them, and only the filled box at the "
    "end of the English leads to the Spanish. 2015: the same chain, and from 'árboles' "
    "arrows to all English boxes, the thickest to 'trees'. 2017: no chain; English boxes are "
    "joined to each other, and arrows lead from 'árboles' to all English and all earlier "
    "Spanish boxes.",
)
def draw_three() -> Figure:
    return before.three_machines("I like trees <eos>".split(), "me gustan los árboles".split())


@figure(
    "before-backwards",
    notebook=NOTEBOOK,
    caption="A recurrent translator of digits: what it looks at, and what share it has right.",
    alt="On the left a map: to write the digits of a row backwards, the look goes from the last "
    "digit to the first, a dark band from top right to bottom left. On the right the share "
    "of rows without a mistake against their length: without a look back it falls from 100 % "
    "with 3 digits to 3 % with 10; with a dot product it stays above 96 % up to 9 digits and "
    "is near 86 % with 10; with additive scores it stays above 95 %.",
)
def draw_backwards() -> Figure:
    from transformer_lib import experiments

    stored = experiments.load("backwards")
    looks = next(run["looks"] for run in stored["runs"] if run["attention"] == "dot")
    return before.backwards(looks, stored["row"], stored["runs"])


@figure(
    "before-splits",
    notebook=NOTEBOOK,
    caption="Right to the letter, by kind of sentence: four translators, three seeds each.",
    alt="Five rows, a mark for each of three seeds; the means, without a look back, with dot "
    "products, with additive scores and of the Transformer: Ordinary sentences: 77, 90, 96 "
    "and 96 %. Nouns with new adjectives: 56, 84, 93 and 92 %. Liking: 84, 93, 96 and 94 %. "
    "“It” and its noun: 59, 67, 85 and 94 %. Longer than any in training: 6, 68, 85 and 38 "
    "%.",
)
def draw_splits() -> Figure:
    return before.right_by_split(runs(), SPLITS)


@figure(
    "before-length",
    notebook=NOTEBOOK,
    caption="Right to the letter, by the length of the sentence: four translators, three seeds.",
    alt="Four curves over 3 to 18 tokens. Up to 14 tokens the Transformer stays between 89 and "
    "96 %, the additive one between 85 and 98 %; with dot products it sinks from above 90 % "
    "to 74 %, without a look from 92 % to 52 %. At a dashed line behind 14 tokens, longer "
    "than any in training, the one without a look falls to 9 % and on to 0, the Transformer "
    "to 65, 25, 10 and 4 %; dot product and additive go on above 60 and 75 %. No curve is "
    "smooth: the kinds of sentences change with the length, and with 18 tokens there are 60.",
)
def draw_length() -> Figure:
    return before.right_by_length(runs(), LEARNED)


@figure(
    "before-maps",
    notebook=NOTEBOOK,
    caption="Where a recurrent translator and a Transformer look while they write one sentence.",
    alt="Two maps, Spanish words against English ones, of the sentence about animal and street. "
    "With additive scores each row has a single dark cell, and these go down in a line that "
    "leaves out 'did' and 'it'. In the mean of the four heads in the Transformer's layer 1 the "
    "line is the same, but several rows, such as 'el', 'cruzó' and 'la', are spread over two or "
    "more words: single heads are nearly as sharp as the additive look.",
)
def draw_maps() -> Figure:
    from transformer_lib.experiments.before import chosen

    additive, transformer = (chosen()[name][0]["map"] for name in ("additive", "transformer"))
    titles = "additive scores", "Transformer, layer 1,\nmean of 4 heads"
    return before.two_maps(dict(zip(titles, (additive, transformer), strict=True)))


@figure(
    "before-gender",
    notebook=NOTEBOOK,
    caption="Adjectives in the right gender, as trained and after changes in two different places.",
    alt="Nine bars with three dots each. As trained, 63 to 66 % are right without a look, 64 to "
    "70 % with dot products, 84 to 87 % with additive scores, 94 to 95 % in the Transformer. "
    "With the nouns' two numbers swapped in the look, the recurrent ones have the same; when it "
    "may not see the adjective, 58 to 60 % are right with dot products, 61 to 74 % with "
    "additive scores. With the nouns swapped in one head of their reader, another place, the "
    "Transformers have 9, 10 and 45 %.",
)
def draw_gender() -> Figure:
    return before.genders(runs())


@figure(
    "before-waiting",
    notebook=NOTEBOOK,
    caption="Four kinds of layers: time beside that of self-attention, one sentence at a time.",
    alt="Two panels, one and two threads: time as a multiple of that of self-attention, against "
    "8 to 512 words in one sentence. On one thread the recurrent layer rises from 3 times with 8 "
    "words to 10 times with 128, and falls to 3 times with 512; on two from 2 times to 14 times "
    "with 128, and is at 8 times with 512. Restricted self-attention lies between 1.3 and 2.6 "
    "times, and below 1 with 512 words. Convolution is fastest, between 1/9 and 1.",
)
def draw_waiting() -> Figure:
    from transformer_lib import experiments

    return before.times_beside(experiments.load("waiting")["runs"])
