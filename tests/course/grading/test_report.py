"""Tables and pages: nothing that a teacher wrote is lost, whatever a spreadsheet made of it."""

import csv
import io
import json

import pytest

from course.grading import changes, report
from course.grading.assignment_files import assignment
from course.grading.collect import Submission
from course.grading.grade import Result, read_submission, to_be_read
from course.grading.manual_grades import mark
from course.grading.report import write_report
from course.grading.tables import (
    TableError,
    from_table,
    in_table,
    read_table,
    separator_of,
    write_table,
)
from tests.course.grading.classroom import WRITTEN, filled_in, hand_in

ATTENTION = assignment(2)
ESSAY = "why-the-root"  # its exercise in words, of 3 points; the others have 13


def results(**answers: str) -> list[Result]:
    """As grading finds them: all right by machine, and this answer in words ("" is none)."""
    found = []
    for student, answer in answers.items():
        for one in ATTENTION.exercises:
            if one.kind == "explain" and answer:
                found.append(Result(student, one.name, None, one.points, "to be read", answer))
            elif one.kind == "explain":
                found.append(Result(student, one.name, 0.0, one.points, "Nothing is written here."))
            else:
                found.append(Result(student, one.name, float(one.points), one.points, ""))
    return found


def table(path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8-sig", newline="") as file:
        return list(csv.DictReader(file, delimiter=separator_of(path)))


def words(path) -> str:
    return path.read_text(encoding="utf-8-sig")


def essays(folder) -> dict[str, tuple[str, str]]:
    """student -> points and hint of the answer in words, as the table of grades has them."""
    return {
        row["student"]: (row["points"], row["hint"])
        for row in table(folder / "grades.csv")
        if row["exercise"] == ESSAY
    }


def fill_in(path, written: dict[str, tuple[str, str]], encoding="utf-8-sig", **dialect) -> None:
    """Points and comments by student, as a spreadsheet stores them."""
    rows = table(path)
    for row in rows:
        student = from_table(row["student"])
        if student in written:
            row["points"], row["comment"] = written[student]
    stored = io.StringIO()
    writer = csv.DictWriter(stored, rows[0].keys(), **dialect)
    writer.writeheader()
    writer.writerows(rows)
    path.write_bytes(stored.getvalue().encode(encoding))


@pytest.fixture
def desk(tmp_path):
    """Ana's work, graded once."""
    write_report(tmp_path, ATTENTION, results(ana=WRITTEN))
    return tmp_path


# --- readings ------------------------------------------------------------------------------------


def test_points_for_written_answers_stay(desk):
    assert WRITTEN in words(desk / "to_read.html")
    assert "13 of 16 points" in words(desk / "pages" / "ana.html")
    fill_in(desk / "to_read.csv", {"ana": ("2,5", "Good; and the gradient?")})
    for _ in range(2):
        write_report(desk, ATTENTION, results(ana=WRITTEN))
        assert essays(desk) == {"ana": ("2.5", "Good; and the gradient?")}
        page = words(desk / "pages" / "ana.html")
        assert "15.5 of 16 points" in page and "Good; and the gradient?" in page


SPREADSHEETS = {
    "LibreOffice": ("utf-8", {"delimiter": ",", "lineterminator": "\n"}),
    "Excel, CSV UTF-8": ("utf-8-sig", {"delimiter": ","}),
    "Excel, where 2,5 is a number": ("utf-8-sig", {"delimiter": ";"}),
    "Excel, Unicode text": ("utf-16", {"delimiter": "\t"}),
    "Excel, CSV on Windows": ("cp1252", {"delimiter": ";"}),
    "Excel, CSV on a Mac": ("mac_roman", {"delimiter": ";", "lineterminator": "\r"}),
}


@pytest.mark.parametrize("encoding, dialect", SPREADSHEETS.values(), ids=SPREADSHEETS)
def test_any_spreadsheet_may_store_the_table(tmp_path, encoding, dialect):
    names = {"Álvaro Núñez": WRITTEN, "007": "Me, too.", "x;=1+1;": "And me."}
    written = {"Álvaro Núñez": ("2,5", "Sí: weiß"), "007": ("1", "- yes"), "x;=1+1;": ("0", "")}
    write_report(tmp_path, ATTENTION, results(**names))
    fill_in(tmp_path / "to_read.csv", written, encoding, **dialect)
    points = "2,5" if dialect["delimiter"] == ";" else "2.5"
    for _ in range(2):
        read = write_report(tmp_path, ATTENTION, results(**names))
        assert (read.unread, read.notices) == (0, [])
        assert essays(tmp_path) == {
            "Álvaro Núñez": (points, "Sí: weiß"),
            "'007": ("1", "'- yes"),
            "x;=1+1;": ("0", ""),
        }
        for one in tmp_path.glob("*.csv"):  # as this spreadsheet separates cells
            assert separator_of(one) == dialect["delimiter"], one


def test_an_encoding_in_doubt_is_refused(desk):
    """The names fit both readings, and the comment would be wrong in one of them."""
    fill_in(desk / "to_read.csv", {"ana": ("2", "así")}, "cp1252")
    before = words(desk / "grades.csv")
    with pytest.raises(TableError, match="isn't in UTF-8, and its letters"):
        write_report(desk, ATTENTION, results(ana=WRITTEN))
    assert words(desk / "grades.csv") == before


@pytest.mark.parametrize("column", ["student", "exercise"])
def test_a_reading_that_fits_nobody_is_told_and_stays(desk, column):
    was, now = ('"ana"', '"7"') if column == "student" else (ESSAY, "why")
    stored = words(desk / "to_read.csv").replace(was, now).replace('"","3"', '"2","3"')
    (desk / "to_read.csv").write_text(stored, encoding="utf-8")
    for _ in range(2):
        read = write_report(desk, ATTENTION, results(ana=WRITTEN))
        (told,) = read.notices
        assert "to_read.csv, line" in told and "2 points stay in the table" in told
        assert ("'7'" if column == "student" else "'why'") in told
        assert read.unread == 1
        assert [row["points"] for row in table(desk / "to_read.csv")] == ["", "2"]


def test_two_readings_of_one_answer_are_refused(desk):
    rows = words(desk / "to_read.csv").replace('"","3"', '"2","3"').splitlines()
    (desk / "to_read.csv").write_text("\n".join([*rows, rows[1].replace('"2"', '"1"')]))
    with pytest.raises(TableError, match="lines 2 and 3: the same answer is graded twice"):
        write_report(desk, ATTENTION, results(ana=WRITTEN))


def test_points_for_an_answer_that_has_changed_are_shown_and_do_not_count(desk):
    fill_in(desk / "to_read.csv", {"ana": ("2", "Good.")})
    write_report(desk, ATTENTION, results(ana=WRITTEN))
    for _ in range(2):  # it stays so until somebody reads it
        read = write_report(desk, ATTENTION, results(ana="Something else."))
        assert essays(desk) == {"ana": ("", "to be read")} and read.unread == 1
        (row,) = table(desk / "to_read.csv")
        assert row["before"] == "2 points (Good.) for an answer that has changed since"
        assert "2 points (Good.) for an answer that" in words(desk / "to_read.html")
    fill_in(desk / "to_read.csv", {"ana": ("1", "")})
    assert write_report(desk, ATTENTION, results(ana="Something else.")).notices == []
    (row,) = table(desk / "to_read.csv")
    assert (row["points"], row["before"]) == ("1", "")


def test_points_for_an_answer_that_is_gone_are_told(desk):
    fill_in(desk / "to_read.csv", {"ana": ("2", "Good.")})
    told = write_report(desk, ATTENTION, results(ana="")).notices
    assert any(f"ana has no answer to {ESSAY} now. 2 points (Good.) stay" in one for one in told)
    assert table(desk / "to_read.csv")[0]["points"] == "2"


def test_a_table_without_the_marks_of_answers_counts(desk):
    rows = [
        {name: row[name] for name in ("student", "exercise", "points", "of", "comment")}
        | {"points": "2", "read by": "Eva"}
        for row in table(desk / "to_read.csv")
    ]
    write_table(desk / "to_read.csv", rows[0].keys(), [row.values() for row in rows])
    write_report(desk, ATTENTION, results(ana=WRITTEN))
    assert essays(desk) == {"ana": ("2", "")}
    (row,) = table(desk / "to_read.csv")
    assert row["answer"] == mark(WRITTEN) and row["read by"] == "Eva"  # a column of one's own stays


def test_a_comment_without_points_stays(desk):
    fill_in(desk / "to_read.csv", {"ana": ("", "Ask her.")})
    write_report(desk, ATTENTION, results(ana=WRITTEN))
    assert table(desk / "to_read.csv")[0]["comment"] == "Ask her."
    assert essays(desk) == {"ana": ("", "Ask her.")}


def test_points_of_somebody_who_is_absent_stay(desk):
    fill_in(desk / "to_read.csv", {"ana": ("2", "Good.")})
    told = write_report(desk, ATTENTION, results(ben="")).notices
    assert any("nobody handed in as 'ana'" in one for one in told)
    told = write_report(desk, ATTENTION, results(ben=""), blind=1).notices
    assert any("nobody handed in as 'student-00" in one for one in told)
    assert "ana" not in words(desk / "to_read.csv") + words(desk / "to_read.html")
    write_report(desk, ATTENTION, results(ana=WRITTEN, ben=""))
    assert essays(desk)["ana"] == ("2", "Good.")


def test_a_blind_reading_hides_who_is_absent(desk):
    both = results(ana=WRITTEN, ben=WRITTEN)
    write_report(desk, ATTENTION, both, blind=1)
    numbers = [row["student"] for row in table(desk / "to_read.csv")]
    fill_in(desk / "to_read.csv", {number: ("2", "") for number in numbers})
    told = write_report(desk, ATTENTION, results(ben=WRITTEN), blind=1).notices
    assert any("nobody handed in as 'student-00" in one for one in told)
    assert not any("ana" in one for one in told)


@pytest.mark.parametrize(
    "content, message",
    [
        (b"name,points\nana,1\n", "its first line should be student,exercise,points,of,comment"),
        (b"", "its first line should be"),
        (b'student,exercise,points,of,comment\n"' + 200_000 * b"x", "is no table"),
    ],
)
def test_a_table_that_can_not_be_read_is_left_alone(desk, content, message):
    (desk / "to_read.csv").write_bytes(content)
    before = words(desk / "grades.csv")
    with pytest.raises(TableError, match=message):
        write_report(desk, ATTENTION, results(ana=WRITTEN))
    assert (desk / "to_read.csv").read_bytes() == content
    assert words(desk / "grades.csv") == before


def test_all_that_is_wrong_with_the_table_is_told_at_once(desk):
    write_report(desk, ATTENTION, results(ana=WRITTEN, ben=WRITTEN))
    fill_in(desk / "to_read.csv", {"ana": ("many", ""), "ben": ("5", "")})
    with pytest.raises(TableError) as caught:
        report.check_manual_grades(desk, ATTENTION, ["ana", "ben"])
    first, second = str(caught.value).splitlines()
    assert "line 2: points must be a number from 0 to 3, not 'many'" in first
    assert "line 3: points must be a number from 0 to 3, not '5'" in second


@pytest.mark.parametrize("points", ["4", "-1", "many", "nan", "02. Mai"])
def test_points_that_can_not_be(desk, points):
    before = words(desk / "grades.csv")
    fill_in(desk / "to_read.csv", {"ana": (points, "")})
    filled = words(desk / "to_read.csv")
    message = f"line 2: points must be a number from 0 to 3, not '{points}'"
    with pytest.raises(TableError, match=message):
        write_report(desk, ATTENTION, results(ana=WRITTEN))
    assert words(desk / "grades.csv") == before
    assert words(desk / "to_read.csv") == filled


# --- appeals -------------------------------------------------------------------------------------


def appeal(folder, *rows, encoding="utf-8", separator=","):
    """adjust.csv as a spreadsheet stores it."""
    lines = [("student", "exercise", "points", "reason"), *rows]
    text = "\r\n".join(separator.join(f'"{cell}"' for cell in line) for line in lines)
    (folder / "adjust.csv").write_bytes(text.encode(encoding))


@pytest.mark.parametrize("encoding, dialect", SPREADSHEETS.values(), ids=SPREADSHEETS)
def test_an_appeal_is_in_the_tables_on_the_page_and_among_the_changes(tmp_path, encoding, dialect):
    names = {"Álvaro Núñez": WRITTEN, "007": "Me, too."}
    write_report(tmp_path, ATTENTION, results(**names))
    assert words(tmp_path / "adjust.csv").split() == ['"student","exercise","points","reason"']
    half = "2,5" if dialect["delimiter"] == ";" else "2.5"
    rows = (
        ("Álvaro Núñez", "my_weights", half, "The hint was wrong."),
        ("'007", "Total", "'-2", "late"),
    )
    appeal(tmp_path, *rows, encoding=encoding, separator=dialect["delimiter"])
    stored = (tmp_path / "adjust.csv").read_bytes()
    for _ in range(2):
        assert write_report(tmp_path, ATTENTION, results(**names)).notices[1:] == []
        assert (tmp_path / "adjust.csv").read_bytes() == stored
        totals = {row["student"]: row for row in table(tmp_path / "totals.csv")}
        found = [(row["machine"], row["adjusted"], row["total"]) for row in totals.values()]
        assert [one.replace(",", ".") for row in found for one in row] == [
            *("10.5", "0", "10.5"),
            *("13", "-2", "11"),
        ]
        page = words(tmp_path / "pages" / "Álvaro Núñez.html")
        assert "2.5 points from your teacher instead of 5: The hint was wrong." in page
        assert "by -2: late" in words(tmp_path / "pages" / "007.html")
        changed = [tuple(row.values())[1:] for row in table(tmp_path / "changes.csv")]
        assert changed == [
            ("Álvaro Núñez", "my_weights", "5", "2.5", "your adjustment: The hint was wrong."),
            ("'007", "total", "0", "-2", "your adjustment: late"),
        ]
    appeal(tmp_path, rows[1])
    write_report(tmp_path, ATTENTION, results(**names))
    assert "taken back" in table(tmp_path / "changes.csv")[-1]["why"]


@pytest.mark.parametrize(
    "row, message",
    [
        (("ana", "my_weights", "6", ""), "line 2: points must be from 0 to 5, not '6'"),
        (("ana", "my_weights", "", "?"), "line 2: points must be from 0 to 5, not ''"),
        (("ana", "my_weights", "-1", ""), "line 2: points must be from 0 to 5"),
        (("ana", "total", "inf", ""), "line 2: points must be a number, such as -2"),
        (("ana", "total", "-10 %", ""), "line 2: points must be a number, such as -2"),
    ],
)
def test_an_appeal_that_can_not_be(desk, row, message):
    appeal(desk, row)
    before = words(desk / "grades.csv")
    with pytest.raises(TableError, match=message):
        report.check_manual_grades(desk, ATTENTION, ["ana"])
    with pytest.raises(TableError, match=message):
        write_report(desk, ATTENTION, results(ana=WRITTEN))
    assert words(desk / "grades.csv") == before


def test_appeals_of_nobody_are_told_and_a_total_is_never_below_zero(desk):
    appeal(
        desk, ("anna", "total", "1", ""), ("ana", "weights", "1", ""), ("ana", "total", "-99", "")
    )
    told = write_report(desk, ATTENTION, results(ana=WRITTEN)).notices
    assert "line 2: nobody handed in as 'anna'" in told[0]
    assert "line 3: there is no exercise 'weights'" in told[1]
    assert table(desk / "totals.csv")[0]["total"] == "0"


# --- blind ---------------------------------------------------------------------------------------


def test_a_blind_reading_has_numbers_and_no_names(tmp_path):
    students = {f"name-{letter}": f"Answer {letter}." for letter in "abcdefgh"}
    for seed in (1, 2):
        write_report(tmp_path / str(seed), ATTENTION, results(**students), blind=seed)
    first, second = tmp_path / "1", tmp_path / "2"
    key = {row["number"]: row["student"] for row in table(first / "key.csv")}
    assert sorted(key.values()) == sorted(students)
    assert list(key.values()) != sorted(students)
    assert key != {row["number"]: row["student"] for row in table(second / "key.csv")}
    for name in ("to_read.csv", "to_read.html"):
        assert "name-" not in words(first / name)
    assert [row["student"] for row in table(first / "to_read.csv")] == sorted(key)
    assert words(first / "to_read.html").index("student-001") < words(first / "to_read.html").index(
        "student-002"
    )

    # Points find their student, with somebody new, another seed, and without numbers.
    number = next(number for number, student in key.items() if student == "name-c")
    fill_in(first / "to_read.csv", {number: ("2", "Good.")})
    students["name-0"] = "Late."
    write_report(first, ATTENTION, results(**students), blind=7)
    again = {row["number"]: row["student"] for row in table(first / "key.csv")}
    assert again == key | {"student-009": "name-0"}
    assert essays(first)["name-c"] == ("2", "Good.")
    write_report(first, ATTENTION, results(**students))
    assert {row["student"]: row["points"] for row in table(first / "to_read.csv")} == (
        dict.fromkeys(students, "") | {"name-c": "2"}
    )


@pytest.mark.parametrize("blind", [None, 1])
def test_odd_names_find_their_points(tmp_path, blind):
    """Accents in two pieces, as a Mac names files; letters that aren't UTF-8; an apostrophe."""
    students = dict.fromkeys(["Jose\u0301", "M\udcfcller", "'x", "=y"], "One.")
    write_report(tmp_path, ATTENTION, results(**students), blind=blind)
    first = table(tmp_path / "to_read.csv")
    fill_in(tmp_path / "to_read.csv", {from_table(row["student"]): ("2", "") for row in first})
    for _ in range(2):
        read = write_report(tmp_path, ATTENTION, results(**students), blind=blind)
        assert (read.unread, read.notices) == (0, [])
        assert [row["student"] for row in table(tmp_path / "to_read.csv")] == [
            row["student"] for row in first
        ]


def test_points_by_name_are_kept_when_reading_goes_blind(desk):
    fill_in(desk / "to_read.csv", {"ana": ("2", "")})
    write_report(desk, ATTENTION, results(ana=WRITTEN), blind=0)
    (row,) = table(desk / "to_read.csv")
    assert (row["student"], row["points"]) == ("student-001", "2")


# --- tables --------------------------------------------------------------------------------------


def test_no_cell_of_a_table_is_a_formula():
    assert [in_table(cell) for cell in ("=1+1", "@x", "-2", "＝1", "'", "plain", 0, 2.5, None)] == [
        "'=1+1",
        "'@x",
        "'-2",
        "'＝1",
        "''",
        "plain",
        "0",
        "2.5",
        "",
    ]


@pytest.mark.parametrize(
    "name",
    [
        "007",
        "1e5",
        "3-4",
        "12/3",
        "10:30",
        "2026",
        "mar 3",
        "3. Mai",
        "Dec-2026",
        "TRUE",
        "12345678901234567",
    ],
)
def test_a_name_that_a_spreadsheet_would_change_is_text(name):
    assert in_table(name) == f"'{name}"
    assert from_table(f"'{name}") == name


@pytest.mark.parametrize("words", ["'s right", "'", "''", "'=1", "=1", "'7", "7", "plain"])
def test_what_is_written_is_read_again(words):
    assert from_table(in_table(words)) == words


@pytest.mark.parametrize("name", ["ana", "Ana 2", "x;y", "Marta", "student-001", "2 are right"])
def test_other_names_are_as_they_are(name):
    assert in_table(name) == name


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_name_stays_in_its_cell_whatever_separates_them(tmp_path, separator):
    write_report(tmp_path, ATTENTION, results(**{"x;=1+1;\t=2,=3": ""}))
    for name in ("grades.csv", "totals.csv"):
        raw = words(tmp_path / name)
        # Between quotes, so that no part of it begins a cell.
        assert '"x;=1+1;\t=2,=3"' in raw
        for line in raw.splitlines():
            assert line[0] == line[-1] == '"', line


def test_tables_say_that_they_are_utf_8(desk):
    for name in ("grades.csv", "totals.csv", "to_read.csv"):
        assert (desk / name).read_bytes().startswith(b"\xef\xbb\xbf")


def test_empty_lines_count_and_hold_nothing(tmp_path):
    path = tmp_path / "table.csv"
    path.write_bytes("a;b\r\n;\r\n\r\n1;é\r\n".encode())
    assert read_table(path, ("a", "b"), lambda rows: False) == [(4, {"a": "1", "b": "é"})]


def test_one_row_for_each_student(tmp_path):
    submissions = [Submission("ana", tmp_path, "17"), Submission("ben", tmp_path, "4", late=True)]
    write_report(tmp_path, ATTENTION, results(ana="One.", ben="Two."), submissions)
    fill_in(tmp_path / "to_read.csv", {"ana": ("2.5", "")})
    write_report(tmp_path, ATTENTION, results(ana="One.", ben="Two."), submissions)
    assert table(tmp_path / "totals.csv") == [
        {
            "student": "ana",
            "machine": "13",
            "person": "2.5",
            "adjusted": "0",
            "total": "15.5",
            "of": "16",
            "to read": "0",
            "late": "",
            "id": "'17",
        },
        {
            "student": "ben",
            "machine": "13",
            "person": "0",
            "adjusted": "0",
            "total": "13",
            "of": "16",
            "to read": "1",
            "late": "late",
            "id": "'4",
        },
    ]


def test_an_unreadable_file_says_so_once(tmp_path):
    reason = "ana.ipynb isn't a notebook: hand in the .ipynb file."
    lost = [Result("ana", one.name, 0.0, one.points, reason) for one in ATTENTION.exercises]
    told = write_report(tmp_path, ATTENTION, lost + results(ben="")).notices
    assert told == [f"ana: {reason}"]
    for path in ("grades.csv", "pages/ana.html"):
        assert words(tmp_path / path).count("isn") == 1, path
    assert "0 of 16 points" in words(tmp_path / "pages" / "ana.html")


# --- what is different from the last time --------------------------------------------------------


@pytest.fixture
def again(tmp_path):
    """Grade ana's notebook, and say what this grading has added to changes.csv."""
    before = []

    def grade(points, answer="One.", code="x = 1"):
        cell = {"cell_type": "code", "source": code, "metadata": {}, "outputs": []}
        hand_in(tmp_path / "ana.ipynb", {"cells": [cell], "metadata": {}})
        found = [Result("ana", "w_q", points, 2, "")]
        found += [one for one in results(ana=answer) if one.exercise == ESSAY]
        return added(found)

    def added(found):
        ana = [Submission("ana", tmp_path / "ana.ipynb")]
        told = write_report(tmp_path, ATTENTION, found, ana).notices
        rows = [tuple(row.values()) for row in table(tmp_path / "changes.csv")]
        assert rows[: len(before)] == before  # what was there stays
        new = [row[1:] for row in rows[len(before) :]]
        before[:] = rows
        assert any(f"aren't what they were: {len(new)}, in" in one for one in told) == bool(new)
        return new

    grade.added = added
    return grade


def test_grading_again_tells_what_changed_for_whom_and_why(tmp_path, monkeypatch, again):
    assert again(2.0) == []
    assert again(2.0) == []
    assert again(1.0, code="x = 2") == [("ana", "w_q", "2", "1", "the notebook")]
    assert again(1.0, code="x = 2") == []
    assert again(2.0, code="x = 2") == [("ana", "w_q", "1", "2", changes.NOTHING_CHANGED)]
    monkeypatch.setattr(changes, "library", lambda: "another check")
    assert again(1.0, code="x = 2") == [("ana", "w_q", "2", "1", "the check")]
    monkeypatch.setattr(changes, "library", lambda: "and another")
    assert again(2.0) == [("ana", "w_q", "1", "2", "the notebook and the check")]
    fill_in(tmp_path / "to_read.csv", {"ana": ("3", "")})
    assert again(2.0) == []  # read for the first time
    fill_in(tmp_path / "to_read.csv", {"ana": ("2", "")})
    assert again(2.0) == [("ana", ESSAY, "3", "2", "your points for it")]
    assert again(2.0, answer="Two.") == [("ana", ESSAY, "2", "", "the answer")]


def test_who_comes_and_goes_is_told_both_ways(again):
    ben = Result("ben", "w_q", 1.0, 2, "")
    again(2.0)
    assert again.added([ben]) == [
        ("ana", "w_q", "2", "", "not handed in this time"),
        ("ben", "w_q", "", "1", "handed in for the first time"),
    ]
    assert again.added([ben]) == []  # told once
    assert again.added([ben, Result("ana", "w_q", 2.0, 2, "")]) == [
        ("ana", "w_q", "", "2", "handed in again")
    ]


def test_the_page_of_somebody_who_is_absent_now_goes(tmp_path):
    write_report(tmp_path, ATTENTION, results(ana="", ben=""))
    (tmp_path / "pages" / "notes.html").touch()  # somebody else's
    write_report(tmp_path, ATTENTION, results(ben=""))
    assert {path.name for path in (tmp_path / "pages").iterdir()} == {"ben.html", "notes.html"}


def test_the_marks_of_checks_hold_the_checks():
    assert "class Hint" in changes.library()
    json.dumps(changes.memory(ATTENTION, results(ana="One."), {}, {}))


# --- pages ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "part", ["[](", "> ", "- ", "*a ", "**a", "`", "![", "<b>", "|a|\n|-|\n", "\udcfc"]
)
def test_endless_markdown_does_not_hold_up_the_report(tmp_path, part):
    notebook = filled_in(ATTENTION, {ESSAY: 100_000 * part})
    hand_in(tmp_path / "ana.ipynb", notebook)
    cells = read_submission(tmp_path / "ana.ipynb", ATTENTION)
    answer = to_be_read("ana", ATTENTION.exercises[-1], cells, ATTENTION)
    assert len(answer.text) < 10_100
    write_report(tmp_path, ATTENTION, [answer])
    assert (tmp_path / "to_read.html").exists() and (tmp_path / "pages" / "ana.html").exists()


