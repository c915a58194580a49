"""How well a translator does: while it learns, and by two measures."""

from collections.abc import Mapping, Sequence
from difflib import SequenceMatcher
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from course.chapters.ch10_training.figures import smoothing_floor
from course.drawing import style
from course.drawing.arrows import bracket
from course.drawing.plots import curves, doubling, name_lines, shares
from course.drawing.registry import figure
from course.drawing.words import canvas, heading, label
from course.paper import TABLE_2, System
from transformer_lib.files import read_json
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import SPECIALS

# Where a name stands beside its point, if not on the right of it: points, and what is aligned.
SIDES = {
    "Transformer, big": (-14, 0, "right"),
    "ConvS2S, ensemble": (0, -18, "center"),
    "GNMT + RL, ensemble": (0, 18, "center"),
}
OTHERS = [  # what the figure of costs shows besides the Transformers: BLEU from English to German
    row.german for row in TABLE_2.values() if row.german_cost and row.kind != "attention"
]
EXAMPLE = "¿Cómo está mi hijo herido?"  # of the test; each way to break it changes it
ONE_LETTER = "one ending in the other gender"
JUMP = (750, 1250)  # the steps that the title of the curves names
SHOWN = 3000  # the last step that is shown: from there on both stay near 1
CHANCE = 0.25  # two sentences of a pair, each with one of two genders


def _skill_curves(history: Sequence[Mapping[str, Any]]) -> Figure:
    """Draw the share of right sentences and of right pronoun pairs against the step.

    history: entries `{"step", "exact_match", "pair_exact_match"}`, as in the training record.
    Raises ValueError when there is none.
    """
    if not history:
        raise ValueError("the training history is empty: there is no curve to draw")
    figure, ax = style.panel(3.9)
    chance = f"both genders guessed: {100 * CHANCE:.0f} %"
    lines = {
        "ordinary sentences": [entry["exact_match"] for entry in history],
        "pronoun pairs": [entry["pair_exact_match"] for entry in history],
        chance: [CHANCE] * len(history),
    }
    ax.set(xlabel="step (one update of the weights)")
    ax.set_ylabel("translated without a mistake (of a pair: both sentences)")
    ax.set_ylim(0, 1.03)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    shares(ax.yaxis, parts=4)
    steps, look = [entry["step"] for entry in history], {"names": False, "clip_on": False}
    curves(ax, steps, lines, loud=["pronoun pairs"], **look)
    name_lines(ax, but={chance})
    ax.lines[-1].set(linestyle=":", linewidth=1.4, color=style.MUTED)
    ax.text(steps[-1], CHANCE + 0.015, chance, ha="right", va="bottom", color=style.MUTED)
    for entry in (entry for entry in history if entry["step"] in JUMP):
        step, share = entry["step"], entry["pair_exact_match"]
        ax.scatter(step, share, s=70, color=style.ACCENT, edgecolor=style.PAPER, zorder=4)
        said, look = f"step {step:,}: {100 * share:.0f} %", {"weight": "bold", "va": "top"}
        ax.annotate(said, (step, share), (9, -5), textcoords="offset points", **look)
    ax.set_xlim(left=0)
    return figure


