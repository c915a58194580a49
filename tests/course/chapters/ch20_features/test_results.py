"""What is stored: all that the notebook tells of, and which limits were missed."""

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


def top_k() -> list[dict]:
    return results.chosen(RUNS, "dictionary", "top-k")


def test_what_is_told_of_five_dictionaries():
    quality = [run["quality"] for run in top_k()]
    assert all(0.95 < one["recovered"] < 0.97 for one in quality)
    ratios = [one["losses"]["rebuilt"] / one["losses"]["as it is"] for one in quality]
    assert (round(min(ratios), 1), round(max(ratios), 1)) == (2.5, 3.2)
    kinds = [run["properties"]["of its kind"] for run in top_k()]
    assert all(kind["noun: feminine"]["recall"] < 0.7 for kind in kinds)
    assert all(kind["noun: feminine, several"]["ap"] > 0.9995 for kind in kinds)
    assert all(run["eight"]["noun: feminine"] > 0.998 for run in top_k())
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
    for scope, neurons in (("of its kind", 4), ("all words", 10)):
        table = results.scores(RUNS)[scope].values()
        mean = [{who: sum(all_) / len(all_) for who, all_ in one.items()} for one in table]
        assert sum(one["best feature"] > one["best neuron"] for one in mean) == neurons
        assert sum(one["probe"] > one["best feature"] for one in mean) == 11


def test_words_of_other_kinds_mislead_neurons_more_but_for_verbs():
    ahead = {
        scope: {
            name: sum(found["best feature"]) / 5 - sum(found["best neuron"]) / 3
            for name, found in table.items()
        }
        for scope, table in results.scores(RUNS).items()
    }
    kind, every = ahead["of its kind"], ahead["all words"]
    assert {name for name in kind if every[name] < kind[name]} == {
        "verb: past",
        "verb: first person",
    }


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
        for way in ("two features", "difference of means"):
            assert all(by[number][way]["flipped"] > 0.995 for number in ("one", "several"))
        two, means = (
            {number: found["flipped"] for number, found in by["all"][way]["by number"].items()}
            for way in ("two features", "difference of means")
        )
        assert two == {"one": 1, "several": 0.0088}
        assert means["one"] > 0.99 and round(means["several"], 2) == 0.76


def test_a_hundred_changes_at_random_turn_next_to_nothing():
    found = [run["named by"]["all"]["two features"]["pairs"]["flipped"] for run in results.turned()]
    assert [len(one) for one in found] == [100, 100, 100]
    assert round(results.steering()["random pairs"]["flipped"], 2) == 0.01
    assert round(max(map(max, found)), 2) == 0.28
    assert all(claim.holds for claim in results.claims_of_turned())
