"""Who handed in what: plain folders, and those of Moodle and Canvas.

Moodle's names are those that mod/assign/classes/downloader.php makes
(https://github.com/moodle/moodle), and importziplib.php beside it describes as
"fullname_userid_plugintype_pluginname (as created by zip export in Moodle >= 4.1) resp.
fullname_userid_plugintype_pluginname_ (as created by earlier versions)".
Canvas's are those that lib/content_zipper.rb makes (https://github.com/instructure/canvas-lms):
name, LATE where it is, number of the student, number of the file, name of the file.
"""

import itertools
import json
import shutil

import pytest

from course.grading.assignment_files import assignment, student_version
from course.grading.collect import DEEPEST, collect
from course.grading.grade import Unreadable, read_submission
from tests.course.grading.classroom import filled_in, hand_in

TRAINING = assignment(5)
FILE = TRAINING.file
UNTOUCHED = student_version(TRAINING)
WORKED = filled_in(TRAINING, {})  # with a sentence in each written answer


def people(collected):
    return {one.student: one.path.name for one in collected.submissions}


def put(folder, *names, notebook=WORKED):
    for name in names:
        hand_in(folder / name, notebook)


# --- plain folders -------------------------------------------------------------------------------


def test_a_file_or_a_folder_for_each_student(tmp_path):
    put(
        tmp_path,
        "ana.ipynb",
        f"ben/{FILE}",
        "cem/sub/mine.ipynb",
        f"__MACOSX/._{FILE}",
        f"dora/.ipynb_checkpoints/{FILE}",
    )
    (tmp_path / ".DS_Store").touch()
    collected = collect(tmp_path, TRAINING)
    assert people(collected) == {
        "ana": "ana.ipynb",
        "ben": FILE,
        "cem": "mine.ipynb",
        "dora": FILE,
    }
    assert (collected.platform, collected.notices) == ("", ())
    with pytest.raises(Unreadable, match="no notebook in the folder dora"):
        read_submission(tmp_path / "dora" / FILE, TRAINING)


def test_what_cannot_be_read_stops_nobody_else(tmp_path):
    put(tmp_path, "ana.ipynb", f"ben/{FILE}")
    (tmp_path / "ben" / "notes.ipynb").symlink_to("x" * 300)
    (tmp_path / "ben" / "again").symlink_to(tmp_path)
    assert people(collect(tmp_path, TRAINING)) == {"ana": "ana.ipynb", "ben": FILE}


def test_a_folder_around_all_of_them_is_no_student(tmp_path):
    for number, names in enumerate(
        (
            ("ana.ipynb", "ben.ipynb"),
            (f"ana/{FILE}", f"ben/{FILE}"),
            ("student-1.ipynb", "student-2.ipynb"),
            (f"Ana_1_assignsubmission_file/{FILE}", f"Ben_2_assignsubmission_file/{FILE}"),
            (f"ana_1_7_{FILE}", f"ben_2_8_{FILE}"),
        )
    ):
        folder = tmp_path / str(number)
        for outer in (folder / "once" / "download", folder / "twice" / "download" / "again"):
            put(outer, *names)
            collected = collect(outer.parents[outer.name == "again"], TRAINING)
            assert len(collected.submissions) == 2
            assert f"The submissions are in {outer}" in collected.notices[0]


def test_a_lone_student_may_have_a_folder(tmp_path):
    for number, names in enumerate(((FILE,), (FILE, "draft.ipynb"), (f"week 5/{FILE}",))):
        put(tmp_path / str(number) / "ana", *names)
        assert people(collect(tmp_path / str(number), TRAINING)) == {"ana": FILE}


