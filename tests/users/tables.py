"""What users type: commands that the documents name, by day and by night.

A story is what one person types, one line after the other, in one place. A line is the command as
it stands in the document; what it is to print or write; and, behind `more`, what makes a long one
short. `by_night` leaves it to `make nightly`.
"""

from dataclasses import dataclass, field


@dataclass(frozen=True)
class Line:
    command: str
    says: str = ""  # part of what it prints
    writes: str = ""  # a file that is there afterwards
    more: str = ""  # typed behind it
    fills: dict[str, str] = field(default_factory=dict)  # NAME in the document -> what is typed
    status: int = 0
    first: str = ""  # typed before, which no document has to say


ENGLISH = r"printf 'I like trees\nI see a dog\n' > english.txt"
PAIRS = """python - <<'END'
from pathlib import Path
words = "red green blue big small old new good".split()
pairs = [f"a {a} {b} house\\tuna casa {a} {b}" for a in words for b in words]
Path("pairs.tsv").write_text("\\n".join(pairs * 4), encoding="utf-8")
Path("test.tsv").write_text("\\n".join(pairs[:5]), encoding="utf-8")
END"""
SHORT = "--set steps=20 validate_every=10 d_model=32 d_ff=64"
LIBRARY = "python -m transformer_lib"
COURSE = "python -m course"
STORIES = {
    "translates": [
        Line("source .venv/bin/activate"),
        Line(f'{LIBRARY} translate "I like trees"', "Me gustan los árboles\n"),
        Line(f'{LIBRARY} translate --model tatoeba "Good morning. How are you?"', "Buenos días"),
        Line(f'{LIBRARY} translate --model tatoeba "Good morning."', "Buenos días.\n"),
        Line(f"{LIBRARY} translate < english.txt", "Me gustan los árboles\n", first=ENGLISH),
        Line(f'{LIBRARY} translate --nbest 2 "I like trees"', "\tMe gustan los árboles\n"),
        Line(f'{LIBRARY} translate --sample --temperature 1.5 --nbest 5 "I like trees"', "\t"),
    ],
    "looks": [
        Line(f'{COURSE} view tatoeba "Good morning."', writes="attention.html"),
        Line(f'{COURSE} view grammar "I like trees" --out looks.png', writes="looks.png"),
        Line(f"{COURSE} figures --list", "machine"),
        Line(
            f"{COURSE} figures --only NAME --format svg",
            writes="figures/machine.svg",
            fills={"NAME": "machine"},
        ),
        Line(f"{COURSE} figures --only poster", writes="figures/poster.png"),
        Line(f"{COURSE} experiment --list", "multi30k"),
        Line(
            f"{LIBRARY} COMMAND --help", "usage: transformer-lib train", fills={"COMMAND": "train"}
        ),
        Line(LIBRARY, "usage: transformer-lib", status=2),
    ],
    "trains": [
        Line(f"{LIBRARY} train --task copy", "saved in runs/copy", "runs/copy/model.safetensors"),
        Line(f'{LIBRARY} translate --model runs/copy "3 1 4 1 5"', "3 1 4 1 5\n"),
        Line(f"{LIBRARY} evaluate --split gustar", "gustar"),
        Line(f"{LIBRARY} train --task en-es --out runs/mine", "saved in runs/mine", more=SHORT),
        Line(f'{LIBRARY} translate --model runs/mine "I like trees"'),
    ],
    "trains on pairs": [
        Line(
            f"{LIBRARY} train --data pairs.tsv --out runs/mine", "saved in", first=PAIRS, more=SHORT
        ),
        Line(f'{LIBRARY} translate --model runs/mine "Good morning"'),
        Line(f"{LIBRARY} evaluate --model runs/mine --data test.tsv", "BLEU"),
        Line(f"{COURSE} figures --run runs/mine", writes="figures/run-mine.png"),
    ],
    "writes a Transformer": [
        Line(
            f"{COURSE} mine",
            "not tried yet",
            first="mkdir -p work; touch work/my_transformer.py",
            status=1,
        ),
        Line(
            f"{COURSE} mine check 3",
            "right!",
            first="cp course/assignments/my_transformer.py work/my_transformer.py",
        ),
        Line(f'{COURSE} mine translate "I like trees"', "Me gustan los árboles"),
    ],
    "teaches": [
        Line("python -m course.grading build --zip --out handout", writes="handout/course.zip"),
        Line("mkdir trial"),
        Line(
            "python -m course.grading grade 2 trial --out grades-trial",
            writes="grades-trial/totals.csv",
            first="cp handout/teacher/2_attention.ipynb trial/ana.ipynb; "
            "cp handout/student/2_attention.ipynb trial/ben.ipynb",
        ),
        Line(
            "python -m course.grading grade 2 submissions --out grades-2",
            writes="grades-2/to_read.html",
            first="cp -r trial submissions",
        ),
        Line(
            "python -m course.grading similar 2 submissions --out grades-2",
            writes="grades-2/similar.html",
        ),
    ],
    "keeps house": [
        Line("make count", "core"),
        Line("make clean", first="test -d .venv"),
    ],
}
BY_NIGHT = {
    "teaches, the rest": [
        Line("python -m course.grading build", writes="handout/teacher"),
        Line(
            "python -m course.grading build --gradescope 2 --out handout",
            writes="handout/gradescope-2.zip",
        ),
        Line(
            "python -m course.grading grade 2 submissions --out grades-2 --blind --seed 1",
            writes="grades-2/key.csv",
            first="mkdir submissions; cp handout/teacher/2_attention.ipynb submissions/a.ipynb",
        ),
        Line(
            "python -m course.grading grade 2 submissions --out grades-2 --class class.csv",
            writes="grades-2/missing.csv",
            first="printf 'student\\na\\nb\\n' > class.csv",
        ),
        Line("mkdir -p grades-2"),
        Line(
            "python -m course.grading grade mine submissions --out grades-mine",
            writes="grades-mine/totals.csv",
            first="rm -r submissions; mkdir -p submissions/ana; "
            "cp course/assignments/my_transformer.py submissions/ana/",
        ),
        Line(
            "python -m course.notebook_tools.run course/assignments/1_words_as_numbers.ipynb",
            "1_words_as_numbers.ipynb: ",
        ),
    ],
    "measures": [
        Line(f"{LIBRARY} evaluate --model tatoeba --split everyday", "everyday"),
        Line(
            f"{COURSE} figures --all --out my-figures --format svg pdf",
            writes="my-figures/index.html",
        ),
        Line(
            f"{COURSE} mine train",
            "The loss fell",
            writes="work/my_translator/training.safetensors",
            first="mkdir -p work; cp course/assignments/my_transformer.py work/my_transformer.py",
            more="--steps 300",
        ),
    ],
    "trains in two processes": [
        Line(
            "torchrun --nproc-per-node 2 -m transformer_lib train --data pairs.tsv --out "
            "runs/mine --accumulation-steps 2",
            "saved in",
            first=PAIRS,
            more=SHORT,
        ),
    ],
    "makes it again": [
        Line(f"{COURSE} figures --only poster --format pdf", writes="figures/poster.pdf"),
        # Others check what these write: tests/course/grammar, tests/course/site.
        Line(f"{COURSE} corpus --out my-corpus", writes="my-corpus/train.tsv"),
        Line("make site", writes="site/index.html"),
        Line(
            ".venv/bin/python -m course.notebook_tools.run notebooks/00_start_here.ipynb",
            "00_start_here.ipynb: ",
        ),
    ],
    "writes": [
        Line("make quick", "passed"),
        Line("make check FILES=transformer_lib/model/attention.py", "passed"),
        Line("make check"),
        Line("make pages"),
        Line("python -m course.notebook_tools.count --fix"),
        Line("python -m course.notebook_tools.run --core", "the core stands alone"),
        Line("make notebooks", "00_start_here.ipynb: "),
    ],
}
