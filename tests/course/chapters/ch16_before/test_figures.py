"""Drawings of recurrent translators beside the Transformer: the data reaches the picture."""

import numpy as np
import pytest
from matplotlib.patches import FancyArrowPatch, Rectangle

from course import experiments
from course.chapters.ch16_before.experiments import chosen
from course.chapters.ch16_before.figures import (
    LABELS,
    LEARNED,
    SPLITS,
    SPREAD,
    _backwards,
    _genders,
    _right_by_split,
    _three_machines,
    _times_beside,
    _two_maps,
    right_by_length,
    runs,
)
from course.drawing import style
from course.drawing.registry import FIGURES
from course.experiments.long_training import SPLITS as SCORED
from transformer_lib.text import english_spanish
from transformer_lib.translator import Translator


def texts(ax) -> set[str]:
    return {text.get_text() for text in ax.texts}


def drawn(ax) -> dict[str, list]:
    """Name in the legend -> the points of its line."""
    return {
        line.get_label(): list(zip(*line.get_data(), strict=True))
        for line in ax.lines
        if not line.get_label().startswith("_")
    }


# --- three machines


def test_only_the_first_two_machines_hand_on_and_only_the_last_two_look():
    ax = _three_machines("I like trees".split(), "me gustan".split()).axes[0]
    boxes = [patch for patch in ax.patches if isinstance(patch, Rectangle)]
    rows = sorted({box.get_y() for box in boxes}, reverse=True)
    assert len(boxes) == 3 * 5 and len(rows) == 3
    filled = [box.get_y() for box in boxes if box.get_facecolor()[:3] != (1, 1, 1)]
    assert filled == [rows[0]]  # one state, of the first machine
    arrows = [patch for patch in ax.patches if isinstance(patch, FancyArrowPatch)]
    colors = [style.INK, style.ENCODER, style.DECODER]
    count = {
        color: sum(arrow.get_edgecolor()[:3] == _rgb(color) for arrow in arrows) for color in colors
    }
    # two chains of five; three words look at each other; the last looks at 3, then at 3 + 1
    assert [count[color] for color in colors] == [2 * 4, 3 * 2, 3 + 4]


def _rgb(color: str) -> tuple:
    return tuple(int(color[i : i + 2], 16) / 255 for i in (1, 3, 5))


# --- where they are right


def digits(attention: str, *shares: float) -> dict:
    places = [{"digits": 3 + i, "right": share} for i, share in enumerate(shares)]
    return {"attention": attention, "by_length": places}


def test_the_look_and_the_shares_of_digits():
    looks = np.eye(4)[::-1]
    left, right = _backwards(
        looks, "471", [digits("none", 1.0, 0.5), digits("none", 0.8, 0.1), digits("dot", 0.9, 0.7)]
    ).axes
    assert (left.images[0].get_array() == looks).all()
    assert [t.get_text() for t in left.get_xticklabels()] == ["4", "7", "1", "end"]
    assert [t.get_text() for t in left.get_yticklabels()] == ["1", "7", "4", "end"]
    assert drawn(right) == {
        "no attention": [(3, 0.9), (4, pytest.approx(0.3))],
        "dot product": [(3, 0.9), (4, 0.7)],
    }
    with pytest.raises(ValueError, match="47 and its end need 3 weights each way"):
        _backwards(looks, "47", [digits("dot", 1.0)])


def sentences(what: str, *rows: tuple[int, int, int]) -> dict:
    return {
        "what": what,
        "by_length": [
            {"tokens": tokens, "sentences": count, "right": right} for tokens, count, right in rows
        ],
    }


def test_a_length_with_few_sentences_is_left_out():
    runs = [
        sentences("dot", (2, 8, 8), (3, 100, 40), (4, 50, 25)),
        sentences("dot", (2, 8, 8), (3, 100, 60), (4, 50, 50)),
        sentences("transformer", (2, 8, 0), (3, 100, 90), (4, 50, 5)),
    ]
    ax = right_by_length(runs, learned=3).axes[0]
    assert drawn(ax) == {
        "recurrent + dot-product attention": [(3, 0.5), (4, 0.75)],
        "Transformer: 10 %": [(3, 0.9), (4, 0.1)],
    }
    bands = [band.get_paths()[0].vertices for band in ax.collections]
    assert [(band[:, 1].min(), band[:, 1].max()) for band in bands] == [(0.4, 1.0), (0.1, 0.9)]
    assert min(patch.get_x() for patch in ax.patches) == 3.5  # the ground of the longer ones


