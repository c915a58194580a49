"""The figures of notebook 03: where a word stands."""

import functools
import random
from typing import Any

import torch
from matplotlib.figure import Figure

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.positions import (
    clock_table,
    input_vectors,
    lengths_copied,
    padding_picture,
    positions_clocks,
    positions_curves,
    positions_explorer,
    positions_frequencies,
    positions_heatmap,
    positions_similarity,
    positions_table,
    rows_in_pairs,
    wavelengths,
    word_plus_position,
)

NOTEBOOK = "03_positional_encoding"


def shuffled_outputs() -> dict[str, tuple[Any, Any]]:
    """What an untrained encoder makes of "I like trees" and of "trees I like".

    Without positions and with them: two tables with a row for each of I, like, trees, of which 24
    of 512 numbers are kept.
    """
    from transformer_lib.embedding import positional_encoding
    from transformer_lib.encoder import Encoder

    torch.manual_seed(0)
    words = torch.randn(1, 3, 512)
    encoder = Encoder(N=2, d_model=512, d_ff=2048, h=8, dropout=0.0).eval()
    places = positional_encoding(3, 512)
    order = torch.tensor([2, 0, 1])  # trees I like
    panels = {}
    with torch.inference_mode():
        for title, added in (("without positions", 0 * places), ("with positions", places)):
            straight = encoder(words + added)[0]
            shuffled = encoder(words[:, order] + added)[0, order.argsort()]
            panels[title] = straight[:, :24], shuffled[:, :24]
    return panels


@figure(
    "positions-shuffled",
    notebook=NOTEBOOK,
    caption="Without positions, an encoder gives each word the same vector in whatever order.",
    alt="Two tables of output vectors, with two rows for each of 'I', 'like' and 'trees': one from "
    "'I like trees', one from 'trees I like'. Left, without positions, the two rows of a word are "
    "the same. Right, with positions, they differ; this stands above.",
)
def draw_positions_shuffled() -> Figure:
    words, orders = ["I", "like", "trees"], ("I like trees", "trees I like")
    return rows_in_pairs(words, orders, shuffled_outputs())


SENTENCE = ["I", "like", "trees", "and", "their", "shade", "in", "summer"]
CLOCKS = {0: "fast: once round\nin about 6 words", 45: "slower: once round\nin about 32 words",
          128: "slow: once round\nin about 628 words"}  # fmt: skip


@figure(
    "positions-clocks",
    notebook=NOTEBOOK,
    caption="Every position is a setting of clocks: fast hands for neighbors, slow ones for far.",
    alt="Three rows of eight clocks above the words 'I like trees and their shade in summer' at "
    "positions 0 to 7. All hands start pointing up. The fast hand turns by 57 degrees from word to "
    "word and is round after 6, the middle one by 11 degrees, the slow one hardly moves.",
    hero=True,
)
def draw_positions_clocks() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return clock_table(SENTENCE, positional_encoding(len(SENTENCE), 512), CLOCKS)


@figure(
    "positions-table",
    notebook=NOTEBOOK,
    caption="A hundred position vectors of our translator's width, 128: white is zero.",
    alt="Heat map of 100 positions and 128 columns. On the left blue and orange alternate fast "
    "from row to row; the further right, the slower the change, along curved bands. The right "
    "third is still: white columns, the sines near 0, beside brown ones, the cosines near 1. "
    "Below, the row of position 30 stands alone.",
)
def draw_positions_table() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_table(positional_encoding(100, 128), row=30)


@figure(
    "positions-curves",
    notebook=NOTEBOOK,
    caption="Each column of the table is a wave, and the waves grow longer to the right.",
    alt="Four panels over 60 positions, each with a sine and a cosine between -1 and 1. The waves "
    "of pair 0 are about 6 positions long, of pair 15 about 11, of pair 45 about 32. Those of pair "
    "255 would be about 61,000 long: the sine looks like a flat line at 0, the cosine at 1.",
)
def draw_positions_curves() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_curves(positional_encoding(61, 512), pairs=(0, 15, 45, 255))


@figure(
    "positions-paper",
    notebook=NOTEBOOK,
    caption="The paper's position vectors: 20 positions, 512 dimensions.",
    alt="Heat map with one row per position. On the left blue and orange alternate from row to "
    "row, fast; to the right ever more slowly. Beyond column 300 the rows look alike: thin white "
    "and brown stripes, the sines still near 0 and the cosines near 1.",
)
def draw_positions_paper() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_heatmap(positional_encoding(20, 512)).figure


