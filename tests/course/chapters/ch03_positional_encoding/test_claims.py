"""What notebook 03 says where no output of a cell shows it."""

from course.experiments import load
from transformer_lib import positional_encoding


def similarity(d_model, base=10_000):
    """How alike position 0 and each of the first 41 are."""
    table = positional_encoding(41, d_model, base)
    return table @ table[0] / (d_model / 2)


def test_the_bars_of_the_laboratory_of_positions_are_as_told():
    assert similarity(512).diff().max() < 0
    slow, busy, few = similarity(32)[:21], similarity(32, 10**0.5)[:20], similarity(4)[:20]
    assert slow[:5].diff().max() < 0 and 0.5 > slow[5:].min() > 0.49 and slow[5:].max() < 0.75
    assert busy[2] < 0.35 and busy.min() < -0.5 and busy[6] < 0 < busy[19] < 0.1
    assert min(few[6], few[19]) > 0.95


def test_copying_beyond_the_lengths_in_training_is_as_told():
    results = load("positions")["results"]

    def span(kind, *lengths, measure="exact"):
        runs = [row[measure] for row in results if row["kind"] == kind and row["length"] in lengths]
        return min(runs), max(runs)

    trained = range(1, 11)
    for kind in ("paper", "tensor2tensor", "learned"):
        assert span(kind, *trained)[0] > 0.96 and span(kind, 12)[1] < 0.05
        assert span(kind, 13, 14, 15, 20) == (0, 0)
    for kind, low, high in (("paper", 0.34, 0.63), ("tensor2tensor", 0.44, 0.75)):
        least, most = span(kind, 11)
        assert low <= least and most <= high
    # most of these copies are the first ten digits and nothing more
    assert span("learned", 11)[1] == 0 and span("learned", 11, measure="stopped")[0] > 0.98
    assert span("paper", 11, measure="stopped")[1] == 0.63
    assert span("paper", 11, measure="begun")[0] > 0.85
    assert span("paper", 20, measure="begun")[0] > 0.4
    # half of two digits are in order by chance, and one in ten is the same digit twice
    assert span("none", 2) == (0.9 * 0.5 + 0.1,) * 2
    assert (
        span("none", *trained, measure="bag")[0] > 0.96 > 0.5 > span("none", 20, measure="bag")[1]
    )
