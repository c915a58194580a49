"""What is otherwise on Windows or a Mac, as far as Linux can play it.

That files are opened with an encoding is ruff's business (PLW1514); what was only ever read is in
the last table of docs/open.md.
"""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.here import ROOT

# No Windows has these; the last two are Linux's. (Nor SIGKILL, but `subprocess` needs it here.)
UNIX_MODULES = "fcntl grp pty pwd readline resource termios tty pyseccomp".split()
UNIX_NAMES = {
    "os": "fork forkpty geteuid getuid killpg setsid sched_getaffinity sysconf".split(),
    "signal": "SIGCHLD SIGHUP alarm".split(),
}
RESERVED = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)

# Before anything else of the program: this Python has no more than Windows gives it, and writes
# and reads in the encoding of Western Europe where nobody names another.
AS_ON_WINDOWS = f"""
import os, signal, subprocess, sys
import torch, numpy, spacy, tokenizers, sacrebleu, IPython, nbclient  # they know where they are
for name in {UNIX_MODULES}:
    sys.modules[name] = None
for module, names in {UNIX_NAMES}.items():
    for name in names:
        if hasattr(sys.modules[module], name):
            delattr(sys.modules[module], name)
for stream in (sys.stdin, sys.stdout, sys.stderr):
    stream.reconfigure(encoding="cp1252")
"""


def test_every_file_has_a_name_that_other_systems_can_have():
    """Windows, and whichever takes two names for one that differ in their capitals."""
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, encoding="utf-8"
    )
    if listed.returncode:
        pytest.skip("this is no clone")
    names = listed.stdout.split("\0")[:-1]
    assert len({name.lower() for name in names}) == len(names)
    for name in names:
        assert (
            name.isascii() and len(name) <= 120
        )  # Windows stops at 260, its user's folder included
        for part in name.split("/"):
            assert not RESERVED.match(part) and not re.search(r'[<>:"|?*\\]|[. ]$', part), name


def as_on_windows(program: str, tmp_path: Path, given: bytes = b"") -> str:
    """What a Python prints that has no fork and no UTF-8 by itself, in a folder with a space."""
    folder = tmp_path / "a user"
    folder.mkdir(exist_ok=True)
    done = subprocess.run(
        [sys.executable, "-X", "utf8=0", "-c", AS_ON_WINDOWS + program],
        input=given,
        cwd=folder,
        capture_output=True,
    )
    assert done.returncode == 0, done.stderr.decode("cp1252")[-3000:]
    return done.stdout.decode("cp1252")


@pytest.mark.parametrize("system", ["win32", pytest.param("darwin", marks=pytest.mark.nightly)])
def test_another_system_is_asked_by_its_name(system, tmp_path):
    """All is imported there but what a student's process in a sandbox of Linux runs."""
    walled = ("course.grading.worker", "course.grading.escape_test")
    first = "import matplotlib.font_manager, altair, copydetect, fontTools.subset, PIL.Image"
    program = f"""
{first}  # they know where they are
sys.platform = {system!r}
import importlib, pkgutil
import course, transformer_lib
for package in (course, transformer_lib):
    for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
        if not module.name.startswith({walled}) and not module.name.endswith("__main__"):
            importlib.import_module(module.name)
            print(module.name)
"""
    imported = as_on_windows(program, tmp_path).split()
    assert {"transformer_lib.translator", "course.grading.limits"} <= set(imported)


def test_what_a_user_does_is_done_there(tmp_path):
    """Piped in and from files with Windows' ends of lines; trained, drawn, and graded unwalled."""
    program = """
from transformer_lib.cli import main
assert main(["translate"]) == 0
print("---", flush=True)
assert main("train --task copy --steps 4 --threads 1 --out runs/copy".split()) == 0
with open("two.txt", "w", encoding="utf-8", newline="") as file:
    file.write("I like trees\\r\\nI like trees\\r\\n")
assert main("translate --input two.txt --output dos.txt".split()) == 0

from course.cli import main as course
assert course(["figures", "--only", "attention-arrow", "--out", "a folder"]) == 0

from course.grading.__main__ import main as grading
grading(["build", "--out", "handout"])
import shutil
os.mkdir("trial")
shutil.copy("handout/teacher/1_words_as_numbers.ipynb", "trial/josé.ipynb")
assert grading("grade 1 trial --out grades --no-sandbox --jobs 1".split()) == 0
"""
    said = as_on_windows(program, tmp_path, b"I like trees\r\nI like trees\r\n")
    trees = ["Me gustan los árboles"] * 2
    user = tmp_path / "a user"
    assert said.partition("---")[0].splitlines() == trees
    assert (user / "dos.txt").read_text(encoding="utf-8").splitlines() == trees
    assert list((user / "a folder").glob("attention-arrow*"))
    assert "josé" in (user / "grades" / "totals.csv").read_text(encoding="utf-8-sig")
