"""Words as vectors: how alike they are, how long they are, and where they lie on a map."""

import dataclasses
import json
from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np
import torch
from matplotlib.figure import Figure
from torch import Tensor

from course import experiments
from course.drawing import lazy_altair as alt
from course.drawing import style
from course.drawing.arrows import bracket, curve, path
from course.drawing.cells import outline, scale, strip
from course.drawing.maps import level_name
from course.drawing.registry import figure
from course.drawing.values import as_array, steady_round, written
from course.drawing.words import bold, canvas, label, muted, sentence, word, word_color
from course.grammar.classes import WordClass, english_class, spanish_class
from course.grammar.lexicon import GRAMMAR_TAGS, NOUN_OF_FORM
from transformer_lib.files import read_json
from transformer_lib.model.config import TOY
from transformer_lib.model.embedding import Embeddings, positional_encoding
from transformer_lib.model.transformer import Transformer, make_model
from transformer_lib.recipes import Recipe
from transformer_lib.text.tokens import Vocabulary
from transformer_lib.translator import SHIPPED_MODEL, Translator


def flat_map(vectors: Any) -> np.ndarray:
    """Vectors (n, d) -> their places (n, 2) on the best flat map.

    The map is made of the two directions in which the vectors differ most (principal components).
    Each direction is turned so that its largest entry is positive: the same map on every machine.
    """
    matrix = as_array(vectors)
    centered = matrix - matrix.mean(axis=0)
    _, _, directions = np.linalg.svd(centered, full_matrices=False)
    first_two = directions[:2]
    largest = np.abs(first_two).argmax(axis=1)
    first_two = first_two * np.sign(first_two[[0, 1], largest])[:, None]
    return centered @ first_two.T


def nearest_words(vectors: Any, words: Sequence[str], count: int = 3) -> list[list[str]]:
    """For each word the `count` others whose vectors point most nearly the same way."""
    matrix = as_array(vectors)
    unit = matrix / np.linalg.norm(matrix, axis=1, keepdims=True)
    cosines = unit @ unit.T
    np.fill_diagonal(cosines, -np.inf)
    best = np.argsort(-cosines, axis=1, kind="stable")[:, :count]
    return [[words[other] for other in row] for row in best]


GENDERS = {  # the name of an island, and the colors of its dots: rim and inside
    "masculine singular": (style.SECOND, style.SECOND),
    "masculine plural": (style.SECOND, style.PAPER),
    "feminine singular": (style.ACCENT, style.ACCENT),
    "feminine plural": (style.ACCENT, style.PAPER),
}
# Where the English nouns lie on the map: gender and number of an island -> its name.
ISLANDS = dict(zip(product("mf", ("one", "many")), GENDERS, strict=True))
MAP_NOTE = "Each dot is a noun of the course’s translator: 128 dimensions, flattened to two"
# What the reader can choose, each with the text above the map; the last is there first.
VIEWS = {
    "English, before training": "Before training, the English nouns are mixed",
    "Spanish, after training": "On this map, the Spanish nouns form no groups",
    "English, after training": "English nouns fall into groups by number and Spanish gender",
}
# Named while nothing is searched for: view and word -> where the name begins, in pixels from the
# dot, so that it covers no other.
LANDMARKS = {
    (0, "tree"): (-32, -20),
    (0, "trees"): (-38, 0),
    (0, "sister"): (-44, 13),
    (0, "sisters"): (0, 20),
    (2, "tree"): (8, -20),
    (2, "trees"): (8, 20),
    (2, "sister"): (-44, 13),
    (2, "sisters"): (8, 13),
}


