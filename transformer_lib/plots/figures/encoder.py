"""The figures of notebook 07: the encoder."""

from matplotlib.figure import Figure

from transformer_lib.experiments.encoder import (
    SENTENCE,
    TEN_NOUNS,
    alike,
    all_ways,
    batch_norm,
    excited_by,
    flow_stations,
    fresh_norm,
    moved,
    others,
    random_layers,
    read_by_encoder,
    red_things,
    shares_a_mean,
    stream,
    titles,
    what_is_added,
    without_end,
)
from transformer_lib.plots import encoder as plots
from transformer_lib.plots import style
from transformer_lib.plots.figures.registry import figure

NOTEBOOK = "07_encoder"


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "encoder-who-moves",
    notebook=NOTEBOOK,
    caption="One word is nudged: which outputs move? Feed-forward, self-attention, whole encoder.",
    alt="Three maps over the words of 'the tired animal crosses the wide street'. Feed-forward: "
    "the diagonal and nothing else. Self-attention: cells all over, the darkest in the columns of "
    "the two 'the'. Two whole layers: a dark diagonal, and all other cells faintly filled.",
)
def draw_who_moves() -> Figure:
    from transformer_lib.translator import Translator

    (words,), xs = read_by_encoder([SENTENCE])
    x = without_end(words, xs)[0]
    encoder = Translator.load().model.eval().encoder
    first = encoder.layers[0]
    maps = {
        "feed-forward": moved(first.feed_forward, x),
        "self-attention": moved(lambda x: first.self_attn(x, x, x), x),
        "two whole layers": moved(encoder, x),
    }
    figure = plots.word_maps(maps, words, label="how far it moves (largest = 1)",
                             rows="this word's output moves",
                             columns="when this word is nudged")  # fmt: skip
    figure.suptitle("A word reaches the others only through attention", fontsize=14, weight="bold")
    return figure


@figure(
    "encoder-stream-of-words",
    notebook=NOTEBOOK,
    hero=True,
    caption="The residual stream of 'I like trees': each word flows straight on, parts add to it.",
    alt="Four colored lanes, 'I', 'like', 'trees' and <eos>, run straight from left to right "
    "through layer 0 and layer 1. In each layer, under 'attention', ribbons lead from lane to "
    "lane and end in a plus sign; under 'feed-forward', each lane has a small loop of its own that "
    "ends in a plus sign of the same lane.",
)
def draw_stream_of_words() -> Figure:
    return plots.stream_of_words(
        ["I", "like", "trees", "<eos>"],
        [layer["weights"] for layer in what_is_added("I like trees")],
    )


@figure(
    "encoder-neurons",
    notebook=NOTEBOOK,
    caption="Two neurons that fire for trees, and the words of 1,000 held-out sentences for which "
    "they fire most.",
    alt="Two panels of bars. Neuron 314 of layer 0: cakes, trees, paths, students, trunks, books, "
    "artists, boats: plurals, all masculine in Spanish. Neuron 11 of layer 1: parents, rabbits, "
    "cousins, ducks, dogs: people and animals in the plural, and, lower, trees.",
)
def draw_neurons() -> Figure:
    return plots.neuron_words(
        {"layer 0, neuron 314:\nplurals, masculine in Spanish": excited_by(0, 314, also="trees"),
         "layer 1, neuron 11:\nplurals, most of them alive": excited_by(1, 11, also="trees")},
        "how strongly it fires (mean)",
    )  # fmt: skip


F, SUM, BOTH = "f(x)", "x + f(x)", "norm(x + f(x))"
UP, DOWN = "signal, on its way up", "gradient, on its way down"


