"""The word *trees* at every station of its way: the picture at the top of each notebook."""

import functools
from collections.abc import Callable
from typing import Any

import torch
from matplotlib.figure import Figure

from transformer_lib.experiments.sentence import (
    SENTENCE,
    Way,
    nearest,
    untrained,
    way_of,
    with_borrowed_memory,
)
from transformer_lib.plots import poster
from transformer_lib.plots import trees as plots
from transformer_lib.plots.drawing import percent
from transformer_lib.plots.figures.registry import figure
from transformer_lib.translator import Translator

WORD, WRITTEN, OTHER = "trees", "árboles", "houses"
LAYER = "encoder.layers.1.self_attn"  # the attention that notebooks 04 to 06 look into
HEAD = 1
READING = "decoder.layers.1.cross_attn"
DONE = "Above it, thin, the stations already passed; below, the names of those to come."


@functools.cache
def the_translator() -> Translator:
    return Translator.load()


@functools.cache
def the_way() -> Way:
    return way_of(the_translator(), SENTENCE)


def number() -> int:
    return the_translator().src.vocab.encode([WORD])[0]


def share() -> float:
    """How far along the one-hot row the 1 stands."""
    return (number() + 0.5) / len(the_translator().src.vocab)


@functools.cache
def vectors() -> dict[str, Any]:
    """What trees is at each station; in the decoder, at the position that writes árboles."""
    way = the_way()
    return {
        "one-hot": share(),
        "embedding": way.of("src_embed", WORD),
        "+ position": way.of("src_positions", WORD),
        "encoder layer 0": way.of("encoder.layers.0", WORD),
        "attention": way.of(LAYER, WORD),
        "memory": way.of("encoder", WORD),
        "decoder": way.of("decoder", WRITTEN),
    }


def passed(here: str) -> dict[str, Any]:
    before = plots.STATIONS[: plots.STATIONS.index(here)]
    return {station: vectors()[station] for station in before}


def opened(
    here: str, draw: Callable[..., None], *shown: Any, below: str = "", **look: Any
) -> Figure:
    """The stations that trees has passed, thin, and the open one `here`: `draw` puts `shown` in it.

    below: the first station that isn't drawn thin, where it isn't `here`.
    """
    stations = passed(below or here)
    return plots.stack(stations, here, lambda ax, box: draw(ax, box, *shown), **look)


@figure(
    "trees-one-hot",
    notebook="01_one_hot",
    caption="You are here: the word trees becomes a row with one 1, at its own number.",
    alt="'trees' in green, and a long white row with one green mark, in the middle. Under a lens "
    "its cells are 0, but for one: a 1 at number 498, the number of 'trees'. Below, the names of "
    "seven stations to come, from embedding to next word.",
)
def draw_one_hot() -> Figure:
    vocab = the_translator().src.vocab
    first = number() - 4
    words = vocab.tokens[first : first + 9]
    return opened("one-hot", plots.one_hot_open, words, first, number(), len(vocab),
                  new="a row with one 1, all else 0", height=1.36, colors=False)  # fmt: skip


@figure(
    "trees-embeddings",
    notebook="02_embeddings",
    caption="You are here: the 1 pulls a row of 128 numbers out of a table.",
    alt="From the mark in the thin one-hot row a green fan opens onto a strip of 128 colored "
    "cells, blue below zero and orange above: the embedding of 'trees', times 11.3. Below, the "
    "names of the stations to come.",
)
def draw_embeddings() -> Figure:
    scale = the_translator().model.src_embed.scale
    note = f"row {number()} of the table, times √128 = {scale:.1f}"
    return opened("embedding", plots.fan_open, vectors()["embedding"], share(), note,
                  new="its 1 picks 128 numbers from a table", height=1.28)  # fmt: skip


@figure(
    "trees-positions",
    notebook="03_positional_encoding",
    caption="You are here: the vector of position 2 is added to the word.",
    alt="Three strips of 128 cells: the embedding of 'trees', plus position 2, whose cells are "
    f"waves at the left and regular stripes at the right, equals the sum. {DONE}",
)
def draw_positions() -> Figure:
    model = the_translator().model
    place = the_way().src.index(WORD)
    rows = [
        ("", "embedding", vectors()["embedding"]),
        ("+", f"position {place}", model.src_positions.table[place]),
        ("=", "sum", vectors()["+ position"]),
    ]
    return opened("+ position", functools.partial(plots.rows_open, height=0.3), rows,
                  below="embedding", new="its position is added: a pattern of waves", name=" ",
                  height=1.26)  # fmt: skip


