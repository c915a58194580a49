"""Every figure of the series: its name, what is said about it, and its file.

(tests/prose/test_series.py draws and saves each.)
"""

import functools
import hashlib
import io
import os
import re
import subprocess
import sys
from xml.etree import ElementTree

import pytest
import torch
from matplotlib.figure import Figure
from PIL import Image

from course.chapters.ch00_start_here.figures import draw_cross_attention
from course.drawing.registry import FIGURES, FigureEntry
from course.drawing.saving import save, save_figure
from tests.each import each
from transformer_lib.translator import Translator

SIGNATURES = {"svg": b"<?xml", "png": b"\x89PNG", "pdf": b"%PDF"}
CHART = "decoder-stepper"  # by Altair; what is said of it has a "<"
TRANSLATOR = Translator.load()


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """saved(name, format): what is in the file, which is written once for all tests."""
    folder = tmp_path_factory.mktemp("saved")
    return functools.cache(lambda name, format: save(name, folder, format).read_bytes())


def test_every_figure_says_what_it_is():
    def check(name):
        entry = FIGURES[name]
        assert entry.name == name and re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", name)
        assert re.fullmatch(r"[0-9a]\d_[a-z0-9]+(_[a-z0-9]+)*", entry.notebook)
        assert entry.caption.endswith(".") and len(entry.caption.split()) >= 5
        assert entry.alt.endswith(".") and len(entry.alt.split()) >= 10
        assert entry.alt != entry.caption

    each(FIGURES, check)


def test_the_file_is_what_it_is_called(saved):
    for format in SIGNATURES:
        for name in ("machine", CHART):
            content = saved(name, format)
            begin = b"<svg" if name == CHART and format == "svg" else SIGNATURES[format]
            assert content.startswith(begin)


def test_alt_text_travels_in_the_file(saved):
    assert "from left to right" in saved("machine", "svg").decode()
    png = Image.open(io.BytesIO(saved("machine", "png")))
    assert png.text["Description"].startswith("The machine")
    root = ElementTree.fromstring(saved(CHART, "svg"))
    entry = FIGURES[CHART]
    assert [child.text for child in root[:2]] == [entry.caption, entry.alt]


ALL = ("positions-clocks", "machine", CHART, "attention-explorer")
SAVE_ALL = """
import hashlib, sys
from course.drawing.saving import save

for name in sys.argv[2:]:
    for format in ("svg", "png"):
        path = save(name, sys.argv[1], format)
        print(path.name, hashlib.sha256(path.read_bytes()).hexdigest())
"""


@pytest.mark.nightly
def test_two_processes_write_the_same_bytes(tmp_path, saved):
    """This one and another, in which sets have another order, and the clock has moved on."""
    seed = "2" if os.environ.get("PYTHONHASHSEED") == "1" else "1"
    run = subprocess.run(
        [sys.executable, "-W", "error", "-c", SAVE_ALL, tmp_path, *ALL],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONHASHSEED": seed},
    )
    assert run.returncode == 0, run.stderr
    ours = [
        f"{name}.{format} {hashlib.sha256(saved(name, format)).hexdigest()}"
        for name in ALL
        for format in ("svg", "png")
    ]
    assert run.stdout.splitlines() == ours and len(ours) == 8


def test_an_unknown_figure_is_refused(tmp_path):
    for name, message in [
        ("positions-clokcs", "no figure 'positions-clokcs'; did you mean 'positions-clocks'"),
        ("xyz", "no figure 'xyz'; there are [a-z-]+, [a-z-]+, "),
    ]:
        with pytest.raises(ValueError, match=message):
            save(name, tmp_path)
        assert list(tmp_path.iterdir()) == []


def test_an_unknown_format_is_refused_before_anything_is_drawn(monkeypatch, tmp_path):
    entry = FigureEntry("never", "00_start_here", "", "", lambda: pytest.fail("drawn"))
    monkeypatch.setitem(FIGURES, "never", entry)
    with pytest.raises(ValueError, match="saved as svg, png, pdf, but not as never.gif"):
        save("never", tmp_path, "gif")


def test_a_folder_that_cannot_be_made_is_named(tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("in the way")
    with pytest.raises(OSError, match=r"cannot write .*file.*machine\.svg: "):
        save("machine", blocked)
    with pytest.raises(OSError, match=r"cannot write .*machine\.png: "):
        save("machine", blocked / "below", "png")


# --- figures of a translator ---


def test_cross_attention_of_a_sentence_carries_its_words():
    ax = draw_cross_attention(TRANSLATOR, "I like trees").axes[0]
    maps = TRANSLATOR.attention_maps("I like trees")
    mean = maps.weights["decoder.layers.1.cross_attn"].mean(dim=0)
    torch.testing.assert_close(torch.tensor(ax.images[0].get_array()), mean.double())
    assert [t.get_text() for t in ax.get_xticklabels()] == ["I", "like", "trees", "<eos>"]
    assert [t.get_text() for t in ax.get_yticklabels()] == maps.tgt_out


def test_a_picture_of_ones_own_goes_where_it_should(tmp_path):
    path = tmp_path / "new" / "trees.PNG"
    save_figure(draw_cross_attention(TRANSLATOR, "I like trees"), path)
    assert path.read_bytes().startswith(SIGNATURES["png"])
    with pytest.raises(ValueError, match="not as trees.doc"):
        save_figure(Figure(), tmp_path / "trees.doc")
