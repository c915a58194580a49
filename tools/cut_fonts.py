"""Cut the letters of the series out of Source Sans 3 and Source Code Pro.

    npm pack source-sans@3.52.0 source-code-pro@2.42.0     # and unpack both into one folder
    python tools/cut_fonts.py FOLDER                       # with the TTF files somewhere in it

What is written to course/drawing/fonts is used by figures, charts, pages and slides. The license
(SIL OFL 1.1, beside the fonts) asks for another name than "Source" once a font is changed. Letters
come out a ninth larger than the originals': at the same size in points, an x is as high as in most
fonts for screens.
"""

import sys
from pathlib import Path

from fontTools import subset
from fontTools.ttLib import TTFont

FONTS = Path(__file__).parents[1] / "course/drawing/fonts"
FILES = {  # original -> family, style, and weight of the cut one
    "SourceSans3-Regular": ("Course Sans", "Regular", 400),
    "SourceSans3-It": ("Course Sans", "Italic", 400),
    "SourceSans3-Semibold": ("Course Sans", "Bold", 700),  # the bold of the series
    "SourceCodePro-Regular": ("Course Mono", "Regular", 400),
}
LETTERS = [  # Latin with all accents of Spanish, Greek, punctuation, arrows, signs of formulas
    *range(0x20, 0x7F),
    *range(0xA0, 0x180),
    *range(0x370, 0x400),
    *range(0x2010, 0x2040),
    *range(0x2070, 0x20A0),
    *(0x20AC, 0x2713, 0x2717),
    *range(0x2190, 0x21D0),
    *range(0x2200, 0x2300),
    *range(0x25A0, 0x2600),
]
LATIN = [*range(0x20, 0x7F), *range(0xA0, 0x100), 0x2026, 0x2192, 0x221A]  # what code needs


def cut(source: Path, family: str, style: str, weight: int) -> TTFont:
    options = subset.Options(hinting=False, layout_features=["kern", "mark", "ccmp", "locl"])
    options.name_IDs = [0, 13, 14]  # copyright and license; the names are our own
    font = subset.load_font(str(source), options)
    subsetter = subset.Subsetter(options)
    subsetter.populate(unicodes=LATIN if "Mono" in family else LETTERS)
    subsetter.subset(font)
    font["head"].unitsPerEm = font["head"].unitsPerEm * 9 // 10
    font["head"].modified = font["head"].created  # the same bytes each time
    font.recalcTimestamp = False
    for table, high, low in (
        ("hhea", "ascent", "descent"),
        ("OS/2", "sTypoAscender", "sTypoDescender"),
    ):
        setattr(font[table], high, 780)  # lines as close as those of fonts for screens
        setattr(font[table], low, -230)
    font["OS/2"].usWinAscent, font["OS/2"].usWinDescent = 900, 300
    font["OS/2"].usWeightClass = weight
    font["OS/2"].fsSelection = {"Regular": 64, "Italic": 1, "Bold": 32}[style]
    font["head"].macStyle = {"Regular": 0, "Italic": 2, "Bold": 1}[style]
    names = {1: family, 2: style, 4: f"{family} {style}", 6: f"{family}-{style}".replace(" ", "")}
    for number, name in names.items():
        font["name"].setName(name, number, 3, 1, 0x409)
        font["name"].setName(name, number, 1, 0, 0)
    return font


if __name__ == "__main__":
    for name, (family, style, weight) in FILES.items():
        (source,) = Path(sys.argv[1]).rglob(f"TTF/{name}.ttf")
        path = FONTS / f"{family}-{style}.ttf".replace(" ", "")
        cut(source, family, style, weight).save(path)
        print(path.name, path.stat().st_size)
