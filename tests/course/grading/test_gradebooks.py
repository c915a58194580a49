"""Tables and archives that Moodle and Canvas take back.

The samples are made as the platforms' own code makes them, which reads them again:
Moodle, https://github.com/moodle/moodle: mod/assign/feedback/offline/importgradeslib.php (the
grading worksheet) and mod/assign/feedback/file/importziplib.php (feedback files in a zip);
Canvas, https://github.com/instructure/canvas-lms: lib/gradebook_exporter.rb and
lib/gradebook_importer.rb (the gradebook).
"""

import csv
import io
import re
import zipfile
from unittest.mock import Mock

import pytest

from course.grading import __main__ as command_line
from course.grading.__main__ import main
from course.grading.collect import Submission
from course.grading.gradebooks import fill_in, missing, read_gradebook, write_feedback
from course.grading.report import write_report
from course.grading.tables import TableError
from tests.course.grading.classroom import ATTENTION, command, filled_in, hand_in, results

MOODLE = """\
Identifier,"Full name","Email address",Status,Grade,"Maximum grade","Grade can be changed",\
"Last modified (submission)","Last modified (grade)","Feedback comments"
"Participant 4711","Ana García",ana@example.org,"Submitted for grading",,16.00,Yes,\
"Friday, 20 November 2026, 9:14 PM",-,
"Participant 12","Ben Li",ben@example.org,"Submitted for grading",3.00,16.00,Yes,\
"Friday, 20 November 2026, 9:15 PM","Saturday, 21 November 2026, 8:00 AM",Late
"Participant 13","Ben Li",ben2@example.org,"No submission",,16.00,Yes,-,-,
"""
CANVAS = """\
Student,ID,SIS Login ID,Section,Assignment 1 (880),Assignment 2: attention (881),Essay (882),\
Final Score
,,,,,Manual Posting,,
    Points Possible,,,,16.00,16.00,10.00,(read only)
"García, Ana",4711,ana,"Section 1",12.00,,7.50,51.00
"Li, Ben",12,ben,"Section 1",,3.00,EX,
"Li, Ben",13,ben2,"Section 2",,EX,,
"Student, Test",99,,"Section 1",,,,
"""


def reports(folder, people):
    """Totals: 13 of 16 points, and 2.5 more for the answer in words, which somebody has read."""
    found = results(**{student: "One weight takes all." for student, _ in people})
    submissions = [Submission(student, folder, number) for student, number in people]
    rows = [f"{student},why-the-root,2.5,3,Look <again>." for student, _ in people]
    hand_in(folder / "to_read.csv", "\n".join(["student,exercise,points,of,comment", *rows]))
    return write_report(folder, ATTENTION, found, submissions).totals


def download(folder, text):
    path = folder / "Grades-COURSE-Assignment 2-99.csv"
    hand_in(path, f"\ufeff{text}")
    return path


def rows(path):
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.reader(file))


PEOPLE = [("Ana García", "4711"), ("Ben Li (12)", "12")]


def filled(folder, text, people=PEOPLE, column=""):
    """The table before and after, and what was told."""
    path = download(folder, text)
    downloaded = path.read_bytes()
    out = folder / "grades-2"
    told = fill_in(read_gradebook(path, ATTENTION, column), out, reports(out, people))
    assert path.read_bytes() == downloaded
    return rows(path), rows(out / f"filled-{path.name}"), told


# --- Moodle --------------------------------------------------------------------------------------


def test_moodles_worksheet_is_filled_in(tmp_path):
    before, after, told = filled(tmp_path, MOODLE)
    head = before[0]
    grade, feedback = head.index("Grade"), head.index("Feedback comments")
    assert after[0] == head
    assert [row[grade] for row in after[1:]] == ["15.5", "15.5", ""]
    for row in after[1:3]:
        assert row[feedback].endswith("w_q: 2 of 2.<br>why-the-root: 2.5 of 3. Look &lt;again&gt;.")
    assert after[3][feedback] == ""
    for old, new in zip(before, after, strict=True):  # all else is as it was
        assert [cell for number, cell in enumerate(old) if number not in (grade, feedback)] == [
            cell for number, cell in enumerate(new) if number not in (grade, feedback)
        ]
    assert told[0].startswith("Grades filled in: 2, in ")
    assert told[1:] == [
        "Left as it was, as nothing of theirs was graded: Ben Li",
        "Another grade stood there: Ben Li (12) from 3.00 to 15.5",
    ]


