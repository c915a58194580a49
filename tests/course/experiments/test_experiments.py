"""The experiments by name, and the command that runs and stores them."""

import json

import pytest

from course import experiments
from course.catalog import Registry
from course.cli import main
from course.experiments import EXPERIMENTS, experiment


@pytest.fixture
def quick(monkeypatch):
    """A registry with one experiment, "quick"."""
    empty = Registry("nothing")
    empty.decorator = "experiment"
    monkeypatch.setattr(experiments, "EXPERIMENTS", empty)

    @experiment("quick")
    def measure():
        """Whether two and two are four."""
        return {"settings": {"seeds": [0, 1]}, "results": {"sum": 2 + 2}}

    return measure


def test_every_experiment_has_a_description_and_stored_results():
    for name in EXPERIMENTS:
        assert EXPERIMENTS[name].__doc__.splitlines()[0].endswith(".")
        stored = experiments.load(name)
        assert stored["experiment"] == name and {"torch", "threads"} < stored.keys()


def test_what_is_stored_is_json_for_every_reader():
    """Python also reads and writes Infinity and NaN, which other readers of JSON refuse."""
    paths = list(experiments.RESULTS.parent.rglob("*.json"))
    assert len(paths) > len(EXPERIMENTS)
    others: list[str] = []
    for path in paths:
        json.loads(path.read_text(encoding="utf-8"), parse_constant=others.append)
    assert not others


def test_what_is_found_is_stored_with_what_it_was_made_with(quick, tmp_path, capsys):
    assert main(["experiment", "quick", "--out", str(tmp_path / "new")]) == 0
    path = tmp_path / "new" / "quick.json"
    assert capsys.readouterr().out == f"{path}\n"
    stored = json.loads(path.read_text(encoding="utf-8"))
    assert stored["results"] == {"sum": 4} and stored["settings"] == {"seeds": [0, 1]}
    assert stored["experiment"] == "quick" and stored["torch"].startswith("2.")


def test_the_list_says_what_each_one_measures(quick, capsys):
    assert main(["experiment", "--list"]) == 0
    assert capsys.readouterr().out.split(maxsplit=1) == ["quick", "Whether two and two are four.\n"]


def test_an_unknown_experiment_is_refused(quick, tmp_path, capsys):
    assert main(["experiment", "slow", "--out", str(tmp_path)]) == 2
    assert "no experiment 'slow'; there are quick" in capsys.readouterr().err
    assert list(tmp_path.iterdir()) == []
