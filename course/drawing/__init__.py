"""The drawing kit: one look for all figures, matplotlib for paper and Altair for touching.

    style.py             sizes, type, colors
    shapes.py            a vector, a matrix, a word, an arrow between words
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
