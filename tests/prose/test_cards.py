"""What the cards of models and data say is what was measured."""

import re
from collections import Counter

from course import experiments
from tests.here import read
from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.files import read_json
from transformer_lib.text import everyday, phrasebook
from transformer_lib.translator import MODELS, SHIPPED_MODEL

FOLDER = MODELS["tatoeba"]
CARD = " ".join((FOLDER / "README.md").read_text(encoding="utf-8").split())


def stands(*parts: str) -> None:
    """In the card of the larger model, with the space before "%" that Python leaves out."""
    for part in parts:
        assert part.replace("%", " %") in CARD, part


def test_the_card_says_what_was_measured():
    """Every number of its tables stands in the stored experiment."""
    stored = experiments.load("everyday")
    tatoeba, ours = stored["tatoeba"], stored["everyday"]
    rows = {
        "greedy": tatoeba["beam 1"],
        "beam 5": tatoeba["beam 5"],
        "the small one": tatoeba["small model"],
        "our 200, greedy": ours["larger"],
        "our 200, the small one": ours["small"],
        "60 first sentences, greedy": stored["first"],
    }
    for name, found in rows.items():
        low, high = found["bleu_interval"]
        stands(
            f"| {name} | {found['sentences']:,} | {found['exact_match']:.1%} | {found['bleu']:.1f} "
            f"({max(0, low):.1f} to {high:.1f}) | {found['chrf']:.1f} |"
        )
    stands(tatoeba["beam 1"]["bleu_signature"])
    for scored in (ours["larger"], stored["first"]):
        for name in ("seen", "unseen"):
            found = scored["groups"][name]
            stands(f"{found['sentences']} {name}: {found['exact_match']:.1%}")
    stands(f"with a beam of 4, {stored['first']['right by beam']:.1%} of all")
    grammar = dict(stored["grammar"])
    pronoun = grammar.pop("pronoun")
    for name, found in grammar.items():
        agree = f"{found['agree']:.1%} of {found['adjectives']}"
        stands(f"| {name} | {found['exact_match']:.1%} | {agree} |")
    stands(
        f"right gender in {pronoun['right']:.1%};",
        f"of {pronoun['pairs']} minimal pairs both are right in {pronoun['pairs_right']:.1%}",
        f"({pronoun['judged']} of 1,000)",
    )


def test_the_card_has_three_seeds_and_the_middle_one_is_shipped():
    runs = experiments.load("everyday-seeds")["runs"]
    scores = ("right of our 200", "right of 60 first", "right of 60 first, by beam")
    for run in runs:
        bleu = [f"{run[f'bleu, beam {beam}']:.1f}" for beam in (1, 5)]
        shares = [f"{run[name]:.1%}" for name in scores]
        numbers = [str(run["seed"]), f"{run['validation_loss']:.3f}", *bleu, *shares]
        stands(f"| {' | '.join(numbers)} |")
    _, middle, _ = sorted(runs, key=lambda run: run["validation_loss"])
    shipped, tatoeba = read_json(FOLDER / "recipe.json"), experiments.load("everyday")["tatoeba"]
    assert shipped["training"]["seed"] == middle["seed"]
    stands(f"the middle validation loss, seed {middle['seed']}, is here")
    assert middle["bleu, beam 1"] == tatoeba["beam 1"]["bleu"], "one and the same"
    history = read_json(FOLDER / "training.json")["history"]
    assert history[-1]["validation_loss"] == middle["validation_loss"]


def test_the_card_says_what_the_optimizer_and_the_length_are_worth():
    adam, muon, shipped = experiments.load("everyday-optimizers")["runs"]
    assert (adam["optimizer"], adam["max_lr"], adam["steps"]) == ("adam", 0.002, 2500)
    assert (muon["optimizer"], muon["max_lr"], muon["steps"]) == ("muon", 0.004, 2500)
    assert shipped["seed"] == read_json(FOLDER / "recipe.json")["training"]["seed"]
    assert shipped["steps"] == 8 * muon["steps"] and adam["seed"] == muon["seed"]
    stands(
        f"with Adam (a rate of 0.002, one of those that were common here) and 2,500 steps "
        f"{adam['bleu']:.1f}, with Muon {muon['bleu']:.1f}; with Muon and eight times the steps, "
        f"the one that is here, {shipped['bleu']:.1f}"
    )


def test_the_card_says_how_well_it_doubts():
    found = experiments.load("doubt")
    thresholds = ConfidenceThresholds.load(FOLDER)
    told = found["scores"]["mean log-probability"]["told on"]
    stands(
        f"right are {found['right']:.1%}.",
        f"in {told['auroc']:.0%} of such pairs",
        f"Below {thresholds.usual:.3f}, which all but one in twenty",
        f"*unsure*: {told['right doubted']:.1%} of the right ones, and "
        f"{told['wrong doubted']:.1%} of the wrong",
    )


