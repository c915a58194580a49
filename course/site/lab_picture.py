"""Take the picture that stands in for the laboratory where it can't run: part of `make pages`.

    python -m course.site.lab_picture      # course/lab/lab.png, by Chromium, Chrome or Edge

The picture says of which sources it was taken; a test compares.
"""

import sys
import tempfile
from pathlib import Path

from PIL import Image, PngImagePlugin

from course.lab import notebook, write_lab
from course.site.book import find_browser, take_picture

STATE = (
    "#text=The+animal+didn't+cross+the+street+because+it+was+too+tired&query=11"
    "&change=swap,encoder.layers.1.self_attn,2,11,1,6"
)
COLORS = 64


def main() -> int:
    """0; without a browser the picture stays, and that is said."""
    if not find_browser():
        print("no Chromium, Chrome or Edge: the picture of the laboratory stays as it is")
        return 0
    with tempfile.TemporaryDirectory() as folder:
        page, taken = write_lab(Path(folder)), Path(folder) / "taken.png"
        take_picture(page.as_uri() + STATE, taken, notebook.SIZE)
        picture = Image.open(taken).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
    about = PngImagePlugin.PngInfo()
    about.add_text(notebook.SOURCES, notebook.sources())
    path = notebook.HERE / notebook.PICTURE
    picture.save(path, "PNG", optimize=True, pnginfo=about)
    print(path.relative_to(Path.cwd()) if path.is_relative_to(Path.cwd()) else path)
    return 0


if __name__ == "__main__":
    sys.exit(main())
