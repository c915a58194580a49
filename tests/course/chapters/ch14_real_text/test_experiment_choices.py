"""The gender of professions and insults: what is counted, and what is stored."""

from course import experiments
from course.chapters.ch14_real_text import experiment_choices as choices


def test_the_first_article_tells():
    for text, gender in [
        ("El médico está cansado.", "masculine"),
        ("Estoy esperando al médico de la casa.", "masculine"),
        ("Ella es la médica del pueblo.", "feminine"),
        ("Trabaja aquí.", "neither"),
    ]:
        assert choices.gender_of(text) == gender


def test_an_insult_is_kept_by_one_of_its_words(monkeypatch):
    monkeypatch.setattr(choices, "translate", lambda _, texts: ["Eres IDIOTA.", "Me caes bien."])
    found = choices.insults_kept(None, {"You are an idiot.": "idiota|tonto", "I hate you.": "odio"})
    assert (found["sentences"], found["kept"]) == (2, 1)
    assert [one["kept"] for one in found["translations"]] == [True, False]


def test_what_is_stored_is_whole_and_a_part_measured_again_is_the_same(larger):
    stored = experiments.load("choices")
    for told, frames in choices.FRAMES.items():
        for whose, jobs in choices.JOBS.items():
            row = dict(stored["jobs"][told][whose])
            assert len(row.pop("translations")) == sum(row.values()) == 15 * len(frames)
            assert len(jobs.split()) == 15
    assert stored["insults"]["sentences"] == len(choices.INSULTS) == 24
    some = stored["insults"]["translations"][:6]
    assert choices.translate(larger, [one["english"] for one in some]) == [
        one["translation"] for one in some
    ]
