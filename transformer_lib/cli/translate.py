"""translate: sentences, lines of a file, or what somebody types, answered at once."""

import argparse
import codecs
import os
import shutil
import stat
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from itertools import count
from pathlib import Path
from typing import IO, Any, BinaryIO, TextIO

from transformer_lib.cli.common import Commands, UserError, add_model, complain, positive
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import Translation, Translator

MANY = 20  # lines, after which it may be said that most of them can't be translated
WINDOW = 2**16  # bytes of text, some two thousand lines, that are sorted by length together


def add_parser(commands: Commands) -> None:
    translate = commands.add_parser(
        "translate",
        help="translate English sentences into Spanish",
        description="Translate sentences. Without any, it asks for one after the other in a "
        "terminal, and reads each line of standard input or of a file otherwise. "
        "A line that can't be translated gives an empty line, a complaint with its number, and "
        'status 2 at the end. Example: transformer-lib translate "I like trees"',
    )
    translate.add_argument("text", nargs="*", help="a sentence (in quotes)")
    translate.add_argument(
        "--input",
        type=Path,
        metavar="FILE",
        help="translate each line of this UTF-8 text; lines of similar length together",
    )
    translate.add_argument(
        "--output",
        type=Path,
        metavar="FILE",
        help="write here; what was there stays until all is translated, and what a run that is "
        "stopped has written is beside it (FILE.part)",
    )
    translate.add_argument(
        "--beam",
        type=positive,
        default=None,
        metavar="N",
        help="follow the N likeliest beginnings at a time (beam search) instead of one (greedy)",
    )
    translate.add_argument(
        "--nbest",
        type=positive,
        default=1,
        metavar="N",
        help="print the N best translations, each after its log-probability",
    )
    translate.add_argument(
        "--sample",
        action="store_true",
        help="draw the words at random, by the probabilities that the model gives them; one line "
        "at a time, so slower",
    )
    translate.add_argument(
        "--temperature",
        type=float,
        metavar="T",
        help="with --sample: below 1 nearer to greedy, above 1 bolder (1)",
    )
    translate.add_argument(
        "--top-k", type=int, metavar="K", help="with --sample: draw from the K likeliest words"
    )
    translate.add_argument(
        "--top-p",
        type=float,
        metavar="P",
        help="with --sample: draw from the likeliest words that have P together, 0 to 1",
    )
    translate.add_argument(
        "--seed", type=int, metavar="N", help="with --sample: the same draws again (0)"
    )
    numbers = translate.add_mutually_exclusive_group()
    numbers.add_argument(
        "--int8",
        action="store_true",
        help="compute with weights of 8 bits: faster for tatoeba and larger models with many "
        "sentences at a time, not for small models of your own. Now and then it writes another "
        "word, which may depend on the sentences that are translated together",
    )
    numbers.add_argument(
        "--bf16",
        action="store_true",
        help="compute in bfloat16: faster for tatoeba and larger models where the processor has "
        "instructions for it, and several times slower where it has none; fewer words change than "
        "with --int8",
    )
    translate.add_argument(
        "--words", action="store_true", help="print the words that the model knows, and stop"
    )
    add_model(translate)
    translate.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    for name in ("input", "output"):
        if options.text and getattr(options, name):
            raise UserError(f"--{name} is for the lines of a file: leave out {options.text[0]!r}")
    how = how_to_choose(options)
    files = options.input or options.output or not sys.stdin.isatty()
    with ExitStack() as stack:
        if not options.words and not options.text and files:  # at once, as loading takes a while
            text, out = stack.enter_context(opened(options.input, options.output))
        translator = Translator.load(options.model, device=options.device)
        if options.words:
            print("\n".join(translator.words))
            return 0
        translator = translator.optimize_for_decoding(int8=options.int8, bf16=options.bf16)
        if not options.text:
            return translate_lines(translator, how, text, out) if files else ask(translator, how)
    for text in options.text:
        best = translator.translate(text, **how)
        print(printed(best, how), flush=True)
        if warning := warning_about(translator, best, how):
            complain(warning)
    return 0


def how_to_choose(options: argparse.Namespace) -> dict[str, Any]:
    """How words are chosen, as `Translator.translate` takes it."""
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
        raise UserError(f"--sample draws at random, --beam {options.beam} searches: use only one")
    import torch

    from transformer_lib.decoding.sampling import check_sampling

    generator = torch.Generator().manual_seed(given.pop("seed", 0))
    check_sampling(**{"temperature": 1.0, "top_k": None, "top_p": 1.0, **given})
    return {"n_best": options.nbest, "sample": {**given, "generator": generator}}


def ask(translator: Translator, how: dict[str, Any]) -> int:
    """Ask for a sentence, answer, ask again, until Ctrl-D; the arrow keys bring lines back."""
    try:
        import readline  # noqa: F401  importing it is what gives `input` its history
    except ImportError:  # Windows, whose terminal has a history of its own
        pass
    print("Type a sentence and press Enter. Ctrl-D ends (on Windows Ctrl-Z and Enter).")
    while True:
        try:
            text = input("> ")
        except EOFError:
            print()
            return 0
        if not text.strip():
            continue
        try:
            best = translator.translate(text, **how)
        except InputError as error:
            print(f"({error})")
            continue
        print(printed(best, how))
        if warning := warning_about(translator, best, how):
            print(f"({warning})")