def test_the_card_says_what_8_bits_cost():
    half, page, int8 = (one["bleu"] for one in experiments.load("eight-bits")["scores"].values())
    stands(f"it scores {page:.1f} BLEU greedily instead of {half:.1f}; with `--int8`, {int8:.1f}")


def test_the_card_says_which_gender_professions_get_and_what_becomes_of_insults():
    found = experiments.load("choices")
    jobs, insults = found["jobs"], found["insults"]
    women, men = (jobs["nobody said"][whose]["masculine"] for whose in ("women", "men"))
    stands(f"is masculine in {women} of 45 sentences about the women's and {men} of 45")
    she, he = (
        [jobs[who][whose][gender] for whose in ("women", "men")]
        for who, gender in (("she", "feminine"), ("he", "masculine"))
    )
    stands(
        f"it is feminine in {she[0]} and {she[1]} of 15",
        f"masculine in {he[0]} and {he[1]}.",
        f"of {insults['sentences']}, {insults['kept']} are still one",
    )


def test_the_card_says_what_is_stored_of_each_seed():
    seeds = read_json(SHIPPED_MODEL / "heads.json")["seeds"]
    card = (SHIPPED_MODEL / "README.md").read_text(encoding="utf-8")
    (sentences,) = {found["sentences"] for found in seeds.values()}
    assert f"({sentences} sentences)" in card

    def row(first, *shares):
        return f"| {first} | {' | '.join(f'{100 * share:.1f} %' for share in shares)} |\n"

    for seed, found in seeds.items():
        best, it = found["best_head"], found["best_from_pronoun"]["right"]
        where = f"{seed} | {best['layer'].split('.')[2]} | {best['head']}"
        assert row(where, best["right"], best["other"], it, found["pair_exact_match"]) in card
    for change in seeds["0"]["agreement"]:
        assert row(change, *(found["agreement"][change] for found in seeds.values())) in card


# --- data/everyday and data/phrasebook


def test_the_card_of_the_everyday_sentences_says_how_many_there_are():
    items, doubtful = everyday.load(), everyday.load(everyday.DOUBT)
    card = (everyday.DATA / "README.md").read_text(encoding="utf-8")
    assert f"{len(items)} everyday English sentences" in card
    assert f"{sum(len(item.translations) for item in items):,} translations" in card
    assert f"{len(doubtful)} more sentences" in card
    assert f"all {sum(len(item.translations) for item in doubtful):,} translations" in card


PHRASEBOOK = (phrasebook.FOLDER / "README.md").read_text(encoding="utf-8")


def test_the_card_of_the_phrasebook_counts_its_phrases():
    """How many pairs they give is counted in tests/transformer_lib/text/test_phrasebook.py."""
    phrases = phrasebook.load()
    rows = re.findall(r"^\| `(\w+)` \| (\d+) \| (\d+) \|", PHRASEBOOK, re.MULTILINE)
    topics = Counter(phrase.topic for phrase in phrases)
    frames = Counter(
        phrase.topic for phrase in phrases if phrasebook.SLOT.search(phrase.english) is not None
    )
    assert {topic: (int(all_), int(some)) for topic, all_, some in rows} == {
        topic: (topics[topic], frames[topic]) for topic in topics
    }
    assert f"{len(phrases):,} phrases in English" in PHRASEBOOK
    assert f"in {len(topics)} topics" in PHRASEBOOK
    assert f"\n{sum(frames.values())} phrases are frames" in PHRASEBOOK
    short = sum(len(phrase.english.split()) < 10 for phrase in phrases)
    assert "Most\nphrases have fewer than ten words" in PHRASEBOOK and short > 0.9 * len(phrases)


def test_the_card_of_the_phrasebook_counts_the_first_sentences():
    items = everyday.load(phrasebook.FOLDER / "first-sentences.txt")
    assert f"({sum(len(item.translations) for item in items):,})" in PHRASEBOOK
    seen = sum(item.group.startswith("seen") for item in items)
    assert f"Its first two groups, {seen} sentences" in PHRASEBOOK


# --- data/beekeeping


def test_the_card_of_the_beekeepers_says_what_was_measured():
    card = read("data/beekeeping/README.md")
    stored = experiments.load("own-words")
    number = r"(\d[\d.]*)%? \|"
    rows = re.findall(rf"^\| [^|]+ \| {' '.join([number] * 5)}$", card, re.MULTILINE)
    assert [[float(cell) for cell in row] for row in rows] == [
        [
            *(round(100 * run[name]) for name in ("words", "exact_match")),
            *(run[name] for name in ("bleu", "chrf")),
            round(100 * run["everyday"], 1),
        ]
        for run in (stored["before"], *stored["runs"])
    ]
    runs = [run for run in experiments.load("lora")["runs"] if run["what"] == "all"]
    shares = {
        replay: [f"{run['words']:.0%}" for run in runs if run["replay"] == replay]
        for replay in (None, "phrasebook")
    }
    plain, mixed = shares.values()
    assert f"{min(mixed)} to {max(mixed)} of the translations have the field's word" in card
    assert f"without replay {min(plain)} to {max(plain)}" in card
