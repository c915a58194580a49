"""The command line: python -m transformer_lib COMMAND, as its --help says."""

import argparse
import codecs
import dataclasses
import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import Any, BinaryIO

from transformer_lib.text.data import DATA
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import SHIPPED_MODEL, Translation, Translator, model_folder

DESCRIPTION = "The Transformer of “Attention Is All You Need”: translate, train, measure, draw."
WINDOW = 2**16  # bytes of text, some two thousand lines, that are sorted by length at a time


class UserError(ValueError):
    """Something the person at the keyboard can mend; the message says how."""


def main(arguments: list[str] | None = None) -> int:
    """Run one command; 0 if all went well, 2 (and one sentence on standard error) if not."""
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except (ValueError, OSError) as error:
        return complain(explain(error))
    except KeyboardInterrupt:
        return complain("stopped; a training goes on where it was with --resume")


def explain(error: Exception) -> str:
    """One sentence about what went wrong."""
    if isinstance(error, OSError) and error.filename is not None:
        return f"can't use {error.filename}: {error.strerror}"
    return str(error)


def complain(message: str) -> int:
    print(f"transformer-lib: {message}", file=sys.stderr)
    return 2


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="transformer-lib", description=DESCRIPTION)
    commands = root.add_subparsers(title="commands", required=True, metavar="COMMAND")

    translate = commands.add_parser(
        "translate",
        help="translate English sentences into Spanish",
        description="Translate sentences; without any, each line of standard input or of a file. "
        "A line that can't be translated gives an empty line, a complaint with its number, and "
        'status 2 at the end. Example: transformer-lib translate "I like trees"',
    )
    translate.add_argument("text", nargs="*", help="a sentence (in quotes)")
    translate.add_argument(
        "--input", type=Path, metavar="FILE",
        help="translate each line of this UTF-8 text; lines of similar length together",
    )  # fmt: skip
    translate.add_argument(
        "--output", type=Path, metavar="FILE",
        help="write here, line by line; what was there stays until all is translated",
    )  # fmt: skip
    translate.add_argument(
        "--beam", type=positive, default=None, metavar="N",
        help="follow the N likeliest beginnings at a time (beam search) instead of one (greedy)",
    )  # fmt: skip
    translate.add_argument(
        "--nbest", type=positive, default=1, metavar="N",
        help="print the N best translations, each after its log-probability",
    )  # fmt: skip
    translate.add_argument(
        "--sample", action="store_true",
        help="draw the words by lot, each as often as the model finds it likely; one line at a "
        "time, so slower",
    )  # fmt: skip
    translate.add_argument(
        "--temperature", type=float, metavar="T",
        help="with --sample: below 1 nearer to greedy, above 1 bolder (1)",
    )  # fmt: skip
    translate.add_argument(
        "--top-k", type=int, metavar="K", help="with --sample: draw from the K likeliest words",
    )  # fmt: skip
    translate.add_argument(
        "--top-p", type=float, metavar="P",
        help="with --sample: draw from the likeliest words that have P together, 0 to 1",
    )  # fmt: skip
    translate.add_argument(
        "--seed", type=int, metavar="N", help="with --sample: the same draws again (0)",
    )  # fmt: skip
    translate.add_argument(
        "--attention", type=Path, metavar="FILE",
        help="draw where the model looked into this picture (.png, .svg or .pdf) or page (.html, "
        "all layers and heads); one sentence",
    )  # fmt: skip
    translate.add_argument(
        "--int8", action="store_true",
        help="compute with weights of 8 bits: faster, and now and then another word, which may "
        "depend on the sentences that are translated together",
    )  # fmt: skip
    translate.add_argument(
        "--words", action="store_true", help="print the words that the model knows, and stop"
    )
    add_model(translate)
    translate.set_defaults(run=run_translate)

    view = commands.add_parser(
        "view",
        help="look around in a model's attention, in a page for the browser",
        description="Write a page that shows all heads of a model while it translates a sentence. "
        'Example: transformer-lib view tatoeba "I like trees"',
    )
    view.add_argument(
        "model", type=model_folder, metavar="MODEL",
        help="grammar or tatoeba, which come along, or a folder written by train",
    )  # fmt: skip
    view.add_argument("text", help="a sentence (in quotes)")
    view.add_argument(
        "--out", type=Path, default=Path("attention.html"), metavar="FILE.html",
        help="the page (attention.html)",
    )  # fmt: skip
    view.set_defaults(run=run_view)

    train = commands.add_parser(
        "train",
        help="train a model by one of the recipes, or on your own sentence pairs",
        description="Train a model and save it in a folder. A run that was stopped goes on with "
        "--resume. Example: transformer-lib train --task copy --out runs/copy",
    )
    train.add_argument(
        "--task",
        choices=["copy", "reverse", "sort", "en-es", "tatoeba", "multi30k-en-de", "multi30k-en-fr"],
        metavar="TASK",
        help="what to learn: copy, reverse or sort, three tasks on digits (seconds); en-es, "
        "English to Spanish (minutes); or what is fetched: tatoeba, everyday sentences, "
        "multi30k-en-de and multi30k-en-fr, descriptions of pictures (hours)",
    )
    own = train.add_argument_group(
        "your own sentence pairs",
        "UTF-8 text, plain or packed as .gz, .xz or .zip: one file with a tab between a sentence "
        "and its translation, or two files of which one translates the other line by line. It may "
        "be larger than the memory. Example: transformer-lib train --data train.en train.de",
    )
    own.add_argument(
        "--data", type=Path, nargs="+", metavar="FILE",
        help="train on the pairs in this file, or in these two, instead of a --task",
    )  # fmt: skip
    own.add_argument(
        "--validation", type=Path, nargs="+", metavar="FILE",
        help="pairs to validate on (a hundredth of the sentences in --data, chosen by themselves)",
    )  # fmt: skip
    own.add_argument(
        "--skip-bad", type=int, metavar="N",
        help="leave out and report up to N lines that are no sentence pair, instead of none",
    )  # fmt: skip
    own.add_argument(
        "--subwords", type=positive, metavar="N",
        help="learn at most N subwords, for both languages together (8000)",
    )  # fmt: skip
    train.add_argument(
        "--out", type=Path, metavar="DIR", help="where to save (runs/TASK, runs/own)"
    )
    train.add_argument("--resume", action="store_true", help="go on with the run in --out")
    train.add_argument("--steps", type=positive, metavar="N", help="updates of the weights")
    train.add_argument("--seed", type=int, metavar="N", help="random start and order (0)")
    train.add_argument(
        "--optimizer", choices=["adam", "adamw", "muon"],
        help="what changes the weights: the paper's Adam, or one of those since (notebook 18)",
    )  # fmt: skip
    train.add_argument(
        "--average", type=positive, metavar="N",
        help="end with the mean of the weights at the last N validations, not with the best",
    )  # fmt: skip
    train.add_argument(
        "--best-by", choices=["loss", "bleu"],
        help="what makes a validation the best: the loss (the default), or the BLEU of up to 300 "
        "greedy translations",
    )  # fmt: skip
    train.add_argument(
        "--patience", type=positive, metavar="N",
        help="stop after N validations without a new best one",
    )  # fmt: skip
    train.add_argument(
        "--accumulate", type=positive, metavar="N",
        help="add up the gradients of N batches for one update: a larger batch in the same memory",
    )  # fmt: skip
    train.add_argument(
        "--set", nargs="+", default=[], metavar="NAME=VALUE",
        help="any other setting by the name it has in ModelConfig and TrainingConfig, like "
        "d_model=256 N=3 dropout=0.2 max_tokens=4096 peak=0.001 warmup=1000 validate_every=500",
    )  # fmt: skip
    train.add_argument("--bf16", action="store_true", help="half-precision arithmetic: faster")
    train.add_argument(
        "--half", action="store_true",
        help="store the trained weights in half precision, for a model to give away: half as large "
        "(also with --resume, of a training that has ended)",
    )  # fmt: skip
    train.add_argument(
        "--device", choices=["auto", "cpu", "cuda", "mps"], default="cpu",
        help="where to compute: the processor, an NVIDIA GPU, a Mac's GPU, the fastest there (cpu)",
    )  # fmt: skip
    train.add_argument(
        "--threads", type=positive, metavar="N",
        help="CPU cores to use (up to d_model=128 with max_tokens=2048 one, which hardly suffers "
        "beside other programs; for larger models all)",
    )  # fmt: skip
    train.set_defaults(run=run_train)

    evaluate = commands.add_parser(
        "evaluate",
        help="measure a model on the test splits",
        description="Exact match, token accuracy and sacreBLEU on every test split, or on sentence "
        "pairs of your own; there a sentence may stand on several lines, with another translation "
        "on each. Example: transformer-lib evaluate --model runs/own --data test.tsv",
    )
    evaluate.add_argument(
        "--data", type=Path, nargs="+", metavar="FILE",
        help="measure on the pairs in this file, or in these two, as for train --data",
    )  # fmt: skip
    evaluate.add_argument(
        "--split", action="append", metavar="NAME",
        help="only this split; everyday: 200 everyday sentences with all their translations",
    )  # fmt: skip
    evaluate.add_argument(
        "--training", type=Path, nargs="+", metavar="FILE",
        help="with --split everyday: tell sentences that stand in this training text apart",
    )  # fmt: skip
    evaluate.add_argument(
        "--heads", action="store_true",
        help="also measure which attention heads find what a pronoun means (pronoun split)",
    )  # fmt: skip
    evaluate.add_argument(
        "--sureness", action="store_true",
        help="also store in the model's folder how sure it is of these sentences, or of ours: they "
        "should be like those it learned, but not the same",
    )  # fmt: skip
    evaluate.add_argument(
        "--int8", action="store_true", help="compute with weights of 8 bits, as translate --int8",
    )  # fmt: skip
    evaluate.add_argument("--json", action="store_true", help="print JSON instead of a table")
    add_model(evaluate)
    evaluate.set_defaults(run=run_evaluate)

    corpus = commands.add_parser(
        "corpus",
        help="write the English-Spanish corpus again, or fetch sentences that people wrote",
        description="Write every split of the English-Spanish corpus, the same bytes each time. "
        "Or: corpus get NAME, which fetches a public one.",
    )
    corpus.add_argument("--out", type=Path, metavar="DIR", help="where to write")
    corpus.set_defaults(run=run_corpus)
    actions = corpus.add_subparsers(metavar="get")
    fetch = actions.add_parser(
        "get",
        help="fetch a public corpus, ready for train --data",
        description="Fetch a public corpus from its source, check it, and write train.tsv, "
        "validation.tsv and test.tsv. What is there already is not fetched again; a file that "
        "can't be fetched here can be put in its place by hand.",
    )
    fetch.add_argument(
        "name", choices=["tatoeba-en-es", "multi30k-en-de", "multi30k-en-fr"],
        metavar="NAME", help="%(choices)s",
    )  # fmt: skip
    fetch.add_argument(
        "--out", type=Path, metavar="DIR",
        help="where to keep it (in the system's cache folder, or $TRANSFORMER_LIB_CACHE)",
    )  # fmt: skip
    fetch.set_defaults(run=run_corpus_get)

    figures = commands.add_parser(
        "figures",
        help="draw figures of the series again",
        description="Draw figures of the series from the shipped model and data, or the curves of "
        "a training, also of one that is going on.",
    )
    which = figures.add_mutually_exclusive_group(required=True)
    which.add_argument("--list", action="store_true", help="names and captions")
    which.add_argument("--only", nargs="+", metavar="NAME", help="these figures")
    which.add_argument("--all", action="store_true", help="all figures, and a page of them")
    which.add_argument("--page", type=Path, metavar="FILE.md", help="write the list as a page")
    which.add_argument(
        "--run", type=Path, metavar="DIR", dest="run_folder",
        help="how the training in this folder is going: loss and learning rate, step by step",
    )  # fmt: skip
    figures.add_argument("--out", type=Path, default=Path("figures"), metavar="DIR")
    figures.add_argument("--format", choices=["png", "svg", "pdf"], default=["png"], nargs="+")
    figures.add_argument(
        "--text", action="store_true",
        help="let the letters of an SVG stay text, to be edited (needs the font DejaVu Sans)",
    )  # fmt: skip
    figures.set_defaults(run=run_figures)

    experiment = commands.add_parser(
        "experiment",
        help="measure again what the notebooks quote from longer runs",
        description="Run an experiment of the series (minutes) and store what it finds.",
    )
    which = experiment.add_mutually_exclusive_group(required=True)
    which.add_argument("--list", action="store_true", help="names, and what each measures")
    which.add_argument("name", nargs="?", metavar="NAME", help="the experiment")
    experiment.add_argument("--out", type=Path, default=DATA / "experiments", metavar="DIR")
    experiment.add_argument(
        "--model", nargs="+", metavar="NAME|DIR",
        help="the trained models to measure, for an experiment that takes any",
    )  # fmt: skip
    experiment.set_defaults(run=run_experiment)
    return root


