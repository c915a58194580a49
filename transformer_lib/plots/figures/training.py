"""The figures of notebook 10: how the numbers are found."""

from typing import Any

from matplotlib.figure import Figure
from torch import Tensor

from transformer_lib.experiments.training import (
    COLUMNS,
    STUDENT,
    as_columns,
    smoothing_penalty,
    stored_rows,
    target_rows,
    written_words,
)
from transformer_lib.plots import style
from transformer_lib.plots.figures.registry import figure
from transformer_lib.plots.training import (
    ablation_rows,
    loop_curve,
    loss_panels,
    penalty_curves,
    probability_bars,
    schedule_curves,
    teacher_forcing,
    word_grids,
    writing_curve,
)

NOTEBOOK = "10_training"


def before_and_after() -> tuple[Tensor, Tensor]:
    """(2, 5, 9) each: what a new model thinks of the two sentences, and what it has learned."""
    from tqdm import tqdm

    from transformer_lib.experiments.first_words import LESSON, PAIRS, new_model, probabilities
    from transformer_lib.training import train

    model = new_model()
    before = probabilities(model)
    train(model, PAIRS, PAIRS, LESSON, bar=tqdm(disable=True))
    return before, probabilities(model)


@figure(
    "training-merci",
    notebook=NOTEBOOK,
    caption="The first word for 'merci': what a new model thinks, what is right, what it learns.",
    alt="Three panels with a bar for each of five English words, the end sign and the rest; "
    "'thanks', the right word, is dark. Before training the bars are of all sizes and 'thanks' "
    "gets 0.06. The target is 1 at 'thanks' and 0 elsewhere. After training 'thanks' has 0.89.",
)
def draw_merci() -> Figure:
    before, after = before_and_after()
    panels = {"before training": before[1, 0], "target": target_rows(1)[0],
              "after training": after[1, 0]}  # fmt: skip
    return probability_bars({name: as_columns(row) for name, row in panels.items()}, COLUMNS)


@figure(
    "training-grids",
    notebook=NOTEBOOK,
    caption="The five target rows for 'I am a student', and what a model makes of them.",
    alt="Two grids with a row for each of 'I am a student <eos>' and a column for each word. Left, "
    "the target: a 1 at the right word of each row, all else blank. Right, the trained model: "
    "the same cells hold 0.95 to 0.97, all others 0.02 or less.",
)
def draw_grids() -> Figure:
    grids = {"target": target_rows(0), "trained model": before_and_after()[1][0]}
    return word_grids({name: as_columns(grid) for name, grid in grids.items()}, STUDENT, COLUMNS)


@figure(
    "training-smoothed-rows",
    notebook=NOTEBOOK,
    caption="The target rows without and with label smoothing of 0.1.",
    alt="Two grids with a row for each of 'I am a student <eos>'. Left: 1 at the right word, all "
    "else blank. Right: 0.91 at the right word, 0.01 at each other word and 0.03 at the last "
    "column, which stands for three signs.",
)
def draw_smoothed_rows() -> Figure:
    rows = target_rows(0)
    grids = {"no smoothing": rows, "label smoothing, ε = 0.1": 0.9 * rows + 0.1 / rows.size(-1)}
    return word_grids({name: as_columns(grid) for name, grid in grids.items()}, STUDENT, COLUMNS)


@figure(
    "training-teacher-forcing",
    notebook=NOTEBOOK,
    caption="Teacher forcing: in training the decoder reads the right words, whatever it predicts.",
    alt="Boxes with words of a new model, wrong ones pale orange and right ones pale blue. "
    "Above, in training: the row 'reads' holds <bos> I am a student, 'predicts' mostly wrong "
    "words, 'right word' I am a student <eos>. An arrow leads from each right word to the next "
    "position of 'reads'. Below, alone: the arrows start at the model's own words, and soon it "
    "repeats itself.",
)
def draw_teacher_forcing() -> Figure:
    from transformer_lib.experiments.first_words import new_model

    return teacher_forcing(**written_words(new_model()))


@figure(
    "training-smoothing-penalty",
    notebook=NOTEBOOK,
    caption="Label smoothing makes it costly to be too sure.",
    alt="Loss against the probability of the right word, which grows to the right from 0.11 to "
    "0.9999. Without smoothing the curve falls towards 0 and never turns. With smoothing of 0.1 it "
    "falls to its least value, where the right word has the probability 0.91, and then rises in a "
    "straight line.",
)
def draw_penalty() -> Figure:
    leads, curves, shares = smoothing_penalty()
    names = {"eps = 0": "no smoothing: surer is better",
             "eps = 0.1": "label smoothing, ε = 0.1: too sure costs more"}  # fmt: skip
    return penalty_curves(leads, {names[eps]: curve for eps, curve in curves.items()}, shares)


SCHEDULES = ((128, 4000), (512, 2000), (512, 4000), (512, 8000))


@figure(
    "training-schedule",
    notebook=NOTEBOOK,
    caption="The paper's learning rate: up in a straight line, down with the root of the step.",
    alt="Four curves over 20000 steps. For d_model = 512 each rises in a straight line to its "
    "warm-up step (2000, 4000 or 8000), turns sharply and falls; the shorter the warm-up, the "
    "higher the peak, and later the three curves are one. For d_model = 128 and 4000 steps all "
    "is twice as high.",
)
def draw_schedule() -> Figure:
    from transformer_lib.training import paper_schedule

    return schedule_curves({
        (d_model, warmup): [paper_schedule(step, d_model, warmup) for step in range(1, 20_001)]
        for d_model, warmup in SCHEDULES
    })  # fmt: skip


