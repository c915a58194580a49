"""The figures of notebook 12: how the translator learned, and what two measures say about it."""

from matplotlib.figure import Figure

from transformer_lib.paper import TABLE_2
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.training import learning_curve, smoothing_floor
from transformer_lib.plots.translation import better_and_cheaper, score_bars, skill_curves


@figure(
    "learning-curve",
    notebook="12_translation",
    caption="The loss of the shipped translator while it was trained.",
    alt="Two curves over the steps fall steeply at first, then flatten. On training text, where "
    "the targets are smoothed, the loss comes down to a dotted line near 1.1, the least there can "
    "be; on validation text, without smoothing, it comes close to 0.1.",
)
def draw_learning_curve() -> Figure:
    from transformer_lib.checkpoints import read_json
    from transformer_lib.tokens import SPECIALS
    from transformer_lib.translator import SHIPPED_MODEL

    record, recipe, vocabulary = (
        read_json(SHIPPED_MODEL / f"{name}.json") for name in ("training", "recipe", "vocabulary")
    )
    words = len(vocabulary["target"]["words"]) + len(SPECIALS)
    floor = smoothing_floor(recipe["training"]["smoothing"], words)
    return learning_curve(record["history"], floor=floor).figure


@figure(
    "translation-pronoun-jump",
    notebook="12_translation",
    caption="Sentences and pronoun pairs that the shipped translator had right while it learned.",
    alt="Two curves over the steps. Ordinary sentences rise, 0.28, 0.49, 0.64, to 0.84 at step "
    "1,250. The pronoun pairs are at 0.26 and 0.24 at steps 500 and 750, on a dotted line of "
    "chance at 0.25, then at 0.56 and 0.84. After that both stay above 0.8 and end near 1.",
)
def draw_pronoun_jump() -> Figure:
    from transformer_lib.checkpoints import read_json
    from transformer_lib.translator import SHIPPED_MODEL

    return skill_curves(read_json(SHIPPED_MODEL / "training.json")["history"])


@figure(
    "translation-two-measures",
    notebook="12_translation",
    caption="What exact match and BLEU say about translations that were broken on purpose.",
    alt="Seven rows with two bars each. Unbroken, both are 100. One ending in the other gender: "
    "exact match 9.5, BLEU 77. Last word left out: 0 and 82. Small letters: 0 and 79. Words "
    "backwards: both near 0.",
)
def draw_two_measures() -> Figure:
    from transformer_lib.corpora import english_spanish
    from transformer_lib.experiments.translation import broken_scores

    return score_bars(broken_scores([spanish for _, spanish in english_spanish.load("test")[:200]]))


@figure(
    "paper-better-and-cheaper",
    notebook="12_translation",
    hero=True,
    caption="BLEU against the cost of training, as the paper's Table 2 prints them.",
    alt="A point for each system, cost on a logarithmic axis from left to right, BLEU from bottom "
    "to top. Both Transformers lie above all others: base at 27.3 is the cheapest of all, big at "
    "28.4 is the best. ConvS2S, MoE, GNMT and two ensembles lie between 24.6 and 26.4, the "
    "ensembles far to the right.",
)
def draw_better_and_cheaper() -> Figure:
    return better_and_cheaper(TABLE_2)
