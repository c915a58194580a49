"""Drawings of recurrent translators beside the Transformer: the data reaches the picture."""

import numpy as np
import pytest
from matplotlib.colors import to_hex
from matplotlib.patches import FancyArrowPatch, FancyBboxPatch, Rectangle

from course import experiments
from course.chapters.ch16_before.experiments import chosen
from course.chapters.ch16_before.figures import LABELS, LEARNED, SPLITS, runs
from course.drawing import style
from course.drawing.registry import FIGURES
from course.experiments.long_training import SPLITS as SCORED
from transformer_lib.text import english_spanish
from transformer_lib.translator import Translator

SPREAD = 0.75  # a row whose largest weight is smaller looks at several words


def texts(figure) -> list[str]:
    return [text.get_text() for text in figure.axes[0].texts]


def arrows(figure, color: str) -> list[FancyArrowPatch]:
    patches = figure.axes[0].patches
    return [
        patch
        for patch in patches
        if isinstance(patch, FancyArrowPatch) and to_hex(patch.get_edgecolor()) == color.lower()
    ]


# --- the pictures show the stored results


def test_only_the_first_two_machines_hand_on_and_only_the_last_two_look():
    figure = FIGURES["before-three"].draw()
    boxes = [patch for patch in figure.axes[0].patches if isinstance(patch, FancyBboxPatch)]
    rows = sorted({box.get_y() for box in boxes}, reverse=True)
    assert len(boxes) == 3 * 8 and len(rows) == 3
    orange = [box.get_y() for box in boxes if to_hex(box.get_facecolor()) == style.ACCENT.lower()]
    assert orange == [rows[0]]  # one state, of the first machine
    # two chains of eight; "trees" looks at the other three; the last looks at 4, then at 4 + 3
    colors = style.INK, style.SOFT, style.ENCODER, style.DECODER
    assert [len(arrows(figure, color)) for color in colors] == [7, 7, 3, 4 + 7]


def test_the_looks_and_the_shares_of_digits():
    figure, stored = FIGURES["before-backwards"].draw(), experiments.load("backwards")
    looks = next(run["looks"] for run in stored["runs"] if run["attention"] == "dot")
    thick = [4 * weight for row in looks[:-1] for weight in row[:-1] if weight > 0.25]
    lines = arrows(figure, style.WEIGHT_COLORS[3])
    assert [line.get_linewidth() for line in lines] == pytest.approx(thick)
    assert looks[0][8] == max(map(max, looks[:-1])), "from the first to the last"
    assert [8 - row.index(max(row)) for row in looks[:-1]] == [*range(9)]
    digits = [text for text in texts(figure) if text.isdigit()]
    assert "".join(digits) == stored["row"] + stored["row"][::-1]
    for kind, line in zip(("dot", "none"), figure.axes[1].lines, strict=True):
        mine = [run["by_length"] for run in stored["runs"] if run["attention"] == kind]
        shares = np.mean([[entry["right"] for entry in entries] for entries in mine], axis=0)
        assert list(line.get_ydata()) == pytest.approx(list(shares))
    names = [text.get_text() for text in figure.axes[1].texts]
    assert sorted(names) == ["3 % without", "86 % with attention"]


def test_a_length_with_few_sentences_is_left_out():
    (ax,) = FIGURES["before-length"].draw().axes
    lines = {line.get_label(): line for line in ax.lines if not line.get_label().startswith("_")}
    found = {kind: mine for kind, mine in runs().items() if kind != "dot"}
    assert [name.split(" % ")[1] for name in lines] == [LABELS[kind] for kind in found]
    for line, mine in zip(lines.values(), found.values(), strict=True):
        many = [[e for e in run["by_length"] if e["sentences"] >= 50] for run in mine]
        shares = [[e["right"] / e["sentences"] for e in entries] for entries in many]
        assert list(line.get_xdata()) == [e["tokens"] for e in many[0]]
        assert list(line.get_ydata()) == pytest.approx(list(np.mean(shares, axis=0)))
    (ground,) = ax.patches
    assert (ground.get_x(), ground.get_x() + ground.get_width()) == (LEARNED, 18)


def test_a_split_has_a_bar_for_each_translator_and_a_sentence_of_its_own():
    figure = FIGURES["before-splits"].draw()
    said, kinds = texts(figure), ("transformer", "additive", "none")
    wide = np.array([bar.get_width() for bar in figure.axes[0].patches])
    means = [
        np.mean([run["right"][split] for run in runs()[kind]]) for split in SPLITS for kind in kinds
    ]
    assert list(wide[1::2] / wide[::2]) == pytest.approx(means)
    assert [text for text in said if text.endswith(" %")] == [f"{100 * m:.0f} %" for m in means]
    tokens = Translator.load().src.tokenizer
    for split, (name, sentence) in SPLITS.items():
        assert name in said and sentence in [english for english, _ in english_spanish.load(split)]
        assert (len(tokens(sentence)) > LEARNED) == (split == "longer")