def test_names_find_their_row_where_there_are_no_numbers(tmp_path):
    people = [("ana garci\u0301a", ""), ("Ben Li", ""), ("Cem", "")]
    _, after, told = filled(tmp_path, MOODLE, people)
    assert [row[4] for row in after[1:]] == ["15.5", "3.00", ""]  # two are called Ben Li
    assert told[1] == "Not in Grades-COURSE-Assignment 2-99.csv: Cem"
    assert re.fullmatch(
        "In Grades-.* the name, but with another number or twice.*: Ben Li", told[2]
    )
    _, _, told = filled(tmp_path / "another", MOODLE, [("Ana García", "4712")])
    assert re.fullmatch("In Grades-.* with another number or twice, .*: Ana García", told[1])


def test_a_groups_number_is_not_the_person_with_that_number(tmp_path):
    people = [("Group A", "4711"), ("Ben Li (12)", "12"), ("O Brien", "13")]
    text = MOODLE.replace('"Participant 13","Ben Li"', '"Participant 13","O\'Brien"')
    _, after, told = filled(tmp_path, text, people)
    assert [row[4] for row in after[1:]] == ["", "15.5", "15.5"]
    assert told[1].endswith(": Group A")


def test_feedback_for_moodle(tmp_path):
    """Found as importziplib.php finds it: the number between the first two underscores."""
    totals = reports(tmp_path, [*PEOPLE, ("No_Number/at all", ""), ("A_b", "7")])
    first = write_feedback(tmp_path, totals).read_bytes()
    assert write_feedback(tmp_path, totals).read_bytes() == first
    with zipfile.ZipFile(io.BytesIO(first)) as archive:
        found = {}
        for path in archive.namelist():
            folder, name = path.split("/")
            info = folder.split("_", 4)
            assert len(info) == 4 and info[2:] == ["assignfeedback", "file"]
            found[info[1]] = (name, archive.read(path))
    assert set(found) == {"4711", "12", "7"}
    name, page = found["4711"]
    assert name == "feedback.html" and page == (tmp_path / "pages/Ana García.html").read_bytes()


# --- Canvas --------------------------------------------------------------------------------------


def test_canvas_gradebook_is_filled_in(tmp_path):
    """By numbers, or by names in two columns; points are scaled where others are possible."""
    before, after, told = filled(tmp_path, CANVAS, [*PEOPLE, ("Ben Li (13)", "13")])
    column = before[0].index("Assignment 2: attention (881)")
    cells = [row[column] for row in after[1:]]
    assert cells == ["Manual Posting", "16.00", "15.5", "15.5", "EX", ""]
    for old, new in zip(before, after, strict=True):
        assert old[:column] + old[column + 1 :] == new[:column] + new[column + 1 :]
    assert told[0].startswith("Grades filled in: 2, in ")
    assert told[1:] == [
        "Left as it was: Ben Li (13) (EX)",
        "Another grade stood there: Ben Li (12) from 3.00 to 15.5",
    ]
    text = CANVAS.replace("Student,ID", "LastName,FirstName,ID").replace(",,,,,M", ",,,,,,M")
    text = text.replace("Possible,", "Possible,,").replace('"García, Ana"', "García,Ana")
    text = text.replace('"Li, Ben"', "Li,Ben").replace('"Student, Test"', "Student,Test")
    _, after, told = filled(tmp_path / "names", text, [("Ana García", "")], column="Essay")
    assert after[3][7] == "9.69" and after[3][6] == ""  # 15.5 of 16 points, where 10 are possible
    assert "Points are scaled: 16 here are 10 there" in told


def test_a_gradebook_that_can_not_be_filled_in_says_why(tmp_path):
    table = (
        (MOODLE.replace("16.00", "Excellent"), "", "the largest grade is 'Excellent'"),
        (CANVAS.replace("Assignment 2", "Week 2"), "", "--column: Assignment 1 .880., Week 2"),
        (CANVAS, "Essays", "--column: Assignment 1"),
        (CANVAS.replace("Points Possible", "Points"), "", "has no row “Points Possible”"),
        (CANVAS.replace("Student,ID", "Name,Number"), "", "is neither Moodle's grading worksheet"),
        ("", "", "is no table"),
        (CANVAS + "short,row\n", "", "is no table"),
    )
    for number, (text, column, message) in enumerate(table):
        with pytest.raises(TableError, match=message):
            filled(tmp_path / str(number), text, column=column)


# --- a class list --------------------------------------------------------------------------------