def positive(text: str) -> int:
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} must be a whole number, 1 or more")
    return int(text)


def add_model(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--model", type=model_folder, default=SHIPPED_MODEL, metavar="NAME",
        help="grammar: the small English-Spanish model, sure of its own sentences (the default); "
        "tatoeba: the larger one, for any sentence; or a folder written by train",
    )  # fmt: skip


# --- translate -----------------------------------------------------------------------------------


def run_translate(options: argparse.Namespace) -> int:
    if options.attention and len(options.text) != 1:
        raise UserError(f"--attention draws one sentence, but there are {len(options.text)}")
    for name in ("input", "output"):
        if options.text and getattr(options, name):
            raise UserError(f"--{name} is for the lines of a file: leave out {options.text[0]!r}")
    if options.output and options.output.exists() and not options.output.is_file():
        raise UserError(f"--output {options.output} is no file that can be replaced")
    how = how_to_choose(options)
    translator = Translator.load(options.model)
    if options.words:
        print("\n".join(translator.words))
        return 0
    translator = translator.for_decoding(int8=options.int8)
    if not options.text:
        return translate_lines(translator, how, options.input, options.output)
    for text in options.text:
        translations = translator.translate(text, **how)
        print(printed(translations, how), flush=True)
        if doubt := doubt_about(translator, translations, how):
            complain(doubt)
    if options.attention:
        draw_attention(translator, options.text[0], options.attention)
    return 0