@figure(
    "encoder-deep-stack",
    notebook=NOTEBOOK,
    caption="Signal and gradient through 24 untrained layers: vanishing, exploding, steady.",
    alt="Two panels of three curves over 24 layers, in powers of ten. Signal: with f(x) it falls "
    "to a millionth, with x + f(x) it rises above ten thousand, with norm(x + f(x)) it stays at "
    "1. Gradient, from right to left: f(x) falls to a millionth, x + f(x) rises to ten million, "
    "norm(x + f(x)) stays near 1.",
)
def draw_deep_stack() -> Figure:
    ways = all_ways()
    names = {F: "neither", SUM: "residual only", BOTH: "residual and norm"}
    panels = {
        title: {name: ways[way][key] for name, way in names.items()}
        for title, key in ((UP, "signal"), (DOWN, "gradient"))
    }
    looks = {F: (style.CATEGORIES[2], "--"), SUM: (style.WRONG, ":"), BOTH: (style.RIGHT, "-")}
    places = {(UP, F): (11, -5.0), (UP, SUM): (13, 3.2), (UP, BOTH): (24, 0.25),
              (DOWN, F): (20, -4.4), (DOWN, SUM): (17, 2.9), (DOWN, BOTH): (11, 0.2)}  # fmt: skip
    figure = plots.depth_curves(panels, powers=list(panels), looks=looks, places=places)
    figure.suptitle("24 layers deep, only the norm keeps the length of the vectors", fontsize=14,
                    weight="bold")  # fmt: skip
    figure.supxlabel("f: one sub-layer, attention or feed-forward", fontsize=12)
    for ax in figure.axes:
        ax.set_ylim(-7.4, 7.9)  # the same scale for both
    figure.axes[0].set_ylabel("length, 1 where it starts")
    figure.axes[1].set_xlabel("layer (read from right to left)")
    return figure


@figure(
    "encoder-deep-alike",
    notebook=NOTEBOOK,
    caption="How alike the words become in 24 untrained layers, in four ways around a sub-layer.",
    alt="Four curves over 24 layers. Without a residual, with and without a norm, the mean cosine "
    "of two words is 1 after two layers; with one it gets there after about ten.",
)
def draw_deep_alike() -> Figure:
    names = {F: "neither", SUM: "residual only", "norm(f(x))": "norm only",
             BOTH: "residual and norm"}  # fmt: skip
    title = "mean cosine of two words"
    curves = {name: all_ways()[way]["alike"] for name, way in names.items()}
    looks = dict(zip(names, zip(style.CATEGORIES, plots.LINES, strict=False), strict=False))
    places = {(title, F): (7.5, 0.12), (title, "norm(f(x))"): (7.5, 0.24),
              (title, SUM): (13, 0.52), (title, BOTH): (13, 0.64)}  # fmt: skip
    return plots.depth_curves({title: curves}, looks=looks, places=places)


@figure(
    "encoder-norm-groups",
    notebook=NOTEBOOK,
    caption="Numbers of one color share a mean: layer norm, one for each word; batch norm, one "
    "for each feature.",
    alt="Two sentences of three words, each word a row of five cells. Left, layer norm: each row "
    "has its own letter and color, six means. Right, batch norm: each column has its own, five "
    "means, through both sentences and the padding of the shorter one.",
)
def draw_norm_groups() -> Figure:
    shape = (2, 3, 5)
    groups = {"layer norm:\none mean for each word": shares_a_mean(fresh_norm, shape),
              "batch norm:\none for each feature": shares_a_mean(batch_norm, shape)}  # fmt: skip
    return plots.norm_groups(groups, [["I", "like", "trees"], ["thank", "you", "<pad>"]])


@figure(
    "encoder-two-norms",
    notebook=NOTEBOOK,
    caption="The vectors of three words on their way around a sub-layer, post-norm and pre-norm.",
    alt="Two rows of small color maps joined by arrows, with three words each, whose sizes stand "
    "beside them: 0.5, 1 and 2. Above, post-norm: f and dropout, the sum with x, then the norm; "
    "the output's three words have the size 1. Below, pre-norm: the norm comes first and only f "
    "reads it; x itself goes around to the sum, and the output's words keep different sizes. In "
    "what is added, some cells are white: dropout has set them to 0.",
)
def draw_two_norms() -> Figure:
    return plots.around_flow(
        {"post-norm: every word leaves with size 1\nLayerNorm(x + Dropout(f(x)))":
         flow_stations(False),
         "pre-norm: what goes in large, leaves large\nx + Dropout(f(LayerNorm(x)))":
         flow_stations(True)},
        ["I", "like", "trees"],
    )  # fmt: skip