def test_splits_have_a_mark_for_each_run_and_a_line_through_the_means():
    runs = [
        {"what": "none", "right": {"test": 0.2, "longer": 0.0}},
        {"what": "none", "right": {"test": 0.4, "longer": 0.1}},
        {"what": "transformer", "right": {"test": 1.0, "longer": 0.7}},
    ]
    ax = _right_by_split(runs, {"test": "all", "longer": "long ones"}).axes[0]
    assert [text.get_text() for text in ax.get_xticklabels()] == ["all", "long ones"]
    dots = [dots.get_offsets()[:, 1].tolist() for dots in ax.collections]
    assert dots == [[0.2, 0.0], [0.4, 0.1], [1.0, 0.7]]
    assert drawn(ax) == {
        "recurrent, no attention": [(0, pytest.approx(0.3)), (1, 0.05)],
        "Transformer": [(0, 1.0), (1, 0.7)],
    }
    assert {"30 %", "5 %  recurrent, no attention", "100 %", "70 %  Transformer"} < texts(ax)


@pytest.mark.parametrize(
    "draw",
    [
        lambda runs: _right_by_split(runs, {"test": "all"}),
        lambda runs: right_by_length(runs, 3),
        lambda runs: _backwards(np.eye(2), "4", runs),
        _times_beside,
    ],
)
def test_nothing_to_draw_is_refused(draw):
    with pytest.raises(ValueError, match="there are no runs"):
        draw([])


# --- what they look at


def test_the_last_layer_is_drawn_as_the_mean_of_its_heads():
    one, other = np.eye(3).tolist(), np.zeros((3, 3)).tolist()
    found = {
        "read": ["I", "swim"],
        "written": ["yo", "nado"],
        "weights": {
            "decoder.layers.0.cross_attn": [other, other],
            "decoder.layers.1.cross_attn": [one, other],
        },
    }
    ax = _two_maps({"new": found}).axes[0]
    assert (ax.images[0].get_array() == np.eye(3) / 2).all() and ax.get_title() == "new"
    assert [t.get_text() for t in ax.get_xticklabels()] == ["I", "swim", "end"]
    assert [t.get_text() for t in ax.get_yticklabels()] == ["yo", "nado", "end"]
    with pytest.raises(ValueError, match=r"4 words look at 3, but the weights are \(3, 3\)"):
        _two_maps({"new": {**found, "written": ["yo", "no", "nado"]}})


def test_who_has_no_look_has_no_change_and_each_change_says_its_place():
    runs = [
        {"what": what, "seed": seed, "gender": {"agreement": shares}}
        for what, shares in (
            ("none", {"as trained": 0.5}),
            (
                "additive",
                {
                    "as trained": 0.7,
                    "two numbers swapped": 0.6,
                    "nouns not seen": 0.1,
                    "adjective not seen": 0.4,
                },
            ),
            ("transformer", {"as trained": 0.9, "two numbers swapped": 0.2}),
        )
        for seed in (0, 1)
    ]
    ax = _genders(runs).axes[0]
    said = {text.get_text() for text in ax.texts}
    assert {"Transformer, swapped: 90 % → 20 %", "recurrent, no attention: 50 %"} < said
    assert "recurrent + additive attention, “tired” hidden: 70 % → 40 %" in said
    scale = {text.get_text(): text.get_position()[0] for text in ax.texts}
    zero, whole = scale["0 %"], scale["100 %"]
    dots = [(line.get_xdata()[0] - zero) / (whole - zero) for line in ax.lines]
    assert dots == pytest.approx([0.9, 0.9, 0.7, 0.7, 0.5, 0.5])
    ends = [
        (patch._posA_posB[1][0] - zero) / (whole - zero)
        for patch in ax.patches
        if isinstance(patch, FancyArrowPatch) and patch._posA_posB
    ]
    assert ends == pytest.approx([0.2, 0.2, 0.4, 0.4])


# --- how long they wait


