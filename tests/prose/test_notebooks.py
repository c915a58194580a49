"""The notebooks as they are committed, and the tools that keep them so.

That each cell still gives its stored output is nbval's part: `pytest notebooks`.
"""

import base64
import io
import json
import os
import re
import shutil
import subprocess
import sys

import nbformat
import pytest
from nbformat.v4 import new_code_cell, new_markdown_cell, new_notebook, new_output
from PIL import Image, ImageDraw

from course.notebook_tools import run as tool
from course.notebook_tools.compare import first_difference
from tests.here import ROOT

FOLDERS = [ROOT / "notebooks", ROOT / "course" / "assignments"]
NOTEBOOKS = sorted(path for folder in FOLDERS for path in folder.glob("[!.]*.ipynb"))


# the notebooks


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_is_ready_for_a_reader(path):
    notebook = tool.read(path)
    nbformat.validate(notebook)
    assert tool.problems(notebook) == []


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.name)
def test_notebook_is_stored_in_normal_form(path):
    stored = path.read_bytes().decode()
    assert tool.text(tool.normalize(tool.read(path))) == stored, "run: make notebooks"


# the tool that runs and stores them


def picture(shade: int = 128, at: float = 20) -> str:
    """A small PNG in base64: a black bar on gray."""
    image = Image.new("RGB", (64, 32), (shade,) * 3)
    ImageDraw.Draw(image).rectangle((at, 8, at + 8, 24), fill="black")
    file = io.BytesIO()
    image.save(file, "PNG")
    return base64.b64encode(file.getvalue()).decode()


def figure(png: str, words: str = "Figure: a bar at 20") -> nbformat.NotebookNode:
    data = {"image/png": png, "text/plain": words}
    return new_output("display_data", data, metadata={"image/png": {"alt": "a bar"}})


def printed(words: str, name: str = "stdout") -> nbformat.NotebookNode:
    return new_output("stream", name=name, text=words)


def good_notebook() -> nbformat.NotebookNode:
    cells = [
        new_markdown_cell("# Title"),
        new_code_cell("x = 1\nprint(x)", execution_count=1, outputs=[printed("1\n")]),
        new_code_cell("show(x)", execution_count=2, outputs=[figure(picture())]),
    ]
    return tool.normalize(new_notebook(cells=cells))


def add_output(output):
    return lambda notebook: notebook.cells[1].outputs.append(output)


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (lambda nb: nb.metadata.pop("kernelspec"), "kernelspec"),
        (lambda nb: nb.cells[2].update(execution_count=None), "execution counts [1, None]"),
        (lambda nb: nb.cells[2].update(execution_count=3), "execution counts [1, 3]"),
        (lambda nb: nb.cells[1].update(source="# NBVAL_IGNORE_OUTPUT\nx"), "1 of 2 code cells"),
        (lambda nb: nb.cells[1].metadata.update(tags=["nbval-skip"]), "1 of 2 code cells"),
        (lambda nb: nb.cells[1].update(source="x\n" * 26), "cell 1: 26 lines"),
        (lambda nb: nb.cells[0].update(source="see /home/ana/x"), "cell 0: a path"),
        (add_output(new_output("error", ename="ValueError", evalue="bad")), "ValueError: bad"),
        (add_output(printed("loading", "stderr")), "stderr"),
        (add_output(printed("FutureWarning: old")), "FutureWarning"),
        (add_output(printed("/tmp/ipykernel_12/3.py")), "a path or an address"),
        (add_output(printed("<object at 0x7f3c1d2e>")), "a path or an address"),
        (lambda nb: nb.cells[2].outputs[0].metadata.clear(), "image/png without alt text"),
        (lambda nb: nb.cells[2].outputs[0].data.pop("text/plain"), "image/png without text/plain"),
    ],
)
def test_each_problem_is_found_and_named(spoil, words):
    notebook = good_notebook()
    spoil(notebook)
    found = tool.problems(notebook)
    assert len(found) == 1
    assert words in found[0]


# the comparison of outputs


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("loss 0.52", "loss 0.53"),
        ("loss 0.5200", "loss 0.5201"),
        ("tensor([ 0.000, 0.120])", "tensor([-0.000,  0.121])"),
        ("[1., 0.5]", "[1.000, 0.501]"),
        ("1.234e-05", "1.235e-05"),
        ("0.999", "1.000"),
        ("nan inf", "nan inf"),
    ],
)
def test_rounding_is_no_difference(stored, new):
    assert first_difference([printed(stored)], [printed(new)]) == ""
    assert first_difference([printed(new)], [printed(stored)]) == ""
    assert stored == new or first_difference([printed(stored)], [printed(new)], exact=True)


@pytest.mark.parametrize(
    ("stored", "new"),
    [
        ("loss 0.52", "loss 0.54"),
        ("loss 0.5", "loss 0.502"),
        ("0.5", "-0.5"),
        ("1.234e-05", "1.234e-04"),
        ("step 3", "step 4"),
        ("[1., 2.]", "[1., 3.]"),
        ("(2, 3, 5)", "(2, 3)"),
        ("True", "False"),
        ("0.5", "nan"),
        ("Me gustan los árboles", "Me gusta los árboles"),
        ("a b\nc", "a\nb c"),
    ],
)
def test_more_than_rounding_is_a_difference(stored, new):
    assert "stdout" in first_difference([printed(stored)], [printed(new)])
    assert "stdout" in first_difference([printed(new)], [printed(stored)])