@figure(
    "lookup-table",
    caption="Each word of 'I like trees' picks its own row from the table.",
    alt="""A table of nine rows and three columns of numbers. Three rows have a colored frame:
    trees, I and like, with the ids 4, 5 and 7. An arrow leads from each of them to the right,
    where the same three numbers are shown again, in the order of the sentence: I, like, trees.""",
    hero=True,
)
def draw_lookup_table() -> Figure:
    words = "I like trees".split()
    vocab = Vocabulary.build([words, "the trees grew".split()])
    torch.manual_seed(0)
    numbers, ids = as_array(torch.randn(len(vocab), 3)), vocab.encode(words)
    limit, high, cell, wide = float(np.abs(numbers).max()), 0.38, 0.31, 0.75 * numbers.shape[1]
    left, right, tall = 1.0, 7.2 - 0.75 * numbers.shape[1], high * len(vocab)
    figure, ax = canvas(tall + 0.8, "Each word picks its own row from the table")
    ys = tall + 0.13 - high * np.arange(1, len(vocab) + 1)
    top = ys[ids].mean() + high * (len(ids) - 1) / 2  # the sentence stands amid its rows
    for x, y, said in (
        (0.1, tall + 0.24, "id"),
        (left, tall + 0.24, "the table: a row for each word"),
        (right, top + high + 0.11, "the sentence, in its own order"),
    ):
        muted(ax, (x, y), said)
    for number, (token, row) in enumerate(zip(vocab.tokens, numbers, strict=True)):
        y, middle = ys[number], ys[number] + cell / 2
        muted(ax, (0.1, middle), str(number))
        color = word_color(token) if number in ids else style.MUTED
        word(ax, (left - 0.12, middle), token, ha="right", color=color)
        if number not in ids:
            for column, value in enumerate(row):
                muted(ax, (left + 0.75 * (column + 0.5), middle), written(value, 2), ha="center")
            continue
        own = top - high * ids.index(number)
        for at in ((left, y), (right, own)):
            strip(ax, at, wide, cell, row, limit=limit, decimals=2)
            outline(ax, at, wide, cell, color, 2)
        way = curve((left + wide + 0.05, middle), (right - 0.05, own + cell / 2))
        path(ax, way, color, thick=2.5)
        word(ax, (right + wide + 0.14, own + cell / 2), token, size=13, ha="left")
    return figure


def _trained_tables() -> tuple[Tensor, Tensor]:
    """The shipped translator's two tables of embeddings: English and Spanish."""
    model = Translator.load().model
    return model.src_embed.table.weight.detach(), model.tgt_embed.table.weight.detach()


def first_tables() -> tuple[Tensor, Tensor]:
    """The same two tables as they were before the first step of training."""
    recipe = Recipe.from_json(read_json(SHIPPED_MODEL / "recipe.json"))
    sizes = [len(table) for table in _trained_tables()]
    torch.manual_seed(recipe.training.seed)
    model = make_model(*sizes, **dataclasses.asdict(recipe.model))
    return model.src_embed.table.weight.detach(), model.tgt_embed.table.weight.detach()


def _vocabularies() -> tuple[list[str], list[str]]:
    translator = Translator.load()
    return translator.src.vocab.tokens, translator.tgt.vocab.tokens


def _island(known: WordClass) -> str:
    """The name of the island where a noun of this class lies; of any other word ""."""
    return ISLANDS.get((known.gender, known.number), "") if known.part == "noun" else ""


def _map_points(
    view: int, vectors: Tensor, words: Sequence[str], class_of: Callable[[str], WordClass]
) -> list[dict[str, Any]]:
    """The points of a map for the nouns of one table, and what the mouse shows beside each."""
    kept = [place for place, word in enumerate(words) if _island(class_of(word))]
    words, vectors = [words[place] for place in kept], vectors[kept]
    rows = zip(words, flat_map(vectors).tolist(), nearest_words(vectors, words), strict=True)
    return [
        {"view": view, "word": word, "x": x, "y": y, "kind": _island(class_of(word))}
        | {"near": ", ".join(best)}
        for word, (x, y), best in rows
    ]


