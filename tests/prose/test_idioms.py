"""Idioms that aren't English: each was found in the course, translated word by word.

A pattern is here only if it is nearly always wrong. Where a hit is right English, make the pattern
narrower; a new slip that a reader finds comes here with the sentence that it was found in.

Read are the pages, the notebooks, and what the course's own code writes: the titles, labels and
descriptions of figures, the hints of checks, messages.
"""

import ast
import re
from pathlib import Path

import nbformat
import pytest

from course.drawing.registry import FIGURES
from course.notebook_tools import sections

ROOT = sections.ROOT
PAGES = ["README.md", "TEACHING.md", "SCALING.md", "CONTRIBUTING.md"]
NOTEBOOKS = sorted(
    path
    for folder in ("notebooks", "course/assignments")
    for path in (ROOT / folder).glob("[!.]*.ipynb")
)
# An experiment's words are the keys of what it stores.
CODE = sorted(
    path for path in (ROOT / "course").rglob("*.py") if not path.name.startswith("experiment")
)

# name: (pattern, a sentence that has it, the same in English)
IDIOMS = {
    "the object first": (
        r", a deeper section (?:shows|says|tells|measures)\b|, these numbers don't\b"
        r"|, we have hardly\b|, the seed decides\b|you may know from school:",
        "What they learn without it, a deeper section measures.",
        "A deeper section measures what they learn without it.",
    ),
    "a relative clause torn off": (
        r"\bright that (?:it|\*?always|they)\b|\blayers do that\b|\blearn that are\b"
        r"|\bvectors are that\b",
        "In what share would a model be right that *always* writes the masculine?",
        "In what share would a model that always writes the masculine be right?",
    ),
    "for = because": (
        r"[,;] for (?:it|he|she|they|we|there|nobody|two \w+|\$[^$]+\$|the \w+|that) "
        r"(?:is|are|was|were|has|have|had|can|can't|know|knows|doesn't|don't|that)\b",
        "With 0 the hidden word still gets 9 %, for $e^0$ is 1.",
        "It is for the model that has read it; there is room for two words.",
    ),
    "a training": (
        r"\b(?:[Aa]n?|another|one|each|every|no|two|three|four|five|six|ten|\d+)"
        r"(?: (?:short|long|new|single|other|live))? trainings?\b"
        r"(?! (?:and test|batch|budget|cell|cost|corpus|data|epoch|example|file|loop|loss|lines?"
        r"|machine|method|mode|pairs?|recipe|rows?|runs?|script|seeds?|sentences?|sets?|side|signal|split|steps?"
        r"|technique|text|time|words?))|\btrainings\b",
        "A short training shows it here and now.",
        "A short training run shows it; one training step, a training set, in training.",
    ),
    "in the training": (
        r"\b(?:in|from|(?:any|all|anything|sentences?) of) the training\b(?! (?:and|batch|code"
        r"|corpus|curve|data|examples?|loop|loss|pairs?|rows|run|sentences?|sets?|side|splits?"
        r"|steps?|text))",
        "It is longer than any in the training.",
        "It is longer than any in the training set, or than any in training.",
    ),
    "a sign for a token": (
        r"(?i)\b(?:end|beginning|start|special)[ -]signs?\b",
        "The end sign doesn't erase its place.",
        "The end token doesn't; a plus sign does.",
    ),
    "paddings": (r"(?i)\bpaddings\b", "It may ask none of the paddings.", "none of the padding"),
    "stations of a way": (
        r"\bstations? of (?:its|the|a) way\b"
        r"|\b[Tt]he (?:whole )?way of (?:the|an?|one|\*\w+\*|'\w+)\b",
        "This is the word at six stations of its way.",
        "This is the word at six stages of its journey. The way of thinking is new.",
    ),
    "without, alone": (
        r"(?<!and )(?<!or )(?<!one )(?<!once )(?<!do )\bwithout(?=[.?!;])",
        "How much does it get without?",
        "How much does it get without it? The same with and without.",
    ),
    "say the same": (
        r"\bsa(?:y|ys|id) the same\b(?! (?:\w+ ?){1,2}\b)",
        "The bars and the text say the same.",
        "The bars and the text say the same thing.",
    ),
    "the length 1": (
        r"\bthe (?:length|size|variance|distance|probability|weight) "
        r"(?:\d|\$d_k\$)(?!\S*[.,]? ?of\b)",
        "A new row has the length 1.",
        "A new row has length 1, and the length 1 of the beginning.",
    ),
    "is no words": (
        r"(?<!there )\b(?:is|are) no (?:words|magic|sizes)\b|\b(?:toss|prove)(?:es|s)? no \w+",
        "The first four entries are no words.",
        "The first four entries aren't words; there are no words here.",
    ),
    "true = real": (
        r"\btrue (?:numbers?|ones|pictures?|sizes?|widths?)\b|\bnumbers? true\b",
        "Here are two true pictures.",
        "Here are two real pictures. Is it true?",
    ),
    "other ... than": (
        r"(?<!no )(?<!any )\bother "
        r"(?:words?|nouns?|rows?|places?|numbers?|sentences?|models?) than\b"
        r"|\belsewhere than\b|\bsomething else than\b|\basks another question\b",
        "Take two other nouns than *animal* and *street*.",
        "Take two nouns other than these; something other than this; no other word than this.",
    ),
    "stand = be": (
        r"\b(?:words|sentences|nouns|letters|numbers) (?:that )?(?:stood|stand) "
        r"(?:there|in what|in the training|at this|between)\b|\bthey (?:stand|stood) in one\b"
        r"|\b(?:which|of them|them|it|\d) (?:stood|stands?) in (?:what|the training)\b",
        "Nobody can tell which of the words stood there.",
        "Nobody can tell which words were there; what `<unk>` stands for.",
    ),
    "come below": (
        r"\b(?:curve|line|loss|pairs|share|it|they)(?: can't| can)? comes? (?:above|below|under) ",
        "The upper curve can't come below the dotted line.",
        "The upper curve can't fall below it.",
    ),
    "drown": (
        r"\bdrown(?:s|ed)?\b(?! (?:out|in)\b)",
        "Or one of them drowns.",
        "Or one drowns out the other, and word 100 would drown in its own number.",
    ),
    "left, right": (
        r"(?:^|[.!?:] )(?:Left|Right) (?:is|are)\b|(?:^|[.?!] )(?:Left|Right), (?:with|without)\b"
        r"|(?:^|[.?!] )Left, it\b|, right the\b",
        "Left are the query and the keys.",
        "On the left are the query and the keys. Left: the keys.",
    ),
    "much, in a positive statement": (
        r"(?<!how )(?<!too )(?<!so )(?<!as )(?<!not )(?<!t )"
        r"\bmuch (?:weight|attention) (?:goes|is)\b"
        r"|\bthat matter much\b",
        "In layer 0 much weight goes to `<eos>`.",
        "In layer 0 much of the weight goes there; how much weight is there?",
    ),
    "say the masculine": (
        r"\bsays? (?:it nearly|the (?:masculine|feminine|singular|plural))\b",
        "Without it the model says the masculine.",
        "Without it the model falls back on the masculine.",
    ),
    "anew": (
        r"(?<!start )(?<!`x` )\banew\b",
        "It puts words together anew.",
        "It combines words in new ways. Delete it and start anew.",
    ),
    "take together": (
        r"\btakes? (?:other |all |the )?\w+(?: of one word)? together\b",
        "Batch norm takes other numbers together.",
        "Batch norm groups the numbers; taken together they are many.",
    ),
    "single = individual": (
        r"\bsingle (?:words|columns|numbers|rows|heads|seeds)\b",
        "Here single columns can be seen.",
        "Here individual columns can be seen, and not a single one is empty.",
    ),
    "every second": (
        r"\bevery second (?!of|in|counts)\w+|\bevery two \w+",
        "It learns from every second noun.",
        "It learns from every other noun, every second of the day.",
    ),
    "3 of 300 more": (
        r"\b\d+ \w+ of \d+ more\b",
        "Then 3 sentences of 300 more go wrong.",
        "Then 3 more of 300 sentences go wrong.",
    ),
    "with two decimals": (
        r"\bwith (?:one|two|three|\d) decimals\b",
        "Give it with two decimals.",
        "Give it to two decimals.",
    ),
    "has its gender from": (
        r"\b(?:has|have) (?:its|their|the) \w+ from the\b|\btrained along\b",
        "The noun has its gender from the table.",
        "The noun gets its gender from the table.",
    ),
    "mind to": (
        r"\bmind to \w+|\bplay on\b(?! words)|\b[Tt]o read on about\b"
        r"|\bgo on\s*$|\bHow to read on\b",
        "For readers who don't mind to see the end first.",
        "For readers who don't mind seeing the end; a play on words.",
    ),
    "by lot": (r"\bby lot\b", "Draw as many of them by lot.", "Draw as many of them at random."),
    "trained from new": (
        r"\btrained from new\b",
        "It was trained from new.",
        "trained from scratch",
    ),
    "multiply with": (
        r"\bmultipl(?:y|ies|ied|ying) with\b",
        "We multiply with a matrix.",
        "We multiply by a matrix.",
    ),
    "has, at the end of a question": (
        r"\bHow many \w+ has (?:the|a|it|this|one|our)\b",
        "How many rows has the table?",
        "How many rows does the table have?",
    ),
    "wait for each other": (
        r"\bwait for each other\b",
        "Count how many steps wait for each other.",
        "Count how many steps must be taken one after another.",
    ),
    "And now?": (r"\bAnd now\?", "And now? 52 % could be a coin.", "And now the rest."),
    "also = even": (
        r"(?:^|[.?!] )Also (?:where|on|in|if|when)\b|, also on (?:rows|words|sentences)\b",
        "Also where the order is reversed?",
        "Even where the order is reversed? It also works here.",
    ),
    "back comes": (
        r"\b[Bb]ack comes?\b|\b(?:end|top|side)(?: of [^.?!]{1,30})? comes out\b",
        "A list goes in, back comes the share.",
        "A list goes in, and the share comes back.",
    ),
    "judged is": (
        r"(?:^|[.?!] |\()(?:Judged|Counted|Measured|Compared|Chosen|Shown) (?:is|are|was|were)\b",
        "(Judged is only where the adjective is known.)",
        "(It is judged only where the adjective is known.)",
    ),
    "under each other": (
        r"\bunder each other\b|\blies? on each other\b",
        "Eight strips under each other.",
        "Eight strips, one under the other.",
    ),
    "by how much": (
        r"\bmissed by a hair\b|\bHere is by how much\b|\bhere is by how much\b",
        "So here is by how much each swap moves the weights.",
        "So here is how far each swap moves the weights.",
    ),
    "will ever": (
        r"\bwho will ever\b",
        "For those who will ever report a BLEU.",
        "For those who may one day report a BLEU. Nobody will ever know.",
    ),
    "nine of ten": (
        r"\b(?:[Oo]ne|[Tt]wo|[Tt]hree|[Ff]our|[Ss]ix|[Ss]even|[Nn]ine) "
        r"of (?:ten|twenty|a hundred)\b",
        "Six of ten return with another seed.",
        "Six in ten return; eight of the nine rows agree.",
    ),
    "And BERT's?": (
        r"^\*\*Predict\.\*\* .*[.!] And (?!how|what|which|who|where|why|if|does|do|is|are)"
        r"[^.?!]{1,50}\?",
        "**Predict.** The language model is right for 0.41 of the words. And BERT's?",
        "**Predict.** It is right for 0.41 of the words. For how many is BERT right?",
    ),
    "with 20,000 draws, and a colon": (
        r"(?:^|[.?!)] )(?:With (?:[^\s.:?!]+ ){0,4}[^\s.:?!]+|In (?:our|the other) [^\s.:?!]+):$",
        "It is an average over draws. With 20,000 draws:",
        "It is an average over draws. Here it is with 20,000 draws:",
    ),
    "is told": (
        r"\b(?:is|are|was|were) told (?:here|below|there)\b|\btold as\b|\bways? to tell a\b"
        r"|\bdistance\*? is told\b",
        "Three more seeds are told here.",
        "Three more seeds are shown here; it is told which noun is meant.",
    ),
    "the training's": (
        r"\b(?:like|as|than) the training's(?! (?:end|length|steps?)\b)",
        "Sentences as short as the training's are all right.",
        "Sentences as short as those in training are all right; not one is longer.",
    ),
    "has most right": (
        r"\b(?:has|have) (?:the )?(?:most|no|few|about \w+ in \w+)\b[^.?!:]{0,40} right\b",
        "Which has most new sentences right?",
        "Which gets most new sentences right?",
    ),
    "go on = continue": (
        r"\bgo(?:es)? on (?:training, with|from each)\b|\bto go on with\b|\bonly goes on\b",
        "A task becomes a text to go on with.",
        "A task becomes a text to continue; it goes on training for an hour.",
    ),
    "a look = where attention goes": (
        r"(?i)\b(?:the|its|their|our|such a|each|every|of|true|real|sharp) look\b"
        r"|(?<!take )(?<!have )(?<!with )(?<!without )\ba look\b(?! (?:at|back|into)\b)"
        r"|\b(?:one|two|three|four|several|many|these|those|all|of|no|the|its|their) looks\b"
        r"(?<!one looks)(?<!that looks)(?! at (?:one|the)\b)",
        "Multi-head attention: several looks at once.",
        "Five looks at the Transformer, without a look at the code. It ends with a look back.",
    ),
    "behind = after": (
        r"\b(?:digits?|one|words?|branch|norm|gate|stands?|comes?|next|second) behind\b"
        r"(?! (?:a wall|the (?:wall|house|guard|same|decoder))\b)(?! `)|\bbehind what\b",
        "Give a number with two digits behind the point.",
        "The counts behind the summary; a program behind a wall; the paper is left behind.",
    ),
    "beside = next to, compared with": (
        r"(?i)\bbeside\b(?! (?:it|them|each|the noun|the curve|this notebook|a (?:dotted )?line)\b)"
        r"(?!, |$)",
        "How fast it is, beside other libraries.",
        "How fast it is, compared with other libraries. Beside the curve is what it writes.",
    ),
    "sureness": (r"\bsureness\b", "Its sureness is a hint.", "Its confidence is a hint."),
}