def test_folders_in_folders_without_end_stop_nothing(tmp_path):
    put(tmp_path, "ben.ipynb", f"cem/{FILE}")
    ana, around = tmp_path / "ana", tmp_path / "around"
    thirty = "/".join(30 * ["deep"])
    ana.mkdir()
    for _ in range(40):  # from the inside, as no path may be that long
        (around / thirty).mkdir(parents=True)
        ana.rename(around / thirty / "ana")
        around.rename(ana)
    try:
        found = people(collect(tmp_path, TRAINING))
    finally:  # what empties the folder of the tests can't go so deep
        while (ana / thirty / "ana").exists():
            (ana / thirty / "ana").rename(around)
            shutil.rmtree(ana)
            around.rename(ana)
    assert found == {"ana": FILE, "ben": "ben.ipynb", "cem": FILE}


def test_nobody_works_far_down(tmp_path):
    deep = "/".join(DEEPEST * ["deep"])
    put(tmp_path, f"ana/{deep}/mine.ipynb", f"ben/{deep}/deeper/mine.ipynb")
    assert people(collect(tmp_path, TRAINING)) == {"ana": "mine.ipynb", "ben": FILE}


def test_nobody_is_lost_where_names_are_alike(tmp_path):
    put(tmp_path, "ana.ipynb", f"ana/{FILE}")
    assert people(collect(tmp_path, TRAINING)) == {"ana": FILE, "ana.ipynb": "ana.ipynb"}


# --- which of several notebooks ------------------------------------------------------------------


def test_which_of_several_notebooks_was_graded_is_told(tmp_path):
    put(tmp_path / "ana", FILE, "5_training-Copy2.ipynb", notebook=UNTOUCHED)
    put(tmp_path / "ana", "5_training-Copy1.ipynb")
    put(tmp_path / "ben", FILE, "5_training-Copy1.ipynb")
    collected = collect(tmp_path, TRAINING)
    assert people(collected) == {"ana": "5_training-Copy1.ipynb", "ben": FILE}
    assert collected.notices == (
        f"ana: {FILE} is as it was handed out, so 5_training-Copy1.ipynb was graded.",
        f"ben: {FILE} was graded, and not 5_training-Copy1.ipynb.",
    )


# --- Moodle, Canvas, Blackboard ------------------------------------------------------------------

M, B = "assignsubmission", "attempt_2026-11"
PLATFORMS = [  # platform, the notebooks, what else lies there, and who handed in what
    *(
        (
            "Moodle",
            [
                f"Ana García_4711_{M}_file{end}/{FILE}",
                f"Ben Li_12_{M}_file{end}/sub/mine.ipynb",
                f"Ben Li_13_{M}_file{end}/{FILE}",
            ],
            [
                f"{who}_{M}_onlinetext{end}/onlinetext.html"
                for who in ("Ana García_4711", "Only Text_99")
            ],
            {
                "Ana García": FILE,
                "Ben Li (12)": "mine.ipynb",
                "Ben Li (13)": FILE,
                "Only Text": FILE,
            },
        )
        for end in ("", "_")  # since 4.1, and before
    ),
    (
        "Moodle",
        [f"Ana García_4711_{M}_file_{FILE}", f"Ben Li_12_{M}_file_{FILE}"],
        [f"{who}_{M}_onlinetext_onlinetext.html" for who in ("Ana García_4711", "Only Text_99")],
        {
            "Ana García": f"Ana García_4711_{M}_file_{FILE}",
            "Ben Li": f"Ben Li_12_{M}_file_{FILE}",
            "Only Text": FILE,
        },
    ),
    (
        "Canvas",
        [
            "garcíaana_4711_870000_5_training-1.ipynb",
            "garcíaana_4711_870001_5_training-10.ipynb",
            "garcíaana_4711_870002_5_training-2.ipynb",
            "liben_LATE_12_880002_mine.ipynb",
            "liben_13_880003_5_training-2.ipynb",
            "anon_aB3x9_880004_5_training-1.ipynb",
        ],
        ["onlytext_99_text.html", "scan_98_880005_page.pdf"],
        {
            "garcíaana": "garcíaana_4711_870001_5_training-10.ipynb",  # the last counts
            "liben (12)": "liben_LATE_12_880002_mine.ipynb",
            "liben (13)": "liben_13_880003_5_training-2.ipynb",
            "anon_aB3x9": "anon_aB3x9_880004_5_training-1.ipynb",
            "onlytext": FILE,  # the file that should be there
            "scan": "scan_98_880005_page.pdf",
        },
    ),
    (
        "Blackboard",
        [
            f"Assignment 5_ana_{B}-20-10-00-00_{FILE}",
            f"Assignment 5_ana_{B}-21-10-00-00_5_training (1).ipynb.txt",
            f"Assignment 5_ben_{B}-20-10-00-00_5_training",
        ],
        [
            f"Assignment 5_{who}_{B}-{day}-10-00-00{end}"
            for who, day, end in (
                *(("ana", 20, ".txt"), ("ana", 21, ".txt"), ("ben", 20, ".txt")),
                *(("cem", 20, ".txt"), ("dora", 20, "_scan.pdf")),
            )
        ],
        {
            "ana": f"Assignment 5_ana_{B}-21-10-00-00_5_training (1).ipynb.txt",
            "ben": f"Assignment 5_ben_{B}-20-10-00-00_5_training",
            "cem": FILE,
            "dora": f"Assignment 5_dora_{B}-20-10-00-00_scan.pdf",
        },
    ),
    *(
        ("", [name.format(who) for who in ("ana", "ben")], [], None)  # a date is no number
        for name in ("2026_11_22_{}.ipynb", "{}_2_attention.ipynb")
    ),
]


