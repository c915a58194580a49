"""The twelve parts: our solution passes, and a classic mistake has its hint."""

import inspect
import re
from pathlib import Path

import pytest

import transformer_lib
from course.chapters.ch00_start_here.checks import shipped
from course.checks import Hint, NotTried
from course.experiments import load
from course.mine import training
from course.mine.bench import of_file
from course.mine.checks import PARTS, Own, verdict, with_shipped_weights
from course.notebook_tools import sections
from tests.course.mine.solution import BLOCKS, HEADER, MISTAKES, SOURCE, changed
from transformer_lib.text import english_spanish

PAGE = (Path(__file__).resolve().parents[3] / "docs" / "mine.md").read_text(encoding="utf-8")
NUMBERS = range(1, len(PARTS) + 1)
RIGHT = [
    (1, "self.table.embedding_dim)", "self.table.weight.size(1))"),
    (
        2,
        "10_000 ** (torch.arange(0, d_model, 2) / d_model)",
        "torch.exp(math.log(10_000) * torch.arange(0, d_model, 2) / d_model)",
    ),
    (3, "query @ key.transpose(-2, -1)", 'torch.einsum("...qd,...kd->...qk", query, key)'),
    (
        4,
        "x.unflatten(-1, (self.h, -1)).transpose(1, 2)  #",
        "torch.stack(x.chunk(self.h, -1), 1)  #",
    ),
    (5, "scores.masked_fill(~mask, -1e9)", "torch.where(mask, scores, -1e30)"),
    (7, "self.w_1(x).relu()", "self.w_1(x).clamp(min=0)"),
    (
        10,
        "x @ self.tgt_embed.table.weight.T",
        "nn.functional.linear(x, self.tgt_embed.table.weight)",
    ),
    (11, "(each * real).sum() / real.sum()", "each[real].mean()"),
    (11, "optimizer.zero_grad()\n    loss", "model.zero_grad()\n    loss"),
]


@pytest.mark.parametrize("number", NUMBERS)
def test_a_part_is_right_alone_and_the_library_lends_the_others(number):
    """Its own mistakes get their hints, and other ways to be right are right."""
    bench = of_file(HEADER + BLOCKS[number - 1])
    assert [n for n in NUMBERS if not isinstance(verdict(bench, n), NotTried)] == [number]
    assert verdict(bench, number) is None
    for part, old, new in RIGHT:
        assert part != number or verdict(of_file(changed(old, new)), number) is None, new
    for part, old, new, hint in MISTAKES:
        if part == number:
            found = verdict(of_file(changed(old, new)), number)
            assert hint in str(found) and not isinstance(found, NotTried), (hint, found)


def test_the_whole_with_the_shipped_weights_is_the_shipped_translator():
    bench, ours = of_file(SOURCE), shipped()
    assert bench.missing() == [] and verdict(bench, 12) is None
    assert with_shipped_weights(Own(bench, 12)) is not None
    translate, where = training.translator(bench, Path("nothing is there"))
    assert "the course's translator" in where
    english = [pair[0] for name in ("test", "pronoun") for pair in english_spanish.load(name)[:10]]
    assert [translate(text) for text in english] == [one.text for one in ours.translate(english)]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = 1\ndef f(:\n", "no Python yet. line 2: "),
        ("x = 1\nreturn x\n", "no Python yet. line 2: "),
        ("import torch\n\ntorch.ones(2) @ torch.ones(3)\n", "RuntimeError: .*[(]line 3"),
        ("x = 1\nexit()\n", "SystemExit: .*[(]line 2"),
        ("from transformer_lib.model.attention import attention\n", "Line 1 .*attention.*yourself"),
        ("import transformer_lib as tl\n", "Line 1 .*`transformer_lib`"),
        ("def f():\n    from transformer_lib import greedy_decode\n", "Line 2 .*greedy_decode"),
        ("from torch.nn import MultiheadAttention as M\n", "Line 1 .*MultiheadAttention`"),
        (
            "import torch.nn.functional as F\nF.scaled_dot_product_attention\n",
            "Line 2 .*scaled_dot",
        ),
    ],
)
def test_a_file_that_cannot_be_run_is_told_with_its_line(text, told):
    with pytest.raises(Hint, match=told):
        of_file(text)


