"""The figures of notebook 02: words as places on a map."""

import dataclasses
from collections.abc import Callable, Sequence
from typing import Any

import torch
from matplotlib.figure import Figure
from torch import Tensor

from transformer_lib.plots import style
from transformer_lib.plots.embeddings import (
    flat_map,
    loss_by_bottom,
    nearest_words,
    pulled_rows,
    share_bars,
    vector_sizes,
    word_map,
    word_similarity,
)
from transformer_lib.plots.figures.registry import figure

SOME_WORDS = "cat dog horse cow apple water eagle classroom gave sent wide wider".split()
BLUE, AMBER, WINE, GREEN = style.CATEGORIES[:4]
PARTS = {
    "noun": (BLUE, "circle"),
    "verb": (AMBER, "square"),
    "adjective": (GREEN, "triangle-up"),
    "name": (WINE, "diamond"),
    "other": (style.MUTED, "cross"),
}
GENDERS = {
    "el: masculine": (BLUE, "circle"),
    "los: masculine plural": (style.CATEGORIES[5], "triangle-up"),
    "la: feminine": (AMBER, "circle"),
    "las: feminine plural": (style.CATEGORIES[4], "triangle-up"),
}
WITH_EL = ("water", "classroom", "eagle")  # el agua, el aula, el águila: all the same feminine


def small_table() -> tuple[Any, Tensor]:
    """A vocabulary of nine and a random table with three numbers for each, the same each time."""
    from transformer_lib.tokens import Vocabulary

    vocab = Vocabulary.build([text.split() for text in ("I like trees", "the trees grew")])
    torch.manual_seed(0)
    return vocab, torch.randn(len(vocab), 3)


@figure(
    "lookup-table",
    notebook="02_embeddings",
    caption="Each word of 'I like trees' pulls its row out of the table.",
    alt="A table of nine rows and three columns of numbers. Three rows have a colored frame: "
    "trees, I and like, with the ids 4, 5 and 7. An arrow leads from each of them to the right, "
    "where the same three numbers stand again, in the order of the sentence: I, like, trees.",
    hero=True,
)
def draw_lookup_table() -> Figure:
    vocab, table = small_table()
    words = "I like trees".split()
    return pulled_rows(vocab.encode(words), table, words, vocab.tokens)


def trained_tables() -> tuple[Tensor, Tensor]:
    """The shipped translator's two tables of embeddings: English and Spanish."""
    from transformer_lib.translator import Translator

    model = Translator.load().model
    return model.src_embed.table.weight.detach(), model.tgt_embed.table.weight.detach()


def first_tables() -> tuple[Tensor, Tensor]:
    """The same two tables as they were before the first step of training."""
    from transformer_lib.checkpoints import read_json
    from transformer_lib.model import make_model
    from transformer_lib.recipes import Recipe
    from transformer_lib.translator import SHIPPED_MODEL

    recipe = Recipe.from_json(read_json(SHIPPED_MODEL / "recipe.json"))
    sizes = [len(table) for table in trained_tables()]
    torch.manual_seed(recipe.training.seed)
    model = make_model(*sizes, **dataclasses.asdict(recipe.model))
    return model.src_embed.table.weight.detach(), model.tgt_embed.table.weight.detach()


def vocabularies() -> tuple[list[str], list[str]]:
    from transformer_lib.translator import Translator

    translator = Translator.load()
    return translator.src.vocab.tokens, translator.tgt.vocab.tokens


def map_points(
    view: int, vectors: Tensor, words: Sequence[str], kind_of: Callable[[str], str]
) -> list[dict[str, Any]]:
    """The rows of a `word_map` for one table; words without a kind ("") are left out."""
    kept = [place for place, word in enumerate(words) if kind_of(word)]
    words, vectors = [words[place] for place in kept], vectors[kept]
    places, _ = flat_map(vectors)
    near = nearest_words(vectors, words)
    return [
        {"view": view, "word": word, "x": x, "y": y, "kind": kind_of(word), "near": ", ".join(best)}
        for word, (x, y), best in zip(words, places.tolist(), near, strict=True)
    ]