def _regions(points: Sequence[dict]) -> list[dict]:
    """The names of the four islands, each apart from the middle of its points, in their spreads."""
    regions = []
    for kind, off in zip(GENDERS, ((0, 2.8), (-1, 3.3), (0, -2.6), (-0.1, 4.3)), strict=True):
        places = np.array([[p["x"], p["y"]] for p in points if p["kind"] == kind])
        x, y = places.mean(axis=0) + places.std(axis=0) * off
        name = kind.replace(" plural", "\nplural")
        regions.append({"view": 2, "kind": kind, "region": name, "x": x, "y": y})
    return regions


@figure(
    "noun-map",
    caption="""The nouns of the course's translator, each point a row of its table, flattened to
    two dimensions and colored by the gender and number of the noun in Spanish.""",
    alt="""Four groups of dots with few strays: English nouns whose translation is masculine, in
    teal, or feminine, in rust; singulars are filled, plurals are rings. 'Tree', 'trees',
    'sister' and 'sisters' are named, one in each group. A list offers two more maps, the same
    English nouns before training and the Spanish nouns: in both, the colors are mixed in one
    cloud.""",
)
def draw_noun_map() -> Any:
    english, spanish = _vocabularies()
    trained, trained_spanish = _trained_tables()
    last = _map_points(2, trained, english, english_class)
    points = [
        *_map_points(0, first_tables()[0], english, english_class),
        *_map_points(1, trained_spanish, spanish, spanish_class),
        *last,
        *_regions(last),
    ]
    blank = {"word": "", "near": "", "region": "", "dx": 7, "dy": 0}
    table = []
    for point in points:
        row = {**blank, **point, **{axis: steady_round(point[axis], 3) for axis in "xy"}}
        place = LANDMARKS.get((row["view"], row["word"]))
        if place:
            row["dx"], row["dy"] = place
        table.append(row | {"landmark": bool(place)})
    search = alt.param(
        name="search", value="", bind=alt.binding(input="search", name="find a word  ")
    )
    chosen = alt.selection_point(name="chosen", fields=["kind"])
    move = alt.selection_interval(
        name="move", bind="scales", zoom="wheel![event.shiftKey]", translate=True
    )
    bound = alt.binding_select(name="nouns  ", labels=list(VIEWS), options=list(range(len(VIEWS))))
    view = alt.param(name="view", value=len(VIEWS) - 1, bind=bound)
    data = alt.Chart(alt.Data(values=table)).transform_filter("datum.view == view")
    # How many words begin with what is searched for: with none the map stays as it is, and says so.
    data = data.transform_calculate(
        found="datum.word && search != '' && indexof(lower(datum.word), lower(search)) == 0 ? 1 : 0"
    ).transform_joinaggregate(hits="sum(found)")
    words = data.transform_filter("!datum.region")
    names = data.transform_filter("datum.region && datum.hits == 0")
    shown = words.transform_filter("datum.hits == 0 ? datum.landmark : datum.found == 1")
    look = {"zero": False, "nice": False}
    place = {
        "x": alt.X("x:Q", axis=None, scale=alt.Scale(padding=15, **look)),
        "y": alt.Y("y:Q", axis=None, scale=alt.Scale(padding=30, **look)),
    }
    rims, insides = (
        alt.Scale(domain=list(GENDERS), range=list(looks))
        for looks in zip(*GENDERS.values(), strict=True)
    )
    seen = {"and": [{"param": chosen.name}, "datum.hits == 0 || datum.found == 1"]}
    tooltip = [
        "word:N",
        alt.Tooltip("kind:N", title="in Spanish"),
        alt.Tooltip("near:N", title="nearest"),
    ]
    dots = words.mark_point(size=28, strokeWidth=1.3).encode(
        **place,
        stroke=alt.Stroke("kind:N", scale=rims, legend=None),
        fill=alt.Fill("kind:N", scale=insides, legend=None),
        opacity=alt.value(0.07, condition={"test": seen, "value": 0.8}),
        tooltip=tooltip,
    )
    # Without a name the chart would get one that changes with the last digits of the data.
    dots = dots.properties(name="dots")
    # Dark letters on a white rim can be read on a light page, on a dark one, and on the dots.
    rim = {"color": style.PAPER, "stroke": style.PAPER, "strokeWidth": 3, "strokeJoin": "round"}
    moved = {way: alt.expr(f"datum.{way}") for way in ("dx", "dy")}
    letters = {"fontSize": 13, "align": "left", "baseline": "middle", **moved}
    large = {"fontSize": 16, "fontWeight": "bold", "align": "center", "lineBreak": "\n"}
    inks = [style.readable(color, style.PAPER) for color, _ in GENDERS.values()]
    ink = alt.Color("kind:N", scale=alt.Scale(domain=list(GENDERS), range=inks), legend=None)
    nothing = (
        words.transform_aggregate(hits="sum(found)")
        .transform_filter("datum.hits == 0 && search != ''")
        .transform_calculate(says="'no word here begins with ' + search")
    )
    told = {"fontSize": 15, "fontWeight": "bold", "align": "left"}
    nothing = nothing.encode(x=alt.value(12), y=alt.value(16), text="says:N")
    said = shown.encode(**place, text="word:N")
    region = names.encode(**place, text="region:N")
    chart = alt.layer(
        dots.add_params(search, chosen, move, view),
        said.mark_text(**letters, **rim),
        said.mark_text(**letters, color=style.INK),
        region.mark_text(**large, **{**rim, "strokeWidth": 5}),
        region.mark_text(**large).encode(color=ink),
        shown.mark_point(filled=False, size=60, stroke=style.INK, strokeWidth=1.6).encode(**place),
        nothing.mark_text(**told, **rim),
        nothing.mark_text(**told, color=style.WRONG),
    )
    spoken = alt.expr(f"{json.dumps(list(VIEWS.values()), ensure_ascii=False)}[view]")
    heading = alt.Title(spoken, subtitle=MAP_NOTE)
    return chart.properties(width=560, height=430, title=heading)


