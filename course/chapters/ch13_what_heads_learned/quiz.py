"""Seven questions on the whole Transformer, which check themselves."""

import re
import textwrap
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from course.checks import Hint, NotTried, expect, in_words

Check = Callable[[Any], None]


@dataclass(frozen=True)
class Question:
    """text: with the form of the answer. reread: the notebook for who can't answer it."""

    text: str
    reread: str
    check: Check


class OtherForm(Hint):
    """The answer can't be read: nothing is known yet about what is meant."""


def form(right: bool, hint: str) -> None:
    """Nothing if the answer has the form that was asked for, else `OtherForm`."""
    if not right:
        raise OtherForm(hint)


# --- answers that are compared -------------------------------------------------------------------


def plain(answer: Any) -> str:
    """ "Self-Attention " -> "self attention": capitals, hyphens and spaces don't matter."""
    form(isinstance(answer, str), f"Give words in quotes, not {answer!r}.")
    return " ".join(re.split(r"[\s_\-–]+", answer.lower().strip(" .()")))


def letter(right: str, wrong: Mapping[str, str]) -> Check:
    """A choice by letter; wrong: what to think about, for each other one."""

    def check(answer: Any) -> None:
        choice = plain(answer)
        choices = ", ".join(sorted([right, *wrong]))
        form(choice == right or choice in wrong, f'Choose one of the letters {choices}, as "a".')
        expect(choice == right, wrong.get(choice, ""))

    return check


def listed(answer: Any, count: int) -> list[str]:
    """A list of names, or one string with commas, as plain words."""
    parts = answer.split(",") if isinstance(answer, str) else answer
    places = ", ".join(['"…"'] * count)
    wanted = f"in the form ({places})."
    form(isinstance(parts, Sequence), f"Give {count} names, {wanted}")
    names = [plain(part) for part in parts]
    form(len(names) == count, f"There should be {count}, {wanted} You gave {len(names)}.")
    return [sublayer(name, place) for place, name in enumerate(names)]


SAYS_NOTHING = set(
    "a the multi head headed multihead masked causal layer sublayer sub network fully connected "
    "position wise positionwise".split()
)
ALSO_CALLED = {
    "attn": "attention",
    "feedforward": "feed forward",
    "ffn": "feed forward",
    "ff": "feed forward",
    "selfattention": "self attention",
    "crossattention": "cross attention",
    "mha": "multi head attention",
    "mlp": "feed forward",
}
CROSS = {f"{what} attention" for what in ("encoder decoder", "source", "memory")}


def sublayer(name: str, place: int) -> str:
    """ "multi head self attn" -> "self attention"; by the paper's picture too, where each
    attention is called multi-head, and the decoder's second looks at the source. Only the
    decoder's attention to its own words is masked."""
    words = " ".join(ALSO_CALLED.get(word, word) for word in name.split()).split()
    short = " ".join(word for word in words if word not in SAYS_NOTHING) or name
    if short == "attention" and {"masked", "causal"}.intersection(words):
        return "self attention"
    if short == "attention" and "head" in words:
        short = "self attention" if place == 0 else "cross attention"
    return "cross attention" if short in CROSS else short


def numbers(answer: Any, count: int) -> tuple[int, ...]:
    form(
        isinstance(answer, Sequence)
        and not isinstance(answer, str)
        and len(answer) == count
        and all(isinstance(part, int) and not isinstance(part, bool) for part in answer),
        f"Give {count} whole numbers in the form ({', '.join('…' * count)}).",
    )
    return tuple(answer)


# --- the seven -----------------------------------------------------------------------------------


def two_halves(answer: Any) -> None:
    names = listed(answer, 2)
    expect(names != ["decoder", "encoder"], "Those are the two, in the other order.")
    expect(names == ["encoder", "decoder"], "One half reads, the other one writes.")


def how_many_layers(answer: Any) -> None:
    found = numbers(answer, 2)
    expect(found != (2, 2), "That is our small translator. The paper's is deeper.")
    expect(8 not in found, "8 is the number of heads in one layer.")
    expect(found != (12, 12), "12 is both together.")
    expect(found == (6, 6), "Both halves have the same number of layers, and it is even.")


def encoder_parts(answer: Any) -> None:
    names = listed(answer, 2)  # with one attention, its bare name says which
    names = ["self attention" if name == "attention" else name for name in names]
    expect(
        "cross attention" not in names,
        "There is nothing but the source for the encoder to look at: no cross-attention.",
    )
    expect(names != ["feed forward", "self attention"], "Those are the two; which comes first?")
    expect(
        names == ["self attention", "feed forward"],
        "In one sub-layer the words look at each other, in the other one each is alone. (Residual "
        "connection and norm belong to each of them and aren't counted.)",
    )


