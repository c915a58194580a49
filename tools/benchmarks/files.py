"""How fast do we translate a file, beside CTranslate2?

    python tools/benchmarks/files.py                        2,000 sentences, a minute
    python tools/benchmarks/files.py --model tatoeba

Both get the lines of the same file and write the lines of another, with the same tokenizer and the
same weights; both sort by length and keep the order. See tools/benchmarks/README.md.
"""

import argparse
import tempfile
from functools import partial
from pathlib import Path

from decoding import OURS, THEIRS, as_words, ctranslate2, engines
from measuring import CLOCKS, arguments, milliseconds, ratio, set_up, take_turns

from transformer_lib.cli.translate import translate_lines
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import EOS, SPECIALS
from transformer_lib.translator import Translator

BATCH = 128  # sentences at a time, as in Translator.translate


def theirs(engine, translator: Translator, source: Path, target: Path) -> None:
    """What `translate --input --output` does, with CTranslate2 in the middle."""
    texts = source.read_text(encoding="utf-8").splitlines()
    typed = [translator.src.preprocess(text) for text in texts]
    ids = [translator.src.vocab.encode(translator.src.tokens(each)) for each in typed]
    results = engine.translate_batch(
        [[*as_words(sentence), SPECIALS[EOS]] for sentence in ids],
        beam_size=1,
        max_batch_size=BATCH,
        max_decoding_length=translator.tgt.longest,
    )
    with open(target, "w", encoding="utf-8") as file:
        for result, each in zip(results, typed, strict=True):
            words = [int(word.removeprefix("word")) for word in result.hypotheses[0]]
            print(translator.tgt.postprocess(words, each), file=file)


def measure(options: argparse.Namespace, folder: Path) -> None:
    """Print how fast each is, and how many lines it writes as CTranslate2 does."""
    translator = Translator.load(options.model)
    translator.confidence = None  # no remarks on doubtful lines: CTranslate2 makes none
    source = folder / "english.txt"
    if options.sentences:
        texts = options.sentences.read_text(encoding="utf-8").splitlines()
    else:  # 2,000, half of them longer than any that the grammar's model has read
        pairs = english_spanish.load("test") + english_spanish.load("longer")
        texts = [english for english, _ in pairs]
    source.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")

    def ours(translator: Translator, file: str) -> None:
        with open(source, "rb") as text, open(folder / file, "w", encoding="utf-8") as out:
            translate_lines(translator, {"beam": 1, "n_best": 1}, text, out)

    quick, small = translator.optimize_for_decoding(), translator.optimize_for_decoding(int8=True)
    half = translator.optimize_for_decoding(bf16=True)
    contestants = {
        OURS: partial(ours, quick, OURS),
        "ours, bf16": partial(ours, half, "ours, bf16"),
        "ours, int8": partial(ours, small, "ours, int8"),
    }
    model = folder / "model"
    model.mkdir()
    for name, engine in engines(translator.model, str(model), options.threads).items():
        contestants[name] = partial(theirs, engine, translator, source, folder / name)
    times = take_turns(contestants, options.repeats, CLOCKS[options.clock])
    print("speed = CTranslate2's time in fp32 / the row's time: median (quartiles)")
    print(f"\n{'':22}{'sentences/s':>12}{'speed':>20}{'lines as CTranslate2, fp32':>30}")
    written = {
        each: (folder / each).read_text(encoding="utf-8").splitlines() for each in contestants
    }
    for each, lines in written.items():
        rate = 1000 * len(lines) / milliseconds(times, each)
        alike = sum(map(str.__eq__, lines, written[THEIRS]))
        print(f"{each:22}{rate:12.0f}{ratio(times, THEIRS, each):>20}{alike:30}")


def main() -> None:
    parser = arguments(__doc__, rounds=10)
    parser.add_argument("--model", choices=["grammar", "tatoeba"], default="grammar")
    parser.add_argument("--sentences", type=Path, help="lines of English, instead of the grammar's")
    options = parser.parse_args()
    if ctranslate2 is None:
        parser.exit(message="There is nothing to compare with: pip install ctranslate2\n")

    set_up(options)
    print(f"CTranslate2 {ctranslate2.__version__}")
    with tempfile.TemporaryDirectory() as folder:
        measure(options, Path(folder))


if __name__ == "__main__":
    main()