def neighbor_shares(table: Tensor) -> dict[str, float]:
    """How often an English word's nearest neighbor is of its kind, by the cosine of `table`'s rows.

    The first share is of all words, the others of the nouns with one gender in Spanish, each with
    the nearest other noun.
    """
    words = _vocabularies()[0]
    kinds = {word: english_class(word) for word in words}
    nouns = [word for word in words if kinds[word].part == "noun" and kinds[word].gender]
    rows = [words.index(word) for word in nouns]
    anyone = list(zip(words, nearest_words(table, words, 1), strict=True))
    others = list(zip(nouns, nearest_words(table[rows], nouns, 1), strict=True))

    def share(pairs: list, of: Callable[[str], Any]) -> float:
        return sum(bool(set(of(word)) & set(of(near))) for word, (near,) in pairs) / len(pairs)

    return {
        "same part of speech": share(anyone, lambda word: [kinds[word].part]),
        "nouns: same number": share(others, lambda word: [kinds[word].number]),
        "nouns: same gender in Spanish": share(others, lambda word: [kinds[word].gender]),
        "nouns: a tag (animal, food …)": share(
            others, lambda word: NOUN_OF_FORM[word].tags - GRAMMAR_TAGS
        ),
    }


@figure(
    "neighbor-shares",
    caption="""What a word and its nearest neighbor in the translator's English table have in
    common, before and after training.""",
    alt="""The words nearest to 'trees' are 'truck', 'help' and 'Spanish' before training. After
    training they are 'drawers', 'cars' and 'tomatoes', which are plural nouns and masculine in
    Spanish, as 'trees' is. Below are four lines from 0 to 100%, each with a dot for the table
    before training and one for the table after it. Same part of speech: from 34% to 94%. Among
    nouns, same number: from 51% to 99%; same gender in Spanish: from 57% to 99%; a tag in
    common, such as animal or food, in rust: from 15% to 51%.""",
)
def draw_neighbor_shares() -> Figure:
    words, tables = _vocabularies()[0], (first_tables()[0], _trained_tables()[0])
    start, end = map(neighbor_shares, tables)
    near_trees = [nearest_words(table, words)[words.index("trees")] for table in tables]
    left, step, top = 2.6, 0.54, 0.54 * len(start) + 1.34
    figure, page = canvas(
        top + 0.95, "Nearly all neighbors share their grammar, and half of them share a tag"
    )
    label(page, (0.02, top), "nearest to", size=style.LABEL)
    word(page, (0.85, top), "trees", ha="left", size=12)
    for x, name, near, color in (
        (left, "before training", near_trees[0], style.MUTED),
        (5.0, "after training", near_trees[1], style.INK),
    ):
        bold(page, (x - 0.06, top + 0.33), name, color=color)
        sentence(page, (x, top - 0.06), near, dict.fromkeys(near, color))
    muted(page, (4.94, top - 0.34), "all of them plural, and masculine in Spanish")
    said = "share of words that agree with their nearest neighbor in:"
    label(page, (0.02, top - 0.82), said, size=style.LABEL)
    for x, said in ((left, "0%"), (left + 5.1, "100%")):
        muted(page, (x, top - 1.1), said, ha="center")
    ax = figure.add_axes((left / 8, 0.02, 5.1 / 8, step * len(start) / (top + 0.95)))
    for row, (question, share) in enumerate(start.items()):
        color = style.ACCENT if end[question] < 0.9 else style.INK
        said = question.replace("same ", "")
        label(page, (0.02, 0.08 + step * (len(start) - row - 0.5)), said, size=style.LABEL)
        ax.plot([0, 1], [row, row], color=style.RULE, linewidth=1, zorder=1)
        ax.plot([share, end[question]], [row, row], color=color, linewidth=3, zorder=1)
        for x, ink, weight in ((share, style.MUTED, "normal"), (end[question], color, "bold")):
            ax.plot(x, row, "o", color=ink, markersize=11, clip_on=False)
            when = "" if row else "before: " if x == share else "after: "
            said = f"{when}{steady_round(100 * x, 0):.0f}%"
            label(ax, (x, row - 0.4), said, ha="center", size=style.LABEL, color=ink, weight=weight)
    ax.set(xlim=(0, 1), ylim=(len(start) - 0.5, -0.5))
    ax.axis("off")
    return figure


