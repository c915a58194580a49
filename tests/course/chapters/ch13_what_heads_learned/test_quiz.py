"""The quiz at the end of the series: right answers in several forms, a hint for each wrong one."""

from course.chapters.ch13_what_heads_learned import quiz

RIGHT = {
    1: ["encoder", "decoder"],
    2: "c",
    3: (6, 6),
    4: ["self-attention", "feed-forward"],
    5: ["self-attention", "cross-attention", "feed-forward"],
    6: "b",
    7: (1, 5),
}


def answered(capsys, answers) -> list[str]:
    quiz.grand_summary(answers)
    return capsys.readouterr().out.splitlines()


def test_all_right(capsys):
    lines = answered(capsys, RIGHT)
    assert lines == [*(f"{number}: ✓ right!" for number in range(1, 8)), "score: 7 of 7"]


def test_the_same_in_other_words(capsys):
    other = {
        1: "Encoder, Decoder",
        2: "(c)",
        3: [6, 6],
        4: ("multi-head self-attention", "feedforward"),
        5: "masked self attention, encoder-decoder attention, FFN",
        6: "B.",
        7: [1, 5],
    }
    assert answered(capsys, other)[-1] == "score: 7 of 7"


def test_nothing_tried(capsys):
    for answers in ({}, dict.fromkeys(range(1, 8), ...), {4: [..., ...]}):
        lines = answered(capsys, answers)
        assert lines == [*(f"{number}: ○ not tried yet" for number in range(1, 8)), "score: 0 of 7"]


def test_a_wrong_answer_gets_its_hint_and_a_notebook(capsys):
    for number, wrong, hint in [
        (1, ["decoder", "encoder"], "in the other order"),
        (1, ["reader", "writer"], "One half reads"),
        (2, "a", "dog bites man"),
        (2, "b", "Nothing gets wider"),
        (2, "d", "before the embedding"),
        (3, (2, 2), "our small translator"),
        (3, (8, 8), "number of heads"),
        (3, (12, 12), "both together"),
        (3, (6, 3), "the same number"),
        (4, ["feed-forward", "self-attention"], "which comes first"),
        (4, ["self-attention", "cross-attention"], "no cross-attention"),
        (4, ["norm", "feed-forward"], "each is alone"),
        (5, ["cross-attention", "self-attention", "feed-forward"], "a different order"),
        (5, ["self-attention", "self-attention", "feed-forward"], "the encoder's output"),
        (5, ["self-attention", "norm", "feed-forward"], "in between one"),
        (4, ["feed-forward", "attention"], "which comes first"),
        (5, ["masked attention", "masked attention", "feed-forward"], "the encoder's output"),
        (6, "a", "before the linear layer"),
        (6, "c", "attention weights"),
        (6, "d", "one step further"),
        (7, (5, 5), "doesn't change while we write"),
        (7, (1, 4), "<eos> is predicted too"),
        (7, (1, 1), "In training"),
        (7, (1, 6), "each token it writes"),
    ]:
        line = answered(capsys, RIGHT | {number: wrong})[number - 1]
        assert line.startswith(f"{number}: ✗ not yet. ") and hint in line
        assert line.endswith(f"Reread {quiz.QUESTIONS[number - 1].reread}.")


def test_an_answer_in_another_form_is_shown_the_form(capsys):
    for number, unread, hint in [
        (1, ["encoder"], 'There should be 2, in the form ("…", "…"). You gave 1.'),
        (1, 5, 'Give 2 names, in the form ("…", "…").'),
        (1, [1, 2], "words in quotes"),
        (2, "e", 'one of the letters a, b, c, d, as "a"'),
        (2, 3, "words in quotes"),
        (3, 6, "2 whole numbers in the form (…, …)."),
        (3, "66", "2 whole numbers"),
        (5, ["attention", "attention", "feed-forward"], "two attentions: name them apart"),
        (5, ["self-attention", "feed-forward"], 'in the form ("…", "…", "…"). You gave 2.'),
    ]:
        line = answered(capsys, RIGHT | {number: unread})[number - 1]
        assert line.startswith(f"{number}: ✗ not yet. ") and hint in line and "Reread" not in line


def test_an_answer_that_is_no_table(capsys):
    assert answered(capsys, ["encoder"])[0].startswith("Give the answers as a table")
