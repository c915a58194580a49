"""The drawing of the whole Transformer: every part of it can be marked, and belongs to a model."""

from matplotlib.colors import to_hex

from course.drawing import style
from course.drawing.architecture import MASKS, PARTS, architecture
from transformer_lib.model.transformer import make_model

HEADS = {f"{name}.heads" for name in PARTS if name.endswith("_attn")}


def marked_areas(figure) -> int:
    [ax] = figure.axes
    boxes = [patch for patch in ax.patches if to_hex(patch.get_facecolor()) == style.ACCENT.lower()]
    labels = [
        text
        for text in ax.texts
        if (box := text.get_bbox_patch()) and to_hex(box.get_facecolor()) == style.ACCENT.lower()
    ]
    return len(boxes) + len(labels)


def test_each_part_can_be_marked_alone():
    for name in [*PARTS, *MASKS, *sorted(HEADS)]:
        areas = (
            2 if name.endswith(("positions", ".heads")) else 1
        )  # sign and word; two boxes behind
        assert marked_areas(architecture(name)) == areas


def test_the_parts_are_called_as_in_the_library():
    layers = {name.replace(".layers.0.", ".") for name, _ in make_model(5, 5, N=1).named_modules()}
    ours = {name for name in PARTS if not name.endswith(("_one_hot", "_norm", "softmax"))}
    assert ours <= layers, ours - layers