WIDEST = 512  # numbers in a vector of the paper
SHOWN = 24  # of them


def _two_sums() -> dict[str, list[Tensor]]:
    """Without the factor and with it: two new words, the position 10, and their two sums."""
    torch.manual_seed(0)
    embed, position = Embeddings(1000, WIDEST), positional_encoding(50, WIDEST)[10]
    ids = torch.tensor([0, 1])
    found = {}
    for name, words in (
        ("without the factor", embed.table.weight.detach()[ids]),
        (f"with the factor √{WIDEST}", embed(ids).detach()),
    ):
        found[name] = [*words, position, *(words + position)]
    return found


@figure(
    "embedding-lengths",
    caption="""Two words before training, a position, and each word plus the position, with and
    without the square root of d_model.""",
    alt=f"""Rows of {SHOWN} colored cells, in two columns: a word, another word, position 10, and
    each word plus the position. Without the factor, the words have a length of 1 and hardly any
    color, the position has a length of 16, and both sums look like the position: their cosine is
    1.00. With the factor, the words have a length of 23 and the two sums differ: their cosine is
    0.36.""",
)
def draw_embedding_lengths() -> Figure:
    note = f"Two words before training, the first {SHOWN} of {WIDEST} numbers"
    figure, ax = canvas(3.75, "Without the factor, the position drowns out both words", note)
    names = "word 1", "word 2", "position 10", "word 1 + position", "word 2 + position"
    ys, high, wide = (2.35, 1.99, 1.63, 0.92, 0.56), 0.28, 2.3
    for y, name in zip(ys, names, strict=True):
        label(ax, (1.4, y + high / 2), name, size=style.LABEL, ha="right")
    for x, (factor, rows) in zip((1.52, 4.95), _two_sums().items(), strict=True):
        loud = style.ACCENT if x < 2 else style.INK
        bold(ax, (x, 2.82), factor, color=loud)
        muted(ax, (x + wide + 0.1, 2.82), "length")
        for place, (y, row) in enumerate(zip(ys, rows, strict=True)):
            strip(ax, (x, y), wide, high, row[:SHOWN], limit=2)
            if place < 3:
                label(ax, (x + wide + 0.1, y + high / 2), f"{row.norm():.0f}", size=style.LABEL)
        outline(ax, (x, ys[-1]), wide, ys[3] - ys[4] + high, loud, 2)
        cosine = torch.cosine_similarity(*rows[3:], dim=0)
        said = f"the sums {'are alike' if x < 2 else 'differ'}: cosine {cosine:.2f}"
        bold(ax, (x, 0.3), said, color=loud)
    scale(ax, (6.85, 3.42), 0.7, limit=2, name="value")
    return figure