def test_the_last_layer_is_drawn_as_the_mean_of_its_heads():
    figure = FIGURES["before-maps"].draw()
    lines = figure.axes[0].lines
    for kind, ours in (("additive", lines[:10]), ("transformer", lines[10:])):
        found = runs()[kind][0]["map"]
        weights = np.array(found["weights"][max(found["weights"])]).mean(axis=0)[:-1, :-1]
        drawn = sorted(line.get_linewidth() for line in ours)
        assert drawn == pytest.approx(sorted(4 * weights[weights >= 0.1]))
    spread = [
        word for word, row in zip(found["written"], weights, strict=True) if max(row) < SPREAD
    ]
    chips = [text for text in figure.axes[0].texts if text.get_bbox_patch()]
    assert [text.get_text() for text in chips if text.get_weight() == "bold"] == ["la"]
    assert {"el", "cruzó", "la"} <= {*spread} and len(spread) == 6
    assert weights[spread.index("la") + 2, found["read"].index("street")] > 0.4


def test_the_swap_has_a_field_of_a_hundred_cells_for_each_mean():
    figure = FIGURES["before-gender"].draw()
    cells = [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]
    assert len(cells) == 2 * 100
    found = [run["gender"]["agreement"] for run in runs()["transformer"]]
    for how, field in (("as trained", cells[:100]), ("two numbers swapped", cells[100:])):
        wrong = sum(to_hex(cell.get_facecolor()) == style.ACCENT.lower() for cell in field)
        right = mean([run[how] for run in found])
        assert right == 100 - wrong and f"{wrong} %" in texts(figure)


def test_times_are_as_long_as_they_took():
    figure = FIGURES["before-waiting"].draw()
    time = {
        (run["layer"], run["length"]): run["milliseconds"]
        for run in experiments.load("waiting")["runs"]
        if run["threads"] == 2
    }
    *chain, block = figure.axes[0].patches[:-7]
    assert len(chain) == 128
    long = chain[1].get_x() - chain[0].get_x()  # with the gap between two cells
    factor = time["recurrent", 128] / time["self-attention", 128]
    assert 128 * long / (block.get_width() + 0.008) == pytest.approx(factor)
    said = texts(figure)
    assert {"21.5 ms", "1.58 ms"} <= {*said} and f"{21.5 / 1.58:.0f} times" in said[0]
    assert all(f"{time[layer, 128]:.3g} ms" in said for layer in ("recurrent", "self-attention"))
    lengths = sorted({length for _, length in time})
    factors = np.array([time["recurrent", n] / time["self-attention", n] for n in lengths])
    bars = np.array([bar.get_height() for bar in figure.axes[0].patches[-7:]])
    assert np.allclose(bars / bars[0], factors / factors[0])
    times = [f"{factor:.0f} ×" for factor in factors]
    assert said[-14::2] == times and said[-13::2] == [f"{n} words" for n in lengths]


# --- what the text says of the data


def test_the_line_stands_where_the_split_of_longer_sentences_begins():
    tokens = Translator.load().src.tokenizer
    lengths = {
        split: [len(tokens(english)) for english, _ in english_spanish.load(split)]
        for split in ("validation", "longer")
    }
    assert max(lengths["validation"]) == LEARNED == min(lengths["longer"]) - 1


def test_short_sentences_are_hardly_ever_about_it_and_those_before_the_line_nearly_always():
    """Why the text says not to follow one curve."""
    tokens, about_it = Translator.load().src.tokenizer, {}
    for split in SCORED:
        for english, _ in english_spanish.load(split):
            words = {word.lower() for word in tokens(english)}
            found = "because" in words and bool(words & {"it", "they"})
            about_it.setdefault(len(tokens(english)), []).append(found)
    shares = {length: sum(found) / len(found) for length, found in about_it.items()}
    assert all(share < 0.02 for length, share in shares.items() if length < 9)
    assert all(shares[n] > 0.9 for n in range(12, LEARNED + 1))


# --- what the figures say of the stored results


TITLED = "before-splits", "before-waiting", "before-length"


