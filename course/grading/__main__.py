"""The teacher's command line: python -m course.grading COMMAND, as its --help says."""

import argparse
import os
import shutil
import sys
from pathlib import Path

from tqdm import tqdm

from course.grading.archives import STUDENTS_PAGE, as_json, autograder, course, write_zip
from course.grading.assignment_files import (
    FOLDER,
    Assignment,
    assignment,
    assignments,
    student_version,
)
from course.grading.batch import grade_all
from course.grading.collect import Collected, collect
from course.grading.grade import grade
from course.grading.gradebooks import fill_in, missing, read_gradebook, write_feedback
from course.grading.limits import Limits, keep_apart
from course.grading.report import by_hand, write_report
from course.grading.sandboxes import find_sandbox, refusal
from course.grading.similar import write_similar
from course.grading.tables import one_line, write_table
from transformer_lib.files import write_file


def main(arguments: list[str] | None = None) -> int:
    """Run one command -> its exit code, with one sentence on standard error unless it is 0.

    0: all went well; 1: the grader failed for some submissions; 2: an error; 130: interrupted.
    """
    options = parser().parse_args(arguments)
    try:
        return options.run(options)
    except (ValueError, OSError) as error:
        told = "\n".join(map(one_line, str(error).split("\n")))
        print(f"grading: {told}", file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print(f"grading: stopped. {options.stopped}", file=sys.stderr)
        return 130


def parser() -> argparse.ArgumentParser:
    root = argparse.ArgumentParser(prog="python -m course.grading", description="Assignments.")
    commands = root.add_subparsers(title="commands", required=True, metavar="COMMAND")

    build = commands.add_parser(
        "build",
        help="make what students get, and the teacher's copy",
        description="Write DIR/student (to hand out) and DIR/teacher (with solutions).",
    )
    build.add_argument("number", nargs="*", type=int, help="only these assignments (default: all)")
    build.add_argument("--out", type=Path, default=Path("handout"), metavar="DIR")
    build.add_argument(
        "--zip", action="store_true", help="also course.zip: all that a student needs"
    )
    build.add_argument(
        "--gradescope",
        action="append",
        default=[],
        metavar="N",
        help="also the autograder of assignment N",
    )
    build.set_defaults(
        run=run_build, stopped="The folder may hold files from before: run it again."
    )

    grading = commands.add_parser(
        "grade",
        help="grade a folder of submissions",
        description="Grade FOLDER, which holds a notebook, or a folder with one, for each student. "
        "Writes grades.csv, totals.csv, to_read.csv, to_read.html and pages/ into DIR.",
    )
    takes_submissions(grading)
    grading.add_argument(
        "--seconds",
        type=float,
        default=Limits.seconds,
        metavar="S",
        help="for one cell or one check (%(default)g)",
    )
    grading.add_argument(
        "--total",
        type=float,
        default=Limits.total,
        metavar="S",
        help="for a submission (%(default)g)",
    )
    grading.add_argument(
        "--megabytes",
        type=int,
        default=Limits.megabytes,
        metavar="MB",
        help="memory for a submission, beyond what Python and PyTorch take (%(default)d)",
    )
    grading.add_argument(
        "--jobs", type=int, default=cores(), metavar="N", help="submissions at a time (%(default)d)"
    )
    grading.add_argument(
        "--blind", action="store_true", help="numbers instead of names in to_read; key.csv tells"
    )
    grading.add_argument(
        "--seed",
        type=int,
        default=0,
        metavar="N",
        help="for the order of a blind reading (%(default)d)",
    )
    grading.add_argument(
        "--gradebook",
        type=Path,
        metavar="FILE",
        help="fill in Moodle's worksheet, or Canvas's gradebook",
    )
    grading.add_argument(
        "--column",
        default="",
        metavar="NAME",
        help="of Canvas's gradebook, where it isn't clear which",
    )
    grading.add_argument(
        "--class",
        dest="class_list",
        type=Path,
        metavar="FILE",
        help="a class list, a name in each line or a table: write who is missing into missing.csv",
    )
    grading.add_argument(
        "--again", action="store_true", help="grade also what was graded before and hasn't changed"
    )
    grading.add_argument(
        "--no-sandbox",
        action="store_true",
        help="grade without a sandbox: submissions run with your rights, held "
        "back by Python's own guard only",
    )
    grading.set_defaults(
        run=run_grade, stopped="What is graded is kept: the same command goes on from there."
    )

    alike = commands.add_parser(
        "similar",
        help="show which submissions are suspiciously alike",
        description="Compare all submissions in FOLDER with one another. Writes similar.html and "
        "similar.csv into DIR: a hint to look, never a grade.",
    )
    takes_submissions(alike)
    alike.set_defaults(run=run_similar, stopped="Nothing was written.")
    return root


def cores() -> int:
    """How many of the computer's cores this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def takes_submissions(command: argparse.ArgumentParser) -> None:
    command.add_argument("number", help="which assignment; “mine” is my_transformer.py")
    command.add_argument("folder", type=Path, help="the submissions")
    command.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="where to write (default: grades-NUMBER)",
    )


# --- build ---------------------------------------------------------------------------------------


def run_build(options: argparse.Namespace) -> int:
    chosen = [assignment(number) for number in options.number] or assignments()
    for number in options.gradescope:
        write_autograder(options.out, assignment(number))
    student, teacher = options.out / "student", options.out / "teacher"
    for folder in (student, teacher):
        folder.mkdir(parents=True, exist_ok=True)
    for one in chosen:
        write_file(student / one.file, as_json(student_version(one)))
        shutil.copy(one.path, teacher / one.file)
    shutil.copy(STUDENTS_PAGE, student / "README.md")
    print(f"{student}: hand this out. {teacher}: keep this.")
    if options.zip:
        packed = write_zip(options.out / "course.zip", course(chosen))
        size = packed.stat().st_size / 1e6
        print(f"{packed}: hand this out instead ({size:.0f} MB): the course and the assignments.")
    elif (options.out / "course.zip").exists():
        print(f"{options.out / 'course.zip'} is from an earlier build: --zip makes it again.")
    return 0


def write_autograder(out: Path, source: Assignment) -> None:
    packed = write_zip(out / f"gradescope-{source.number}.zip", autograder(source))
    machine = sum(one.points for one in source.exercises if one.kind != "explain")
    print(
        f"{packed}: for Gradescope, with solutions. {machine} autograder points, and "
        f"{source.points - machine} to give by hand."
    )


# --- grade ---------------------------------------------------------------------------------------


def run_grade(options: argparse.Namespace) -> int:
    source = assignment(options.number)
    out = options.out or Path(f"grades-{options.number}")
    collected = submissions_in(options.folder, source)
    book = read_gradebook(options.gradebook, source, options.column) if options.gradebook else None
    by_hand(out, source, [one.student for one in collected.submissions])
    absent = missing(options.class_list, collected.submissions) if options.class_list else None
    files = {one.student: one.path for one in collected.submissions}
    sandbox = "" if options.no_sandbox else find_sandbox()
    if not (sandbox or options.no_sandbox):
        raise ValueError(refusal())
    keep_apart(FOLDER, options.folder, out)
    limits = Limits(options.seconds, options.total, options.megabytes, sandbox)
    try_solution(source, limits)
    guarded = "No sandbox: submissions run with your rights, held back by Python's own guard only."
    print(f"Each submission runs in a sandbox: {sandbox}." if sandbox else guarded)
    batch = grade_all(files, source, limits, options.jobs, out / "graded", options.again)
    found = {one[0].student: one for one in tqdm(batch, total=len(files), unit="submission")}
    results = [result for student in files for result in found[student]]
    blind = options.seed if options.blind else None
    report = write_report(out, source, results, collected.submissions, blind)
    failed = [one.submission.student for one in report.totals if one.failed]
    print(
        f"{len(files) - len(failed)} submissions graded: {out / 'grades.csv'}, {out / 'totals.csv'}"
    )
    for sentence in [*collected.notices, *report.notices]:
        print(one_line(sentence))
    if absent is not None:
        write_table(out / "missing.csv", ["student"], [[name] for name in absent])
        print(one_line(f"Missing: {', '.join(absent) or 'nobody'}, as {options.class_list} has it"))
    if collected.platform == "Moodle":
        print(f"Pages to give back through Moodle: {write_feedback(out, report.totals)}")
    for sentence in fill_in(book, out, report.totals) if book else ():
        print(sentence)
    if report.unread:
        print(
            f"{report.unread} of {report.answers} answers to read: {out / 'to_read.html'}, "
            "points into to_read.csv"
        )
    if failed:
        print(
            f"grading: not graded, as the grader itself failed: {', '.join(failed)}. The same "
            "command tries them again.",
            file=sys.stderr,
        )
    return 1 if failed else 0


def submissions_in(folder: Path, source: Assignment) -> Collected:
    if not folder.is_dir():
        raise ValueError(f"{folder} is no folder: name the one with the submissions")
    collected = collect(folder, source)
    if not collected.submissions:
        raise ValueError(
            f"{folder} holds no submissions: no {source.suffix} file, and no student's folder"
        )
    return collected


def try_solution(source: Assignment, limits: Limits) -> None:
    """Raise a ValueError unless the assignment's own solution gets full points.

    If it doesn't, no student could.
    """
    for one in grade("solution", source.path, source, limits):
        if one.points not in (None, one.of):
            raise ValueError(
                f"the solution of {one.exercise} in {source.file} gets {one.points:g} "
                f"of {one.of} points, so nothing was graded: {one.hint}"
            )


# --- similar -------------------------------------------------------------------------------------


def run_similar(options: argparse.Namespace) -> int:
    source = assignment(options.number)
    out = options.out or Path(f"grades-{options.number}")
    collected = submissions_in(options.folder, source)
    pairs, left_out = write_similar(out, source, collected.submissions)
    for sentence in collected.notices:
        print(one_line(sentence))
    if left_out:
        print(f"Not compared, as there is nothing to read: {', '.join(left_out)}")
    print(f"Pairs compared: {len(pairs)}, the most alike in {out / 'similar.html'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
