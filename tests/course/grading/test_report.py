"""Tables and pages: nothing that a teacher wrote is lost, whatever a spreadsheet made of it."""

import csv
import re

import pytest

from course.grading import changes, report
from course.grading.collect import Submission
from course.grading.grade import Result, read_submission, to_be_read
from course.grading.report import write_report
from course.grading.tables import TableError, from_table, in_table, separator_of
from tests.course.grading.classroom import ATTENTION, WRITTEN, filled_in, hand_in, results, table

ESSAY = "why-the-root"  # its exercise in words, of 3 points; the others have 13


def reported(folder, blind=None, **answers: str) -> report.Report:
    return write_report(folder, ATTENTION, results(**answers), blind=blind)


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
    with path.open("w", encoding=encoding, newline="") as file:
        writer = csv.DictWriter(file, rows[0].keys(), **dialect)
        writer.writeheader()
        writer.writerows(rows)


@pytest.fixture
def desk(tmp_path):
    """Ana's work, graded once."""
    reported(tmp_path, ana=WRITTEN)
    return tmp_path


# --- readings ------------------------------------------------------------------------------------


SPREADSHEETS = {
    "LibreOffice": ("utf-8", {"delimiter": ",", "lineterminator": "\n"}),
    "Excel, CSV UTF-8": ("utf-8-sig", {"delimiter": ","}),
    "Excel, where 2,5 is a number": ("utf-8-sig", {"delimiter": ";"}),
    "Excel, Unicode text": ("utf-16", {"delimiter": "\t"}),
    "Excel, CSV on Windows": ("cp1252", {"delimiter": ";"}),
    "Excel, CSV on a Mac": ("mac_roman", {"delimiter": ";", "lineterminator": "\r"}),
}


def test_points_for_an_answer_that_has_changed_or_is_gone_are_shown_and_do_not_count(desk):
    fill_in(desk / "to_read.csv", {"ana": ("2", "Good.")})
    told = reported(desk, ana="").notices
    assert any(f"ana has no answer to {ESSAY} now. 2 points (Good.) stay" in one for one in told)
    for _ in range(2):  # it stays so until somebody reads it
        read = reported(desk, ana="Something else.")
        assert essays(desk) == {"ana": ("", "to be read")} and read.unread == 1
        (row,) = table(desk / "to_read.csv")
        assert row["before"] == "2 points (Good.) for an answer that has changed since"
        assert "2 points (Good.) for an answer that" in words(desk / "to_read.html")
    fill_in(desk / "to_read.csv", {"ana": ("", "Ask her.")})
    reported(desk, ana="Something else.")
    assert essays(desk) == {"ana": ("", "Ask her.")}  # a comment without points stays


def test_a_table_that_somebody_made_counts_and_what_fits_nobody_stays(desk):
    """It has the columns that are asked for, and one of its own, which stays."""
    rows = [f"ana,{ESSAY},2,3,,Eva", f"7,{ESSAY},1,3,,", "ana,why,3,3,,"]
    (desk / "to_read.csv").write_text(
        "\n".join(["student,exercise,points,of,comment,read by", *rows]), encoding="utf-8"
    )
    for _ in range(2):
        nobody, nothing = reported(desk, ana=WRITTEN).notices
        assert "line 3: nobody handed in as '7'. 1 points stay in the table" in nobody
        assert "line 4: there is no exercise 'why'. 3 points stay in the table" in nothing
        assert essays(desk) == {"ana": ("2", "")}
        found = table(desk / "to_read.csv")
        assert [row["points"] for row in found] == ["2", "1", "3"] and found[0]["read by"] == "Eva"


def test_points_of_somebody_who_is_absent_stay(desk):
    fill_in(desk / "to_read.csv", {"ana": ("2", "Good.")})
    told = reported(desk, ben="").notices
    assert any("nobody handed in as 'ana'" in one for one in told)
    told = reported(desk, ben="", blind=1).notices
    assert any("nobody handed in as 'student-00" in one for one in told)
    assert not any("ana" in one for one in told)
    assert "ana" not in words(desk / "to_read.csv") + words(desk / "to_read.html")
    reported(desk, ana=WRITTEN, ben="")
    assert essays(desk)["ana"] == ("2", "Good.")