@figure(
    "trees-attention",
    notebook="04_attention",
    caption="You are here: the query of trees looks for keys, in one real head.",
    alt="From the query of 'trees' green arrows go to the keys of 'like' and <eos>, 47 % each; 'I' "
    "gets 1 % and 'trees' itself 5 %. Beside each key stands a value; arrows of the same weights "
    f"lead from the values to their mix. All these are strips of 32 cells. {DONE}",
)
def draw_attention() -> Figure:
    way = the_way()
    layer = the_translator().model.get_submodule(LAYER)
    q, k, v = (layer.split_heads(way.outputs[f"{LAYER}.w_{part}"][None])[0, HEAD] for part in "qkv")
    place = way.src.index(WORD)
    weights = way.weights[LAYER][HEAD, place].tolist()
    return opened("attention", plots.attention_open, way.src, q[place], k, v, weights,
                  new="one head, 32 numbers: look, then mix", height=1.32)  # fmt: skip


@figure(
    "trees-heads",
    notebook="05_multi_head_attention",
    caption="You are here: what four heads bring to trees, side by side.",
    alt="Four strips of 32 cells, one for each head. Colored bars above say from which words they "
    "come: head 0 from <eos> and 'trees', head 1 from 'like' and <eos>, head 2 almost only from "
    f"'trees', head 3 mostly from <eos>; the large shares are written on the bars. {DONE}",
)
def draw_heads() -> Figure:
    way = the_way()
    place = way.src.index(WORD)
    return opened("attention", plots.heads_open, way.src, way.weights[LAYER][:, place],
                  way.heads[LAYER][:, place], new="four heads, each looks elsewhere",
                  height=1.36)  # fmt: skip


@figure(
    "trees-masks",
    notebook="06_masks",
    caption="You are here: what trees may see, and what the position that writes árboles may.",
    alt="Two rows of words with their vectors. Padding mask: 'trees' sees 'I', 'like', 'trees' and "
    "<eos>, but two <pad> are hatched. Causal mask: the position that writes 'árboles' sees "
    f"<bos>, 'me', 'gustan' and 'los', but 'árboles' is hatched. {DONE}",
)
def draw_masks() -> Figure:
    way = the_way()
    x, y = way.outputs["encoder.layers.0"], way.outputs["decoder.layers.0"]
    place = way.tgt_out.index(WRITTEN)
    rows = [
        ("padding mask", "seen from", WORD, [
            *((text, x[i], True) for i, text in enumerate(way.src)),
            ("<pad>", None, False), ("<pad>", None, False)]),
        ("causal mask", "to write", WRITTEN, [
            (text, y[i], i <= place) for i, text in enumerate(way.tgt_in)]),
    ]  # fmt: skip
    return opened("attention", plots.masks_open, rows, new="hatched: hidden by a mask",
                  name=" ", height=1.36)  # fmt: skip


@figure(
    "trees-encoder",
    notebook="07_encoder",
    caption="You are here: what is left of trees at the end of the encoder, the memory.",
    alt="Three strips of 128 cells: 'trees' after the attention, what the feed-forward network "
    f"adds, with dark cells, and, after the last norm, the memory. {DONE}",
)
def draw_encoder() -> Figure:
    way, layer = the_way(), "encoder.layers.1"
    rows = [
        ("", "after attention", way.of(f"{layer}.around_self_attn", WORD)),
        ("+", "feed-forward", way.of(f"{layer}.feed_forward", WORD)),
        ("", "after norm:\nthe memory", vectors()["memory"]),
    ]
    return opened("memory", plots.rows_open, rows, new="the end of the encoder: the memory",
                  name=" ", height=1.2)  # fmt: skip