def test_the_titles_say_what_is_stored():
    drawn = {name: FIGURES[name].draw() for name in TITLED}
    titles = {name: [*one.texts, *one.axes[0].texts][0].get_text() for name, one in drawn.items()}
    assert "wins at “it”, and loses at longer" in titles["before-splits"]
    for split, wins in (("pronoun", True), ("longer", False)):
        one, other = (
            [run["right"][split] for run in chosen()[what]] for what in ("transformer", "additive")
        )
        assert (min(one) > max(other)) if wins else (max(one) < min(other)), split
    assert "With 128 words, a recurrent layer takes 14 times" in titles["before-waiting"]
    assert "the Transformer falls to 4 %" in titles["before-length"]
    for name, few in (("additive", 0), ("transformer", 6)):  # rows that are spread, in before-maps
        found = chosen()[name][0]["map"]["weights"]
        weights = np.array(found[max(found)]).mean(axis=0)
        assert sum(weights.max(axis=1) < SPREAD) == few and (few or weights.max(axis=1).min() > 0.9)
    swapped = runs()["transformer"]
    assert all(run["gender"]["agreement"]["two numbers swapped"] < 0.5 for run in swapped)


def every_run() -> list:
    return [run for mine in runs().values() for run in mine]


def mean(shares: list[float]) -> int:
    return round(100 * sum(shares) / len(shares))


def test_the_alt_text_says_each_split():
    alt = FIGURES["before-splits"].alt
    for split in SPLITS:
        kinds = "transformer", "additive", "none"
        shares = [mean([run["right"][split] for run in chosen()[kind]]) for kind in kinds]
        assert "{}, {} and {} %".format(*shares) in alt


def test_the_alt_text_says_how_the_curves_go():
    found = {}
    for run in every_run():
        for entry in run["by_length"]:
            share = entry["right"] / entry["sentences"]
            found.setdefault((run["what"], entry["tokens"]), []).append(share)
    curves = {key: mean(shares) for key, shares in found.items()}
    known, new = range(3, LEARNED + 1), range(LEARNED + 1, 19)
    least, most = (
        {kind: pick(curves[kind, n] for n in known) for kind in LABELS} for pick in (min, max)
    )
    assert (least["transformer"], most["transformer"]) == (89, 96)
    assert (least["additive"], most["additive"]) == (85, 98)
    assert curves["dot", 4] > 90 and curves["dot", 14] == 74
    assert (curves["none", 3], curves["none", 14]) == (92, 52)
    assert curves["none", 15] == 9 and curves["none", 18] == 0
    assert [curves["transformer", n] for n in new] == [65, 25, 10, 4]
    assert min(curves["dot", n] for n in new) > 60 and min(curves["additive", n] for n in new) > 75
    alt = FIGURES["before-length"].alt
    at_18 = {
        entry["sentences"]
        for run in every_run()
        for entry in run["by_length"]
        if entry["tokens"] == 18
    }
    assert at_18 == {60} and "with 18 tokens there are 60" in alt
    assert "89 and 96 %" in alt and "85 and 98 %" in alt and "65, 25, 10 and 4 %" in alt


def test_the_alt_text_says_what_the_swap_does():
    shares = {(run["what"], run["seed"]): run["gender"]["agreement"] for run in every_run()}

    def of(kind: str, how: str) -> list[float]:
        return [shares[kind, seed][how] for seed in range(3)]

    alt = FIGURES["before-gender"].alt
    before = [round(100 * share) for share in of("transformer", "as trained")]
    assert (min(before), max(before)) == (94, 95) and "94 to 95 %" in alt
    after = sorted(round(100 * share) for share in of("transformer", "two numbers swapped"))
    assert "{}, {} and {} %".format(*after) in alt
    means = [mean(of("transformer", how)) for how in ("as trained", "two numbers swapped")]
    assert "from {} to {} %, below chance".format(*means) in alt
    # every run, as the notebook has them
    for kind, how, low, high in (
        ("none", "as trained", 63, 66),
        ("additive", "as trained", 84, 87),
        ("additive", "adjective not seen", 61, 74),
    ):
        found = [round(100 * share) for share in of(kind, how)]
        assert (min(found), max(found)) == (low, high)


def test_the_alt_text_says_that_single_heads_are_sharp():
    for what, least in (("additive", 0.95), ("transformer", 0.85)):
        for run in chosen()[what]:
            layers = run["map"]["weights"]
            heads = np.array(layers[max(layers)])  # (h, t, s), of the last layer
            assert heads.max(axis=-1).mean(axis=-1).min() > least
    assert "individual heads are nearly as sharp" in FIGURES["before-maps"].alt


