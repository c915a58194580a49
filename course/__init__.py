"""The course: what the notebooks are made of besides the library, arranged by chapter.

    chapters/        figures, checks of exercises and experiments of each notebook, side by side
    drawing/         the drawing kit, and figures by name
    checks/          what all checks of exercises have in common
    experiments/     what all longer measurements have in common
    grammar/         the English-Spanish grammar that wrote data/en-es
    lab/             the laboratory: the translator and its attention in a browser
    site/            the series as a website, slides and a book
    notebook_tools/  runs, compares and counts the notebooks, and makes their index and glossary
    mine/            a reader's own Transformer: its twelve parts, checked, kept and trained
    grading/         hands out and grades assignments/, which has the solutions

It may ask the library for anything, and the library never asks it. cli/ is the command line:
python -m course --help.
"""