CLASS_LISTS = (
    ("Ana García\nBen Li\nBen Li\nCem\n", "utf-8"),
    ("García, Ana\nLi, Ben\nLi, Ben\nCem\n", "utf-8-sig"),
    ("id;Name\n1;Ana García\n2;Ben Li\n3;Ben Li\n4;Cem\n", "utf-16"),
    ("student,user\nAna García,ana\nBen Li,ben\nBen Li,ben2\nCem,c\n", "cp1252"),
    ("First name,Last name\nAna,García\nBen,Li\nBen,Li\nCem,\n", "utf-8"),
    (MOODLE + '"Participant 14",Cem,c@example.org,"No submission",,16.00,Yes,-,-,\n', "utf-8"),
    (CANVAS + 'Cem,14,c,"Section 2",,,,\n', "utf-8"),
)


def test_who_is_missing(tmp_path):
    path = tmp_path / "class.csv"
    for text, encoding in CLASS_LISTS:
        path.write_bytes(text.encode(encoding))
        for ana, ben in (("ana  garcía", "Ben Li (12)"), ("garcíaana", "liben")):
            handed_in = [Submission(ana, tmp_path), Submission(ben, tmp_path, "12")]
            other_ben = "Ben Li" if "Li, Ben" not in text else "Li, Ben"
            assert missing(path, handed_in) == [other_ben, "Cem"], text
    path.write_text("number,points,mail\n1,2,a@b\n")
    with pytest.raises(TableError, match="no column with names"):
        missing(path, [])


# --- from the command line -----------------------------------------------------------------------


@pytest.fixture
def quick(monkeypatch):
    """Grading without running anything: all points by machine, and answers in words to read."""

    def grade_all(files, *others):
        for student in files:
            yield results(**{student: "One."})

    monkeypatch.setattr(command_line, "grade_all", grade_all)
    monkeypatch.setattr(command_line, "try_solution", lambda *others: None)


def test_a_teacher_who_stops_it_is_told_what_is_kept(tmp_path, quick, monkeypatch, capsys):
    monkeypatch.setattr(command_line, "grade_all", Mock(side_effect=KeyboardInterrupt))
    hand_in(tmp_path / "submissions" / "ana.ipynb", filled_in(ATTENTION, {}))
    assert main(command(tmp_path)) == 130
    assert "What is graded is kept" in capsys.readouterr().err


def test_what_is_wrong_comes_before_the_grading(tmp_path, monkeypatch, capsys):
    monkeypatch.setattr(command_line, "try_solution", lambda *others: pytest.fail("graded"))
    hand_in(tmp_path / "submissions" / "ana.ipynb", filled_in(ATTENTION, {}))
    readings = "student,exercise,points,of,comment\nana,why-the-root,many,3,\n"
    book = download(tmp_path, CANVAS.replace("Assignment 2", "Week 2"))
    assert main(command(tmp_path, "--gradebook", str(book))) == 2
    assert "Name one with --column: Assignment 1 (880), Week 2" in capsys.readouterr().err
    hand_in(tmp_path / "grades" / "to_read.csv", readings)
    assert main(command(tmp_path)) == 2
    assert "line 2: points must be a number from 0 to 3" in capsys.readouterr().err


def test_from_moodles_download_to_its_upload(tmp_path, quick, capsys):
    out = tmp_path / "grades"
    for name in ("Ana García_4711", "Ben Li_12"):
        place = tmp_path / "submissions" / f"{name}_assignsubmission_file" / ATTENTION.file
        hand_in(place, filled_in(ATTENTION, {}))
    sheet = download(tmp_path, MOODLE)
    grading = command(tmp_path, "--gradebook", str(sheet))
    assert main(grading) == 0
    told = capsys.readouterr().out
    assert "2 of 2 answers to read" in told
    assert "No grade yet, as there are answers to read: Ana García, Ben Li\n" in told
    table = (out / "to_read.csv").read_text(encoding="utf-8-sig")
    (out / "to_read.csv").write_text(re.sub('"","3"', '"3","3"', table, count=1), encoding="utf-8")
    assert main(grading) == 0
    told = capsys.readouterr().out
    assert "1 of 2 answers to read" in told and "Grades filled in: 1, in " in told
    assert [row[4] for row in rows(out / f"filled-{sheet.name}")[1:]] == ["16", "3.00", ""]
    assert len(zipfile.ZipFile(out / "feedback.zip").namelist()) == 2
