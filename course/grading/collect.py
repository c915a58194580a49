"""Who handed in what: a folder of submissions, named by students, Moodle, Canvas or Blackboard.

Moodle (mod/assign/classes/downloader.php): a folder `Full name_ID_assignsubmission_file`, up to
4.0 with an underscore at its end; what was typed into the page is in `…_onlinetext`. Where folders
are switched off, these words begin the file's name.
Canvas (lib/content_zipper.rb): files `fullname_ID_FILE_name`, of late ones
`fullname_LATE_ID_FILE_name`; a file handed in again ends in `-1`, `-2`, ...
Blackboard: files `Title_username_attempt_YYYY-MM-DD-hh-mm-ss_name`, and for each attempt a receipt,
`Title_username_attempt_YYYY-MM-DD-hh-mm-ss.txt`.
"""

import contextlib
import dataclasses
import json
import os
import re
import stat
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from course.grading.assignment_files import Assignment, plain, student_version, text
from course.grading.grade import LARGEST, Unreadable, read_submission
from course.grading.tables import one_line

DEEPEST = 20  # folders in folders; nobody works further down
MOODLE = re.compile(r"(?P<name>[^_]+)_(?P<number>\d+)_assignsubmission_(?P<kind>[a-z]+)(?:_.*)?")
CANVAS = re.compile(
    r"(?:(?P<name>.+?)_)??(?P<late>LATE_)?(?P<number>\d+|anon_\w{5})_"
    r"(?P<file>\d+_.+|text\.html|link\.html)"
)
BLACKBOARD = re.compile(
    r".+_(?P<number>[^_]+)_attempt_(?P<when>\d{4}(?:-\d\d){5})(?:_(?P<file>.+)|\.txt)"
)
NONE = re.compile("(?!)")  # fits no name


@dataclasses.dataclass(frozen=True)
class Submission:
    """student: the name in tables and on pages. path: the file to grade, perhaps not a notebook.

    number: the platform's own for this student, "" in a plain folder. late: whether Canvas says so.
    """

    student: str
    path: Path
    number: str = ""
    late: bool = False

    @property
    def name(self) -> str:
        """Without the number that tells two of the same name apart."""
        return self.student.removesuffix(f" ({self.number})")


@dataclasses.dataclass(frozen=True)
class Collected:
    """All submissions. notices: what a teacher should know before trusting the grades."""

    submissions: tuple[Submission, ...]
    platform: str  # "Moodle", "Canvas" or ""
    notices: tuple[str, ...]


@dataclasses.dataclass(frozen=True)
class Entry:
    """Everything one student handed in. place: the file or folder that it is named after."""

    student: str
    place: Path
    files: tuple[Path, ...]
    number: str = ""
    late: bool = False


def collect(folder: Path, source: Assignment) -> Collected:
    """The submissions in a folder; if a student has several notebooks, the one to grade."""
    notices = []
    inner = unwrapped(folder, source)
    if inner != folder:
        notices.append(f"The submissions are in {inner}, so that is what was graded.")
    visible = entries(inner, source)
    platform, names = platform_of(visible, source)
    found = from_platform(visible, names, source)
    others = [
        path.name
        for place in {folder, inner}
        for path in place.iterdir()
        if is_visible(path.name) and not is_folder(path) and path not in visible
    ]
    if others:
        what = "a notebook" if source.suffix == ".ipynb" else source.file
        notices.append(f"Nobody's work, as it isn't {what}: {', '.join(sorted(others))}")
    submissions = []
    for student, entry in zip(labels(found), found, strict=True):
        path, sentence = chosen(student, entry, source)
        notices += [sentence] if sentence else []
        submissions.append(Submission(student, path, entry.number, entry.late))
    return Collected(tuple(submissions), platform, tuple(notices))


# --- folders -------------------------------------------------------------------------------------


def is_visible(name: str) -> bool:
    return not name.startswith((".", "__MACOSX"))


