"""The figures of notebook 03: where a word stands."""

import random
from typing import Any

import torch
from matplotlib.figure import Figure

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.positions import (
    input_vectors,
    lengths_copied,
    padding_picture,
    positions_clocks,
    positions_curves,
    positions_explorer,
    positions_frequencies,
    positions_heatmap,
    positions_similarity,
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
    "the same. Right, with positions, they differ.",
)
def draw_positions_shuffled() -> Figure:
    words, orders = ["I", "like", "trees"], ("I like trees", "trees I like")
    return rows_in_pairs(words, orders, shuffled_outputs())


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
    alt="Heat map with one row per position. On the left blue and amber alternate from row to row, "
    "fast; to the right ever more slowly. Beyond dimension 300 the rows look alike: thin grey and "
    "pale stripes, the sines still near 0 and the cosines near 1.",
)
def draw_positions_paper() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_heatmap(positional_encoding(20, 512)).figure


@figure(
    "positions-small",
    notebook=NOTEBOOK,
    caption="The paper's position vectors where single columns can be seen: 10 positions, 64 "
    "dimensions.",
    alt="Heat map of 10 rows and 64 columns. Even columns start at grey, the sine of 0; odd ones "
    "at the palest amber, the cosine of 0. The columns on the left change from row to row; those "
    "on the right keep their color, so that grey and pale stripes alternate.",
)
def draw_positions_small() -> Figure:
    from transformer_lib.embedding import positional_encoding

    return positions_heatmap(positional_encoding(10, 64)).figure


@figure(
    "positions-tensor2tensor",
    notebook=NOTEBOOK,
    caption="The position vectors of the authors' code, Tensor2Tensor: 20 positions, 512 "
    "dimensions.",
    alt="Heat map split in the middle. The left half holds the sines and starts with grey in row "
    "0; the right half holds the cosines and starts with pale amber. In both halves the colors "
    "alternate fast on the left and hardly change on the right.",
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
    alt="Three clocks, for pairs 0, 30 and 60. In each, a blue arc leads from position 1 to 4 and "
    "a wine arc from position 6 to 9. Within a clock the two arcs are equally long; from clock to "
    "clock they shrink: 172, 58 and 20 degrees.",
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


def trained_words(words: list[str]) -> Any:
    """The vectors (words, 128) that the shipped translator's encoder reads, without positions."""
    from transformer_lib.checkpoints import load_model, read_json
    from transformer_lib.tokens import Vocabulary
    from transformer_lib.translator import SHIPPED_MODEL

    vocab = Vocabulary(read_json(SHIPPED_MODEL / "vocabulary.json")["source"]["words"])
    with torch.inference_mode():
        return load_model(SHIPPED_MODEL).src_embed(torch.tensor(vocab.encode(words)))


@figure(
    "positions-sum",
    notebook=NOTEBOOK,
    caption="The same word at two places: word vector + position vector = two different sums.",
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
    alt="Three columns for 'I', 'like' and 'trees'. In each, from the bottom: the word, its "
    "vector, plus the vector of its position 0, 1 or 2, and the sum, from which an arrow leads "
    "into one box, the encoder.",
)
def draw_positions_input() -> Figure:
    from transformer_lib.embedding import positional_encoding

    words = ["I", "like", "trees"]
    vectors = trained_words(words)
    return input_vectors(words, vectors, positional_encoding(3, vectors.size(1)))


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


def two_batches(lengths: list[int], size: int = 40) -> dict[str, list[int]]:
    """The lengths in a batch of random sentences, and in one of neighbors when all are sorted."""
    shuffled = random.Random(0).sample(lengths, len(lengths))
    middle = len(lengths) // 2
    return {
        "any sentences": shuffled[:size],
        "sentences of similar length": sorted(lengths)[middle : middle + size],
    }


@figure(
    "padding-saved",
    notebook=NOTEBOOK,
    caption="Forty sentences in a batch: taken at random, and taken by their length.",
    alt="Two tables with a row for each of 40 sentences, words dark and padding pale. On the left "
    "the rows end at very different places and nearly half of the table is padding; on the right "
    "all rows but a few are equally long and one percent is padding.",
)
def draw_padding_saved() -> Figure:
    from transformer_lib.corpora import english_spanish

    sentences = [english for english, _ in english_spanish.load("train")[:2000]]
    return padding_picture(two_batches([len(english.split()) + 1 for english in sentences]))
