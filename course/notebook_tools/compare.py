"""Compare the stored outputs of a notebook cell with new ones, as a person would.

Two machines agree on a computed number to about six digits, not on its last bit. So:

- words and whole numbers must be equal;
- printed decimals may differ by one unit of the last printed digit (0.52 and 0.53, not 0.54);
- the data of an Altair chart or of an attention view may differ by 0.001, also inside CSV text;
- pictures may differ as much as rounding moves their pixels, those of such data in any way;
- nothing may be missing or added.

With `exact=True` everything must be equal.
"""

import base64
import csv
import io
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from decimal import Decimal

import numpy as np
from PIL import Image

NUMBER = re.compile(r"(?<![\w.])([-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?)(?!\w|\.\d)")
DATA_TOLERANCE = 0.001
BLOCK = 8  # pixels
BLOCK_TOLERANCE = 12  # gray levels out of 255, in the mean of one block
WIDGET = "application/vnd.jupyter.widget-view+json"  # holds a random id
DRAWN = ("application/vnd.vega", "application/vnd.transformer-lib.")  # data that is also drawn
# In HTML: a picture that stands beside it too, and such data once more.
DRAWN_INSIDE = re.compile(r"data:image/png;base64,[\w+/=]*|^const given = .*$", re.MULTILINE)


def first_difference(
    stored: Iterable[Mapping], new: Iterable[Mapping], *, exact: bool = False
) -> str:
    """The first difference between the stored and the new outputs of one cell, in words.

    Outputs are dictionaries as in a notebook file. Empty text: no difference.
    Outputs of unlike kinds may change their order; outputs of one kind may not.
    """
    before, after = by_kind(stored), by_kind(new)
    for kind in [*before, *(kind for kind in after if kind not in before)]:
        if len(before[kind]) != len(after[kind]):
            return f"{kind}: {len(before[kind])} stored, {len(after[kind])} now"
        for old, now in zip(before[kind], after[kind], strict=True):
            if old != now and (exact or not same(kind, old, now)):
                if kind.startswith("image/") and kind != "image/svg+xml":
                    return f"{kind}: the picture changed"
                return f"{kind}:\n--- stored\n{old}\n--- now\n{now}"
    return ""


def by_kind(outputs: Iterable[Mapping]) -> defaultdict[str, list]:
    """{"stdout": [...], "text/plain": [...], ...}: what is compared, each kind in its order."""
    kinds = defaultdict(list)
    for output in outputs:
        if output["output_type"] == "stream":
            kinds[output["name"]].append(output["text"])
        elif output["output_type"] == "error":
            kinds["error"].append(f"{output['ename']}: {output['evalue']}")
        else:
            chart = any(mime.startswith(DRAWN) for mime in output["data"])
            for mime, value in output["data"].items():
                if mime.startswith("image/") and chart:
                    # Drawn from the chart's data, which is compared, in the fonts of this machine.
                    kinds[f"{mime} of a chart"].append("")
                elif mime == "text/html":
                    kinds[mime].append(DRAWN_INSIDE.sub("", value))
                elif mime != WIDGET:
                    kinds[mime].append(value)
    return kinds


def same(kind: str, stored: object, new: object) -> bool:
    """Are two values of one kind the same to the tolerance of that kind?"""
    if kind == "image/png":
        return same_picture(stored, new)
    if kind.endswith("json"):
        return same_data(stored, new)
    return same_text(stored, new)


def same_text(stored: str, new: str) -> bool:
    """Equal words and whole numbers; decimals to one unit of the last printed digit."""
    old, now = NUMBER.split(stored), NUMBER.split(new)  # words, number, words, number, …, words
    if len(old) != len(now):
        return False
    # A number that gains a minus sign moves the spaces around it: they don't count.
    before, after = (
        [re.sub(r"[ \t]+", " ", words).strip(" ") for words in text[::2]] for text in (old, now)
    )
    return before == after and all(map(same_number, old[1::2], now[1::2]))


def same_number(stored: str, new: str) -> bool:
    """Decimals to one unit of the last printed digit, the finer of the two; integers exactly."""
    a, b = Decimal(stored), Decimal(new)
    last_digit = min(a.as_tuple().exponent, b.as_tuple().exponent)
    return a == b or (last_digit < 0 and abs(a - b) <= Decimal(1).scaleb(last_digit))


def same_data(stored: object, new: object) -> bool:
    """JSON: equal in shape, keys, words and integers; floats to DATA_TOLERANCE."""
    if isinstance(stored, Mapping) and isinstance(new, Mapping):
        return stored.keys() == new.keys() and all(same_data(stored[k], new[k]) for k in stored)
    if isinstance(stored, list) and isinstance(new, list):
        return len(stored) == len(new) and all(map(same_data, stored, new))
    if isinstance(stored, str) and isinstance(new, str) and "\n" in stored:  # a CSV table
        tables = (csv.reader(io.StringIO(text)) for text in (stored, new))
        return same_data(*([list(map(parse, row)) for row in table] for table in tables))
    if stored == new or {type(stored), type(new)} not in ({float}, {int, float}):
        return stored == new
    return abs(stored - new) <= DATA_TOLERANCE * max(1, abs(stored), abs(new)) * (1 + 1e-9)


def parse(cell: str) -> int | float | str:
    """A cell of a CSV table as the number it shows, if it shows one ("nan" stays a word)."""
    if not NUMBER.fullmatch(cell):
        return cell
    return int(cell) if re.fullmatch(r"[-+]?\d+", cell) else float(cell)


def same_picture(stored: str, new: str) -> bool:
    """PNGs in base64: the same size, and no block of 8 × 8 pixels that looks different."""
    old, now = pixels(stored), pixels(new)
    if old.shape != now.shape:
        return False
    change = old - now
    height, width, colors = change.shape
    change = np.pad(change, ((0, -height % BLOCK), (0, -width % BLOCK), (0, 0)))
    blocks = change.reshape(-(-height // BLOCK), BLOCK, -(-width // BLOCK), BLOCK, colors)
    return bool(np.abs(blocks.mean(axis=(1, 3))).max() <= BLOCK_TOLERANCE)


def pixels(png: str) -> np.ndarray:
    """(height, width, 3), 0 to 255, on white."""
    picture = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGBA")
    white = Image.new("RGBA", picture.size, "white")
    return np.asarray(Image.alpha_composite(white, picture).convert("RGB"), dtype=float)