@figure(
    "trees-decoder",
    notebook="08_decoder",
    caption="You are here: the position that writes árboles reads the memory, in layer 1.",
    alt="Four strips, the memory of 'I', 'like', 'trees' and <eos>. One thick green arrow, 100 %, "
    "leads from 'trees' to the strip of the position that writes 'árboles'; the others have 0 %. "
    f"{DONE}",
)
def draw_decoder() -> Figure:
    way = the_way()
    place = way.tgt_out.index(WRITTEN)
    weights = way.weights[READING].mean(dim=0)[place].tolist()
    return opened("decoder", plots.reading_open, way.src, way.outputs["encoder"], weights, WRITTEN,
                  vectors()["decoder"], new="read by the decoder, layer 1",
                  height=1.2)  # fmt: skip


@figure(
    "trees-transformer",
    notebook="09_the_whole_transformer",
    caption="You are here: every station of trees, from the embedding to the next word.",
    alt="Eight strips of 128 cells under each other. Four belong to 'trees' in the encoder: "
    "embedding, + position, layer 0, layer 1, which is the memory. Between them stands that "
    "each layer of the decoder reads this memory. Four belong to 'los' in the decoder, the "
    "same ones. An arrow leads from the last one to 'árboles' with 90 %.",
)
def draw_transformer() -> Figure:
    way = the_way()
    before = way.tgt_in[way.tgt_out.index(WRITTEN)]
    names = ("embedding", "+ position", "layer 0", "layer 1")
    encoder = ("src_embed", "src_positions", "encoder.layers.0", "encoder.layers.1")
    decoder = ("tgt_embed", "tgt_positions", "decoder.layers.0", "decoder.layers.1")
    rows = [
        *((f"{name}: memory" if i == 3 else name, "encoder", way.of(part, WORD),
           WORD if i == 0 else "")
          for i, (name, part) in enumerate(zip(names, encoder, strict=True))),
        *((name, "decoder", way.of(part, WRITTEN), before if i == 0 else "")
          for i, (name, part) in enumerate(zip(names, decoder, strict=True))),
    ]  # fmt: skip
    (_, chance), *_ = way.likeliest(WRITTEN, 1)
    return plots.whole_way(rows, (WRITTEN, f"the next word, {percent(chance)}"))


@figure(
    "trees-training",
    notebook="10_training",
    caption="You are here: the row of trees in the table, before the training and after it.",
    alt="Two strips of 128 cells. Before training: random numbers; most like them are the rows of "
    "'truck', 'help' and 'Spanish', by chance. After 8,000 steps: other numbers; most like them "
    "are 'drawers', 'cars' and 'tomatoes', all masculine plurals in Spanish.",
)
def draw_training() -> Figure:
    before, after = untrained(the_translator()), the_translator()
    with torch.no_grad():
        rows = [
            (title, model.model.src_embed.table.weight[number()] * model.model.src_embed.scale,
             [*nearest(model, WORD)[:-1], f"{nearest(model, WORD)[-1]}  ({why})"])
            for title, model, why in (
                ("before\ntraining", before, "by chance"),
                ("after\n8,000 steps", after, "all masculine plurals in Spanish"))
        ]  # fmt: skip
    return plots.before_after(WORD, rows)


@figure(
    "trees-decoding",
    notebook="11_decoding",
    caption="You are here: the last vector says how likely each word is.",
    alt="A strip of 128 cells, the last vector of the decoder, and below it a long bar, 'árboles' "
    "with 90 %, and two hairlines, for 'lo' and 'tarde', with 0.04 %. The other 1,791 words share "
    "10 %. Above, thin, the stations already passed.",
)
def draw_decoding() -> Figure:
    way, vocab = the_way(), the_translator().tgt.vocab
    words, chances = zip(*way.likeliest(WRITTEN, 3), strict=True)
    texts = [vocab.tokens[i] for i in words]
    rest = f"the other {len(vocab) - 3:,} words share {percent(1 - sum(chances))}"
    return opened("next word", plots.words_open, vectors()["decoder"], texts, chances, rest,
                  below="decoder", new="the last vector says: árboles", height=1.3)  # fmt: skip


