"""The figures of notebook 14: words in pieces, dropout, a learning curve, a published score."""

from matplotlib.figure import Figure

from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.real_text import dropout_curves, rungs, score_dots, word_in_pieces
from transformer_lib.plots.training import learning_curve, smoothing_floor

NOTEBOOK = "14_real_text"
SIZES = (260, 300, 500, 1000, 4000, 6000)
WORD = "grandmothers"


@figure(
    "real-text-pieces",
    notebook=NOTEBOOK,
    hero=True,
    caption="A word falls into fewer pieces the more subwords there are.",
    alt="The word 'grandmothers', with the space before it, in six rows. With 260 subwords it is "
    "13 single letters; with 300 'an' and 'er' are one piece each; with 500 it has 9 pieces, with "
    "1,000 gr, and, mo, ther, s, with 4,000 grand, mo, ther, s, and with 6,000 two: grandmother "
    "and s. Beside each row, fewer and fewer pieces per word of everyday sentences.",
)
def draw_pieces() -> Figure:
    from transformer_lib.corpora import everyday
    from transformer_lib.experiments.real_text import pieces, pieces_per_word, with_fewer
    from transformer_lib.languages import read_languages
    from transformer_lib.translator import MODELS

    both, _ = read_languages(MODELS["tatoeba"])
    sets = {size: with_fewer(both.tokenizer, size) for size in SIZES}
    texts = [item.english for item in everyday.load()]
    return word_in_pieces(
        {size: pieces(subwords, WORD) for size, subwords in sets.items()},
        {size: pieces_per_word(subwords, texts) for size, subwords in sets.items()},
    )


@figure(
    "real-text-dropout",
    notebook=NOTEBOOK,
    caption="The same model and training with and without dropout, on 1,000 real sentence pairs.",
    alt="Two panels, loss against the step. On the sentences that it learned from, the curve "
    "without dropout falls from 5.0 to 0.1, the one with dropout 0.2 to 2.2. On held-out sentences "
    "the one without comes down to 4.5, turns round and rises to 6.0; with dropout it falls to "
    "3.9.",
)
def draw_dropout() -> Figure:
    from transformer_lib import experiments
    from transformer_lib.experiments.real_text import curves

    stored = experiments.load("real-text")
    return dropout_curves({
        "learned from": curves(stored, "seen"),
        "held out": curves(stored, "validation_loss"),
    })  # fmt: skip


@figure(
    "real-text-learning-curve",
    notebook=NOTEBOOK,
    caption="The loss of the larger translator while it was trained.",
    alt="Two curves over 7,000 steps. On training text the loss falls from 6.3 to 1.9, above a "
    "dotted line at 1.2, the least that smoothed targets allow; on validation text it falls from "
    "4.4 to 1.1, at the end a little below that line.",
)
def draw_learning_curve() -> Figure:
    from transformer_lib.checkpoints import read_json
    from transformer_lib.translator import MODELS

    record, recipe, sizes = (
        read_json(MODELS["tatoeba"] / f"{name}.json") for name in ("training", "recipe", "config")
    )
    floor = smoothing_floor(recipe["training"]["smoothing"], sizes["tgt_vocab"])
    return learning_curve(record["history"], floor=floor).figure


@figure(
    "real-text-ladder",
    notebook=NOTEBOOK,
    caption="What each change of the training is worth after 5,000 updates, one seed each.",
    alt="Rows from the best to the worst, beside a line at 36.1 for the training as it is: Muon "
    "+3.1; Muon and BPE-dropout +0.2; dropout 0.3 −1.4; recurrent, with attention −1.5; "
    "BPE-dropout −4.0; R-Drop, half the updates −9.5.",
)
def draw_ladder() -> Figure:
    from transformer_lib import experiments

    runs = experiments.load("multi30k-ladder")["runs"]
    return rungs({run["what"]: run["beam_bleu"]["1.4"] for run in runs}, base="as it is")


@figure(
    "real-text-published",
    notebook=NOTEBOOK,
    caption="Two ways to choose from the same beams: which is better depends on the sentences.",
    alt="Two panels with BLEU of three seeds each. On the validation pairs, the length penalty "
    "that is best there has 41.3 on average, log-probability per piece 40.8. On the test sentences "
    "it is the other way round, for each seed: the penalty has 40.0, log-probability per piece "
    "41.1, beside a dotted line at the published 41.0. The seeds lie up to 1.4 apart.",
)
def draw_published() -> Figure:
    from transformer_lib import experiments

    stored = experiments.load("multi30k")
    runs, published = stored["runs"], stored["published"]
    chosen = [run["validation_bleu"][str(run["length_penalty"])] for run in runs]
    ours, theirs = (
        "the penalty that is best\non validation",
        "log-probability per piece,\nas published",
    )
    return score_dots(
        {
            "validation": {
                ours: chosen,
                theirs: [run["per_word_validation"]["bleu"] for run in runs],
            },
            "test": {
                ours: [run["beam"]["bleu"] for run in runs],
                theirs: [run["per_word"]["bleu"] for run in runs],
            },
        },
        {"test": {"published": published["bleu"]}},
    )