def how_to_choose(options: argparse.Namespace) -> dict[str, Any]:
    """The options that say how words are chosen, as `Translator.translate` takes them."""
    given = {name: getattr(options, name) for name in ("temperature", "top_k", "top_p", "seed")}
    given = {name: value for name, value in given.items() if value is not None}
    if not options.sample:
        if given:
            raise UserError(f"--{min(given).replace('_', '-')} needs --sample")
        beam = options.beam or max(4 if options.nbest > 1 else 1, options.nbest)
        if options.nbest > beam:
            raise UserError(
                f"--nbest {options.nbest} needs a beam at least as wide, not --beam {beam}"
            )
        return {"beam": beam, "n_best": options.nbest}
    if options.beam:
        raise UserError(f"--sample draws by lot, --beam {options.beam} searches: use one of them")
    import torch

    from transformer_lib.decoding.sampling import check_sampling

    generator = torch.Generator().manual_seed(given.pop("seed", 0))
    check_sampling(**{"temperature": 1.0, "top_k": None, "top_p": 1.0, **given})
    return {"n_best": options.nbest, "sample": {**given, "generator": generator}}


def translate_lines(
    translator: Translator, how: dict[str, Any], source: Path | None, target: Path | None
) -> int:
    """From a file or standard input to a file or standard output, line for line.

    A line that can't be translated gives an empty line, a complaint, and status 2 at the end.
    """
    from tqdm import tqdm

    from transformer_lib.files import replacing

    number = status = 0
    with ExitStack() as stack:
        out = sys.stdout
        if target:
            out = stack.enter_context(replacing(target, "w", encoding="utf-8", newline="\n"))
        text = stack.enter_context(open(source, "rb")) if source else sys.stdin.buffer
        # only on a terminal (None), and not between translations that are shown there
        hidden = True if out.isatty() else None
        bar = stack.enter_context(tqdm(unit=" lines", disable=hidden, dynamic_ncols=True))
        for lines in lines_together(text):
            for found in translator.translate_many(lines, **how):
                number += 1
                if isinstance(found, InputError):
                    answer, remark, status = "", str(found), 2
                else:
                    answer, remark = printed(found, how), doubt_about(translator, found, how)
                print(answer, file=out)
                if remark:
                    with tqdm.external_write_mode():
                        complain(f"line {number}: {remark}")
            out.flush()
            bar.update(len(lines))
    return status


