"""figures: those of the series, and the curves of a training run."""

import argparse
from pathlib import Path


def add_parser(commands: argparse._SubParsersAction) -> None:
    figures = commands.add_parser(
        "figures",
        help="draw figures of the series again",
        description="Draw figures of the series from the shipped model and data, or the curves of "
        "a training run, even of one that hasn't ended.",
    )
    which = figures.add_mutually_exclusive_group(required=True)
    which.add_argument("--list", action="store_true", help="names and captions")
    which.add_argument("--only", nargs="+", metavar="NAME", help="these figures")
    which.add_argument("--all", action="store_true", help="all figures, and a page of them")
    which.add_argument("--page", type=Path, metavar="FILE.md", help="write the list as a page")
    which.add_argument(
        "--run",
        type=Path,
        metavar="DIR",
        dest="run_folder",
        help="how the training in this folder is going: loss and learning rate, step by step",
    )
    figures.add_argument("--out", type=Path, default=Path("figures"), metavar="DIR")
    figures.add_argument(
        "--format",
        choices=["png", "svg", "pdf", "loop"],
        default=["png"],
        nargs="+",
        help="loop: an SVG that moves, of those that do",
    )
    figures.add_argument(
        "--text",
        action="store_true",
        help="let the letters of an SVG stay text, to be edited (needs the font Course Sans)",
    )
    figures.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from course.drawing.animations import ANIMATIONS, save_animation
    from course.drawing.gallery import gallery_html, gallery_markdown
    from course.drawing.registry import FIGURES
    from course.drawing.saving import save

    if options.run_folder:
        draw_run(options.run_folder, options.out, options.format)
        return 0
    if options.list:
        width = max(map(len, FIGURES))
        for name, figure in FIGURES.items():
            print(f"{name:<{width}}  {figure.caption}")
        return 0
    entries = list(FIGURES.values())
    if options.page:
        options.page.write_text(gallery_markdown(entries), encoding="utf-8", newline="\n")
        return 0
    for name in FIGURES if options.all else options.only:
        for format in options.format:
            if format == "loop" and (name in ANIMATIONS or not options.all):
                print(save_animation(name, options.out))
            elif format != "loop":
                print(save(name, options.out, format, text=options.text))
    if options.all:
        page = options.out / "index.html"
        page.write_text(gallery_html(entries, options.format), encoding="utf-8")
        print(page)
    return 0


def draw_run(run: Path, out: Path, formats: list[str]) -> None:
    from course.chapters.ch10_training.figures import run_curves
    from course.drawing.saving import save_figure
    from transformer_lib.training.log import read_log

    name = run.resolve().name
    figure = run_curves(*read_log(run), title=name)
    for format in formats:
        path = out / f"run-{name}.{format}"
        save_figure(figure, path, title=f"The training in {name}")
        print(path)