def is_folder(path: Path) -> bool:
    return path.is_dir() and not path.is_symlink()


def is_work(path: Path, source: Assignment) -> bool:
    """Whether a file is what students hand in, or was meant to be.

    A notebook is known by its content, whatever a browser, a mail program or a platform has made of
    its name. What isn't one any more, and Python, is known by the name.
    """
    if re.search(rf"{re.escape(source.suffix)}(\W|$)", path.name, re.IGNORECASE):
        return True
    if source.suffix != ".ipynb":
        return path.name == source.stem
    try:
        mode = path.lstat().st_mode
        if not stat.S_ISREG(mode):  # to open a pipe would wait for ever; a link gets its sentence
            return stat.S_ISLNK(mode)
        with path.open("rb") as file:
            content = file.read(LARGEST[source.suffix])
    except OSError:
        return False
    words = content.decode(json.detect_encoding(content), errors="replace").lstrip("\ufeff \t\r\n")
    return words.startswith("{") and '"cells"' in words


def entries(folder: Path, source: Assignment) -> list[Path]:
    """What students handed in: folders, work, and whatever a platform has named after somebody."""
    return sorted(
        path
        for path in folder.iterdir()
        if is_visible(path.name)
        and (
            is_folder(path)
            or any(names.fullmatch(path.name) for names in (MOODLE, CANVAS, BLACKBOARD))
            or is_work(path, source)
        )
    )


def unwrapped(folder: Path, source: Assignment) -> Path:
    """The folder itself, or the one inside it that a download is often packed into.

    A single folder is a single student's, unless it holds what several would have handed in.
    """
    inner = folder
    for _ in range(DEEPEST):
        inside = entries(inner, source)
        if len(inside) != 1 or not is_folder(inside[0]) or MOODLE.fullmatch(inside[0].name):
            break
        inner = inside[0]
    inside = entries(inner, source)
    if platform_of(inside, source)[0]:
        return inner
    several = sum(bool(works(path, source)) if is_folder(path) else True for path in inside) > 1
    of_one = any(path.name == source.file for path in inside)
    return inner if several and not of_one else folder