def lines_together(text: BinaryIO) -> Iterator[list[str]]:
    """Lines that can be translated together: those that are there, without waiting for more.

    At a keyboard that is one, of a file about WINDOW bytes.
    """
    from transformer_lib.text.parallel import LONGEST_LINE

    rest, first = b"", True
    while piece := text.read1(WINDOW):
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise UserError(f"a line has no end after {LONGEST_LINE:,} bytes: is this text?")
        if lines:
            yield decoded(lines, first)
            first = False
    if rest:
        yield decoded([rest], first)


def decoded(lines: list[bytes], first: bool) -> list[str]:
    """UTF-8; bytes that are not become what `Translator.translate_many` will complain of."""
    if first:
        lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
    return [line.removesuffix(b"\r").decode("utf-8", "surrogateescape") for line in lines]


def printed(translations: list[Translation], how: dict[str, Any]) -> str:
    if how["n_best"] == 1:
        return translations[0].text
    return "\n".join(f"{found.log_prob:.3f}\t{found.text}" for found in translations)


def doubt_about(
    translator: Translator, translations: list[Translation], how: dict[str, Any]
) -> str:
    """In words, of the best of them, and what to try instead; "" for what was drawn by lot."""
    doubt = "" if "sample" in how else translator.doubt(translations[0])
    return "; ".join(filter(None, [doubt, doubt and translator.src.more]))