@figure(
    "encoder-stream",
    notebook=NOTEBOOK,
    caption="The size of the vectors between the layers of 24 untrained layers.",
    alt="Two curves. Post-norm is flat at 1. Pre-norm climbs steadily from 1 to about 5, and the "
    "one norm at the end takes it back to 1.",
)
def draw_stream() -> Figure:
    sizes = {"post-norm": stream(False), "pre-norm": stream(True)}
    title = "size of the vectors"
    places = {(title, "pre-norm"): (15.5, 4), (title, "post-norm"): (15.5, 1.05)}
    return plots.depth_curves({title: sizes}, last="end", places=places)


@figure(
    "encoder-two-layers",
    notebook=NOTEBOOK,
    caption="Two encoder layers and two decoder layers: the memory reaches both decoder layers.",
    alt="Two stacks of boxes, to be read from the bottom up. Left, the encoder reads 'I like trees "
    "<eos>': two layers of self-attention and feed-forward, each followed by a filled box 'add & "
    "norm' with a line around the sub-layer into it. Right, the decoder has read '<bos> me gustan "
    "los': two layers of masked self-attention, cross-attention and feed-forward. From the top of "
    "the encoder a thick line, the memory, leads into the cross-attention of both decoder layers. "
    "Above the decoder: linear, softmax, and the word 'árboles'.",
)
def draw_two_layers() -> Figure:
    return plots.two_stacks(
        ["I", "like", "trees", "<eos>"], ["<bos>", "me", "gustan", "los"], "árboles"
    )


@figure(
    "encoder-similarity",
    notebook=NOTEBOOK,
    caption="How alike the words of one sentence are, before and after each layer of our "
    "translator.",
    alt="Three maps of cosines over 'the tired animal crosses the wide street'. Input: the two "
    "'the' are alike, everything else little. Layer 0: they no longer are. Layer 1: two faint "
    "blocks, 'the tired animal' and 'crosses the wide street', mostly negative values between.",
)
def draw_similarity() -> Figure:
    (words,), xs = read_by_encoder([SENTENCE])
    xs = without_end(words, xs)
    maps = {title: others(alike(x)) for title, x in zip(titles(xs), xs, strict=True)}
    return plots.word_maps(maps, words, label="cosine", limits=(-1, 1), numbers=True)


@figure(
    "encoder-similarity-random",
    notebook=NOTEBOOK,
    caption="The same sentence through six layers that have learned nothing.",
    alt="Seven maps of cosines over 'the tired animal crosses the wide street'. The first, the "
    "input, is pale except for the two 'the'. From layer to layer all cells become darker; after "
    "layer 5 all of them have nearly the color of 1.",
)
def draw_similarity_random() -> Figure:
    words, xs = random_layers()
    maps = {title: others(alike(x)) for title, x in zip(titles(xs), xs, strict=True)}
    return plots.word_maps(maps, words, label="cosine", limits=(-1, 1), across=4)


@figure(
    "encoder-red",
    notebook=NOTEBOOK,
    caption="The word 'red' before ten nouns: how alike its ten vectors are in each layer.",
    alt="Two maps of ten nouns by ten, the color is the cosine of two vectors of 'red'. Input: one "
    "color, all alike. After layer 1: two dark blocks, the five nouns that are masculine in "
    "Spanish and the five that are feminine, and paler cells between them; a white cross parts "
    "the two kinds.",
)
def draw_red() -> Figure:
    genders = ["m"] * 5 + ["f"] * 5
    figure = plots.word_maps(
        {"input: all alike": red_things()["input"],
         "after layer 1: two kinds": red_things()["layer 1"]},
        [f"{noun}  {gender}" for noun, gender in zip(TEN_NOUNS, genders, strict=True)],
        label="how alike two “red” are (cosine)",
        limits=(0.7, 1.0),
        rows="noun after “red”",
        columns="noun after “red” (m, f: masculine or feminine in Spanish)",
    )  # fmt: skip
    for ax in figure.axes[:2]:
        ax.axhline(4.5, color=style.PAPER, linewidth=4)
        ax.axvline(4.5, color=style.PAPER, linewidth=4)
    figure.suptitle("“red” takes on the gender of its noun", fontsize=14, weight="bold")
    return figure
