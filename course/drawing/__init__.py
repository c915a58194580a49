"""The drawing kit: one look for all figures, matplotlib for paper and Altair for touching.

    style.py             sizes, type, colors
    words.py             a page, its title, a word, a sentence
    cells.py             a vector, a matrix, a mask
    arrows.py            a box, an arrow, who looks at whom
    plots.py             curves, bars, rows of dots
    rows.py              experiments, a row for each
    architecture.py      the Transformer in one drawing
    maps.py              a matrix between words, its numbers, its scale
    attention_maps.py    who looks at whom
    values.py            numbers, rounded so that they stay the same
    registry.py          figures by name: `@figure(...)`, FIGURES
    display.py           in a notebook: `show`
    notebook_output.py   what a notebook stores of a figure
    saving.py            files for slides and print
    gallery.py           pages that list all figures

What a chapter draws stands in its own folder (`course/chapters`).
"""

from course.drawing.display import show

__all__ = ["show"]