def score_bars(scores: Mapping[str, tuple[float, float]]) -> Figure:
    """Draw a bar from exact match to BLEU for each way to break translations, the longest first.

    Below each way, a sentence that was broken so. Raises ValueError for a number outside of 0 to
    100.
    """
    from course.chapters.ch12_translation.experiments import BREAKS

    for name, pair in scores.items():
        if not all(0 <= score <= 100 + 1e-6 for score in pair):
            raise ValueError(f"{name!r}: scores go from 0 to 100, but here are {pair}")
    tall = 1.05 + 0.62 * len(scores)
    figure, ax = canvas(style.WIDTH, tall)
    title = ""
    if ONE_LETTER in scores:
        exact, bleu = scores[ONE_LETTER]
        title = f"One wrong ending leaves BLEU at {bleu:.1f}, exact match at {exact:.1f}"
    heading(ax, title, "Right translations, broken on purpose; what was changed is orange")
    rows = sorted(scores.items(), key=lambda row: row[1][0] - row[1][1])
    for row, (name, pair) in enumerate(rows):
        y, loud = tall - 1.3 - 0.62 * row, name == ONE_LETTER
        said = {"nothing": "nothing broken"}.get(name, name)  # the others say by themselves
        weight = "bold" if loud else "normal"
        label(ax, (0.02, y + 0.12), said, size=style.LABEL, weight=weight)
        _changed(ax, (0.02, y - 0.12), EXAMPLE, BREAKS.get(name, str)(EXAMPLE))
        color = style.ACCENT if loud else style.MUTED
        ends = [3.9 + 0.033 * score for score in pair]
        ax.hlines(y, 3.9, 7.2, color=style.RULE, linewidth=1, zorder=1)
        ax.hlines(y, *ends, color=color, linewidth=4 if loud else 2.5)
        ax.scatter(ends, [y, y], s=80, c=[style.PAPER, color], edgecolors=color, lw=2, zorder=3)
        ground = {"facecolor": style.PAPER, "linewidth": 0, "pad": 1}
        look = {"color": color, "weight": weight, "size": style.LABEL, "bbox": ground}
        if pair[1] - pair[0] > 0.1:
            label(ax, (ends[0] - 0.12, y), f"{pair[0]:.1f}", ha="right", **look)
        label(ax, (max(ends) + 0.12, y), f"{pair[1]:.1f}", **look)
        if not row:
            for end, kind in zip(ends, ("exact match", "BLEU"), strict=True):
                label(ax, (end, y + 0.27), kind, ha="center", size=style.LABEL)
    return figure


def _changed(ax: Axes, at: tuple[float, float], old: str, new: str) -> None:
    """Write a changed sentence: what isn't as before in the accent color, what is gone as lines."""
    same = SequenceMatcher(None, old, new, autojunk=False)
    parts = same.get_opcodes() if same.ratio() > 0.6 else [("replace", 0, 0, 0, len(new))]
    x, y = at
    for what, i, j, k, m in parts:
        said = new[k:m] or "_" * (j - i)
        color = style.MUTED if what == "equal" else style.ACCENT
        label(ax, (x, y), said, family=style.MONO, color=color)
        x += 0.0947 * len(said)  # a letter's width, in inches


def _better_and_cheaper(systems: Mapping[str, System]) -> Figure:
    """Draw BLEU (English to German) against the cost of training, a point for each system.

    Systems without one of the two numbers are left out; ValueError when none is left.
    """
    drawn = {name: row for name, row in systems.items() if row.german and row.german_cost}
    if not drawn:
        raise ValueError("no system has both a BLEU and a cost")
    figure = style.new_figure(style.WIDTH, 4.6)
    figure.suptitle("Into German, both Transformers beat the rest of Table 2; base is the cheapest")
    ax = figure.subplots()
    for name, row in drawn.items():
        ours = row.kind == "attention"
        color = style.ACCENT if ours else style.MUTED
        ax.plot(row.german_cost, row.german, "o", markersize=13, color=color)
        x, y, align = SIDES.get(name, (14, 0, "left"))
        ax.annotate(
            name,
            (row.german_cost, row.german),
            color=color if ours else style.INK,
            xytext=(x, y),
            ha=align,
            va="center",
            textcoords="offset points",
            weight="bold" if ours else "normal",
            fontsize=style.LABEL + 2 * ours,
        )
    ax.set_xscale("log")
    costs = [row.german_cost for row in drawn.values()]
    ax.set_xlim(min(costs) / 2, 3 * max(costs))
    ax.set_ylim(24, 29.2)
    ax.set_xlabel("cost of the training: floating-point operations")
    ax.set_ylabel("quality of the translations: BLEU, English to German")
    look = {"arrowstyle": "-|>", "color": style.MUTED, "linewidth": 1.5, "mutation_scale": 14}
    for tip, start, said, align in [
        ((0.045, 0.97), (0.045, 0.72), "better", {"va": "center", "ha": "left"}),
        ((0.06, 0.06), (0.30, 0.06), "cheaper", {"va": "bottom", "ha": "center"}),
    ]:
        ax.annotate("", xy=tip, xytext=start, xycoords="axes fraction", arrowprops=look)
        middle = [(a + b) / 2 for a, b in zip(tip, start, strict=True)]
        shift = (0.012, 0) if said == "better" else (0, 0.015)
        ax.text(
            middle[0] + shift[0],
            middle[1] + shift[1],
            said,
            transform=ax.transAxes,
            color=style.MUTED,
            **align,
        )
    return figure