def appeal(folder, *rows, encoding="utf-8", separator=","):
    """adjust.csv as a spreadsheet stores it."""
    lines = [("student", "exercise", "points", "reason"), *rows]
    text = "\r\n".join(separator.join(f'"{cell}"' for cell in line) for line in lines)
    (folder / "adjust.csv").write_bytes(text.encode(encoding))


def test_a_blind_reading_has_numbers_and_no_names(tmp_path):
    students = {f"name-{letter}": f"Answer {letter}." for letter in "abcdefgh"}
    keys = []
    for seed in (1, 2):
        reported(tmp_path / str(seed), **students, blind=seed)
        rows = table(tmp_path / str(seed) / "key.csv")
        keys.append({row["number"]: row["student"] for row in rows})
    key, first = keys[0], tmp_path / "1"
    assert keys[1] != key and list(key.values()) != sorted(students) == sorted(key.values())
    for name in ("to_read.csv", "to_read.html"):
        assert "name-" not in words(first / name)
    # Points find their student, with somebody new, another seed, and without numbers.
    number = next(number for number, student in key.items() if student == "name-c")
    fill_in(first / "to_read.csv", {number: ("2", "Good.")})
    students["name-0"] = "Late."
    reported(first, **students, blind=7)
    again = {row["number"]: row["student"] for row in table(first / "key.csv")}
    assert again == key | {"student-009": "name-0"}
    reported(first, **students)
    assert {row["student"]: row["points"] for row in table(first / "to_read.csv")} == (
        dict.fromkeys(students, "") | {"name-c": "2"}
    )


def test_an_unreadable_file_says_so_once(tmp_path):
    reason = "ana.ipynb isn't a notebook: hand in the .ipynb file."
    lost = [Result("ana", one.name, 0.0, one.points, reason) for one in ATTENTION.exercises]
    told = write_report(tmp_path, ATTENTION, lost + results(ben="")).notices
    assert told == [f"ana: {reason}"]
    for path in ("grades.csv", "pages/ana.html"):
        assert words(tmp_path / path).count("isn") == 1, path
    assert "0 of 16 points" in words(tmp_path / "pages" / "ana.html")


# --- what is different from the last time --------------------------------------------------------


def test_grading_again_tells_what_changed_for_whom_and_why(tmp_path, monkeypatch):
    def graded(*others, points=2.0, answer="One.", code="x = 1", ana=True):
        """What this grading adds to changes.csv."""
        cell = {"cell_type": "code", "source": code, "metadata": {}, "outputs": []}
        hand_in(tmp_path / "ana.ipynb", {"cells": [cell], "metadata": {}})
        found = [Result("ana", "w_q", points, 2, "")] if ana else []
        found += [one for one in results(ana=answer) if ana and one.exercise == ESSAY]
        changes_file = tmp_path / "changes.csv"
        before = len(table(changes_file)) if changes_file.exists() else 0
        submissions = [Submission("ana", tmp_path / "ana.ipynb")]
        told = write_report(tmp_path, ATTENTION, [*found, *others], submissions).notices
        new = [tuple(row.values())[1:] for row in table(changes_file)[before:]]
        assert any(f"aren't what they were: {len(new)}, in" in one for one in told) == bool(new)
        return new

    assert graded() == graded() == []
    assert graded(points=1.0, code="x = 2") == [("ana", "w_q", "2", "1", "the notebook")]
    assert graded(code="x = 2") == [("ana", "w_q", "1", "2", changes.NOTHING_CHANGED)]
    monkeypatch.setattr(changes, "library", lambda: "another check")
    assert graded(points=1.0, code="x = 2") == [("ana", "w_q", "2", "1", "the check")]
    monkeypatch.setattr(changes, "library", lambda: "and another")
    assert graded() == [("ana", "w_q", "1", "2", "the notebook and the check")]
    fill_in(tmp_path / "to_read.csv", {"ana": ("3", "")})
    assert graded() == []  # read for the first time
    fill_in(tmp_path / "to_read.csv", {"ana": ("2", "")})
    assert graded() == [("ana", ESSAY, "3", "2", "your points for it")]
    assert graded(answer="Two.") == [("ana", ESSAY, "2", "", "the answer")]
    ben = Result("ben", "w_q", 1.0, 2, "")
    assert graded(ben, ana=False) == [
        ("ana", "w_q", "2", "", "not handed in this time"),
        ("ben", "w_q", "", "1", "handed in for the first time"),
    ]
    assert {path.stem for path in (tmp_path / "pages").iterdir()} == {"ben"}
    assert ("ana", "w_q", "", "2", "handed in again") in graded(ben, answer="")