def test_the_alt_text_says_what_share_of_the_rows_is_right():
    shares = {}
    for run in experiments.load("backwards")["runs"]:
        for entry in run["by_length"]:
            shares.setdefault((run["attention"], entry["digits"]), []).append(entry["right"])
    shares = {key: mean(found) for key, found in shares.items()}
    assert (shares["none", 3], shares["none", 10]) == (100, 3)
    assert min(shares["dot", n] for n in range(3, 10)) > 96 and shares["dot", 10] == 86
    assert min(shares["additive", n] for n in range(3, 11)) > 95
    alt = FIGURES["before-backwards"].alt
    assert "100 % with 3 digits to 3 % with 10" in alt and "near 86 % with 10" in alt


def test_the_alt_text_says_who_waits():
    times = {
        (run["threads"], run["layer"], run["length"]): run["milliseconds"]
        for run in experiments.load("waiting")["runs"]
    }
    lengths = sorted({length for _, _, length in times})
    beside = {key: time / times[key[0], "self-attention", key[2]] for key, time in times.items()}
    assert (lengths[0], lengths[-1]) == (8, 512)
    recurrent = [
        [round(beside[threads, "recurrent", n]) for n in (8, 128, 512)] for threads in (1, 2)
    ]
    assert recurrent == [[3, 10, 3], [2, 14, 8]]
    for threads in (1, 2):
        chain = [beside[threads, "recurrent", n] for n in lengths]
        assert lengths[chain.index(max(chain))] == 128
        restricted = [beside[threads, "restricted self-attention", n] for n in lengths]
        assert 1.3 < min(restricted[:-1]) < max(restricted) < 2.65 and restricted[-1] < 1
        convolution = [beside[threads, "convolutional", n] for n in lengths]
        assert 1 / 9 < min(convolution) < max(convolution) < 1
        assert all(a < b for a, b in zip(convolution, restricted, strict=True))
    assert max(restricted) < 2.05 and min(convolution) > 1 / 5  # on two threads
    alt = FIGURES["before-waiting"].alt
    said = "from 2 times as long with 8 words to 14 with 128, in orange, and 8 with 512"
    assert said in alt


# --- what the notebook says of the stored results


def test_the_notebook_says_what_share_of_five_digits_is_right():
    five = [
        entry["right"]
        for run in experiments.load("backwards")["runs"]
        if run["attention"] == "none"
        for entry in run["by_length"]
        if entry["digits"] == 5
    ]
    assert len(five) == 3 and all(0.88 < share < 0.96 for share in five)


def test_the_notebook_says_how_often_both_of_a_pair_are_right():
    both = {kind: mean([run["pronoun_pairs"] for run in chosen()[kind]]) for kind in LABELS}
    assert (both["transformer"], both["additive"]) == (89, 74)


def test_the_notebook_says_how_far_the_old_one_is_behind_on_real_sentences():
    runs = experiments.load("multi30k-ladder")["runs"]
    bleu = {run["what"]: run["beam_bleu"] for run in runs}
    new, old = bleu["as it is"], bleu["recurrent, with attention"]
    behind = [new[penalty] - old[penalty] for penalty in new]
    assert (round(min(behind), 1), round(max(behind), 1)) == (1.4, 4.0)
    greedy = {run["what"]: run["greedy_bleu"] for run in runs}
    assert round(greedy["as it is"] - greedy["recurrent, with attention"], 1) == 0.9


def test_the_notebook_says_how_far_one_state_is_behind():
    found = {}
    for run in every_run():
        for entry in run["by_length"]:
            share = entry["right"] / entry["sentences"]
            found.setdefault((run["what"], entry["tokens"]), []).append(100 * share)
    behind = [np.mean(found["additive", n]) - np.mean(found["none", n]) for n in range(7, 15)]
    assert (round(min(behind)), round(max(behind))) == (22, 40)


def test_the_notebook_says_that_another_seed_looks_at_it():
    seen = chosen()["additive"][2]["map"]
    weights = np.array(seen["weights"]["readout.cross_attn"][0])  # (t, s)
    assert weights[:, seen["read"].index("it")].max() > 0.1


def test_the_notebook_says_that_both_nouns_can_come_after_the_adjective():
    items = english_spanish.load_pronoun()
    after = [max(item.adjective, item.antecedent, item.other) != item.adjective for item in items]
    begins = [item.english.startswith("Because") for item in items]
    assert after == begins and 0.4 < sum(begins) / len(begins) < 0.6


def test_the_notebook_says_that_a_chain_takes_as_much_longer_as_it_has_more_words():
    times = {
        (run["threads"], run["layer"], run["length"]): run["milliseconds"]
        for run in experiments.load("waiting")["runs"]
    }
    for threads in (1, 2):
        grows = {
            layer: times[threads, layer, 512] / times[threads, layer, 128]
            for layer in ("recurrent", "self-attention")
        }
        assert 3.9 < grows["recurrent"] < 4.3 and grows["self-attention"] > 6