def prose(text: str) -> list[str]:
    """The paragraphs of a page: code, formulas in lines of their own and addresses left out."""
    text = re.sub(r"(?ms)^ *```.*?^ *```|\$\$.*?\$\$|<!--.*?-->", "", text)
    text = re.sub(r"`[^`\n]+`", "`x`", text)
    text = re.sub(r"\]\([^)\s]*\)", "]", text)
    blocks = re.split(r"\n\s*\n|\n(?=\s*(?:[-*|>#]|\d+\.) ?)", text)
    return [" ".join(block.split()) for block in blocks if block.strip()]


def cells(path) -> str:
    notebook = nbformat.read(path, as_version=4)
    return "\n\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")


def written(path: Path) -> str:
    """The paragraphs that the strings of a file are, without its docstrings."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    documented = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    apart = {
        id(node.body[0].value)
        for node in ast.walk(tree)
        if isinstance(node, documented) and node.body and isinstance(node.body[0], ast.Expr)
    }
    texts = []
    for node in ast.walk(tree):
        if isinstance(node, ast.JoinedStr):
            apart |= {id(part) for part in node.values}
            parts = [part.value if isinstance(part, ast.Constant) else "1" for part in node.values]
            texts.append("".join(parts))
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            if " " in node.value and id(node) not in apart:
                texts.append(node.value)
    return "\n\n".join(texts)


def found(text: str) -> list[tuple[str, str]]:
    """(name of the idiom, where) for each in a text."""
    return [
        (name, part[max(0, hit.start() - 40) : hit.end() + 30])
        for part in prose(text)
        for name, (pattern, _, _) in IDIOMS.items()
        for hit in re.finditer(pattern, part)
    ]


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_in_english(path):
    assert found(cells(path)) == []


@pytest.mark.parametrize("page", PAGES)
def test_a_page_is_in_english(page):
    assert found((ROOT / page).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", FIGURES)
def test_what_is_said_of_a_figure_is_in_english(name):
    entry = FIGURES[name]
    assert found(f"{entry.title}\n\n{entry.caption}\n\n{entry.alt}") == []


@pytest.mark.parametrize("path", CODE, ids=lambda path: str(path.relative_to(ROOT / "course")))
def test_what_the_code_writes_is_in_english(path):
    assert found(written(path)) == []


def test_titles_and_hints_are_read_and_docstrings_and_keys_are_not(tmp_path):
    code = tmp_path / "figures.py"
    code.write_text(
        '''"""Several looks at once."""
title = "Several looks " "at once"
label = f"{title}, a gate behind it"
found = "Drawn by lot."


def draw():
    """Beside other libraries."""
''',
        encoding="utf-8",
    )
    names = [name for name, _ in found(written(code))]
    assert sorted(names) == ["a look = where attention goes", "behind = after", "by lot"]


@pytest.mark.parametrize("name", IDIOMS)
def test_each_idiom_is_found_and_its_english_is_not(name):
    _, bad, good = IDIOMS[name]
    assert name in [which for which, _ in found(bad)]
    assert found(good) == []


def test_code_and_addresses_are_not_read():
    text = "Run `experiment end-sign`, see [here](#by-lot):\n\n```\npaddings anew\n```\n\nDone."
    assert found(text) == []