@figure(
    "learning-curve",
    title="Label smoothing alone holds the training loss above 1",
    caption="The loss of the shipped translator while it was trained.",
    alt="Two curves fall steeply at first, then flatten; on the step axis each mark is twice the "
    "one before. The training loss comes down to 1.09. A band of the same height everywhere hangs "
    "under it, in orange: label smoothing alone costs 1.07. Without it the training loss would "
    "fall to 0.02, near the validation loss, which is measured without smoothing: 0.11.",
)
def draw_learning_curve() -> Figure:
    from transformer_lib.translator import SHIPPED_MODEL

    vocabulary, recipe, record = (
        read_json(SHIPPED_MODEL / f"{name}.json") for name in ("vocabulary", "recipe", "training")
    )
    words = len(vocabulary["target"]["words"]) + len(SPECIALS)
    floor = smoothing_floor(recipe["training"]["smoothing"], words)
    history, (figure, ax) = record["history"], style.panel(4.2)
    steps, training, validation = (
        [entry[key] for entry in history] for key in ("step", "loss", "validation_loss")
    )
    without = [loss - floor for loss in training]
    lines = {
        f"training: {training[-1]:.2f}": training,
        f"validation: {validation[-1]:.2f}": validation,
        f"without it: {without[-1]:.2f}": without,
    }
    curves(ax, steps, lines, names=False, clip_on=False)
    ax.fill_between(steps, without, training, color=style.tint(style.ACCENT), linewidth=0)
    doubling(ax, [history[-1]["step"] // 2**back for back in range(5, -1, -1)])
    ax.set(xlim=(steps[0], steps[-1]), ylim=(0, 5.5), yticks=range(6))
    ax.set(xlabel="step, each mark twice the one before", ylabel="loss per token, in nats")
    name_lines(ax)
    at, said = 2 * steps[-1] // 4, f"label smoothing: {floor:.2f}"
    i = steps.index(at)
    bracket(ax, (at, without[i]), (at, training[i]), "", style.ACCENT)
    ax.text(0.95 * at, without[i] + floor / 2, said, color=style.ACCENT, weight="bold", ha="right")
    return figure


@figure(
    "translation-pronoun-jump",
    title="Pronoun pairs are at chance at step 750, and above 80 % at step 1,250",
    caption="Sentences and pronoun pairs that the shipped translator got right while it learned.",
    alt="Two curves over the steps. Ordinary sentences rise, 0.28, 0.49, 0.64, to 0.84 at step "
    "1,250. The pronoun pairs are at 0.26 and 0.24 at steps 500 and 750, on a dotted line of "
    "chance at 0.25, then at 0.56 and 0.84. After that, up to step 3,000, both stay above 0.8.",
)
def draw_pronoun_jump() -> Figure:
    from transformer_lib.translator import SHIPPED_MODEL

    history = read_json(SHIPPED_MODEL / "training.json")["history"]
    return _skill_curves([entry for entry in history if entry["step"] <= SHOWN])


@figure(
    "translation-two-measures",
    caption="What exact match and BLEU say about translations that were broken on purpose.",
    alt="Seven rows by what was broken, each with a broken sentence, what was changed in orange, "
    "and a bar from exact match to BLEU on a scale from 0 to 100; the longest are above. Last word "
    "left out: 0 and 82. Small letters: 0 and 79. One ending in the other gender, in orange: "
    "exact match 9.5, BLEU 77. Words backwards: both near 0. Nothing: both are 100.",
)
def draw_two_measures() -> Figure:
    from course.chapters.ch12_translation.experiments import broken_scores

    return score_bars(broken_scores([spanish for _, spanish in english_spanish.load("test")[:200]]))


@figure(
    "paper-better-and-cheaper",
    hero=True,
    caption="BLEU against the cost of training, as the paper's Table 2 prints them.",
    alt="A point for each system with a printed cost, on a logarithmic axis from left to right; "
    "BLEU from bottom to top. Both Transformers lie above all others, into German: base at "
    f"{TABLE_2['Transformer, base'].german} is the cheapest, big at "
    f"{TABLE_2['Transformer, big'].german} is the best. ConvS2S, MoE, GNMT and two ensembles lie "
    f"between {min(OTHERS):.1f} and {max(OTHERS):.1f}, the ensembles far to the right.",
)
def draw_better_and_cheaper() -> Figure:
    return _better_and_cheaper(TABLE_2)
