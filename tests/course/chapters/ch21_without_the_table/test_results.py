"""What is stored: all that notebook 21 tells of, and which thresholds were missed."""

from course.chapters.ch21_without_the_table import experiment_copying as copying
from course.chapters.ch21_without_the_table import experiment_times as times
from course.chapters.ch21_without_the_table import experiments as exchange
from course.chapters.ch21_without_the_table import results
from course.experiments import load, load_runs

RUNS = results.copying()
BY_SEED = [[run for run in RUNS if run["seed"] == seed] for seed in copying.SEEDS]
RIGHT = exchange.right()


def test_the_notebook_says_what_ten_seeds_of_the_base_change():
    base = [run["right"] for run in load_runs("since", what="base", chosen=True)]
    assert len(base) == 10
    told = {"test": [-1, 6, -9], "pronoun": [-16, -9, -18], "longer": [-4, 51, 11]}
    for split, points in told.items():
        mean = results.mean([right[split] for right in base])
        kinds = results.LINEAR, results.GATED, results.SPACE
        assert [round(100 * (results.mean(RIGHT[what][split]) - mean)) for what in kinds] == points
    least = min(right["pronoun"] for right in base)
    assert sum(share > least for share in RIGHT["minGRU"]["pronoun"]) == 2


def tried(what: str, *factors: float) -> list[dict]:
    """The runs that its rate was chosen by, at these multiples of the rate that it has."""
    by_rate = {run["max_lr"]: run for run in load_runs("without-the-table", what=what, seed=0)}
    (own,) = (rate for rate, run in by_rate.items() if run["chosen"])
    return [by_rate[factor * own] for factor in factors]


def test_linear_attention_at_twice_its_rate_loses_little_with_a_pronoun():
    own, twice = tried(results.LINEAR, 1, 2)
    assert {round(100 * run["right"]["validation"]) for run in (own, twice)} == {81}
    lost = results.mean(RIGHT["base"]["pronoun"]) - twice["right"]["pronoun"]
    assert round(100 * lost) == 1


def test_which_of_two_rates_each_kind_took():
    low, high = copying.MAX_LRS
    took = {run["kind"]: run["max_lr"] for run in RUNS}
    lower = {kind for kind, rate in took.items() if rate == low}
    assert lower == {"attention", copying.ONE} and set(took.values()) == {low, high}


def test_no_rate_beyond_the_grid_copies_more():
    """One has less loss, with the seed that chooses, and still copies less at every size."""
    beyond = load_runs("copying-rates")
    for kind in copying.sizes():
        (own,) = {run["max_lr"] for run in RUNS if run["kind"] == kind}
        further = own / 2 if own == min(copying.MAX_LRS) else 2 * own
        loss = {
            run["max_lr"]: run["validation_loss"]
            for run in (*beyond, *RUNS)
            if (run["kind"], run["seed"], run["size"]) == (kind, 0, copying.chosen_at(kind))
        }
        assert (loss[further] < loss[own]) == (kind == results.LINEAR), kind
        if kind == results.LINEAR:
            assert (further, round(loss[own] - loss[further], 2)) == (0.032, 0.02)
    (twice,) = {run["max_lr"] for run in beyond if run["size"] == 2}
    at_twice = [run for run in beyond if run["max_lr"] == twice and run["kind"] == results.LINEAR]
    for size in copying.sizes()[results.LINEAR]:
        own, less = (
            results.mean(results.copied(runs, results.LINEAR, size)) for runs in (RUNS, at_twice)
        )
        assert less < own, size


def test_a_min_gru_learns_nothing_at_twice_its_rate():
    half, own, twice = tried(results.GATED, 0.5, 1, 2)
    assert twice["right"]["test"] < 0.01 < 0.9 < own["right"]["test"]
    assert round(100 * half["right"]["longer"]) == 59


def test_bytes_are_those_of_this_code():
    for row in load("state-times")["rows"]:
        assert row["bytes"] == times.kept_bytes(row["length"])


def test_which_thresholds_were_missed():
    found = [*map(results.claims_of_copying, BY_SEED), *results.claims_of_the_exchange(RIGHT)]
    copied, *translated = ([claim.what for claim in some if not claim.holds] for some in found)
    assert [copied, *translated] == [
        [],
        ["… and so does one layer of it above the smallest state space"],
        [
            "with 4 it copies short rows",
            "a minGRU copies less than linear attention with a smaller state",
        ],
        *3 * [[]],  # of the translators
    ]