@figure(
    "word-map",
    notebook="02_embeddings",
    caption="The English words of the shipped translator on a map, colored by part of speech.",
    alt="A map of 955 dots, four of the words ringed. The nouns lie on four islands, named by "
    "their article in Spanish: nouns with el, los, la and las. Verbs, and among them adjectives "
    "and all other words, lie together on one pale disc. Before training the same words lie in "
    "one cloud with all colors mixed.",
)
def draw_word_map() -> Any:
    from transformer_lib.corpora.english_spanish.classes import english_class

    words = vocabularies()[0]
    tables = (first_tables()[0], trained_tables()[0])
    points = []
    for view, table in enumerate(tables):
        points += map_points(view, table, words, lambda word: english_class(word).part)
    after = [point for point in points if point["view"] == 1]
    articles = {"el": ("m", "one"), "los": ("m", "many"), "la": ("f", "one"), "las": ("f", "many")}
    groups = []
    for article, island in articles.items():
        own = [point for point in after if point["kind"] == "noun"
               and (english_class(point["word"]).gender, english_class(point["word"]).number)
               == island]  # fmt: skip
        groups.append(("noun", f"nouns\nwith {article}", own))
    groups.append(("verb", "verbs and\nother words",
                   [point for point in after if point["kind"] != "noun"]))  # fmt: skip
    return word_map(points, PARTS, ("before training", "after training"),
                    landmarks="tree trees street streets".split(), title="part of speech",
                    regions=[named(*group) for group in groups],
                    headings=("Before training: every word anywhere",
                              "After training, nouns lie apart, by their article in Spanish"),
                    )  # fmt: skip


def named(kind: str, region: str, points: Sequence[dict]) -> dict[str, Any]:
    """A name for a region of a `word_map`, in the middle of these points."""
    x, y = ([point[axis] for point in points] for axis in "xy")
    middle = sum(x) / len(x), sum(y) / len(y)
    far = [(a - middle[0]) ** 2 + (b - middle[1]) ** 2 for a, b in zip(x, y, strict=True)]
    return {"view": points[0]["view"], "kind": kind, "region": region, "x": middle[0],
            "y": middle[1], "spread": sum(far) / len(far)}  # fmt: skip


@figure(
    "noun-map",
    notebook="02_embeddings",
    caption="The English nouns, colored by the gender and number of their Spanish translations.",
    alt="Four islands of dots, el, los, la and las, each of a single color: English nouns whose "
    "translation is masculine or feminine, one or several. Tree lies on el, trees on los, street "
    "on la, streets on las, each in a ring; water, classroom and eagle, feminine but with el, lie "
    "between el and la. A choice shows the Spanish nouns instead: one cloud, in which the colors "
    "are mixed.",
)
def draw_noun_map() -> Any:
    from transformer_lib.corpora.english_spanish.classes import english_class, spanish_class

    def kind_by(class_of: Callable) -> Callable[[str], str]:
        kinds = dict(zip([("m", "one"), ("m", "many"), ("f", "one"), ("f", "many")], GENDERS,
                         strict=True))  # fmt: skip

        def kind(word: str) -> str:
            found = class_of(word)
            return kinds.get((found.gender, found.number), "") if found.part == "noun" else ""

        return kind

    tables = zip(trained_tables(), vocabularies(), (english_class, spanish_class), strict=True)
    points = []
    for view, (table, words, class_of) in enumerate(tables):
        points += map_points(1 - view, table, words, kind_by(class_of))
    islands = {kind: [point for point in points if (point["view"], point["kind"]) == (1, kind)]
               for kind in GENDERS}  # fmt: skip
    regions = [named(kind, kind.partition(":")[0], island) for kind, island in islands.items()]
    between = [point for point in points if point["view"] == 1 and point["word"] in WITH_EL]
    note = named("la: feminine", "feminine,\nbut with el", between)
    low, *_, high = sorted(point["y"] for point in between)
    regions.append({**note, "y": high + 0.9 * (high - low), "spread": 0.0})
    return word_map(points, GENDERS, ("Spanish nouns", "English nouns"),
                    landmarks=["tree", "trees", "street", "streets", *WITH_EL],
                    title="article in Spanish", regions=regions,
                    leftward=("trees", "street", "classroom", "water"),
                    headings=("Spanish nouns don't lie by their article",
                              "English nouns lie by the article of their translation"))  # fmt: skip


@figure(
    "word-similarity",
    notebook="02_embeddings",
    caption="How alike twelve words are after training.",
    alt="A square of cosines. Off the diagonal the darkest cells are wide and wider, 0.7, water "
    "and classroom, gave and sent, 0.5. cat, dog and horse share 0.4 or so, but cat and cow only "
    "0.2: cow is nearer to apple, with 0.4.",
)
def draw_word_similarity() -> Figure:
    rows = [vocabularies()[0].index(word) for word in SOME_WORDS]
    ax = word_similarity(trained_tables()[0][rows], SOME_WORDS)
    ax.set_title("Words that are used alike point alike", fontsize=14)
    return ax.figure


