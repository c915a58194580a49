"""evaluate: how good a model is, on the test splits or on a user's own pairs."""

import argparse
import json
from pathlib import Path
from typing import Any

from transformer_lib.cli.common import (
    Commands,
    UserError,
    add_model,
    add_skip_bad,
    complain,
    say_skipped,
)
from transformer_lib.interpret.recording import head_name
from transformer_lib.translator import Translator


def add_parser(commands: Commands) -> None:
    evaluate = commands.add_parser(
        "evaluate",
        help="measure a model on the test splits",
        description="Exact match, token accuracy and sacreBLEU on every test split, or on sentence "
        "pairs of your own; there a sentence may be on several lines, with another translation "
        "on each. Example: transformer-lib evaluate --model runs/own --data test.tsv",
    )
    evaluate.add_argument(
        "--data",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="measure on the pairs in this file, or in these two, as for train --data",
    )
    add_skip_bad(evaluate)
    evaluate.add_argument(
        "--split",
        action="append",
        metavar="NAME",
        help="only this split; everyday: 200 everyday sentences with all their translations",
    )
    evaluate.add_argument(
        "--training",
        type=Path,
        nargs="+",
        metavar="FILE",
        help="with --split everyday: tell apart the sentences that are in this training text",
    )
    evaluate.add_argument(
        "--heads",
        action="store_true",
        help="also measure which attention heads find what a pronoun means (pronoun split)",
    )
    evaluate.add_argument(
        "--confidence",
        action="store_true",
        help="also store in the model's folder how sure it is of these sentences, or of ours: they "
        "should be like those it learned, but not the same",
    )
    evaluate.add_argument(
        "--int8", action="store_true", help="compute with weights of 8 bits, as translate --int8"
    )
    evaluate.add_argument("--json", action="store_true", help="print JSON instead of a table")
    add_model(evaluate)
    evaluate.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    from transformer_lib.interpret.pronouns import head_report
    from transformer_lib.metrics import (
        evaluate_everyday,
        evaluate_pronouns,
        evaluate_split,
        evaluate_text,
        measure_confidence,
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
    looking = [name for name in ("heads", "confidence") if getattr(options, name)]
    if options.int8 and looking:
        raise UserError(f"--{looking[0]} looks into the model as it is: leave out --int8")
    translator = Translator.load(options.model, device=options.device)
    if options.int8:
        translator = translator.optimize_for_decoding(int8=True)
    splits = {}
    if options.data:
        skip_bad = options.skip_bad or 0
        pairs = list(read_parallel(options.data, skip_bad=skip_bad, report=say_skipped))
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
    for name, split in splits.items():
        if split["unreadable"]:
            complain(
                f"{name}: {split['unreadable']:,} of {split['sentences']:,} sentences can't be "
                f"translated and count as wrong; the first: {split['refusal']}"
            )
    result = {"splits": splits}
    if options.heads:
        result["heads"] = head_report(translator, english_spanish.load_pronoun())
    if options.confidence:
        texts = dict.fromkeys(source for source, _ in pairs) if options.data else None
        measure_confidence(translator, texts).save(options.model)
    print(json.dumps(result, indent=1) if options.json else as_table(result))
    return 0


SHARES, SCORES = ("exact_match", "token_accuracy"), ("bleu", "chrf")


def table_line(name: str, *cells: str | int) -> str:
    """A line of the table: sentences, exact match, token accuracy, BLEU, chrF, or the first few."""
    widths = (10, 13, 12, 8, 8)
    line = "".join(f"{c:>{w}}" for c, w in zip(cells, widths, strict=False))
    return f"{name:<26}{line}".rstrip()


def as_table(result: dict[str, Any]) -> str:
    lines = [table_line("split", "sentences", "exact match", "token acc.", "BLEU", "chrF")]
    for name, split in result["splits"].items():
        cells = [f"{split[key]:.2%}" if split.get(key) is not None else "" for key in SHARES]
        cells += [f"{split[key]:.2f}" if split.get(key) is not None else "" for key in SCORES]
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
            lines.append(table_line("  it can't translate", split["unreadable"]))
        for group, found in split.get("groups", {}).items():
            share = f"{found['exact_match']:.2%}"
            lines.append(table_line(f"  {group}", found["sentences"], share))
    signatures = {
        f"{title}: {split[f'{key}_signature']}"
        for split in result["splits"].values()
        for title, key in (("BLEU", "bleu"), ("chrF", "chrf"))
        if split.get(key) is not None
    }
    lines += sorted(signatures)
    notes = {
        name: list(dict.fromkeys(split[f"{key}_note"] for key in SCORES if f"{key}_note" in split))
        for name, split in result["splits"].items()
    }
    lines += [f"{name}: {note}" for name, some in notes.items() for note in some]
    if "heads" in result:
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