def test_a_table_is_a_table_and_a_pasted_picture_is_told():
    table = "| scale | weight |\n|---|---|\n| 1 | <b>0.5</b> |"
    assert "<td>&lt;b&gt;0.5&lt;/b&gt;</td>" in report.as_html(table)
    pasted = report.as_html("![im<age.png](attachment:image.png)")
    assert "a picture, see the notebook: im&lt;age.png" in pasted
    assert "<img" not in pasted and "href" not in pasted


def test_a_formula_is_shown_as_one(tmp_path):
    answer = "It divides by $\\sqrt{d_k}$.\n\n$$\na < b\n$$\n\nIt costs 5$ or 6$."
    write_report(tmp_path, ATTENTION, results(ana=answer))
    for name in ("pages/ana.html", "to_read.html"):
        page = words(tmp_path / name)
        assert "<msqrt><mrow><msub><mi>d</mi><mi>k</mi></msub></mrow></msqrt></mrow></math>" in page
        assert 'display="block"><mrow><mi>a</mi><mo>&lt;</mo>' in page
        assert "5$ or 6$" in page and "<script" not in page
    expected = ATTENTION.exercises[-1].expected
    assert "$" in expected and "$" not in report.as_html(expected)


@pytest.mark.parametrize(
    "latex, shown",
    [
        (r"\text{<img src=x>}", r"$\text{&lt;img src=x&gt;}$"),
        (r"\text{<img/>}", r"$\text{&lt;img/&gt;}$"),
        (r"\frac{", r"$\frac{$"),
        ("{" * 900, "$" + "{" * 900 + "$"),
        ("x" * 1001, "$" + "x" * 1001 + "$"),
    ],
)
def test_a_formula_that_is_none_stays_as_it_is(latex, shown):
    assert report.as_formula(latex, "inline") == shown