def neighbor_shares(table: Tensor) -> dict[str, float]:
    """How often an English word's nearest neighbor is of its kind, by the cosine of `table`'s rows.

    The first share is of all words, the others of the nouns with one gender in Spanish, each with
    the nearest other noun.
    """
    from transformer_lib.corpora.english_spanish.classes import english_class
    from transformer_lib.corpora.english_spanish.lexicon import NOUN_OF_FORM

    words = vocabularies()[0]
    kinds = {word: english_class(word) for word in words}
    nouns = [word for word in words if kinds[word].part == "noun" and kinds[word].gender]
    rows = [words.index(word) for word in nouns]
    anyone = list(zip(words, nearest_words(table, words, 1), strict=True))
    others = list(zip(nouns, nearest_words(table[rows], nouns, 1), strict=True))

    def share(pairs: list, alike: Callable[[str, str], bool]) -> float:
        return sum(alike(word, near[0]) for word, near in pairs) / len(pairs)

    return {
        "same part of speech": share(anyone, lambda a, b: kinds[a].part == kinds[b].part),
        "nouns: same number": share(others, lambda a, b: kinds[a].number == kinds[b].number),
        "nouns: same gender in Spanish": share(
            others, lambda a, b: kinds[a].gender == kinds[b].gender
        ),
        "nouns: same field (food, pet …)": share(
            others, lambda a, b: bool(NOUN_OF_FORM[a].tags & NOUN_OF_FORM[b].tags)
        ),
    }


@figure(
    "neighbor-shares",
    notebook="02_embeddings",
    caption="How often a word's nearest neighbor is of the same kind, before and after training.",
    alt="Four pairs of bars. Same part of speech: 34 % before, 94 % after training. Of the nouns: "
    "same number about a half before, nearly all after; same gender in Spanish likewise; same "
    "field, such as food, 15 % before and a little more than a half after.",
)
def draw_neighbor_shares() -> Figure:
    shares = {
        "before training": neighbor_shares(first_tables()[0]),
        "after training": neighbor_shares(trained_tables()[0]),
    }
    return share_bars(shares).figure


WIDTHS = (8, 32, 128, 512)
ROOT = r"$\sqrt{d_{model}}$"
WITH, WITHOUT, POSITION = f"word \N{MULTIPLICATION SIGN} {ROOT}", "word", "position"


def measure_sizes(
    widths: Sequence[int] = WIDTHS, words: int = 1000
) -> tuple[dict[str, list[float]], dict[str, list[float]]]:
    """Mean lengths of new word vectors and of positions, and the cosine of two words' sums.

    The sum is word vector + position vector, of two different words at the same place.
    """
    from transformer_lib.embedding import Embeddings, positional_encoding

    lengths: dict[str, list[float]] = {WITH: [], WITHOUT: []}
    cosines: dict[str, list[float]] = {name: [] for name in lengths}
    lengths[POSITION] = []
    torch.manual_seed(0)
    for d_model in widths:
        embed = Embeddings(words, d_model)
        with torch.no_grad():
            tables = (embed(torch.arange(words)), embed.table.weight)
        places = positional_encoding(50, d_model)
        lengths[POSITION].append(places.norm(dim=1).mean().item())
        for name, table in zip(cosines, tables, strict=True):
            sums = table + places[10]
            alike = torch.cosine_similarity(sums[::2], sums[1::2])
            lengths[name].append(table.norm(dim=1).mean().item())
            cosines[name].append(alike.mean().item())
    return lengths, cosines


@figure(
    "embedding-lengths",
    notebook="02_embeddings",
    caption="New word vectors beside position vectors, with and without the root of d_model.",
    alt="Left: against d_model from 8 to 512, the length of a position vector grows from 2 to 16. "
    "A word vector stays at 1 without the factor, and grows from 3 to 23 with it. Right: without "
    "the factor the sums of two different words at the same place grow alike, their cosine rises "
    "from 0.8 to 1; with it the cosine stays near a third.",
)
def draw_embedding_lengths() -> Figure:
    return vector_sizes(WIDTHS, *measure_sizes())


@figure(
    "embedding-scale",
    notebook="02_embeddings",
    caption="A toy model that copies digits, with the root of d_model, without it, and without it "
    "but with a larger table at the start.",
    alt="Three falling curves of the loss. Without the factor it falls some fifty steps later than "
    "the other two, which lie on each other. After 300 steps all three are close to 0.1.",
)
def draw_embedding_scale() -> Figure:
    from transformer_lib import experiments

    names = {
        "with the factor": f"table \N{MULTIPLICATION SIGN} {ROOT} (the paper)",
        "without": "table as it is",
        "without, but a larger table": f"table {ROOT} times as large, as it is",
    }
    runs: dict[str, list] = {}
    for result in experiments.load("embedding-scale")["results"]:
        runs.setdefault(names[result["bottom"]], []).append(result["losses"])
    return loss_by_bottom(runs).figure