# --- whatever stores the tables ------------------------------------------------------------------


@pytest.mark.parametrize("encoding, dialect", SPREADSHEETS.values(), ids=SPREADSHEETS)
def test_any_spreadsheet_may_store_the_tables(tmp_path, encoding, dialect):
    """Points and comments stay, and so do appeals, in whatever encoding and with any names."""
    names = {"Álvaro Núñez": WRITTEN, "007": "Me, too.", "x;=1+1;": "And me."}
    written = {"Álvaro Núñez": ("2,5", "Sí: weiß"), "007": ("1", "- yes"), "x;=1+1;": ("0", "")}
    reported(tmp_path, **names)
    fill_in(tmp_path / "to_read.csv", written, encoding, **dialect)
    comma = dialect["delimiter"] == ";"
    rows = (
        ("Álvaro Núñez", "my_weights", "2,5" if comma else "2.5", "The hint was wrong."),
        ("'007", "Total", "'-2", "late"),
    )
    appeal(tmp_path, *rows, encoding=encoding, separator=dialect["delimiter"])
    stored = (tmp_path / "adjust.csv").read_bytes()
    for _ in range(2):
        read = reported(tmp_path, **names)
        assert read.unread == 0 and read.notices[1:] == []
        assert (tmp_path / "adjust.csv").read_bytes() == stored
        assert essays(tmp_path) == {
            "Álvaro Núñez": ("2,5" if comma else "2.5", "Sí: weiß"),
            "'007": ("1", "'- yes"),
            "x;=1+1;": ("0", ""),
        }
        found = [
            tuple(row[name].replace(",", ".") for name in ("machine", "adjusted", "total"))
            for row in table(tmp_path / "totals.csv")
        ]
        assert found == [("10.5", "0", "13"), ("13", "-2", "12"), ("13", "0", "13")]
        page = words(tmp_path / "pages" / "Álvaro Núñez.html")
        assert "2.5 points from your teacher instead of 5: The hint was wrong." in page
        assert "13 of 16 points" in page and "Sí: weiß" in page
        assert "by -2: late" in words(tmp_path / "pages" / "007.html")
        assert [tuple(row.values())[1:] for row in table(tmp_path / "changes.csv")] == [
            ("Álvaro Núñez", "my_weights", "5", rows[0][2], "your adjustment: The hint was wrong."),
            ("'007", "total", "0", "-2", "your adjustment: late"),
        ]
        for one in tmp_path.glob("*.csv"):  # as this spreadsheet separates cells, in UTF-8
            assert separator_of(one) == dialect["delimiter"], one
            assert one.name == "adjust.csv" or one.read_bytes().startswith(b"\xef\xbb\xbf")
    appeal(tmp_path, rows[1])
    reported(tmp_path, **names)
    assert "taken back" in table(tmp_path / "changes.csv")[-1]["why"]


