"""The figures of notebook 07: the encoder."""

from matplotlib.figure import Figure

from transformer_lib.experiments.encoder import (
    SENTENCE,
    TEN_NOUNS,
    alike,
    all_ways,
    batch_norm,
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
    without_end,
)
from transformer_lib.plots import encoder as plots
from transformer_lib.plots.architecture import architecture
from transformer_lib.plots.figures.registry import figure

NOTEBOOK = "07_encoder"


# --- the figures ---------------------------------------------------------------------------------


@figure(
    "encoder-who-moves",
    notebook=NOTEBOOK,
    caption="One word is nudged: which outputs move? Feed-forward, self-attention, whole encoder.",
    alt="Three maps over the words of 'the tired animal crosses the wide street'. Feed-forward: "
    "the diagonal and nothing else. Self-attention: cells all over, the darkest in the rows of the "
    "two 'the'. Two whole layers: a dark diagonal, and all other cells faintly filled.",
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
    return plots.word_maps(maps, words, label="how far it moves", rows="this word is nudged",
                           columns="the output at this word moves")  # fmt: skip


@figure(
    "encoder-deep-stack",
    notebook=NOTEBOOK,
    caption="Signal, gradient and likeness of the words through 24 untrained layers.",
    alt="Three panels of four curves over 24 layers. Signal: 'neither' falls to a millionth, "
    "'residual only' rises above ten thousand, the two with a norm stay at 1. Gradient: 'neither' "
    "falls to a millionth on its way down to the input, 'residual only' rises to ten million, the "
    "other two stay near 1. Likeness: without a residual the words are all the same after two "
    "layers, with one after about ten.",
)
def draw_deep_stack() -> Figure:
    panels = {
        "size of the signal": "signal",
        "size of the gradient": "gradient",
        "mean cosine of two words": "alike",
    }
    return plots.depth_curves(
        {title: {name: values[key] for name, values in all_ways().items()}
         for title, key in panels.items()},
        powers=list(panels)[:2], legend="around each sub-layer",
    )  # fmt: skip


@figure(
    "encoder-norm-groups",
    notebook=NOTEBOOK,
    caption="Numbers of one color share a mean: layer norm, one for each word; batch norm, one "
    "for each feature.",
    alt="Two sentences of three words, each word a row of five cells. Left, layer norm: each row "
    "has its own number and color, six means. Right, batch norm: each column has its own, five "
    "means, through both sentences and the padding of the shorter one.",
)
def draw_norm_groups() -> Figure:
    shape = (2, 3, 5)
    groups = {"layer norm": shares_a_mean(fresh_norm, shape),
              "batch norm": shares_a_mean(batch_norm, shape)}  # fmt: skip
    return plots.norm_groups(groups, [["I", "like", "trees"], ["Thank", "you", "<pad>"]])


@figure(
    "encoder-two-norms",
    notebook=NOTEBOOK,
    caption="The vectors of three words on their way around a sub-layer, post-norm and pre-norm.",
    alt="Two rows of small color maps joined by arrows. Above, post-norm: x, feed-forward, "
    "dropout, the sum with x, then the norm; the output's three words have the size 1. Below, "
    "pre-norm: the norm comes first and only feed-forward reads it; x itself goes around it to the "
    "sum, and the output's words keep different sizes.",
)
def draw_two_norms() -> Figure:
    return plots.around_flow(
        {"post-norm (the paper): norm(x + dropout(f(x)))": flow_stations(False),
         "pre-norm: x + dropout(f(norm(x)))": flow_stations(True)},
        ["word 1", "word 2", "word 3"],
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
    return plots.depth_curves({"size of the vectors": sizes}, last="end")


@figure(
    "encoder-two-layers",
    notebook=NOTEBOOK,
    caption="A Transformer of two layers, with each add and norm marked.",
    alt="The whole Transformer with N = 2: above, the encoder layer with two boxes 'add & norm', "
    "one after self-attention and one after feed-forward; below, the decoder layer with three. All "
    "five are filled black, and a line leads around each sub-layer into its box.",
)
def draw_two_layers() -> Figure:
    return architecture("*_norm", N=2)


@figure(
    "encoder-similarity",
    notebook=NOTEBOOK,
    caption="How alike the words of one sentence are, before and after each layer of our "
    "translator.",
    alt="Three maps of cosines over 'the tired animal crosses the wide street'. Input: the two "
    "'the' are alike, everything else little. Layer 1: they no longer are. Layer 2: two faint "
    "blocks, 'the tired animal' and 'crosses the wide street', mostly negative values between.",
)
def draw_similarity() -> Figure:
    (words,), xs = read_by_encoder([SENTENCE])
    xs = without_end(words, xs)
    maps = {title: others(alike(x)) for title, x in zip(titles(xs), xs, strict=True)}
    return plots.word_maps(maps, words, label="cosine", limits=(-0.7, 0.7), numbers=True)


@figure(
    "encoder-similarity-random",
    notebook=NOTEBOOK,
    caption="The same sentence through six layers that have learned nothing.",
    alt="Seven maps of cosines over 'the tired animal crosses the wide street'. The first, the "
    "input, is pale except for the two 'the'. From layer to layer all cells become darker; after "
    "layer 6 all of them have nearly the color of 1.",
)
def draw_similarity_random() -> Figure:
    words, xs = random_layers()
    maps = {title: others(alike(x)) for title, x in zip(titles(xs), xs, strict=True)}
    return plots.word_maps(maps, words, label="cosine", across=4)


@figure(
    "encoder-red",
    notebook=NOTEBOOK,
    caption="The word 'red' before ten nouns: how alike its ten vectors are in each layer.",
    alt="Three maps of ten nouns by ten, the color is the cosine of two vectors of 'red'. Input "
    "and layer 1: one color, all alike. Layer 2: two dark blocks, the five nouns that are "
    "masculine in Spanish and the five that are feminine, and paler cells between them.",
)
def draw_red() -> Figure:
    return plots.word_maps(
        red_things(),
        TEN_NOUNS,
        label="cosine of “red” and “red”",
        limits=(0.5, 1.0),
        rows="“red” before",
        columns="“red” before",
    )