def test_times_are_multiples_of_those_of_self_attention():
    times = {
        "recurrent": 8,
        "convolutional": 1,
        "restricted self-attention": 3,
        "self-attention": 2,
    }
    runs = [
        {
            "layer": layer,
            "threads": threads,
            "length": n,
            "milliseconds": time * n ** (layer == "recurrent") * threads,
        }
        for threads in (1, 2)
        for layer, time in times.items()
        for n in (8, 16)
    ]
    (ax,) = _times_beside(runs).axes
    assert drawn(ax) == {
        "recurrent: 64 ×": [(8, 32), (16, 64)],
        "convolutional: 0.5 ×": [(8, 0.5), (16, 0.5)],
        "restricted self-attention: 1.5 ×": [(8, 1.5), (16, 1.5)],
    }
    one, two = (line.get_ydata() for line in ax.lines[-2:])
    assert one.tolist() == [1, 1] and list(two) == [32, 64]  # self-attention, and on one thread
    said = ax.yaxis.get_major_formatter()
    assert [said(x, 0) for x in (16, 1, 0.25)] == ["16 ×", "1 ×", "1/4"]


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
    titles = {name: FIGURES[name].draw().texts[0].get_text() for name in TITLED}
    said = texts(FIGURES["before-backwards"].draw().axes[1])
    assert said == {"no attention: 3 %", "dot product: 86 %", "additive: 97 %"}
    assert "wins where distant words agree, and loses on longer" in titles["before-splits"]
    for split, wins in (("pronoun", True), ("longer", False)):
        one, other = (
            [run["right"][split] for run in chosen()[what]] for what in ("transformer", "additive")
        )
        assert (min(one) > max(other)) if wins else (max(one) < min(other)), split
    assert "takes 2 to 14 times" in titles["before-waiting"]
    assert "the Transformer falls to 4 %" in titles["before-length"]
    for name, few in (("additive", 0), ("transformer", 6)):  # rows that are spread, in before-maps
        found = chosen()[name][0]["map"]["weights"]
        weights = np.array(found[max(found)]).mean(axis=0)
        assert sum(weights.max(axis=1) < SPREAD) == few and (few or weights.max(axis=1).min() > 0.9)
    swapped = [run for run in runs() if run["what"] == "transformer"]
    assert all(run["gender"]["agreement"]["two numbers swapped"] < 0.5 for run in swapped)


def mean(shares: list[float]) -> int:
    return round(100 * sum(shares) / len(shares))


def test_the_alt_text_says_each_split():
    alt = FIGURES["before-splits"].alt
    for split in SPLITS:
        shares = [mean([run["right"][split] for run in chosen()[kind]]) for kind in LABELS]
        assert "{}, {}, {} and {} %".format(*shares) in alt


def test_the_alt_text_says_how_the_curves_go():
    found = {}
    for run in runs():
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
        entry["sentences"] for run in runs() for entry in run["by_length"] if entry["tokens"] == 18
    }
    assert at_18 == {60} and "with 18 tokens there are 60" in alt
    assert "89 and 96 %" in alt and "85 and 98 %" in alt and "65, 25, 10 and 4 %" in alt


def test_the_alt_text_says_what_the_swap_does():
    shares = {(run["what"], run["seed"]): run["gender"]["agreement"] for run in runs()}
    alt = FIGURES["before-gender"].alt
    for kind, said in (
        ("none", "63 to 66 %"),
        ("additive", "84 to 87 %"),
        ("transformer", "94 to 95 %"),
    ):
        found = [round(100 * shares[kind, seed]["as trained"]) for seed in range(3)]
        assert f"{min(found)} to {max(found)} %" == said and said in alt
    after = sorted(
        round(100 * shares["transformer", seed]["two numbers swapped"]) for seed in range(3)
    )
    assert "{}, {} and {} %".format(*after) in alt
    assert (
        f"mean, {mean([shares['transformer', s]['two numbers swapped'] for s in range(3)])} %"
        in alt
    )
    found = [round(100 * shares["additive", seed]["adjective not seen"]) for seed in range(3)]
    assert (min(found), max(found)) == (61, 74) and "61 to 74 %" in alt


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
    assert "from 3 times with 8 words to 10 times with 128, and falls to 3 times with 512" in alt
    assert "from 2 times with 8 words to 14 times with 128, and is at 8 times with 512" in alt


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
    for run in runs():
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