def decoder_parts(answer: Any) -> None:
    names = listed(answer, 3)
    right = ["self attention", "cross attention", "feed forward"]
    form("attention" not in names, "A decoder layer has two attentions: name them apart.")
    expect(
        sorted(names) != sorted(right) or names == right,
        "Those are the three, in a different order: first it looks at what is written, then at the "
        "source, then each word is alone.",
    )
    expect(
        names.count("self attention") < 2,
        "The second one doesn't look at the decoder's own words: it asks the encoder's output.",
    )
    expect(names == right, "The encoder layer's two, and in between one that looks at the source.")


def runs(answer: Any) -> None:
    found = numbers(answer, 2)
    expect(
        found[0] == 1, "The source doesn't change while we write. How many times must it be read?"
    )
    expect(
        found[1] != 4,
        "Four words, and then? It has to say that it is done: <eos> is predicted too.",
    )
    expect(
        found[1] != 1, "In training, yes, all places at once. Here each word waits for the last."
    )
    expect(found[1] == 5, "Once for each token it writes. Which are they?")


QUESTIONS = (
    Question(
        "Which half of the Transformer reads, and which one writes? Two names, the reader first.",
        "notebook 00, then 07 and 08",
        two_halves,
    ),
    Question(
        "What represents a word at the bottom of either half? (a) its embedding; (b) its embedding "
        "followed by its position, 1,024 numbers; (c) the sum of embedding and position "
        "vector; (d) its one-hot row. A letter.",
        "notebooks 02 and 03",
        letter(
            "c",
            {
                "a": "Then “dog bites man” and “man bites dog” would be the same to the encoder.",
                "b": "Nothing gets wider: d_model stays 512. The two are joined differently.",
                "d": "That is before the embedding, and as long as the vocabulary.",
            },
        ),
    ),
    Question(
        "How many layers do encoder and decoder have in the paper's base model? Two whole numbers.",
        "notebook 09, section 8",
        how_many_layers,
    ),
    Question(
        "Which two sub-layers does an encoder layer have, in order? Two names.",
        "notebook 07",
        encoder_parts,
    ),
    Question(
        "Which three sub-layers does a decoder layer have, in order? Three names.",
        "notebook 08",
        decoder_parts,
    ),
    Question(
        "At the decoder's end, a linear layer and a softmax turn each vector into (a) a vector of "
        "d_model numbers; (b) a probability for each word of the target vocabulary; (c) a "
        "probability for each word of the source sentence; (d) one word. A letter.",
        "notebook 08",
        letter(
            "b",
            {
                "a": "It is d_model wide before the linear layer.",
                "c": "Those are attention weights: a softmax too, but a different one.",
                "d": "That is one step further: somebody has to choose, greedy or with a beam.",
            },
        ),
    ),
    Question(
        "How many times do encoder and decoder run until “Me gustan los árboles” is written, one "
        "word at a time, and <eos> has ended it? Two whole numbers.",
        "notebook 08",
        runs,
    ),
)


def show() -> None:
    """Print the seven questions, each choice on a line of its own."""
    for number, question in enumerate(QUESTIONS, 1):
        lines = re.split(r" (?=\([a-d]\))|(?<=;) |(?<=\.) (?=A letter)", question.text)
        for i, line in enumerate(lines):
            first = "   " if i else f"{number}. "
            print(textwrap.fill(line, 88, initial_indent=first, subsequent_indent="   "))


def grand_summary(answers: Mapping[int, Any]) -> None:
    """Print for each of the seven answers whether it is right, and the score.

    answers: number of the question -> the answer; `...` or nothing: not tried yet.
    """
    if not isinstance(answers, Mapping):
        print("Give the answers as a table {1: ..., 2: ...}: the number, a colon, the answer.")
        return
    score = 0
    for number, question in enumerate(QUESTIONS, 1):
        answer = answers.get(number, ...)
        if answer is ... or (isinstance(answer, list | tuple) and ... in answer):
            print(f"{number}: {in_words(NotTried('not tried yet'))}")
            continue
        try:
            question.check(answer)
        except OtherForm as hint:
            print(f"{number}: {in_words(hint)}")
        except Hint as hint:
            print(f"{number}: {in_words(hint)} Reread {question.reread}.")
        else:
            print(f"{number}: {in_words(None)}")
            score += 1
    print(f"score: {score} of {len(QUESTIONS)}")
    for number in answers:
        if number not in range(1, len(QUESTIONS) + 1):
            print(f"There is no question {number!r}.")