@figure(
    "positions-small",
    notebook=NOTEBOOK,
    caption="The paper's position vectors where single columns can be seen: 10 positions, 64 "
    "dimensions.",
    alt="Heat map of 10 rows and 64 columns. Even columns start white, the sine of 0; odd ones "
    "dark brown, the cosine of 0. The columns on the left change from row to row; those on the "
    "right keep their color, so that white and brown stripes alternate.",
)
def draw_positions_small() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_heatmap(positional_encoding(10, 64)).figure


@figure(
    "positions-tensor2tensor",
    notebook=NOTEBOOK,
    caption="The position vectors of the authors' code, Tensor2Tensor: 20 positions, 512 "
    "dimensions.",
    alt="Heat map split in the middle. The left half holds the sines and starts white in row 0; "
    "the right half holds the cosines and starts dark brown. In both halves the colors alternate "
    "fast on the left and hardly change on the right.",
)
def draw_positions_tensor2tensor() -> Figure:
    from transformer_lib.embedding import tensor2tensor_encoding

    return positions_heatmap(tensor2tensor_encoding(20, 512)).figure


def both_wavelengths(d_model: int) -> dict[str, Any]:
    """The waves of the two encodings, each measured in its own table."""
    from transformer_lib.embedding import positional_encoding, tensor2tensor_encoding

    sines, cosines = tensor2tensor_encoding(2, d_model).chunk(2, dim=1)
    side_by_side = torch.stack([sines, cosines], dim=-1).flatten(1)
    return {
        "paper": wavelengths(positional_encoding(2, d_model)),
        "Tensor2Tensor": wavelengths(side_by_side),
    }


@figure(
    "positions-frequencies",
    notebook=NOTEBOOK,
    caption="The two encodings differ in their wavelengths, not only in the order of the columns.",
    alt="Left, d_model = 8: wavelengths of four pairs on a logarithmic scale. Both start at 6; "
    "Tensor2Tensor's rise to 10000 times 2 pi, the paper's only to 1000 times 2 pi. Right, "
    "d_model = 512: Tensor2Tensor's waves are longer than the paper's by 0 percent at pair 0, "
    "rising in almost a straight line to 3.7 percent at pair 255.",
)
def draw_positions_frequencies() -> Figure:
    return positions_frequencies(both_wavelengths(8), both_wavelengths(512))


@figure(
    "positions-rotation",
    notebook=NOTEBOOK,
    caption="Going three positions on turns each hand by its own angle, wherever it starts.",
    alt="Three clocks, for numbers 0 and 1, 60 and 61, 120 and 121. In each, a blue arc leads from "
    "position 1 to 4 and a wine arc from position 6 to 9. Within a clock the two arcs are "
    "equally long; from clock to clock they shrink: 172, 58 and 20 degrees.",
)
def draw_positions_rotation() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_clocks(positional_encoding(10, 512), (0, 30, 60), start=1, other=6, step=3)


@figure(
    "positions-dot-products",
    notebook=NOTEBOOK,
    caption="The dot product of two position vectors depends on their distance only.",
    alt="Left: a table of 41 by 41 positions, darkest on the diagonal and constant along each "
    "parallel to it. Right: dot product against distance. For 512 dimensions the curve falls from "
    "1 to about 0.55 at distance 40; for 8 dimensions it swings up and down, and at distance 6 it "
    "is back at 0.95.",
)
def draw_positions_dot_products() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_similarity(positional_encoding(41, 512), [positional_encoding(41, 8)])


def trained_words(words: list[str], side: str = "source") -> Any:
    """The vectors (words, 128) that the shipped translator reads, without positions."""
    from transformer_lib.checkpoints import load_model, read_json
    from transformer_lib.tokens import Vocabulary
    from transformer_lib.translator import SHIPPED_MODEL

    vocab = Vocabulary(read_json(SHIPPED_MODEL / "vocabulary.json")[side]["words"])
    model = load_model(SHIPPED_MODEL)
    embed = model.src_embed if side == "source" else model.tgt_embed
    with torch.inference_mode():
        return embed(torch.tensor(vocab.encode(words)))


@figure(
    "positions-sum",
    notebook=NOTEBOOK,
    caption="The same word at two positions: word vector + position vector = two different sums.",
    alt="Two panels for 'trees' at positions 2 and 1, each with three stripes of 32 of the 128 "
    "numbers. The top stripes, the word, are the same. The middle ones, the position, differ most "
    "on their left. The bottom ones, the sums, differ where the positions do.",
)
def draw_positions_sum() -> Figure:
    from transformer_lib.embedding import positional_encoding

    word = trained_words(["trees"])
    table = positional_encoding(3, word.size(1))[:, :32]
    word = word[:, :32]
    return word_plus_position(["trees", "trees"], word.repeat(2, 1), {2: table[2], 1: table[1]})


