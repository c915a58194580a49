"""The figures of notebook 19: what they draw is what they are given."""

from course.chapters.ch19_judge.figures import stored_ways, windows
from course.chapters.ch19_judge.policy import share_solved


def test_windows_are_means_over_seeds_and_steps():
    seeds = [[{"kl": step} for step in range(20)], [{"kl": step + 2} for step in range(20)]]
    assert windows(seeds, "kl") == [5.5, 15.5]
    sparse = [[{"right": 1.0} if step % 2 else {} for step in range(20)]]
    assert windows(sparse, "right") == [1.0, 1.0]


def test_what_the_titles_and_alternative_texts_say():
    ways = stored_ways()

    def told(name: str, what: str) -> list[float]:
        return [run[what] for run in ways[name]]

    assert all(0.15 < share < 0.3 for share in told("starting model", "right"))
    order = ("starting model", "KL weight 0.3", "KL weight 0.1", "no KL penalty")
    for lower, higher in zip(order, order[1:], strict=False):
        assert max(told(lower, "right")) < min(told(higher, "right"))
        assert max(told(lower, "kl")) < min(told(higher, "kl"))
        assert min(told(lower, "words")) > max(told(higher, "words"))
    assert min(told("no KL penalty", "right")) > 0.9
    for name in ("trained on what passed", "best of 16"):
        assert min(told(name, "different")) > 0.95
        assert min(told(name, "words")) > 0.6 * max(told("starting model", "words"))
    ahead = {
        k: [
            sum(share_solved(run["solved"], 32, k) for run in ways[name]) / len(ways[name])
            for name in ("starting model", "no KL penalty")
        ]
        for k in (1, 2, 4, 8, 16, 32)
    }
    assert [k for k, (start, taught) in ahead.items() if start - taught > 0.03] == [8, 16, 32]
    for run in ways["hole"]:
        assert windows([run["history"]], "reward")[2] > 0.9
