"""What is stored: all that the notebook tells of, and which limits were missed."""

from statistics import fmean

from course.chapters.ch20_features import results

RUNS = results.runs()


def test_which_limits_were_missed():
    missed = {
        who: [claim.what for claim in claims if not claim.holds]
        for who, claims in results.every_claim(RUNS).items()
    }
    assert missed == MISSED


MISSED: dict[str, list[str]] = {
    "translator 0, seed 0": [],
    "translator 0, seed 1": [],
    "translator 0, seed 2": ["two features put a third word in the adjective’s position"],
    "translator 1, seed 0": [
        "a probe of one number knows the other’s gender",
        "a probe finds the person of a verb",
        "two features put a third word in the adjective’s position",
    ],
    "translator 2, seed 0": [
        "a probe of one number knows the other’s gender",
        "a probe finds the person of a verb",
        "two random features turn hardly any adjectives",
        "two features put a third word in the adjective’s position",
    ],
    "returns": ["half of the features or fewer return with another seed"],
}


def test_most_of_what_returns_without_training_stands_for_words():
    (run,) = (run for run in RUNS if run["what"] == "returns" and run["other"] == "untrained")
    lexical, all_ = run["lexical"] * run["share_of_lexical"]["0.7"], run["share"]["0.7"]
    assert 0.6 < lexical / all_ < 0.7
    assert (run["alive"], round(run["lexical"], 2)) == (843, 0.36)


def test_what_is_told_of_five_dictionaries():
    runs = results.chosen(RUNS, "dictionary", "top-k")
    quality = [run["quality"] for run in runs]
    assert all(0.95 < one["recovered"] < 0.97 for one in quality)
    ratios = [one["losses"]["rebuilt"] / one["losses"]["as it is"] for one in quality]
    assert (round(min(ratios), 1), round(max(ratios), 1)) == (2.5, 3.2)
    kinds = [run["properties"]["of its kind"] for run in runs]
    assert all(kind["noun: feminine"]["recall"] < 0.7 for kind in kinds)
    assert all(kind["noun: feminine, several"]["ap"] > 0.9995 for kind in kinds)
    assert all(run["eight"]["noun: feminine"] > 0.998 for run in runs)
    assert round(kinds[0]["noun: feminine"]["precision"], 2) == 0.99
    assert kinds[0]["noun: feminine, several"]["candidate"] == 834


def test_the_ten_strongest_examples_are_feminine_and_singular():
    (portrait,) = results.chosen(RUNS, "portrait", "top-k")
    kinds = {form: (feminine, several) for form, feminine, several, *_ in portrait["nouns"]}
    assert {kinds[word] for word, _ in portrait["strongest"]} == {(True, False)}


def test_what_is_told_of_the_rivals():
    gender = results.scores(RUNS)["of its kind"]["noun: feminine"]
    best = max(gender["best feature"])
    assert min(gender["best neuron"]) > best and min(gender["random direction"]) > best
    assert min(gender["probe"]) > 0.9995
    ahead = []  # of a neuron, for each scope
    for table, neurons in zip(results.scores(RUNS).values(), (4, 10), strict=True):
        means = {
            name: [fmean(found[who]) for who in ("best feature", "best neuron", "probe")]
            for name, found in table.items()
        }
        ahead.append({name: feature - neuron for name, (feature, neuron, _) in means.items()})
        assert sum(lead > 0 for lead in ahead[-1].values()) == neurons
        assert sum(probe > feature for feature, _, probe in means.values()) == 11
    # words of other kinds mislead neurons more, but for verbs
    kind, every = ahead
    less = {name for name in kind if every[name] < kind[name]}
    assert less == {"verb: past", "verb: first person"}


def test_how_well_a_probe_finds_the_person_of_a_verb():
    found = [
        run["properties"]["probe"]["of its kind"]["verb: first person"]
        for run in results.chosen(RUNS, "controls")
    ]
    assert [round(one["ap"], 2) for one in found] == [0.99, 0.51, 0.7]
    assert {round(one["base"], 2) for one in found} == {0.13}


def test_without_training_nothing_finds_gender():
    (bare,) = results.chosen(RUNS, "controls", model="untrained")
    (blank,) = results.chosen(RUNS, "dictionary", "top-k", model="untrained")
    for found in (bare["properties"]["probe"], blank["properties"]):
        gender = found["of its kind"]["noun: feminine"]
        assert abs(gender["ap"] - gender["base"]) < 0.02


def test_gender_alone_by_the_size_of_the_dictionary():
    def gender(kind: str) -> list[float]:
        runs = results.chosen(RUNS, "dictionary", kind, model="0")
        return [round(run["properties"]["of its kind"]["noun: feminine"]["ap"], 2) for run in runs]

    large = gender("top-k")
    assert (min(large), max(large)) == (0.79, 0.84) and gender("top-k, 64") == [0.85]
    words = {
        kind: results.chosen(RUNS, "dictionary", kind, model="0")[0]["one_word"]["features"]
        for kind in ("top-k", "top-k, 256", "top-k, 64")
    }
    assert words["top-k"] > words["top-k, 256"] > words["top-k, 64"]


def test_named_exactly_features_and_means_turn_every_adjective():
    for run in results.turned():
        by = run["named by"]
        for way, told in ("two features", [1, 0.009]), ("difference of means", [0.993, 0.761]):
            assert all(by[number][way]["flipped"] > 0.995 for number in ("one", "several"))
            numbers = by["all"][way]["by number"].values()
            assert [round(found["flipped"], 3) for found in numbers] == told


def test_a_hundred_changes_at_random_turn_next_to_nothing():
    found = [run["named by"]["all"]["two features"]["pairs"]["flipped"] for run in results.turned()]
    assert [len(one) for one in found] == [100, 100, 100]
    assert round(results.steering()["random pairs"]["flipped"], 2) == 0.01
    assert round(max(map(max, found)), 2) == 0.28
    # written down when plural adjectives had been turned with one dictionary
    for run in results.turned():
        for ways in run["named by"].values():
            two = ways["two features"]
            for kind in two.keys() & {"directions", "pairs"}:
                assert sum(share > 0.05 for share in two[kind]["flipped"]) <= 5
