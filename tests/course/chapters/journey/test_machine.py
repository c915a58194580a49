"""The machine: what is marked in it, and whether that is true of the model."""

from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import to_hex

from course.chapters.journey import machine
from course.drawing import style
from course.drawing.registry import FIGURES
from transformer_lib.translator import Translator

ACCENT = style.ACCENT.lower()


def marked(name: str) -> frozenset:
    """Where the small machine `name` has the accent, besides the words that name its part."""
    drawn = FIGURES[name].draw()
    FigureCanvasAgg(drawn).draw()
    (ax,) = drawn.axes
    colored = [
        p for p in ax.patches if ACCENT in map(to_hex, (p.get_edgecolor(), p.get_facecolor()))
    ]
    words = [t for t in ax.texts if to_hex(t.get_color()) == ACCENT and t.get_size() < 13]
    return frozenset(str(one.get_window_extent()) for one in [*colored, *words])


def test_each_notebook_has_its_own_place_in_the_machine():
    places = {marked(f"machine-{number:02}") for number in range(1, 13)}
    assert len(places) == 12 and all(places)


def test_training_finds_the_numbers_of_the_boxes_that_10_marks(monkeypatch):
    model, found = Translator.load().model, {}
    for half, parts in machine.PARTS.items():
        for name in parts:
            if name in machine.INPUT:
                side = "src" if half == "encoder" else "tgt"
                module = getattr(model, f"{side}_{'embed' if name == 'embedding' else 'positions'}")
            elif name in ("output", "softmax"):
                module = model.generator.proj if name == "output" else None
            else:
                layer = getattr(model, half).layers[0]
                sublayer = list(parts)[list(parts).index(name) - 1] if "norm" in name else name
                module = getattr(layer, f"residual_{sublayer}" if "norm" in name else sublayer)
            found[f"{half}.{name}"] = module is not None and any(True for _ in module.parameters())
    asked = {}
    is_marked = machine._Half.is_marked

    def spy(half, part):
        asked[f"{half.name}.{part}"] = is_marked(half, part)
        return is_marked(half, part)

    monkeypatch.setattr(machine._Half, "is_marked", spy)
    FIGURES["machine-10"].draw()
    assert {name: asked[name] for name in found} == found