def history_of(run: dict[str, Any], key: str) -> list[tuple[int, float]]:
    return [(entry["step"], entry[key]) for entry in run["history"]]


@figure(
    "training-held-out",
    notebook=NOTEBOOK,
    caption="Learned by heart and understood: the same model on 50 pairs and on 10,000.",
    alt="Two panels, loss against the step, the mean of three seeds thick and each seed thin. "
    "On 50 pairs the loss on these pairs falls to 0 while the loss on held-out pairs rises from "
    "about 2.4 to more than 4. On 10,000 pairs both losses fall together, close to 0.",
)
def draw_held_out() -> Figure:
    from transformer_lib import experiments

    runs = experiments.load("held-out")["runs"]
    panels = {}
    learned = ("learned by heart", "the rule is found")
    for count, how in zip(sorted({run["pairs"] for run in runs}), learned, strict=True):
        chosen = [run for run in runs if run["pairs"] == count]
        panels[f"{count:,} pairs: {how}"] = {
            "pairs it learns from": [history_of(run, "loss") for run in chosen],
            "held-out pairs": [history_of(run, "validation_loss") for run in chosen],
        }
    return loss_panels(panels, columns=2)


@figure(
    "training-norms",
    notebook=NOTEBOOK,
    caption="Post-norm and pre-norm, with and without warm-up, at three learning rates.",
    alt="Six panels, validation loss against the step, the mean of three seeds thick and each seed "
    "thin: three highest learning rates side by side, without warm-up above and with it below. In "
    "each panel the pre-norm curves end below the post-norm curves. In the panel at the upper "
    "right, the highest rate without warm-up, marked 'post-norm fails', post-norm stays above 1.9 "
    "while pre-norm reaches 0.11; with warm-up post-norm comes down to 0.8.",
)
def draw_norms() -> Figure:
    from transformer_lib import experiments

    runs = experiments.load("norms")["runs"]
    panels = {}
    for warmup in sorted({run["warmup"] for run in runs}):
        for peak in sorted({run["peak"] for run in runs}):
            chosen = [run for run in runs if (run["warmup"], run["peak"]) == (warmup, peak)]
            panels[warmup, peak] = {
                kind: [history_of(run, "validation_loss") for run in chosen
                       if run["norm_first"] == first]
                for kind, first in (("post-norm (the paper)", False), ("pre-norm", True))
            }  # fmt: skip
    drawn = loss_panels(panels, columns=3)
    for ax, (warmup, peak) in zip(drawn.axes, panels, strict=True):
        ax.set_title(f"peak learning rate {peak:g}" if warmup == 1 else "")
        if ax.get_ylabel():
            name = "no warm-up" if warmup == 1 else f"warm-up of {warmup} steps"
            ax.set_ylabel(f"{name}\n\nloss per token")
    fails = drawn.axes[2]
    fails.set_facecolor("#FFF3DD")
    fails.text(0.5, 0.62, "post-norm fails", transform=fails.transAxes, ha="center", weight="bold",
               color=style.CATEGORIES[0])  # fmt: skip
    drawn.suptitle("Pre-norm learns faster; post-norm needs the warm-up", weight="bold")
    return drawn


@figure(
    "training-ablations",
    notebook=NOTEBOOK,
    caption="What each part is worth, at toy size: one change a row, three seeds, beside the "
    "paper's own numbers.",
    alt="Three dots for the base model and for each of 20 changes. Far to the left of the base "
    "band, which lies near 90 percent: no positions (2 percent), dropout 0.2 (31), no scaling "
    "(41), dropout 0.1 (50), 4 layers (56). Clearly below it also d_k = 2, 1 layer, d_model = 32 "
    "and learned positions. The numbers of heads, label smoothing and pre-norm don't differ "
    "clearly.",
)
def draw_ablations() -> Figure:
    return ablation_rows(stored_rows())


@figure(
    "training-loop",
    notebook=NOTEBOOK,
    caption="The loss of the loop written by hand: rows of digits, to be written backwards.",
    alt="Two curves over 400 steps. The loss on held-out rows begins where a model knows nothing, "
    "at 2.4 nats, a perplexity of 11, and falls to 0.2. The loss on smoothed targets runs above "
    "it and ends at 0.6.",
)
def draw_loop() -> Figure:
    from transformer_lib import experiments

    run = experiments.load("loop")
    return loop_curve(run["history"], run["steps"])


WRITTEN = {  # step -> in English
    0: "frightened frightened …",
    100: "to to to",
    200: "him him likes the the the …",
    275: "I like the children",
    325: "I like the wardrobes",
    725: "I like trees",
}


@figure(
    "training-writes",
    notebook=NOTEBOOK,
    caption="What the translator writes for 'I like trees' while it learns.",
    alt="The loss on held-out text falls steeply from 8 nats to 0.3 in 1,100 steps. Beside the "
    "curve stands what the translator writes for 'I like trees'. Step 0: 'asustados asustados', "
    "frightened frightened. Step 100: 'a a a', to to to. Step 200: 'le le gustan los los los'. "
    "Step 275: 'me gustan los niños', I like the children. Step 325: 'me gustan los armarios', "
    "I like the wardrobes. Step 725: 'me gustan los árboles', and that is right.",
    hero=True,
)
def draw_writes() -> Figure:
    from transformer_lib import experiments

    run = experiments.load("first-steps")
    return writing_curve(run["history"], WRITTEN)