def test_a_formula_leads_nowhere():
    for harm in (r"\href{javascript:alert(1)}{x}", r"\style{background:url(http://x)}{x}"):
        formula = report.as_formula(harm, "inline")
        assert formula.startswith("<math") and "href" not in formula and "style" not in formula


def test_markdown_that_can_not_be_read_is_shown_as_it_is(monkeypatch):
    def broken(words):
        raise RecursionError

    monkeypatch.setattr(report, "MARKDOWN", broken)
    assert report.as_html("a <b>") == "<pre>a &lt;b&gt;</pre>"


def test_html_in_an_answer_is_shown_not_obeyed(tmp_path):
    harm = "**So** <script>alert(1)</script> [here](javascript:alert(1))"
    write_report(tmp_path, ATTENTION, results(ana=harm))
    for name in ("pages/ana.html", "to_read.html"):
        page = words(tmp_path / name)
        assert "<strong>So</strong> &lt;script&gt;alert(1)" in page
        assert "<script" not in page and 'href="javascript' not in page


@pytest.mark.parametrize(
    "answer",
    [
        "![seen](https://example.com/a.png)",
        "![seen][1]\n\n[1]: https://example.com/a.png",
        "![](data:image/svg+xml;base64,AAAA)",
        '<img src="https://example.com/a.png">',
        '<link rel="stylesheet" href="https://example.com/a.css">',
    ],
)
def test_looking_at_an_answer_loads_nothing(tmp_path, answer):
    write_report(tmp_path, ATTENTION, results(ana=answer))
    for name in ("pages/ana.html", "to_read.html"):
        page = words(tmp_path / name)
        assert "<img" not in page and "<link" not in page
        assert "Content-Security-Policy\" content=\"default-src 'none';" in page


@pytest.mark.parametrize("student, page", [("ñ" * 120, "ñ" * 100), ("M\udcfcller", "M?ller")])
def test_an_odd_name_gets_a_page(tmp_path, student, page):
    write_report(tmp_path, ATTENTION, [Result(student, "w_q", 1.0, 2, "")])
    assert [path.stem for path in (tmp_path / "pages").iterdir()] == [page]
    assert f"{page[:5]}" in words(tmp_path / "grades.csv")


def test_names_that_begin_alike_get_pages_of_their_own(tmp_path):
    names = ["x" * 220 + "1", "x" * 220 + "2", "Ana", "ana", "Jose\u0301", "José"]
    write_report(tmp_path, ATTENTION, [Result(one, "w_q", 1.0, 2, "") for one in names])
    pages = {path.stem for path in (tmp_path / "pages").iterdir()}
    assert pages == {"x" * 200, "x" * 200 + "-2", "Ana", "ana-2", "Jose\u0301", "José-2"}
