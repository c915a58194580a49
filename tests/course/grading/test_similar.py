"""Work that is alike is found whatever was renamed, and honest work isn't mixed up with it."""

import re
import time

from course.grading.__main__ import main
from course.grading.assignment_files import grade_id, text
from course.grading.collect import collect
from course.grading.similar import MOST, compare
from tests.course.grading.classroom import ATTENTION, filled_in, hand_in, solutions, table

WORDS = [
    "The largest weight grows from 0.5 to 0.97, because the scores spread as d_k grows.",
    "Without the root the softmax becomes a maximum: I saw 0.99 for the first word at once.",
    "I had expected less. The weights were 0.2 and 0.8, later 0.01 and 0.99, so it matters.",
]


HONEST = {  # what three students hand in, who have never met
    "two_weights": [
        "two_weights = (1 / 4, 3 / 4)",
        "import numpy as np\ntwo_weights = np.array([0.75, 0.25])[::-1]",
        "two_weights = '0.25', ' .75 '",
    ],
    "my_weights": [
        """
        def my_weights(query, key):
            scores = torch.einsum("qd,kd->qk", query, key) / query.shape[1] ** 0.5
            return torch.softmax(scores, dim=1)
        """,
        """
        def my_weights(query, key):
            rows = []
            for one in query:
                scores = torch.stack([torch.dot(one, other) for other in key]) / len(one) ** 0.5
                powers = torch.exp(scores - scores.max())
                rows.append(powers / powers.sum())
            return torch.stack(rows)
        """,
        """
        def my_weights(query, key):
            return torch.nn.functional.one_hot((query @ key.T).argmax(-1), len(key))
        """,
    ],
    "my_attention": [
        """
        def my_attention(q, k, v):
            scores = torch.einsum("bhqd,bhkd->bhqk", q, k) * q.shape[-1] ** -0.5
            return torch.einsum("bhqk,bhkd->bhqd", scores.softmax(-1), v)
        """,
        """
        def one_head(q, k, v):
            weights = (q @ k.T / len(q[0]) ** 0.5).softmax(dim=1)
            return weights @ v

        def my_attention(query, key, value):
            return torch.stack([
                torch.stack([one_head(*head) for head in zip(*sentence)])
                for sentence in zip(query, key, value)
            ])
        """,
        """
        def my_attention(query, key, value):
            powers = (query @ key.transpose(-2, -1) / math.sqrt(key.size(-1))).exp()
            return (powers / powers.sum(dim=-1)) @ value
        """,
    ],
    "w_q": [
        "w_q = torch.zeros(4, 4)\nw_q[3] = torch.tensor([0.0, 9.0, 0.0, 0.0])",
        "w_q = [[0, 0, 0, 0], [0, 0, 0, 0], [0, 9, 0, 0], [0, 0, 0, 0]]",
        "w_q = torch.ones(4, 4) * 10",
    ],
}


def honest(seed):
    """The notebook of one of three students."""
    answers = {name: ways[seed] for name, ways in HONEST.items()}
    return filled_in(ATTENTION, answers | {"why-the-root": WORDS[seed]})


def renamed(notebook):
    """A copy whose author renamed what could be renamed, and put the words differently."""
    for cell in notebook["cells"]:
        if cell["cell_type"] == "code":
            code = re.sub(r"\b(scores|query|key|vectors|model)\b", r"the_\1_of_mine", text(cell))
            cell["source"] = "# My own work\n" + code.replace(" = ", "=")
        elif text(cell) in WORDS:
            cell["source"] = "Nothing of what they said."
    return notebook


def compared(folder):
    return compare(ATTENTION, collect(folder, ATTENTION).submissions)[0]


def test_copies_are_the_most_alike(tmp_path):
    """Of code under other names, and of words in other letters."""
    for seed in range(3):
        hand_in(tmp_path / f"{seed}.ipynb", honest(seed))
    hand_in(tmp_path / "code.ipynb", renamed(honest(0)))
    words = {"why-the-root": f"Well! {WORDS[2].upper()}"}
    hand_in(tmp_path / "words.ipynb", filled_in(ATTENTION, words))
    first, second, *others = compared(tmp_path)
    assert {(one.first.student, one.second.student) for one in (first, second)} == {
        ("0", "code"),
        ("2", "words"),
    }
    assert first.code > 0.9 and first.words == 0 and second.words > 0.8
    assert all(one.most < 0.8 for one in others)


def test_what_was_handed_out_and_what_is_right_does_not_count(tmp_path):
    for student, words in (("ana", WORDS[0]), ("ben", WORDS[1])):
        answers = solutions(ATTENTION) | {"why-the-root": words}
        hand_in(tmp_path / f"{student}.ipynb", filled_in(ATTENTION, answers))
    (pair,) = compared(tmp_path)
    assert (pair.code, pair.words) == (0, 0)


def test_five_megabytes_are_compared_in_part(tmp_path):
    """What is pasted into one cell doesn't hide the others, and doesn't take minutes."""
    for seed, (student, size) in enumerate((("ana", 5_000_000), ("ben", 4_000_000), ("cem", 0))):
        notebook = honest(1 if student == "ben" else seed)
        pasted = "".join(f"{student}{i} = {i * seed % 89}\n" for i in range(size // 12))
        for cell in notebook["cells"]:
            if pasted and grade_id(cell) == "two_weights":
                cell["source"] = f"{text(cell)}\n{pasted}"
        hand_in(tmp_path / f"{student}.ipynb", notebook)
    start = time.process_time()
    pairs = compared(tmp_path)
    assert len(pairs) == 3 and time.process_time() - start < 60


def test_the_report(tmp_path, capsys):
    folder, out = tmp_path / "in", tmp_path / "out"
    for seed in range(3):
        hand_in(folder / f"{seed}.ipynb", honest(seed))
    harm = {"my_weights": "def my_weights(query, key):\n    return '<script>', [x for x in query]"}
    for student in ("=x", "y"):
        hand_in(folder / f"{student}.ipynb", filled_in(ATTENTION, harm))
    (folder / "scan.ipynb").write_text("no notebook")
    assert main(["similar", "2", str(folder), "--out", str(out)]) == 0
    told = capsys.readouterr().out
    assert "Pairs compared: 10," in told
    assert "Not compared, as there is nothing to read: scan\n" in told
    page = (out / "similar.html").read_text(encoding="utf-8")
    assert MOST == 10 and 1 <= page.count("<h2>") <= 10  # as the guide says
    assert "never a grade" in page and "=x and y" in page
    assert "Not compared, as there is nothing to read: scan." in page
    assert ";;" not in page
    assert "<mark>" in page and "&lt;script&gt;" in page and "<script" not in page
    rows = table(out / "similar.csv")
    assert len(rows) == 10 and rows[0]["first"] == "'=x"
