"""How fast do we translate a file, beside CTranslate2?

    python tools/benchmarks/files.py                        2,000 sentences, a minute
    python tools/benchmarks/files.py --model tatoeba

Both get the lines of the same file and write the lines of another, with the same tokenizer and the
same weights; both sort by length and keep the order. See tools/benchmarks/README.md.
"""

import argparse
import tempfile
from pathlib import Path

from decoding import as_words, convert, ctranslate2
from measuring import CLOCKS, arguments, milliseconds, ratio, set_up, show_ratio, take_turns

from transformer_lib.cli.translate import translate_lines
from transformer_lib.text import english_spanish
from transformer_lib.text.tokens import EOS, SPECIALS
from transformer_lib.translator import Translator

OURS, THEIRS = "ours, fp32", "CTranslate2, fp32"
BATCH = 128  # sentences at a time, as in Translator.translate


def sentences() -> list[str]:
    """2,000 English sentences, half of them longer than any that the grammar's model has read."""
    return [source for name in ("test", "longer") for source, _ in english_spanish.load(name)]


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


def measure(options: argparse.Namespace, folder: Path) -> dict:
    translator = Translator.load(options.model)
    translator.confidence = None  # no remarks on doubtful lines: CTranslate2 makes none
    source = folder / "english.txt"
    if options.sentences:
        texts = options.sentences.read_text(encoding="utf-8").splitlines()
    else:
        texts = sentences()
    source.write_text("".join(f"{text}\n" for text in texts), encoding="utf-8")
    (folder / "model").mkdir()
    convert(translator.model, folder / "model")

    def ours(translator: Translator, file: str) -> None:
        with open(source, "rb") as text, open(folder / file, "w", encoding="utf-8") as out:
            translate_lines(translator, {"beam": 1, "n_best": 1}, text, out)

    quick, small = translator.optimize_for_decoding(), translator.optimize_for_decoding(int8=True)
    half = translator.optimize_for_decoding(bf16=True)
    contestants = {
        name: lambda name=name, translator=translator: ours(translator, name)
        for name, translator in {OURS: quick, "ours, bf16": half, "ours, int8": small}.items()
    }
    for them, kind in ((THEIRS, "float32"), ("CTranslate2, int8", "int8")):
        engine = ctranslate2.Translator(
            str(folder / "model"), compute_type=kind, inter_threads=1, intra_threads=options.threads
        )
        contestants[them] = lambda engine=engine, them=them: theirs(
            engine, translator, source, folder / them
        )
    times = take_turns(contestants, options.repeats, CLOCKS[options.clock])
    written = {each: (folder / each).read_text(encoding="utf-8") for each in contestants}
    lines = written[THEIRS].splitlines()
    return {
        each: {
            "sentences_per_second": 1000 * len(lines) / milliseconds(times, each),
            "speed_vs_ctranslate2": ratio(times, THEIRS, each),
            "written_alike": sum(map(str.__eq__, lines, written[each].splitlines())),
        }
        for each in contestants
    }


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
        results = measure(options, Path(folder))
    print("speed = CTranslate2's time in fp32 / the row's time: median (quartiles)")
    print(f"\n{'':22}{'sentences/s':>12}{'speed':>20}{'lines as CTranslate2, fp32':>30}")
    for name, row in results.items():
        print(
            f"{name:22}{row['sentences_per_second']:12.0f}"
            f"{show_ratio(row['speed_vs_ctranslate2']):>20}{row['written_alike']:30}"
        )


if __name__ == "__main__":
    main()
