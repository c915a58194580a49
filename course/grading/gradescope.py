"""Grade one submission inside Gradescope.

    python -m course.grading.gradescope NUMBER FOLDER RESULTS

RESULTS is the file results.json of https://gradescope-autograders.readthedocs.io/en/latest/specs/.
"""

import sys
from collections.abc import Sequence
from pathlib import Path

from course.grading.assignment_files import Assignment, assignment
from course.grading.collect import Entry, chosen, works
from course.grading.grade import Result, grade
from course.grading.limits import Limits
from course.grading.sandboxes import find_sandbox
from transformer_lib.files import write_json


def main(number: str, folder: str, results: str) -> None:
    source, place = assignment(number), Path(folder)
    path, told = chosen("You", Entry("you", place, tuple(works(place, source))), source)
    found = grade("you", path, source, Limits(sandbox=find_sandbox()))
    write_json(Path(results), as_results(found, source, told))


def as_results(results: Sequence[Result], source: Assignment, told: str = "") -> dict:
    """Points and hints as students see them; what a person reads has no points here."""
    exercises = {one.name: one for one in source.exercises}
    tests = []
    for one in results:
        by_machine = exercises[one.exercise].kind != "explain"
        waits = f"A person reads this: up to {one.of} points."
        tests.append(
            {
                "name": f"{exercises[one.exercise].title} ({one.exercise})",
                "score": one.points if by_machine else 0,
                "max_score": one.of if by_machine else 0,
                "output": waits if one.text else one.hint or "Right.",
                "output_format": "text",
                "visibility": "visible",
            }
        )
    return {"output": told, "stdout_visibility": "hidden", "tests": tests}


if __name__ == "__main__":
    main(*sys.argv[1:])
