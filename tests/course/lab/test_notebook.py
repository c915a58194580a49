"""The laboratory in a notebook: a small output, a page beside it, words and a picture always."""

import base64
import io
import os

from PIL import Image

from course.lab import lab_page, laboratory, notebook
from course.lab.notebook import FILE, FILE_OF_SUBWORDS
from transformer_lib import Translator


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
    assert sum(map(len, data.values())) < 150_000  # the page has millions of letters
    assert f'<iframe src="{FILE}"' in data["text/html"]
    picture = Image.open(io.BytesIO(base64.b64decode(data["image/png"])))
    note = notes["image/png"]
    assert picture.size == (note["width"], note["height"])
    assert data["text/plain"] == f"Figure:\n{note['alt']}"
    assert note["alt"] in data["text/html"] and data["image/png"] in data["text/html"]
    laboratory(translator)  # again, over the first
    assert os.listdir() == [FILE]


def test_two_translators_of_one_folder_have_a_page_each(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    pages = {}
    monkeypatch.setattr(notebook, "lab_page", lambda translator: pages[translator])
    for name, file in (("grammar", FILE), ("tatoeba", FILE_OF_SUBWORDS)):
        translator = Translator.load(name)
        pages[translator] = name
        assert f'src="{file}"' in laboratory(translator)._repr_mimebundle_()[0]["text/html"]
        assert (tmp_path / file).read_text(encoding="utf-8") == name