PYTORCHS = "self.encoder = nn.Transformer(d_model, h, 1, 1, d_ff, batch_first=True)"


@pytest.mark.parametrize(
    ("number", "text", "told"),
    [
        (1, "class Embeddings:\n    def __init__(self, *sizes): pass\n", "an nn.Module"),
        (1, "def Embeddings(size, d_model): pass\n", "`Embeddings(11, 7)`: It returns nothing"),
        (3, "attention = 3\n", "should be a function or a class"),
        (5, "def padding_mask(ids): return ids\n", "`causal_mask` is missing"),
        (7, changed("self.w_2(self.w_1(x).relu())", "self.w_2(x)"), "(line 113)"),
        (
            8,
            HEADER + "class EncoderLayer(EncoderLayer): pass\nclass Encoder(Encoder): pass\n",
            "whole",
        ),
        (10, changed("self.encoder = Encoder(N, d_model, d_ff, h, dropout)", PYTORCHS), "too much"),
        (
            8,
            HEADER + "lent = Encoder\nclass EncoderLayer(EncoderLayer): pass\n"
            "class Encoder(nn.Module):\n    def __init__(self, *of):\n"
            "        super().__init__()\n        self.layers = lent(*of).layers\n",
            "does the whole",
        ),
        (
            12,
            HEADER + "lent = greedy_decode\ndef greedy_decode(*of): return lent(*of)\n",
            "whole part",
        ),
    ],
)
def test_a_part_of_another_kind_is_told(number, text, told):
    hint = verdict(of_file(text), number)
    assert told in str(hint) and not isinstance(hint, NotTried)


def test_what_the_page_says_is_so():
    """The names and minutes of the parts, and what the training was measured to be."""
    rows = re.findall(
        r"^\| (\d+) \| (.*) \| \[.*\]\(\.\./notebooks/(.*)\.ipynb\) \| (\d+) \|$", PAGE, re.M
    )
    for (number, names, notebook, minutes), part, block in zip(rows, PARTS, BLOCKS, strict=True):
        assert re.findall(r"`(\w+)`", names) == [*part.names] and notebook == part.notebook
        assert int(minutes) == pytest.approx(1.5 * len(re.findall(r"^.*\S", block, re.M)), abs=1), (
            number
        )
    found, page = load("from-empty"), " ".join(PAGE.split())
    for name in ("steps", "max_tokens", "warmup", "seed"):
        assert found["recipe"][name] == getattr(training, name.upper())
    assert found["recipe"].items() >= training.SIZES.items()
    right = 100 * found["exact_match"]
    assert f"right to the letter in {right:.1f} %" in page
    assert f"shipped translator has {100 * found['shipped']:.1f} %" in page
    assert f"{found['cpu_seconds'] / 60:.1f} minutes of one processor core" in page
    assert right - int(re.search(r"yours should reach (\d+) %", page)[1]) >= 5  # a margin


@pytest.mark.parametrize("notebook", sorted({part.notebook for part in PARTS}))
def test_what_a_part_needs_is_at_hand_where_it_is_written(notebook):
    """The library's names that our solution uses are imported before the reader's cell."""
    code = [cell.source for cell in sections.series()[notebook].cells if cell.cell_type == "code"]
    last = max(i for i, source in enumerate(code) if "mine.check(" in source)
    at_hand = set().union(*sections.names("\n".join(code[: last + 1])))
    own = [block for part, block in zip(PARTS, BLOCKS, strict=True) if part.notebook == notebook]
    written = {name for part in PARTS if part.notebook == notebook for name in part.names}
    library = {name for name, it in vars(transformer_lib).items() if not inspect.ismodule(it)}
    needed = sections.names("\n".join(own))[1] & library - written
    assert needed <= at_hand, needed - at_hand
