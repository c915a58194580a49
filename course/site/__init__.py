"""The series as a site, as slides and as a book: made from the committed notebooks, run nowhere.

    python -m course site      # the pages, for a server or a double click     make site
    python -m course slides    # the same: a deck for each notebook is in it   make slides
    python -m course book      # and all of it to print, by a browser          make book

The pages need nothing from elsewhere: formulas become MathML when the site is made, charts are
drawn by the Vega that vl-convert brings, and pages read well without JavaScript.
"""

import sys
from pathlib import Path

# How notebooks are divided and stored is known to the modules in tools/, which are no package.
sys.path.append(str(Path(__file__).resolve().parent.parent / "tools"))