def test_a_cache_is_quicker_up_to_512_words_and_slower_from_1024_on():
    rows = {row["length"]: row for row in load("state-times")["rows"]}
    costs = {length: row["next word"]["attention, with a cache"] for length, row in rows.items()}
    assert max(costs[16], costs[512]) < 1 < min(costs[1024], costs[2048])
    assert rows[2048]["reading"]["linear attention, in blocks"] < 0.05
    slow = {n: rows[n]["reading"]["linear attention, word by word"] for n in (16, 128)}
    assert {n: round(time) for n, time in slow.items()} == {16: 8, 128: 17}
    for row in rows.values():
        assert round(row["next word"]["minGRU"], 1) == 0.5 and row["next word"]["state space"] > 2.5


def percent(kind: str, size: int, words: int = results.LONG) -> list[int]:
    return sorted(round(100 * share) for share in results.copied(RUNS, kind, size, words))


def test_who_copies_the_longest_rows():
    one = results.copied(RUNS, "one layer of attention", 4)
    assert sorted(one)[1] > 0.95 > 0.5 > min(one)
    longer = results.twice_as_long()  # the third seed only took longer
    assert len(longer) == 3 and min(longer + results.copied(RUNS, "attention", 0)) > 0.95
    of_2020 = results.copied(RUNS, "linear attention of 2020", 16)
    assert 0.5 < min(of_2020) < max(of_2020) < 0.6
    assert percent("minGRU", 256) == [15, 16, 18]
    large = load_runs("copying", kind="minGRU", size=256, chosen=True)
    assert {run["parameters"] for run in large} == {138_752}
    assert results.sizes(RUNS, "minGRU")[256] == 896
    assert percent("linear attention", 4, 4) == [78, 96, 98]
    assert percent("linear attention", 4) == [22, 42, 44]
    assert percent("state space", 8) == [51, 63, 75]
    assert percent("linear attention", 8) == [80, 82, 83]
    for size in (4, 8, 16, 32):
        space, linear = (
            results.copied(RUNS, kind, size) for kind in (results.SPACE, results.LINEAR)
        )
        assert results.mean(space) < results.mean(linear)
    assert min(space + linear) > 0.98
    weights = {run["size"]: run["parameters"] for run in RUNS if run["kind"] == results.LINEAR}
    assert (weights[2], weights[32]) == (58_016, 90_656)


def test_the_mingru_beside_the_attention_of_2017_and_of_today():
    for split in ("test", "longer"):
        assert min(RIGHT["minGRU"][split]) > max(RIGHT["base"][split])
    today = exchange.right_today()
    parts, state = today["today"], today["minGRU with today's parts"]
    assert min(state["longer"]) < max(parts["longer"]) < max(state["longer"])
    assert max(state["pronoun"]) < min(parts["pronoun"])
    assert max(today["rotary"]["longer"]) < min(RIGHT["minGRU"]["longer"])
    rates = load("without-the-table-today")
    assert {run["max_lr"] for run in rates["runs"] if run["chosen"]} == {min(rates["max_lrs"])}
    _, linear, gated, space = (
        [round(results.mean(row[split])) for split in ("test", "pronoun", "longer")]
        for row in exchange.points()
    )
    assert space == [-9, -17, 11] and gated[1] == -7
    assert linear[1] == -14 and max(linear) < 0
    state, least = RIGHT["minGRU"]["pronoun"], min(RIGHT["base"]["pronoun"])
    assert min(state) < least < max(state)
    assert max(RIGHT["state space"]["pronoun"]) < least
    (old,) = {run["parameters"] for run in load_runs("since", what="today")}
    (new,) = {run["parameters"] for run in rates["runs"]}
    assert round(100 * new / old) == 104


def test_who_knows_the_words_of_a_row_but_not_their_order():
    """Guesses among those that are left: the mean of 1/k for k = n - 1, ..., 1."""
    shares = [sum(1 / k for k in range(1, n)) / (n - 1) for n in (4, 16, 32)]
    assert [round(100 * share) for share in shares] == [61, 22, 13]
