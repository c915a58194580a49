"""The paper's numbers fit what the paper says about them in words."""

from course.paper import PRINTED, TABLE_1, TABLE_2, TABLE_3
from transformer_lib.model.config import BASE, BIG


def test_the_tables_have_the_papers_rows():
    assert (len(TABLE_1), len(TABLE_2), len(TABLE_3)) == (4, 10, 20)


def test_better_by_over_two_points_and_cheaper():
    big, base = TABLE_2["Transformer, big"], TABLE_2["Transformer, base"]
    others = [row for row in TABLE_2.values() if row.kind != "attention"]
    assert big.german - max(row.german for row in others if row.german) > 2  # abstract
    assert base.german > max(row.german for row in others if row.german)  # section 6.1
    assert big.french > max(row.french for row in others if row.french)
    single = [
        row
        for name, row in TABLE_2.items()
        if row.kind != "attention" and "ensemble" not in name and row.french_cost
    ]
    assert all(4 * big.french_cost < row.french_cost for row in single)  # "less than 1/4"
    assert base.german_cost < min(row.german_cost for row in others if row.german_cost)


def test_what_table_3_says_in_words():
    base = TABLE_3["base"]
    assert round(base.bleu - TABLE_3["h = 1"].bleu, 1) == 0.9  # section 6.2
    assert TABLE_3["big"].bleu == max(row.bleu for row in TABLE_3.values())
    assert TABLE_3["big"].perplexity == min(row.perplexity for row in TABLE_3.values())
    assert TABLE_3["smoothing 0.0"].perplexity < base.perplexity  # "this hurts perplexity"
    assert TABLE_3["smoothing 0.0"].bleu < base.bleu  # "but improves accuracy and BLEU"


def test_the_sizes_are_those_of_the_library():
    sizes = {"d_model": BIG.d_model, "d_ff": BIG.d_ff, "h": BIG.h, "dropout": BIG.dropout}
    assert TABLE_3["big"].changed == sizes
    assert (BASE.N, BASE.d_model, BASE.d_ff, BASE.h, BASE.dropout) == (6, 512, 2048, 8, 0.1)


def test_what_is_printed_in_table_2_is_what_table_2_prints():
    for task, language in [("English-German", "german"), ("English-French", "french")]:
        for model in ("base", "big"):
            printed = [p.bleu for p in PRINTED if p.task == task and p.model == model]
            assert getattr(TABLE_2[f"Transformer, {model}"], language) in printed