@pytest.mark.parametrize("platform, notebooks, others, found", PLATFORMS)
def test_platforms(tmp_path, platform, notebooks, others, found):
    put(tmp_path, *notebooks)
    for name in others:
        hand_in(tmp_path / name, "Name: A Student")
    collected = collect(tmp_path, TRAINING)
    assert collected.platform == platform and people(collected) == (found or people(collected))
    assert len(collected.submissions) == len(found or notebooks)
    assert {one.student for one in collected.submissions if one.late} <= {"liben (12)"}
    handed = [one for one in collected.submissions if one.path.is_file()]
    assert [one for one in handed if f"{one.number}_" not in str(one.path)] == []


# --- what it is called, and what lies beside it --------------------------------------------------


def test_a_notebook_is_known_by_its_content(tmp_path):
    names = (f"{FILE}.txt", f"{FILE}.json", "5_training.IPYNB", "5_training", f"{FILE} (1)")
    for name, encoding in itertools.product(
        (*names, "work.docx", "sub/5_training"), ("utf-8", "utf-8-sig", "utf-16")
    ):
        folder = tmp_path / f"{name.replace('/', '-')}-{encoding}"
        for place in (f"ana/{name}", f"ben_{name}"):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            (folder / place).write_text(json.dumps(WORKED), encoding=encoding)
        collected = collect(folder, TRAINING)
        assert len(collected.submissions) == 2 and not collected.notices, folder
        for one in collected.submissions:
            assert len(read_submission(one.path, TRAINING)) == len(WORKED["cells"])


def test_what_is_no_notebook_is_nobodys_work(tmp_path):
    """Whatever it is called: programs and platforms leave more of it than a list could name."""
    outer = "outer"
    put(tmp_path / outer, "ana.ipynb", f"ben/{FILE}")
    names = (
        "index.html Thumbs.db desktop.ini submission_metadata.yml notes.csv scan.pdf package.json"
    )
    for name in names.split():
        (tmp_path / name).write_text('{"name": "no cells"}')
    (tmp_path / "icon\r\x1b[31m").touch()
    (tmp_path / outer / "empty.ipynb").touch()  # meant to be one: it gets a sentence
    collected = collect(tmp_path, TRAINING)
    assert set(people(collected)) == {"ana", "ben", "empty"}
    assert all(name in collected.notices[-1] for name in names.split())


def test_names_hold_nothing_that_commands_a_terminal(tmp_path):
    put(tmp_path, "a\x1b[31m\nb\u202e.ipynb", f"M\udcfcller/{FILE}", "Zoë 🌳.ipynb")
    found = set(people(collect(tmp_path, TRAINING)))
    assert found == {"a�[31m�b�", "M�ller", "Zoë 🌳"}
