"""Figures that move: from the figure's own drawing, small, and still for who wants no motion."""

import re
from xml.etree import ElementTree

import pytest

from course.chapters.ch11_decoding.animations import DECIDES, WORD
from course.chapters.ch11_decoding.figures import likely_tree, student_steps
from course.drawing.animations import ANIMATIONS, FADE, SVG, Film, animation_svg
from course.drawing.registry import FIGURES, find


@pytest.fixture(scope="module")
def loops() -> dict[str, str]:
    return {name: animation_svg(name) for name in ANIMATIONS}


def film_of(name: str) -> Film:
    figure = find(name).draw()
    figure.draw_without_rendering()
    return ANIMATIONS[name].film(figure)


def test_each_loop_belongs_to_a_figure_that_a_notebook_shows():
    assert set(ANIMATIONS) == {"attention-arrow", "decoder-words-come-back", "decoding-tree"}
    assert set(ANIMATIONS) <= set(FIGURES)


@pytest.mark.parametrize("name", ANIMATIONS)
def test_every_moving_part_has_its_frames_and_none_flashes(name, loops):
    root = ElementTree.fromstring(loops[name])
    rules = root.find(f"{{{SVG}}}style").text
    moving = [node.get("class").split() for node in root.iter() if node.get("class")]
    assert len(moving) > 20 and all(classes[0] == "m" for classes in moving)
    seconds = float(root.get("data-seconds"))
    for _, frame, *_ in moving:
        [frames] = re.findall(rf"@keyframes loop-{name}-{frame}\{{(.*?\}})\}}", rules)
        shares = [float(share) for share in re.findall(r"([\d.]+)%", frames)]
        assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 100
        # Three flashes a second are too many (WCAG 2.3.1): a part comes and goes once in a loop.
        seen = [int(level) for level in re.findall(r"opacity:(\d)", frames)] or [1]
        assert sum(a != b for a, b in zip(seen, seen[1:], strict=False)) <= 2 < seconds


def test_each_branch_grows_with_its_word_and_is_judged_before_the_next():
    film = film_of("decoding-tree")
    nodes = [node for node in likely_tree(student_steps()) if node["step"]]
    frames = [how for _, does, how in film.acts if does == "glimpse"]
    lines = [how for _, does, how in film.acts if does == "trace"]
    assert len(frames) == len(lines) == len(nodes) == 9
    for node, frame, line in zip(nodes, frames, lines, strict=True):
        assert frame["at"] == line["at"] == pytest.approx(0.4 + WORD * (node["step"] - 1))
        assert frame["at"] + DECIDES < frame["until"] < frame["at"] + WORD
    drawn = [does for _, does, _ in film.acts].count("draw")
    assert drawn == sum(node["fate"] != "dropped" for node in nodes) == 7
    # Words and percentages come with their boxes, what is said of them when the beam has chosen.
    appears = {part: how["at"] for part, does, how in film.acts if does == "appear"}
    texts = [(text.get_text(), appears.get(text.get_gid())) for text in film.figure.axes[0].texts]
    for node in nodes:
        grown = [text for text, at in texts if at == pytest.approx(0.4 + WORD * (node["step"] - 1))]
        assert node["word"] in grown
    words = {"am", "the", "student", "have", "to the"}
    meant = [text for text, at in texts if text in words and at is not None]
    assert sorted(meant) == ["am", "am", "have", "student", "student", "the", "to the"]
    assert sum(at is not None for _, at in texts) == 2 * len(nodes) + len(meant) + 4
    verdicts = ("greedy’s choice", "ahead", "behind")
    judged = sorted((at, text) for text, at in texts if text in verdicts)
    chosen = [("behind", 1), ("greedy’s choice", 1), ("ahead", 2), ("behind", 2)]
    for (at, text), (verdict, step) in zip(judged, chosen, strict=True):  # when it is known
        assert text == verdict and at == pytest.approx(0.4 + WORD * (step - 1) + DECIDES)


def test_a_word_is_written_then_travels_and_then_is_read():
    film = film_of("decoder-words-come-back")
    flights = [(part, how) for part, does, how in film.acts if does == "fly"]
    assert len(flights) == 4
    appears = {part: how["at"] for part, does, how in film.acts if does == "appear"}
    read = sorted(set(appears.values()))
    for part, how in flights:
        assert appears[part] < how["at"] < how["end"]
        assert any(how["end"] - FADE < at <= how["end"] for at in read), "it arrives as it is read"
        (x, high), (x_end, low) = how["way"][0], how["way"][-1]
        assert high > low and x_end > x
    starts = [how["at"] for _, how in flights]
    assert all(b - a > 1.5 for a, b in zip(starts, starts[1:], strict=False))
