"""The drawing kit: one look for all figures, matplotlib's for paper and Altair's for the mouse.

    style.py             sizes, type, colors
    words.py             a page, its title, a word, a sentence
    cells.py             a vector, a matrix, a bar
    arrows.py            a box, an arrow, who looks at whom
    plots.py             curves, bars, rows of dots
    rows.py              experiments, a row for each
    architecture.py      the Transformer in one drawing
    maps.py              the color scale of a heat map, and the name of its vertical axis
    attention_maps.py    attention weights as heat maps
    values.py            numbers, rounded alike on every machine
    registry.py          figures by name: `@figure(...)`, FIGURES
    display.py           in a notebook: `show`
    notebook_output.py   what a notebook stores of a figure
    saving.py            files for slides and print
    gallery.py           pages that list all figures
    animations.py        figures that move

What a chapter draws stands in its own folder (`course/chapters`).
"""

from course.drawing.display import show

__all__ = ["show"]