@figure(
    "trees-translation",
    notebook="12_translation",
    caption="You are here: every word, read on the left and written on the right.",
    alt="Left four strips, the memory of 'I', 'like', 'trees' and <eos>; right five strips, the "
    "last vectors of 'me', 'gustan', 'los', 'árboles' and <eos>. Lines as thick as the attention: "
    "'árboles' reads 'trees', <eos> reads <eos>, 'gustan' reads 'like' and 'trees'.",
)
def draw_translation() -> Figure:
    way = the_way()
    reads = way.weights[READING].mean(dim=0)
    return plots.sentence_across(way.src, way.outputs["encoder"], way.tgt_out,
                                 way.outputs["decoder"], reads)  # fmt: skip


@figure(
    "trees-causes",
    notebook="13_what_the_heads_learned",
    caption="You are here: the memory of trees is exchanged, to see what hangs on it.",
    alt="Three rows. The memory of 'trees' makes the decoder write 'me gustan los árboles', that "
    "of 'houses' 'me gustan las casas'. An arrow puts the memory of 'houses' into the place of "
    "'trees' in the sentence 'I like trees': now it writes 'me gustan las casas'.",
)
def draw_causes() -> Figure:
    translator = the_translator()
    other = way_of(translator, SENTENCE.replace(WORD, OTHER))
    theirs = other.of("encoder", OTHER)
    mixed = with_borrowed_memory(translator, SENTENCE, WORD, OTHER)
    rows = [
        (SENTENCE, vectors()["memory"], the_way().tgt_out[:-1]),
        (" ".join(other.src[:-1]), theirs, other.tgt_out[:-1]),
        (f"{SENTENCE}\nmemory of {OTHER}", theirs, mixed),
    ]
    return plots.borrowed(rows, arrow_from=1, arrow_to=2)


@figure(
    "positions-end-sign",
    notebook="03_positional_encoding",
    caption="A word stays what it is when its position is added; the end sign nearly fades.",
    alt="Two groups of three strips: row, position and their sum. For 'trees' the sum is as dark "
    "as the row. For <eos> the row is pale blue where the position is orange, and the sum is "
    "almost white, but for some cells on the left.",
)
def draw_end_sign() -> Figure:
    way, table = the_way(), the_translator().model.src_positions.table
    return plots.sums([
        (text, [
            ("row × √128", way.of("src_embed", text)),
            (f"+ position {way.src.index(text)}", table[way.src.index(text)]),
            ("= sum", way.of("src_positions", text)),
        ])
        for text in (WORD, way.src[-1])
    ])  # fmt: skip


# What to look for on the poster: each is tested.
NOTES = (
    "Down the encoder a word stays like itself, row after row: layers add to what is there.",
    "<eos> fades where its position is added: its row points against the positions.",
    "In encoder layer 0, trees takes from <eos> with all four heads, 82 to 100 %.",
    "In self-attention of the decoder no arrow comes from a word further right: the mask.",
    "The position that writes árboles reads trees with all four heads of decoder layer 1.",
    "The darkest rows are what the decoder's feed-forward networks add; the norm tames them.",
    "Each word gets 89 or 90 %: training with smoothed targets asks for no more.",
)


@figure(
    "poster",
    notebook="09_the_whole_transformer",
    caption="The whole way of 'I like trees' on one page (A2), every number true.",
    alt="A page with four columns of strips on the left, the encoder, and five on the right, the "
    "decoder, read from the top down. Each word is a strip of 128 colored cells that changes from "
    "row to row; between the rows, arrows as thick as the attention of each head lead from word to "
    "word. A cable of four colors takes the memory into both decoder layers. At the bottom stand "
    "me, gustan, los, árboles and <eos>, each with 89 or 90 %; each goes back up and in again.",
)
def draw_poster() -> Figure:
    translator, way = the_translator(), the_way()
    src, tgt = translator.src.vocab, translator.tgt.vocab
    likeliest = [
        [(tgt.tokens[i], chance) for i, chance in way.likeliest(text, 3)] for text in way.tgt_out
    ]
    return poster.poster(
        way, ids_of(src, way.src), ids_of(tgt, way.tgt_in), (len(src), len(tgt)),
        translator.model.src_positions.table, likeliest, NOTES,
    )  # fmt: skip


def ids_of(vocab: Any, words: list[str]) -> list[int]:
    """The numbers of words, and of signs such as <eos>."""
    return [vocab.tokens.index(text) for text in words]
