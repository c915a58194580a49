"""Zip files: everything that a student needs in one, and what platforms run."""

import io
import json
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from course.grading.assignment_files import Assignment, student_version
from course.grading.limits import ROOT, students_part
from course.lab.notebook import FILE as LABORATORY
from course.lab.notebook import FILE_OF_SUBWORDS as LABORATORY_OF_SUBWORDS
from transformer_lib.files import write_file

HERE = Path(__file__).parent
STUDENTS_PAGE = HERE / "students.md"
PLATFORMS = HERE / "platforms"
TOP = "course"  # the folder that the zip unpacks into
A_DATE = (1980, 1, 1, 0, 0, 0)  # of all files: the same files make the same zip
FOR_BOTH = (
    "LICENSE",
    "LICENSES",
    "README.md",
    "pyproject.toml",
    "tools/hatch_build.py",
    "constraints.txt",
    "data",
    "transformer_lib",
    *(path.relative_to(ROOT).as_posix() for path in students_part()),
)
COURSE = (
    *FOR_BOTH,
    "CITATION.cff",
    "CONTRIBUTING.md",
    "Makefile",
    "REUSE.toml",
    "docs",
    "environment.yml",
    "notebooks",
    "tools",
)
GRADER = (*FOR_BOTH, "course/grading")


def as_json(notebook: dict) -> bytes:
    return json.dumps(notebook, ensure_ascii=False, indent=1).encode() + b"\n"


def course(chosen: Sequence[Assignment]) -> dict[str, bytes]:
    """The course as a student unpacks it, the assignments in the folder that JupyterLab opens."""
    files = {f"{TOP}/{name}": content for name, content in project_files(COURSE)}
    for one in chosen:
        files[f"{TOP}/work/assignments/{one.file}"] = as_json(student_version(one))
    files[f"{TOP}/work/assignments/README.md"] = STUDENTS_PAGE.read_bytes()
    return files


def autograder(source: Assignment) -> dict[str, bytes]:
    """What Gradescope unpacks into /autograder/source
    (https://gradescope-autograders.readthedocs.io/en/latest/specs/)."""
    files = dict(project_files(GRADER))
    files[source.path.relative_to(ROOT).as_posix()] = source.path.read_bytes()
    for name in ("setup.sh", "run_autograder"):
        words = (PLATFORMS / name).read_text(encoding="utf-8")
        files[name] = words.replace("NUMBER", str(source.number)).encode()
    return files


# What Python leaves beside its files, and what `laboratory()` writes beside a notebook.
LEFT_BEHIND = ("__pycache__", LABORATORY, LABORATORY_OF_SUBWORDS)


def project_files(names: Sequence[str]) -> Iterator[tuple[str, bytes]]:
    """(name, content) of these files, and of everything in these folders."""
    for name in names:
        paths = sorted((ROOT / name).rglob("*")) if (ROOT / name).is_dir() else [ROOT / name]
        for path in paths:
            place = path.relative_to(ROOT)
            left = any(part.startswith(".") or part in LEFT_BEHIND for part in place.parts)
            if path.is_file() and not left:
                yield place.as_posix(), path.read_bytes()


def write_zip(path: Path, files: Mapping[str, bytes]) -> Path:
    """A zip file of these files. Scripts in it are executable once unpacked."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            info = zipfile.ZipInfo(name, A_DATE)
            info.external_attr = (0o755 if content.startswith(b"#!") else 0o644) << 16
            packed.writestr(info, content, zipfile.ZIP_DEFLATED)
    write_file(path, archive.getvalue())
    return path