@figure(
    "embedding-scale",
    caption="""Toy models that learn to copy strings of digits, with the square root of d_model
    and without it.""",
    alt="""Two falling curves of the loss, each the mean of three runs inside a band that holds
    all three. Without the factor, the loss falls later: a bracket at a loss of 1 says by 60
    steps. After 300 steps both are close to 0.1. In a corner is a row of the table before
    training as 32 cells, twice: faint without the factor, strongly colored with it.""",
)
def draw_embedding_scale() -> Figure:
    runs: dict[str, list] = {}
    for result in experiments.load("embedding-scale")["results"]:
        runs.setdefault(result["bottom"], []).append(result["losses"])
    torch.manual_seed(0)
    row = Transformer(14, 14, TOY).src_embed.table.weight.detach()[-1]
    figure, ax = style.panel(3.8)
    crossings, root = [], f"√{len(row)}"
    for name, factor, at, y, color in (
        ("without", 1, (72, 2.36), 1.78, style.ACCENT),
        ("with the factor", len(row) ** 0.5, (26, 0.72), 1.4, style.INK),
    ):
        steps, losses = np.array(runs[name])[0, :, 0], np.array(runs[name])[:, :, 1]
        ax.fill_between(steps, losses.min(0), losses.max(0), color=color, alpha=0.1, linewidth=0)
        ax.plot(steps, losses.mean(0), color=color, linewidth=3)
        crossings.append(float(np.interp(-1, -losses.mean(0), steps)))  # the mean falls to 1
        said = name.replace(" the factor", "") + f" the factor {root}"
        bold(ax, at, said, color=color)
        ax.set(xlim=(20, 300), ylim=(0, 2.5), yticks=[0, 1, 2])
        strip(ax, (196, y), 62, 0.2, row * factor, limit=3, edge=color, line=1.4)
        label(ax, (262, y + 0.1), "as they are" if factor == 1 else f"times {root}", color=color)
    late, early = crossings
    by = f"{round(late - early, -1):.0f}"
    bracket(ax, (early, 1), (late, 1))
    bold(ax, ((late + early) / 2, 1.17), f"{by} steps", size=style.TITLE, ha="center")
    muted(ax, (196, 2.14), "a token’s numbers before training")
    ax.set_xlabel("training step (line: mean of 3 runs; band: their range)")
    ax.set_title(
        f"Without the factor {root}, the model takes about {by} more steps to reach a loss of 1"
    )
    level_name(ax, "loss per token, on strings of digits that the model wasn’t trained on")
    return figure
