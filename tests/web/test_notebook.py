"""The laboratory in a notebook: a small output, a page beside it, words and a picture always."""

import base64
import io
import os

from PIL import Image

from transformer_lib import Translator
from transformer_lib.web import lab_page, laboratory, notebook
from transformer_lib.web.notebook import FILE


def test_the_picture_is_of_the_page_as_it_is():
    """As far as its sources tell; that they look as they should, only eyes can say."""
    about = Image.open(notebook.HERE / notebook.PICTURE).text
    assert about[notebook.SOURCES] == notebook.sources(), (
        "the page has changed: make pages takes its picture again, and 00 and 13 store it when run"
    )


def test_the_page_stands_beside_the_notebook_and_the_output_is_small(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    translator = Translator.load()
    data, notes = laboratory(translator)._repr_mimebundle_()
    assert os.listdir() == [FILE]
    assert (tmp_path / FILE).read_text(encoding="utf-8") == lab_page(translator)
    assert sum(map(len, data.values())) < 150_000  # the page has 7 million letters
    assert f'<iframe src="{FILE}"' in data["text/html"]
    picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    note = notes["image/png"]
    assert picture.size == (note["width"], note["height"])
    assert data["text/plain"] == f"Figure:\n{note['alt']}"
    assert note["alt"] in data["text/html"] and data["image/png"] in data["text/html"]
    laboratory(translator)  # again, over the first
    assert os.listdir() == [FILE]
