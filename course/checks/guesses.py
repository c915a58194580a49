"""A guess before something is measured."""

import math
import re
import unicodedata
from typing import Any

from course.checks.reading import by_value


def reveal(guess: Any, measured: Any) -> None:
    """Print the reader's guess, what is measured, and how near the guess came.

    A guess `...` is none yet. A number is compared by difference, also one in quotes; anything else
    by being equal, whatever its capitals, accents, spaces, hyphens, final period, the brackets
    around it and a "the" in front of it.
    What is measured is never in the first line, because JupyterLab shows that of a folded output.
    """
    print("your guess:", "none yet" if guess is ... else guess)
    guess, numbers = by_value(guess), (int, float)
    how_near = ""
    if isinstance(measured, numbers) and not isinstance(measured, bool):
        if isinstance(guess, numbers):
            right = math.isclose(guess, measured, rel_tol=0.005)
            how_near = "right" if right else f"off by {abs(guess - measured):.3g}"
        elif guess is not ...:
            how_near = "your guess is not a number"
    elif guess is not ...:
        right = bare(guess) == bare(measured)
        how_near = "right" if right else "another one"
    shown = f"{measured:.4g}" if isinstance(measured, float) else str(measured)
    print(f"it is {shown}{how_near and f': {how_near}'}")


def bare(guess: Any) -> str:
    """ "Árbol." -> "arbol", "self-attention" -> "selfattention", (1, 2) and "[1, 2]" -> "1,2"."""
    text = str(list(guess) if isinstance(guess, tuple) else guess).strip().removesuffix(".")
    text = unicodedata.normalize("NFKD", text)
    text = "".join(c for c in text if not unicodedata.combining(c)).casefold().removeprefix("the ")
    text = re.sub(r"^[(\[](.*)[)\]]$", r"\1", re.sub(r"\s", "", text))
    return re.sub(r"(?<=[^\W\d])[-–](?=[^\W\d])", "", text)
