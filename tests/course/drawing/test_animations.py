"""Figures that move: from the figure's own drawing, small, and still for who wants no motion."""

import re
from xml.etree import ElementTree

import pytest

from course.drawing.animations import ANIMATIONS, SVG, animation_svg
from tests.each import each


@pytest.fixture(scope="module")
def loops() -> dict[str, str]:
    return {name: animation_svg(name) for name in ANIMATIONS}


def test_every_moving_part_has_its_frames_and_none_flashes(loops):
    def check(name):
        root = ElementTree.fromstring(loops[name])
        rules = root.find(f"{{{SVG}}}style").text
        moving = [node.get("class").split() for node in root.iter() if node.get("class")]
        assert len(moving) > 20 and all(classes[0] == "m" for classes in moving)
        seconds = float(root.get("data-seconds"))
        for _, frame, *_ in moving:
            [frames] = re.findall(rf"@keyframes loop-{name}-{frame}\{{(.*?\}})\}}", rules)
            shares = [float(share) for share in re.findall(r"([\d.]+)%", frames)]
            assert shares == sorted(shares) and shares[0] == 0 and shares[-1] == 100
            # Three flashes a second are too many (WCAG 2.3.1): a part comes and goes once.
            seen = [int(level) for level in re.findall(r"opacity:(\d)", frames)] or [1]
            assert sum(a != b for a, b in zip(seen, seen[1:], strict=False)) <= 2 < seconds

    each(ANIMATIONS, check)