@figure(
    "positions-input",
    notebook=NOTEBOOK,
    caption="What goes into the encoder: three vectors, each a meaning plus a position.",
    alt="Left: encoder and decoder as two small towers, the bottom of the encoder filled. Right, "
    "that bottom enlarged: three columns for 'I', 'like' and 'trees'. In each, from the bottom: "
    "the word, its vector, plus the vector of its position 0, 1 or 2, and the sum, framed in the "
    "word's color, from which an arrow leads into encoder layer 0.",
)
def draw_positions_input() -> Figure:
    from transformer_lib.embedding import positional_encoding

    words = ["I", "like", "trees"]
    vectors = trained_words(words)
    return input_vectors(words, vectors, positional_encoding(3, vectors.size(1)))


@figure(
    "positions-output-side",
    notebook=NOTEBOOK,
    caption="The same on the side that writes: words of another table, the same positions.",
    alt="Left: encoder and decoder as two small towers, the bottom of the decoder filled. Right, "
    "that bottom enlarged: five columns for '<bos>', 'me', 'gustan', 'los' and 'árboles'. In each, "
    "from the bottom: the word, its vector, plus the vector of its position 0 to 4, and the sum, "
    "framed in the word's color, from which an arrow leads into decoder layer 0.",
)
def draw_positions_output_side() -> Figure:
    from transformer_lib.embedding import positional_encoding

    words = ["<bos>", "me", "gustan", "los", "árboles"]
    vectors = trained_words(words, "target")
    return input_vectors(words, vectors, positional_encoding(5, vectors.size(1)), "decoder")


@figure(
    "positions-explorer",
    notebook=NOTEBOOK,
    caption="The formula to play with: sliders for d_model, the base and a position.",
    alt="A heat map of 20 positions and 32 dimensions with position 3 framed; to its right a bar "
    "for each position, as long as its dot product with position 3, longest at 3 itself; below, "
    "the 32 numbers of position 3 as bars. Three sliders change d_model, the base, the position.",
)
def draw_positions_explorer() -> Any:
    return positions_explorer()


@figure(
    "positions-learned",
    notebook=NOTEBOOK,
    caption="Learned and computed positions copy equally well inside the training lengths; beyond "
    "them neither holds out for long.",
    alt="Share of rows copied right against the number of digits. Up to 10 digits, the longest in "
    "training, computed and learned positions are near 1. At 11 the computed ones fall to about a "
    "half, the learned ones to 0; from 13 on all are at 0. Without positions the share falls from "
    "1 digit on and is near 0 from 5 on.",
)
def draw_positions_learned() -> Figure:
    from transformer_lib import experiments

    found = experiments.load("positions")
    return lengths_copied(found["results"], found["trained_to"]).figure


@functools.cache  # notebook 03 shows the numbers, and then the picture
def two_ways() -> tuple[list[int], dict[str, list[list[int]]]]:
    """All training sentences in batches, at random and by length -> their lengths, both ways."""
    from transformer_lib.batching import batch_indices
    from transformer_lib.corpora import english_spanish

    pairs = [(en.split(), es.split()) for en, es in english_spanish.load("train")]
    lengths = [len(source) + 1 for source, _ in pairs]  # the words and <eos>
    similar = batch_indices(pairs, max_tokens=1024, seed=0)
    shuffled = random.Random(0).sample(range(len(pairs)), len(pairs))
    size = len(pairs) // len(similar)
    at_random = [shuffled[start : start + size] for start in range(0, len(pairs), size)]
    return lengths, {"sentences as they come": at_random, "of similar length": similar}


def usual_batch(batches: list[list[int]], lengths: list[int]) -> list[int]:
    """The lengths of the batch whose share of padding is nearest to that of all batches."""
    words = [[lengths[i] for i in batch] for batch in batches]
    share = 1 - sum(map(sum, words)) / sum(len(batch) * max(batch) for batch in words)
    return min(words, key=lambda batch: abs(1 - sum(batch) / len(batch) / max(batch) - share))


@figure(
    "padding-saved",
    notebook=NOTEBOOK,
    caption="A batch of sentences taken at random, and one of sentences of similar length.",
    alt="Two tables with a row for each sentence of a batch, words dark and padding pale. On the "
    "left the rows end at very different positions and 41 % of the table is padding; on the "
    "right nearly all rows are equally long and 3 % is padding.",
)
def draw_padding_saved() -> Figure:
    lengths, ways = two_ways()
    return padding_picture({way: usual_batch(batches, lengths) for way, batches in ways.items()})
