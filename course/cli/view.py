"""view: where a model looks while it translates a sentence, as a page or a picture."""

import argparse
from pathlib import Path

from transformer_lib.cli.common import UserError
from transformer_lib.translator import Translator, model_folder

KINDS = (".html", ".png", ".svg", ".pdf")


def add_parser(commands: argparse._SubParsersAction) -> None:
    view = commands.add_parser(
        "view",
        help="look around in a model's attention, in a page for the browser or a picture",
        description="Write a page that shows all heads of a model while it translates a sentence, "
        "or a picture of where its last layer looks. "
        'Example: python -m course view tatoeba "I like trees"',
    )
    view.add_argument(
        "model",
        type=model_folder,
        metavar="MODEL",
        help="grammar or tatoeba, which come along, or a folder written by train",
    )
    view.add_argument("text", help="a sentence (in quotes)")
    view.add_argument(
        "--out",
        type=Path,
        default=Path("attention.html"),
        metavar="FILE",
        help="the page (attention.html), or a picture: .png, .svg or .pdf",
    )
    view.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    kind = options.out.suffix.lower()
    if kind not in KINDS:
        raise UserError(f"--out {options.out} must be a page or a picture: {', '.join(KINDS)}")
    translator = Translator.load(options.model)
    if kind == ".html":
        write_page(translator, options.text, options.out)
    else:
        write_picture(translator, options.text, options.out)
    print(options.out)
    return 0


def write_page(translator: Translator, text: str, path: Path) -> None:
    from course.lab import AttentionView, attention_map_layers

    layers = attention_map_layers(translator.attention_maps(text))
    AttentionView(layers, layer=layers[-1].name).save(path, title=text)


def write_picture(translator: Translator, text: str, path: Path) -> None:
    from course.chapters.ch00_start_here.figures import draw_cross_attention
    from course.drawing.saving import save_figure

    save_figure(draw_cross_attention(translator, text), path)