def chart(weight: float, position: int = 3, title: str = "Head 1") -> nbformat.NotebookNode:
    spec = {
        "title": title,
        "data": {"values": f'key,position,weight\nthe,{position},{weight}\n"a,b",0,0.25\n'},
        "layer": [{"mark": {"type": "rect", "opacity": weight}}],
    }
    data = {"application/vnd.vegalite.v5+json": spec, "image/png": picture(int(weight * 100))}
    return new_output("display_data", data)


def test_chart_data_is_compared_to_a_tolerance_also_inside_csv():
    assert first_difference([chart(0.512)], [chart(0.513)]) == ""
    assert first_difference([chart(0.512)], [chart(0.5121)]) == ""
    assert first_difference([chart(1.0)], [chart(1)]) == ""
    for changed in (chart(0.532), chart(0.512, position=4), chart(0.512, title="Head 2")):
        assert "vegalite" in first_difference([chart(0.512)], [changed])
    assert "vegalite" in first_difference([chart(0.512)], [chart(0.513)], exact=True)


def test_pictures_by_matplotlib_change_visibly_when_their_data_do():
    from matplotlib.figure import Figure

    def drawn(value: float) -> nbformat.NotebookNode:
        curve, heat = (canvas := Figure(figsize=(6, 3))).subplots(1, 2)
        curve.plot([0, 1, 2], [0, value, 1])
        heat.imshow([[0, value], [1, 0.5]], vmin=0, vmax=1)
        file = io.BytesIO()
        canvas.savefig(file, format="png")
        return figure(base64.b64encode(file.getvalue()).decode())

    assert first_difference([drawn(0.3)], [drawn(0.3001)]) == ""
    assert "picture" in first_difference([drawn(0.3)], [drawn(0.32)])


@pytest.mark.parametrize("output", [printed("1"), figure(picture()), chart(0.5)])
def test_a_missing_or_added_output_is_a_difference(output):
    assert "1 stored, 0 now" in first_difference([output], [])
    assert "0 stored, 1 now" in first_difference([], [output])
    assert "1 stored, 2 now" in first_difference([output], [output, output])


def test_pytest_uses_this_comparison(tmp_path):
    """A notebook whose stored outputs are off by a little or a lot, run by nbval."""
    show = (
        "from IPython.display import display\n"
        f"display({{'image/png': '{picture()}', 'text/plain': 'a bar'}}, raw=True)"
    )
    cases = [  # source, stored outputs, tags, green?
        ("print(0.5200)", [printed("0.5201\n")], [], True),
        ("print(0.52)", [printed("0.54\n")], [], False),
        ("print(0.52)", [printed("0.53\n")], ["nbval-exact"], False),
        ("print(0.52)", [], [], False),
        (show, [figure(picture(), "a bar")], [], True),
        (show, [figure(picture(at=24), "a bar")], [], False),
        ("print('no figure')", [printed("no figure\n"), figure(picture())], [], False),
        ("import warnings; warnings.warn('old')", [], [], False),
    ]
    cells = [
        new_code_cell(source, execution_count=i, outputs=outputs, metadata={"tags": tags})
        for i, (source, outputs, tags, _) in enumerate(cases, 1)
    ]
    nbformat.write(tool.normalize(new_notebook(cells=cells)), tmp_path / "cases.ipynb")
    shutil.copy(ROOT / "conftest.py", tmp_path)
    (tmp_path / "pytest.ini").write_text("[pytest]\n")
    run = subprocess.run(
        [
            sys.executable,
            *"-m pytest -pno:nbval --nbval --nbval-current-env -rA --color=no".split(),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT / "tools")},
        capture_output=True,
        text=True,
    )
    passed = set(map(int, re.findall(r"^PASSED .*Cell (\d+)", run.stdout, re.MULTILINE)))
    assert passed == {i for i, case in enumerate(cases) if case[-1]}, run.stdout
    assert "stdout: 0 stored, 1 now" in run.stdout


def test_the_tool_runs_a_notebook_twice_to_the_same_bytes(tmp_path, capsys):
    path = tmp_path / "small.ipynb"
    source = "import sys\nfor i in range(3):\n    print(f'\\r{i}', end='')\nprint(' done')"
    nbformat.write(new_notebook(cells=[new_code_cell(source)]), path)

    assert tool.main([str(path)]) == 0
    first = path.read_bytes()
    assert json.loads(first)["cells"][0]["outputs"][0]["text"] == ["2 done\n"]
    assert tool.main([str(path)]) == 0
    assert path.read_bytes() == first
    states = "small.ipynb: stored with new outputs, \\d+ s\nsmall.ipynb: unchanged, \\d+ s\n"
    assert re.fullmatch(states, capsys.readouterr().out)


def test_the_tool_leaves_a_notebook_that_stops_as_it_was(tmp_path, capsys):
    path = tmp_path / "broken.ipynb"
    nbformat.write(new_notebook(cells=[new_code_cell("1 / 0")]), path)
    before = path.read_bytes()
    assert tool.main([str(path)]) == 1
    assert path.read_bytes() == before
    assert "ZeroDivisionError" in capsys.readouterr().out
