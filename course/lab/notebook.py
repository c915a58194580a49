"""The laboratory inside a notebook: the page is written beside it and shown in a frame.

Megabytes are too much to be stored in a notebook. So the cell stores a frame that names the file,
and a picture with words for where there is no such file: on GitHub, on paper, before the first run.
The picture is of the first sentence of the tour; of a sentence that a cell names there are words
alone.
"""

import base64
import hashlib
import html
import os
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

from course.lab.pages import HERE, lab_page
from transformer_lib.files import write_file
from transformer_lib.text.languages import SubwordLanguage
from transformer_lib.translator import Translator

FILE = "laboratory.html"
FILE_OF_SUBWORDS = "laboratory_subwords.html"  # both translators may be shown in one folder
PICTURE = "lab.png"  # of the page, as after the second step of its tour: course/site/lab_picture.py
SOURCES = "Sources"  # in the picture's file: what `sources` gave when it was taken
SIZE = (1120, 800)  # pixels
ALT = (
    "The laboratory: an English sentence, its translation, a small map for each of four heads, "
    "and a line from 'tired' with a weight beside each word. The end of the line from 'tired' "
    "lies on 'street' instead of 'animal', and 'cansado' has become 'cansada'."
)


def sources() -> str:
    """A fingerprint of all that decides how the page looks, but for the trained numbers."""
    files = sorted(
        path for path in HERE.iterdir() if path.suffix in (".js", ".css", ".html", ".toml")
    )
    text = "".join(path.read_text(encoding="utf-8") for path in files)
    return hashlib.sha256(text.encode("utf-8")).hexdigest()[:16]


class Laboratory:
    """What `laboratory` gives to the notebook. state: as in a link of the page, {"text": ...}."""

    def __init__(self, file: str, state: dict[str, str]):
        self.file = file
        self.state = state

    def _repr_mimebundle_(self, **_: Any) -> Any:
        if self.state:
            return self.words()
        picture = base64.b64encode((HERE / PICTURE).read_bytes()).decode("ascii")
        width, height = SIZE
        # The frame lies over the picture: where frames are not let through, the picture stays.
        frame = (
            '<div style="position: relative; height: 1150px; overflow: hidden">'
            f"<p>Run this cell: the laboratory is the page {self.file} beside this notebook.</p>"
            f'<img alt="{ALT}" style="max-width: 100%" src="data:image/png;base64,{picture}">'
            f"{self.frame()}</div>"
        )
        data = {"text/html": frame, "image/png": picture, "text/plain": f"Figure:\n{ALT}"}
        return data, {"image/png": {"alt": ALT, "width": width, "height": height}}

    def words(self) -> dict[str, str]:
        text = self.state["text"]
        frame = (
            '<div style="position: relative; height: 950px; overflow: hidden">'
            f"<p>Run this cell: the laboratory, with “{html.escape(text)}”, is the page "
            f"{self.file} beside this notebook.</p>{self.frame()}</div>"
        )
        return {"text/html": frame, "text/plain": f"The laboratory, with “{text}”: {self.file}"}

    def frame(self) -> str:
        """Its name says what is shown: JupyterLab takes what stands after a # for the file's."""
        return (
            f'<iframe src="{self.file}" name="{html.escape(urlencode(self.state))}" '
            'title="The laboratory" style="position: absolute; top: 0; left: 0; width: 100%; '
            'height: 100%; border: 0"></iframe>'
        )


def laboratory(
    translator: Translator | None = None, text: str = "", *, layer: str = "", choose: str = ""
) -> Laboratory:
    """Try sentences and change what heads look at, without code, in the last line of a cell.

    translator: by default the one that comes with the course. text, layer ("encoder.layers.0.
    self_attn"), choose ("beam", "draw"): what is shown first; without a text the guided tour. The
    page is written to laboratory.html in the notebook's folder (laboratory_subwords.html if the
    translator cuts words), and opens in any browser too. Raises WebError for a model that the page
    can't run, OSError where nothing can be written.
    """
    translator = translator or Translator.load()
    page = lab_page(translator)
    file = FILE_OF_SUBWORDS if isinstance(translator.src, SubwordLanguage) else FILE
    mine = Path(f".{os.getpid()}.{file}")  # two notebooks of one folder may run at the same time
    write_file(mine, page.encode("utf-8"))
    os.replace(mine, file)
    state = {"text": text, "layer": layer, "choose": choose} if text else {}
    return Laboratory(file, {name: value for name, value in state.items() if value})