def run_view(options: argparse.Namespace) -> int:
    if options.out.suffix.lower() != ".html":
        raise UserError(f"--out {options.out} must end in .html: it becomes a page")
    draw_attention(Translator.load(options.model), options.text, options.out)
    print(options.out)
    return 0


def draw_attention(translator: Translator, text: str, path: Path) -> None:
    if path.suffix.lower() == ".html":
        from course.lab import AttentionView, looks_layers

        layers = looks_layers(translator.looks(text))
        AttentionView(layers, layer=layers[-1].name).save(path, title=text)
        return
    from course.chapters.ch00_start_here.figures import draw_cross_attention
    from course.drawing.saving import save_figure

    save_figure(draw_cross_attention(translator, text), path)


# --- train ---------------------------------------------------------------------------------------


def run_train(options: argparse.Namespace) -> int:
    import torch

    from transformer_lib.recipes import train_recipe
    from transformer_lib.training.distributed import first_before_others, joined, rank

    if options.threads:
        torch.set_num_threads(options.threads)
    with joined():
        with first_before_others():  # so that a complaint comes once
            recipe, folder = what_to_train(options)
        how = {"device": options.device, "dtype": torch.float16 if options.half else None}
        train_recipe(recipe, folder, resume=options.resume, threads=options.threads, **how)
        if rank() == 0:
            print(f"saved in {folder}; try: transformer-lib translate --model {folder}")
    return 0