def works(folder: Path, source: Assignment) -> list[Path]:
    """All notebooks in a folder (or Python files, if these are handed in), sorted.

    At most DEEPEST folders down; what can't be read is left out.
    """
    found, waiting = [], [(folder, 0)]
    while waiting:
        place, depth = waiting.pop()
        with contextlib.suppress(OSError), os.scandir(place) as inside:
            for entry in inside:
                if not is_visible(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    waiting += [(Path(entry.path), depth + 1)] if depth < DEEPEST else []
                    continue
                # A link that can't be followed stops nothing: `isfile` says no.
                is_file = entry.is_file(follow_symlinks=False) or os.path.isfile(entry.path)
                if is_file and is_work(Path(entry.path), source):
                    found.append(Path(entry.path))
    return sorted(found)


# --- platforms -----------------------------------------------------------------------------------


def platform_of(visible: Sequence[Path], source: Assignment) -> tuple[str, re.Pattern[str]]:
    """The platform that these are from, and how it names files."""
    if any(MOODLE.fullmatch(path.name) for path in visible):
        return "Moodle", MOODLE
    if any(BLACKBOARD.fullmatch(path.name) for path in visible):
        return "Blackboard", BLACKBOARD
    if is_canvas(visible, source):
        return "Canvas", CANVAS
    return "", NONE


def plain_entry(path: Path, source: Assignment) -> Entry:
    """The entry for one student's folder or file."""
    if is_folder(path):
        return Entry(path.name, path, tuple(works(path, source)))
    name = re.sub(rf"{re.escape(source.suffix)}(\W.*)?$", "", path.name, flags=re.IGNORECASE)
    return Entry(name, path, (path,))


def from_platform(
    visible: Iterable[Path], names: re.Pattern[str], source: Assignment
) -> list[Entry]:
    """One entry per student number; files with other kinds of names as in a plain folder."""
    found: dict[str, Entry] = {}
    others = []
    for path in visible:
        match = names.fullmatch(path.name)
        if match is None:
            others.append(plain_entry(path, source))
            continue
        said = match.groupdict()
        number = said["number"]
        files = found[number].files if number in found else ()
        typed = said.get("kind", "file") != "file" or said.get("file") in ("text.html", "link.html")
        receipt = said.get("file", "") is None  # Blackboard's, which is of no file
        if not (typed or receipt):
            files += tuple(works(path, source)) if is_folder(path) else (path,)
        name = said.get("name") or number
        found[number] = Entry(name, path, files, number, bool(said.get("late")))
    return [*found.values(), *others]


def is_canvas(visible: Iterable[Path], source: Assignment) -> bool:
    """Whether all notebooks have Canvas's names. It gives each number once, unlike a date."""
    files = [path for path in visible if not is_folder(path) and is_work(path, source)]
    names = [CANVAS.fullmatch(path.name) for path in files]
    numbers = {match["file"].split("_")[0] for match in names if match}
    return bool(names) and None not in names and len(numbers) == len(names)


def labels(found: Sequence[Entry]) -> Iterator[str]:
    """A name for each entry, no two alike."""
    times = Counter(entry.student for entry in found)
    taken: set[str] = set()
    for entry in found:
        label = one_line(entry.student)
        if entry.number and times[label] > 1:
            label = f"{label} ({entry.number})"
        if label in taken:
            label = one_line(entry.place.name)
        while label in taken:
            label += "'"
        taken.add(label)
        yield label


# --- which notebook ------------------------------------------------------------------------------


def chosen(student: str, entry: Entry, source: Assignment) -> tuple[Path, str]:
    """The file to grade, and what to tell the teacher about the choice.

    The file with the name that was handed out counts, unless nobody worked in it and somebody did
    in another: JupyterLab's *Duplicate* and browsers leave such copies.
    """
    if not entry.files:  # graded as the file that should be there, and isn't
        return entry.place / source.file, ""
    books = [path for path in entry.files if is_work(path, source)] or list(entry.files)
    if source.suffix == ".py":  # other programs may lie beside it
        books = [path for path in books if is_named(path, source)] or books
    first = min(
        books,
        key=lambda path: (
            path.name != source.file,
            -attempt(path),
            not is_named(path, source),
            -version(path),
        ),
    )
    if len(books) == 1:
        return first, ""
    worked = {path: cells_worked_on(path, source) for path in books}
    others = [path.name for path in books if worked[path] and path != first]
    if not others:
        return first, ""
    if not worked[first]:
        best = max(books, key=worked.get)
        return best, (
            f"{student}: {first.name} is as it was handed out, so {best.name} was graded."
        )
    return first, f"{student}: {first.name} was graded, and not {', '.join(others)}."


def is_named(path: Path, source: Assignment) -> bool:
    """Whether it has the name that was handed out; platforms put other words before it."""
    name = rf"(^|_){re.escape(source.stem)}(-\d+)?({re.escape(source.suffix)}.*)?$"
    return re.search(name, path.name, re.IGNORECASE) is not None


def attempt(path: Path) -> int:
    """When it was handed in, as Blackboard's name tells; the later, the larger."""
    match = BLACKBOARD.fullmatch(path.name)
    return int(match["when"].replace("-", "")) if match else 0


def version(path: Path) -> int:
    """Canvas's version number of a file that was handed in again: 3 for 2_attention-3.ipynb."""
    again = re.search(r"-(\d+)(\.\w+)*$", path.name)
    return int(again[1]) if again else 0


def cells_worked_on(path: Path, source: Assignment) -> int:
    """How many cells differ from what was handed out."""
    ours = {plain(text(cell)) for cell in student_version(source)["cells"]} | {""}
    try:
        return sum(plain(text(cell)) not in ours for cell in read_submission(path, source))
    except Unreadable:
        return 0