HEAD = b"student,exercise,points,of,comment\n"
ROW, MANY = b"ana,why-the-root,2,3,\n", b"ana,why-the-root,%b,3,\n"
APPEAL = b"student,exercise,points,reason\nana,%b,"
REFUSED = [  # to_read.csv or adjust.csv, and what is said of it
    ("to_read.csv", HEAD + ROW + MANY % b"1", "lines 2 and 3: the same answer is graded twice"),
    ("to_read.csv", HEAD + ROW[:-1] + "así".encode("cp1252"), "isn't in UTF-8, and its letters"),
    ("to_read.csv", b"name,points\nana,1\n", "its first line should be student,exercise,points"),
    ("to_read.csv", b"", "its first line should be"),
    ("to_read.csv", HEAD + b'"' + 200_000 * b"x", "is no table"),
    *[
        ("to_read.csv", HEAD + MANY % points, f"a number from 0 to 3, not '{points.decode()}'")
        for points in (b"4", b"-1", b"many", b"nan", b"02. Mai")
    ],
    ("adjust.csv", APPEAL % b"my_weights,6", "line 2: points must be from 0 to 5, not '6'"),
    ("adjust.csv", APPEAL % b"my_weights,", "line 2: points must be from 0 to 5, not ''"),
    ("adjust.csv", APPEAL % b"my_weights,-1", "line 2: points must be from 0 to 5"),
    ("adjust.csv", APPEAL % b"total,inf", "line 2: points must be a number, such as -2"),
    ("adjust.csv", APPEAL % b"total,-10 %", "line 2: points must be a number, such as -2"),
]


@pytest.mark.parametrize("name, content, message", REFUSED, ids=range(len(REFUSED)))
def test_points_that_can_not_be_change_nothing(desk, name, content, message):
    """What is wrong is told before anything is written."""
    before = words(desk / "grades.csv")
    (desk / name).write_bytes(content)
    with pytest.raises(TableError, match=message):
        report.by_hand(desk, ATTENTION, ["ana"])
    with pytest.raises(TableError, match=message):
        reported(desk, ana=WRITTEN)
    assert words(desk / "grades.csv") == before and (desk / name).read_bytes() == content


def test_all_that_is_wrong_is_told_at_once_and_what_fits_nobody_is_told(desk):
    reported(desk, ana=WRITTEN, ben=WRITTEN)
    fill_in(desk / "to_read.csv", {"ana": ("4", ""), "ben": ("-1", "")})
    with pytest.raises(TableError, match="line 2: .* '4'\n.*line 3: .* '-1'"):
        reported(desk, ana=WRITTEN, ben=WRITTEN)
    fill_in(desk / "to_read.csv", {"ana": ("", ""), "ben": ("", "")})
    appeal(
        desk, ("anna", "total", "1", ""), ("ana", "weights", "1", ""), ("ana", "total", "-99", "")
    )
    told = reported(desk, ana=WRITTEN).notices
    assert "line 2: nobody handed in as 'anna'" in told[0]
    assert "line 3: there is no exercise 'weights'" in told[1]
    assert table(desk / "totals.csv")[0]["total"] == "0"  # and never below


def test_odd_names_find_their_points(tmp_path):
    """Accents in two pieces, as a Mac names files; letters that aren't UTF-8; an apostrophe."""
    students = dict.fromkeys(["Jose\u0301", "M\udcfcller", "'x", "=y"], "One.")
    reported(tmp_path, **students)
    first = table(tmp_path / "to_read.csv")
    fill_in(tmp_path / "to_read.csv", {from_table(row["student"]): ("2", "") for row in first})
    for blind in (None, 1, 1):
        assert reported(tmp_path, **students, blind=blind).unread == 0
        assert [row["points"] for row in table(tmp_path / "to_read.csv")] == 4 * ["2"]


def test_no_cell_of_a_table_becomes_a_formula_a_date_or_another_number(tmp_path):
    changed = "=1+1 @x -2 ＝1 ' '' '=1 '7 '!s 007 1e5 3-4 12/3 10:30 2026 Dec-2026 TRUE".split()
    for name in [*changed, "mar 3", "3. Mai", "'s right", 17 * "1"]:
        assert in_table(name) == f"'{name}" and from_table(f"'{name}") == name
    for name in ("ana", "Ana 2", "x;y", "Marta", "student-001", "2 are right"):
        assert in_table(name) == name == from_table(name)
    # A name with separators is between quotes, so that no part of it begins a cell.
    reported(tmp_path, **{"x;=1+1;\t=2,=3": ""})
    for name in ("grades.csv", "totals.csv"):
        raw = words(tmp_path / name)
        assert '"x;=1+1;\t=2,=3"' in raw
        assert all(line[0] == line[-1] == '"' for line in raw.splitlines())