def what_to_train(options: argparse.Namespace) -> tuple[Any, Path]:
    """The recipe that the options ask for, and the folder of the run."""
    from transformer_lib.cli.settings import read_settings, replaced
    from transformer_lib.files import read_json
    from transformer_lib.recipes import RECIPES, Recipe, everyday, own_pairs, pictures

    own = {name: getattr(options, name) for name in ("validation", "skip_bad", "subwords")}
    own = {name: value for name, value in own.items() if value is not None}
    if options.data and options.task:
        raise UserError(f"--data and --task {options.task} are two things to learn: name one")
    if own and not options.data:
        raise UserError(f"--{min(own).replace('_', '-')} needs --data")
    if options.task is None and not options.data and not (options.resume and options.out):
        raise UserError(
            "say what to learn: --task copy, reverse, sort, en-es, tatoeba or multi30k-en-de, or "
            "--data with your own pairs"
        )
    folder = options.out or Path("runs") / (options.task or "own")
    if options.data:
        recipe = own_pairs(options.data, **own)
    elif options.task is None:
        recipe = Recipe.from_json(read_json(folder / "recipe.json"))
    elif options.task == "tatoeba":
        recipe = everyday()
    elif options.task.startswith("multi30k"):
        recipe = pictures(options.task[-2:])
    else:
        recipe = RECIPES[options.task]
    names = ("steps", "seed", "average", "best_by", "patience", "accumulate")
    changes = {name: getattr(options, name) for name in names}
    changes = {name: value for name, value in changes.items() if value is not None}
    changes |= {"bf16": True} if options.bf16 else {}
    settings = read_settings(options.set, recipe.model, recipe.training)
    if twice := sorted(settings.keys() & changes.keys()):
        raise UserError(f"--{twice[0].replace('_', '-')} and --set {twice[0]}=...: say it once")
    settings |= changes
    recipe = dataclasses.replace(
        recipe,
        model=replaced(recipe.model, settings),
        training=replaced(recipe.training, settings),
        optimizer=options.optimizer or recipe.optimizer,
    )
    return recipe, folder


# --- evaluate ------------------------------------------------------------------------------------


def run_evaluate(options: argparse.Namespace) -> int:
    from transformer_lib.interpret.pronouns import head_report
    from transformer_lib.metrics import (
        evaluate_everyday,
        evaluate_pronouns,
        evaluate_split,
        evaluate_text,
        measure_sureness,
    )
    from transformer_lib.text import english_spanish, everyday
    from transformer_lib.text.parallel import read_parallel

    tests = [name for name in english_spanish.SPLITS if name not in ("train", "validation")]
    names = (*english_spanish.SPLITS, "everyday")
    unknown = [name for name in options.split or [] if name not in names]
    if unknown:
        raise UserError(f"there is no split {unknown[0]!r}; there are {', '.join(names)}")
    if options.training and "everyday" not in (options.split or []):
        raise UserError("--training needs --split everyday")
    others = [name for name in ("split", "heads") if getattr(options, name)]
    if options.data and others:
        raise UserError(f"--{others[0]} is for our own sentences: leave it out with --data")
    looking = [name for name in ("heads", "sureness") if getattr(options, name)]
    if options.int8 and looking:
        raise UserError(f"--{looking[0]} looks into the model as it is: leave out --int8")
    translator = Translator.load(options.model)
    if options.int8:
        translator = translator.for_decoding(int8=True)
    splits = {}
    if options.data:
        pairs = list(read_parallel(options.data))
        splits[options.data[0].name[:25]] = evaluate_text(translator, pairs)
        tests = []
    for name in options.split or tests:
        if name == "pronoun":
            splits[name] = evaluate_pronouns(translator, english_spanish.load_pronoun())
        elif name == "everyday":
            training = read_parallel(options.training) if options.training else ()
            sources = (source for source, _ in training)
            splits[name] = evaluate_everyday(translator, everyday.load(), sources)
        else:
            splits[name] = evaluate_split(translator, english_spanish.load(name))
    result = {"splits": splits}
    if options.heads:
        result["heads"] = head_report(translator, english_spanish.load_pronoun())
    if options.sureness:
        texts = dict.fromkeys(source for source, _ in pairs) if options.data else None
        measure_sureness(translator, texts).save(options.model)
    print(json.dumps(result, indent=1) if options.json else as_table(result))
    return 0