@contextmanager
def opened(source: Path | None, target: Path | None) -> Iterator[tuple[BinaryIO, TextIO]]:
    """The file to read and the file to write; without names, standard input and output.

    UserError if they are one file, whatever it is called, or if the target can't be replaced;
    OSError if a file can't be used.
    """
    with ExitStack() as stack:
        text = stack.enter_context(open(source, "rb")) if source else sys.stdin.buffer
        if (file := place(text)) and file == place(target or sys.stdout):
            name = f"--output {target}" if target else "standard output"
            raise UserError(f"{name} is the file that is read, {source or 'standard input'}")
        yield text, stack.enter_context(taking_the_place_of(target)) if target else sys.stdout


def place(file: Path | IO[Any]) -> tuple[int, int] | None:
    """Where the content of a file is, whatever its name; None for what is no file, or not there."""
    try:
        found = os.stat(file if isinstance(file, Path) else file.fileno())
    except (OSError, ValueError):
        return None
    return (found.st_dev, found.st_ino) if stat.S_ISREG(found.st_mode) else None


@contextmanager
def taking_the_place_of(target: Path) -> Iterator[TextIO]:
    """A file for lines that takes the place of the target once all of them are written.

    Until then it stands beside it: what was there stays there, and a run that is stopped, even by
    force, leaves the lines that it has written. UserError or OSError if it can't be replaced.
    """
    if target.exists() and not (target.is_file() and os.access(target, os.W_OK)):
        raise UserError(f"--output {target} is no file that can be replaced")
    real = target.resolve()  # a link stays a link
    names = (real.with_name(f"{real.name}.part{n or ''}") for n in count())
    part = next(name for name in names if not name.exists())  # one may be left from before
    real.parent.mkdir(parents=True, exist_ok=True)
    try:
        with open(part, "x", encoding="utf-8", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(file.fileno())
        if real.exists():
            shutil.copymode(real, part)
        os.replace(part, real)
    except BaseException as error:
        if part.exists() and part.stat().st_size:
            complain(f"what it has translated so far is in {part}")
        else:
            part.unlink(missing_ok=True)
        if isinstance(error, OSError) and error.filename in (None, str(part)):
            raise OSError(error.errno, error.strerror, str(target)) from None
        raise


def translate_lines(
    translator: Translator, how: dict[str, Any], text: BinaryIO, out: TextIO
) -> int:
    """The translation of each line, line for line.

    A line that can't be translated gives an empty line, a message, and status 2 at the end. If it
    is most of the lines, that is said as soon as it shows, and then no more of each.
    """
    from tqdm import tqdm

    number = refused = 0
    most = False
    # only on a terminal (None), and not among translations that appear there
    hidden = True if out.isatty() else None
    with tqdm(unit=" lines", disable=hidden, dynamic_ncols=True) as progress:

        def remark(message: str) -> None:
            with tqdm.external_write_mode():
                complain(message)

        for lines in read_line_batches(text):
            found = translator.translate(lines, **how, return_errors=True)
            errors = [i for i, one in enumerate(found) if isinstance(one, InputError)]
            refused += len(errors)
            if not most and number + len(found) >= MANY and 2 * refused > number + len(found):
                most = True
                remark(
                    f"{refused:,} of the first {number + len(found):,} lines can't be translated "
                    f"and stay empty, such as line {number + errors[0] + 1}: {found[errors[0]]}"
                )
            for one in found:
                number += 1
                if not isinstance(one, InputError):
                    print(printed(one, how), file=out)
                    if warning := warning_about(translator, one, how):
                        remark(f"line {number}: {warning}")
                else:
                    print(file=out)
                    if not most:
                        remark(f"line {number}: {one}")
            out.flush()
            progress.update(len(lines))
    if most:
        complain(f"{refused:,} of {number:,} lines are empty: they can't be translated")
    return 2 if refused else 0


def read_line_batches(text: BinaryIO) -> Iterator[list[str]]:
    """Lines that can be translated together: all that can be read without waiting for more.

    From a keyboard that is one line, from a file about WINDOW bytes. UserError for a huge line.
    """
    from transformer_lib.text.parallel import LONGEST_LINE

    rest, first = b"", True
    while piece := text.read1(WINDOW):  # type: ignore[attr-defined]  # not in typeshed's BinaryIO
        *lines, rest = (rest + piece).split(b"\n")
        if len(rest) > LONGEST_LINE:
            raise UserError(f"a line has no end after {LONGEST_LINE:,} bytes: is this text?")
        if lines:
            yield decoded(lines, first)
            first = False
    if rest:
        yield decoded([rest], first)


def decoded(lines: list[bytes], first: bool) -> list[str]:
    """UTF-8 as text; other bytes become what `translate` refuses with an InputError."""
    if first:
        lines[0] = lines[0].removeprefix(codecs.BOM_UTF8)
    return [line.removesuffix(b"\r").decode("utf-8", "surrogateescape") for line in lines]


def printed(best: Translation, how: dict[str, Any]) -> str:
    if how["n_best"] == 1:
        return best.text
    return "\n".join(f"{found.log_prob:.3f}\t{found.text}" for found in (best, *best.others))


def warning_about(translator: Translator, best: Translation, how: dict[str, Any]) -> str:
    """How unsure the best translation is, and what to try instead; "" for those drawn at random."""
    warning = "" if "sample" in how else translator.warning(best)
    return "; ".join(filter(None, [warning, warning and translator.src.larger_model_hint]))