def test_one_row_for_each_student(tmp_path):
    submissions = [Submission("ana", tmp_path, "17"), Submission("ben", tmp_path, "4", late=True)]
    write_report(tmp_path, ATTENTION, results(ana="One.", ben="Two."), submissions)
    fill_in(tmp_path / "to_read.csv", {"ana": ("2.5", "")})
    write_report(tmp_path, ATTENTION, results(ana="One.", ben="Two."), submissions)
    rows = table(tmp_path / "totals.csv")
    assert ",".join(rows[0]) == "student,machine,person,adjusted,total,of,to read,late,id"
    assert [tuple(row.values()) for row in rows] == [
        ("ana", "13", "2.5", "0", "15.5", "16", "0", "", "'17"),
        ("ben", "13", "0", "0", "13", "16", "1", "late", "'4"),
    ]


# --- what an answer could do to a page -----------------------------------------------------------


def test_endless_markdown_does_not_hold_up_the_report(tmp_path):
    for part in ("[](", "> ", "- ", "**a", "`", "![", "<b>", "|a|\n|-|\n", "\udcfc"):
        hand_in(tmp_path / "ana.ipynb", filled_in(ATTENTION, {ESSAY: 100_000 * part}))
        cells = read_submission(tmp_path / "ana.ipynb", ATTENTION)
        answer = to_be_read("ana", ATTENTION.exercises[-1], cells, ATTENTION)
        assert len(answer.text) < 10_100
        write_report(tmp_path, ATTENTION, [answer])


def test_an_answer_is_shown_and_not_obeyed(tmp_path):
    """Whatever is in it: looking at it runs nothing and loads nothing."""
    harmful = (
        "<script>alert(1)</script> [here](javascript:alert(1))",
        "![seen](https://example.com/a.png)",
        "![seen][1]\n\n[1]: https://example.com/a.png",
        "![](data:image/svg+xml;base64,AAAA)",
        "![im<age.png](attachment:image.png)",
        '<img src="https://example.com/a.png">',
        '<link rel="stylesheet" href="https://example.com/a.css">',
        "| a |\n|---|\n| <script>b</script> |",
        r"$\text{<img src=x>}$ and $\text{<img/>}$",
        r"$\href{javascript:alert(1)}{x}$",
        r"$\style{background:url(http://x)}{x}$",
        r"$\frac{$ and $" + "{" * 900 + "$",
    )
    for harm in harmful:
        reported(tmp_path, ana=f"**So** {harm}\n\n{harm}")
        for name in ("pages/ana.html", "to_read.html"):
            page = words(tmp_path / name)
            assert "<strong>So</strong>" in page
            assert not re.search(
                r"<(script|img|link)|<[^>]+(src=|href=\"?(?!https:)\w+:|background:)", page
            ), harm
            assert "Content-Security-Policy\" content=\"default-src 'none';" in page


def test_a_formula_is_shown_as_one(tmp_path):
    answer = "It divides by $\\sqrt{d_k}$.\n\n$$\na < b\n$$\n\nIt costs 5$ or 6$."
    reported(tmp_path, ana=answer)
    page = words(tmp_path / "pages/ana.html")
    assert "<msqrt>" in page and "<mo>&lt;</mo>" in page and "5$ or 6$" in page


def test_every_student_has_a_page(tmp_path):
    names = ["x" * 220 + "1", "x" * 220 + "2", "Ana", "ana", "Jose\u0301", "José"]
    names += ["ñ" * 120, "M\udcfcller"]
    write_report(tmp_path, ATTENTION, [Result(one, "w_q", 1.0, 2, "") for one in names])
    assert {path.stem.lower() for path in (tmp_path / "pages").iterdir()} == {
        *("x" * 200, "x" * 200 + "-2", "ana", "ana-2", "jose\u0301", "josé-2"),
        *("ñ" * 100, "m?ller"),
    }