SHARES, SCORES = ("exact_match", "token_accuracy"), ("bleu", "chrf")


def table_line(name: str, *cells: str | int) -> str:
    """Cells of the widths of sentences, exact match, token accuracy, BLEU and chrF; or fewer."""
    widths = (10, 13, 12, 8, 8)
    line = "".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=False))
    return f"{name:<26}{line}".rstrip()


def as_table(result: dict) -> str:
    lines = [table_line("split", "sentences", "exact match", "token acc.", "BLEU", "chrF")]
    for name, split in result["splits"].items():
        cells = [f"{split[key]:.2%}" if key in split else "" for key in SHARES]
        cells += [f"{split[key]:.2f}" if key in split else "" for key in SCORES]
        lines.append(table_line(name, split["sentences"], *cells))
        intervals = [split.get(f"{key}_interval") for key in SCORES]
        for end, label in enumerate(("95 %, from", "to")):
            cells = [f"{interval[end]:.2f}" if interval else "" for interval in intervals]
            if any(cells):
                lines.append(table_line(f"  {label}", "", "", "", *cells))
        if "pair_exact_match" in split:
            share = f"{split['pair_exact_match']:.2%}"
            lines.append(table_line("  both of a pair", "", share))
        if split.get("unreadable"):
            lines.append(table_line("  words it can't read", split["unreadable"]))
        for group, found in split.get("groups", {}).items():
            share = f"{found['exact_match']:.2%}"
            lines.append(table_line(f"  {group}", found["sentences"], share))
    signatures = {
        f"{title}: {split[f'{key}_signature']}"
        for split in result["splits"].values()
        for title, key in (("BLEU", "bleu"), ("chrF", "chrf"))
        if key in split
    }
    lines += sorted(signatures)
    if "heads" in result:
        from course.chapters.ch13_what_heads_learned.figures import head_name

        best = result["heads"]["best_head"]
        lines += [
            "",
            f"From the adjective that decides, {head_name(best['layer'], best['head'])} looks "
            "most at",
            f"  the noun that the pronoun means  {best['right']:.1%}",
            f"  the other noun                   {best['other']:.1%}",
            "The Spanish adjective gets the right gender",
            *(f"  {name:<38}{share:.1%}" for name, share in result["heads"]["agreement"].items()),
        ]
    return "\n".join(lines)


# --- corpus, figures, experiments -----------------------------------------------------------------


def run_corpus(options: argparse.Namespace) -> int:
    from transformer_lib.text import english_spanish

    if options.out is None:
        raise UserError("say where to write with --out, or what to fetch: corpus get NAME")
    for path in english_spanish.write(options.out):
        print(path)
    return 0


def run_corpus_get(options: argparse.Namespace) -> int:
    from transformer_lib.text import downloads

    splits = downloads.get(options.name, options.out, complain)
    print(downloads.CORPORA[options.name].about)
    for split, path in splits.items():
        print(f"{split:<12}{len(path.read_bytes().splitlines()):>8,} pairs  {path}")
    data, validation = splits["train"], splits["validation"]
    print(f"try: transformer-lib train --data {data} --validation {validation}")
    return 0


def run_figures(options: argparse.Namespace) -> int:
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


def run_experiment(options: argparse.Namespace) -> int:
    import course.lab  # noqa: F401 (one of the experiments is there)
    from course import experiments

    if options.list:
        for name, measure in experiments.EXPERIMENTS.items():
            print(f"{name:<24}{measure.__doc__.splitlines()[0]}")
        return 0
    print(experiments.run(options.name, options.out, options.model))
    return 0


if __name__ == "__main__":
    sys.exit(main())
