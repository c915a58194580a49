"""Experiment: dictionaries of one residual stream, for three seeds and three translators.

Each dictionary and each measure is kept when it is done, so that the experiment can be stopped. For
one translator about five minutes of a core. Give other translators of the same recipe as
`--model`: what is stored of others stays.
"""

from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import torch
from safetensors.torch import load_file, save_file
from torch import Tensor
from tqdm import tqdm

from course.chapters.ch13_what_heads_learned.experiments import untrained
from course.chapters.ch15_heads_on_real_text.statistics import rounded
from course.chapters.ch15_heads_on_real_text.statistics import share as share_of
from course.chapters.ch20_features import labels, measures
from course.chapters.ch20_features.measures import best_candidate, controls, probe
from course.chapters.ch20_features.steering import (
    CHOOSE,
    STRENGTHS,
    Half,
    Levers,
    as_long,
    compare,
    each_outcome,
    random_pairs,
    signs,
    told,
)
from course.experiments import experiment
from course.experiments.digit_training import one_thread
from course.experiments.long_training import cached
from course.grammar.words import english_text
from transformer_lib.decoding import greedy_decode
from transformer_lib.files import read_json
from transformer_lib.interpret.patching import patch_attention, swap_attention
from transformer_lib.interpret.pronouns import PronounBatch, best_head, measurable
from transformer_lib.text import english_spanish
from transformer_lib.text.data import cache_folder
from transformer_lib.text.tokens import PAD
from transformer_lib.translator import Translator, model_folder
from transformer_lib.variants.sae import SparseAutoencoder, train_sae

SENTENCES, TRAINED_ON, REBUILT = 2500, 20_000, 200
SEEDS = (0, 1, 2)
KINDS = {  # name -> how it is trained
    "top-k": {"features": 1024, "k": 8},
    "ReLU": {"features": 1024, "l1": 3.0},
    "top-k, 64": {"features": 64, "k": 8},
    "top-k, 256": {"features": 256, "k": 8},
}
SCOPES = ("of its kind", "all words")
RETURNS = (0.5, 0.7, 0.9)  # correlations
GENDER = "adjective: feminine"


class Subject:
    """A translator, the vectors that dictionaries learn from, and the labelled sentences.

    model: "untrained", or the name or folder of a trained one.
    """

    def __init__(self, model: str):
        trained = Translator.load("grammar" if model == "untrained" else model)
        self.translator = untrained(trained, 0) if model == "untrained" else trained
        self.translator.model.eval()
        self.seed = "untrained" if model == "untrained" else training_seed(model)
        texts = [english for english, _ in english_spanish.load("train")[:TRAINED_ON]]
        self.x = measures.vectors(self.translator, texts)
        self.pairs = english_spanish.load("validation")[:REBUILT]
        sentences, self.asked = truth()
        self.src, self.memory = measures.read(
            self.translator, [english_text(one.english) for one in sentences]
        )
        self.words = self.src != PAD

    def dictionary(self, kind: str, seed: int) -> SparseAutoencoder:
        """The dictionary, trained on the first call and cached."""
        how = KINDS[kind]
        name = f"sae-{self.seed}-{'-'.join(map(str, how.values()))}-{list(how)[1]}-{seed}"
        path = Path(cache_folder()) / "experiments" / f"{name}.safetensors"
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            save_file(train_sae(self.x, **how, seed=seed).state_dict(), path)
        sae = SparseAutoencoder(self.x.size(1), **how)
        sae.load_state_dict(load_file(path))
        return sae.requires_grad_(False)


@cache
def truth() -> tuple[list, dict[str, labels.Asked]]:
    sentences = labels.drawn(SENTENCES)
    return sentences, labels.ask(sentences)


def training_seed(model: str) -> str:
    return str(read_json(model_folder(model) / "recipe.json")["training"]["seed"])


# --- one dictionary ------------------------------------------------------------------------------


def properties(
    subject: Subject,
    activations: Callable[[labels.Asked], measures.Activations],
    interval: bool = False,
) -> dict[str, Any]:
    """scope -> property -> its best candidate. activations: by what is asked."""
    found: dict[str, Any] = {scope: {} for scope in SCOPES}
    for name, every in subject.asked.items():
        for scope, asked in zip(SCOPES, (every.of_its_kind, every), strict=True):
            ends = interval and scope == SCOPES[0]
            found[scope][name] = best_candidate(
                activations(asked), subject.memory, asked, interval=ends
            )
    return found


def measure_dictionary(subject: Subject, kind: str, seed: int) -> dict[str, Any]:
    sae = subject.dictionary(kind, seed)
    f = sae.encode(subject.memory[subject.words])
    kinds, share = measures.word_shares(f > 0, subject.src[subject.words])
    fired = (f > 0).float().mean(dim=0)
    found = {
        "quality": measures.quality(sae, subject.translator, subject.pairs, subject.x),
        "properties": properties(subject, lambda asked: sae.encode, interval=True),
        "one_word": {
            "features": int((share > 0.9).sum()),
            "words": len(kinds[share > 0.9].unique()),
            "alive": int((fired > 0).sum()),
        },
        "eight": {
            name: eight(sae, subject, asked.of_its_kind)["ap"]
            for name, asked in subject.asked.items()
        },
        "feminine": precise_features(sae, subject, subject.asked["noun: feminine"]),
    }
    return rounded(found)


def eight(sae: SparseAutoencoder, subject: Subject, asked: labels.Asked) -> dict[str, Any]:
    """A probe on the eight features whose means differ most between yes and no."""
    learn, _ = measures.halves(asked)
    f = sae.encode(subject.memory[learn.rows, learn.places])
    apart = (f[learn.true].mean(dim=0) - f[~learn.true].mean(dim=0)) / f.std(dim=0).clamp(min=1e-6)
    chosen = apart.abs().topk(8).indices
    few = sae.encode(subject.memory.flatten(0, 1))[:, chosen].view(*subject.memory.shape[:2], -1)
    return best_candidate(probe(few, asked), few, asked)


def precise_features(
    sae: SparseAutoencoder, subject: Subject, asked: labels.Asked
) -> dict[str, Any]:
    """Features with a precision of at least 0.9 and a recall of at least 0.01 for one label.

    Each has its precision and recall. union: the recall of all of them together.
    """
    fires = sae.encode(subject.memory[asked.rows, asked.places]) > 0
    precision, recall = measures.rates(fires, asked.true)
    good = ((precision >= 0.9) & (recall >= 0.01)).nonzero().flatten()
    good = good[recall[good].argsort(descending=True)]
    together = fires[:, good].any(dim=1) & asked.true
    return {
        "features": [[i, precision[i].item(), recall[i].item()] for i in good.tolist()],
        "union": (together.sum() / asked.true.sum()).item(),
    }


def measure_portrait(subject: Subject, kind: str, seed: int) -> dict[str, Any]:
    """The feature that finds feminine nouns best: the ten words on which it is strongest, and of
    each noun with known gender and number how often it fires."""
    sae = subject.dictionary(kind, seed)
    asked = subject.asked["noun: feminine"].of_its_kind
    best = best_candidate(sae.encode, subject.memory, asked)["candidate"]
    sentences, _ = truth()
    strongest: dict[str, str] = {}  # word -> where it is strongest
    order = sae.encode(subject.memory[subject.words])[:, best].argsort(descending=True)
    for row, place in subject.words.nonzero()[order[:1000]].tolist():
        words = sentences[row].english.words
        if place < len(words):  # not <eos>
            strongest.setdefault(words[place], english_text(sentences[row].english))
    counted: dict[str, list[Any]] = {}
    plural = labels.by_place(subject.asked["noun: plural"].of_its_kind)
    fires = sae.encode(subject.memory[asked.rows, asked.places])[:, best] > 0
    for (at, feminine), fired in zip(labels.by_place(asked).items(), fires.tolist(), strict=True):
        if at in plural:
            form = sentences[at[0]].english.words[at[1]]
            noun = counted.setdefault(form, [form, feminine, plural[at], 0, 0])
            noun[3] += 1
            noun[4] += fired
    return {
        "candidate": best,
        "strongest": list(strongest.items())[:10],
        "nouns": list(counted.values()),
    }


# --- what it is compared with --------------------------------------------------------------------


def measure_controls(subject: Subject) -> dict[str, Any]:
    """Neurons and random directions; the probe; and a probe for gender that has learned from one
    number and is asked about the other."""
    found = {
        name: properties(subject, lambda asked, activations=activations: activations)
        for name, activations in controls(subject.x.size(1)).items()
    }
    found["probe"] = properties(subject, partial(probe, subject.memory))
    return rounded({"properties": found, "other_number": probe_of_other_number(subject)})


def probe_of_other_number(subject: Subject) -> dict[str, float]:
    """Average precision of "feminine?" among plural nouns, learned from singular ones of other
    nouns; and the other way round."""
    gender = subject.asked["noun: feminine"].of_its_kind
    number = labels.by_place(subject.asked["noun: plural"].of_its_kind)
    known = [number.get(at) for at in labels.by_place(gender)]
    several = torch.tensor([one is True for one in known])
    one = torch.tensor([one is False for one in known])
    found = {}
    for name, learned, asked in (("several", one, several), ("one", several, one)):
        taught, _ = measures.halves(gender.where(learned))
        activations = probe(subject.memory, gender.where(learned))
        chosen = gender.where(asked & ~torch.isin(gender.groups, taught.groups))
        scores = activations(subject.memory[chosen.rows, chosen.places])
        found[name] = measures.average_precision(scores, chosen.true).item()
    return found


# --- which features return -----------------------------------------------------------------------


def measure_returns(subject: Subject, other: Subject, other_seed: int) -> dict[str, Any]:
    """How many features of the first dictionary with top-k return in another one.

    The share of the features that fire at least ten times whose activations correlate with one of
    the other dictionary's at each threshold, over the words of the labelled sentences; and the same
    with the other's words shuffled.
    """
    f, g = (
        one.dictionary("top-k", seed).encode(one.memory[one.words])
        for one, seed in ((subject, 0), (other, other_seed))
    )
    alive = (f > 0).sum(dim=0) >= 10
    _, share = measures.word_shares(f > 0, subject.src[subject.words])
    lexical = share[alive] > 0.5
    shuffled = g[torch.randperm(len(g), generator=torch.Generator().manual_seed(0))]
    best = measures.correlations(f, g)[alive].max(dim=1).values
    chance = measures.correlations(f, shuffled)[alive].max(dim=1).values

    def at_each(correlations: Tensor) -> dict[str, float]:
        return {str(at): share_of(correlations >= at) for at in RETURNS}

    return rounded(
        {
            "alive": int(alive.sum()),
            "lexical": share_of(lexical),
            "share": at_each(best),
            "share_of_lexical": at_each(best[lexical]),
            "share_of_others": at_each(best[~lexical]),
            "by_chance": at_each(chance),
        }
    )


# --- steering ------------------------------------------------------------------------------------


def measure_steering(subject: Subject, kind: str, seed: int) -> dict[str, Any]:
    sae = subject.dictionary(kind, seed)
    adjectives = subject.asked[GENDER].of_its_kind
    levers = levers_of(sae, subject.memory, adjectives)
    return rounded({"ways": compare(subject.translator, levers, halves_of(subject.translator))})


def levers_of(sae: SparseAutoencoder, memory: Tensor, adjectives: labels.Asked) -> Levers:
    """The two features that find feminine and masculine adjectives best, and their values."""
    best = [
        best_candidate(sae.encode, memory, adjectives, truth=truth)["candidate"]
        for truth in (True, False)
    ]
    return Levers(sae, memory, adjectives, *best)


def halves_of(translator: Translator) -> list[list]:
    items = english_spanish.load_pronoun()
    return [measurable(translator, items, half=half) for half in (0, 1)]


def measure_swap(subject: Subject) -> dict[str, Any]:
    """Notebook 13's swap in the head that finds the noun, by the same count.

    Two weights of the adjective's row change places.
    """
    translator = subject.translator
    layer, head = best_head(translator, english_spanish.load_pronoun())
    items = halves_of(translator)[1]
    batch = PronounBatch(translator, items)
    swap = swap_attention(batch.rows, head, batch.adjective, batch.antecedent, batch.other)
    with patch_attention(translator.model, {layer: swap}):
        written = greedy_decode(translator.model, batch.src)
    outcomes = each_outcome(translator, items, batch, written)
    return rounded({"head": [layer, head], "swap": told(items, outcomes)})


# --- steering by exact names, and a hundred changes at random ------------------------------------

AT_RANDOM = 100  # changes of the same length
NUMBERS = {"one": False, "several": True}


def of_number(subject: Subject, several: bool) -> labels.Asked:
    """The labelled adjectives that are said of one thing, or of several."""
    adjectives = subject.asked[GENDER].of_its_kind
    plural = labels.by_place(subject.asked["adjective: plural"].of_its_kind)
    known = [plural.get(at) is several for at in labels.by_place(adjectives)]
    return adjectives.where(torch.tensor(known))


def measure_turned(subject: Subject, seed: int) -> dict[str, Any]:
    """Name -> way -> outcomes; and of changes at random, as long as those of the two features.

    By gender: one pair of features and one difference of means for all adjectives. By gender and
    number: chosen, averaged and tried among the adjectives of one number. pairs: two features of
    the dictionary; directions: of a normal distribution, with the sign of the gender. Of these,
    and as "next", only the likeliest adjective after the right words: a translation takes longer.
    With the first dictionary all that is turned is compared with both; with others, only what is
    named by gender, with pairs.
    """
    sae, (first, second) = subject.dictionary("top-k", seed), halves_of(subject.translator)
    first = first[:CHOOSE]
    asked = {"all": subject.asked[GENDER].of_its_kind}
    asked |= {name: of_number(subject, several) for name, several in NUMBERS.items()}
    found: dict[str, Any] = {}
    for name, adjectives in asked.items():
        levers = levers_of(sae, subject.memory, adjectives)
        kept = [
            [one for one in items if name == "all" or one.right.endswith("s") == NUMBERS[name]]
            for items in (first, second)
        ]
        choose, measure = (Half(subject.translator, items) for items in kept)
        ways = {}
        for way, strength in choose.strongest(levers).items():
            by = levers.changes(measure.x, measure.to_feminine, strength)[way]
            ways[way] = {"strength": strength, "length": by.norm(dim=1).mean().item()}
            ways[way] |= measure.outcome(by)
            tried = {}
            if way == "two features":
                goal = measure.to_feminine.long()
                ways[way]["features"] = levers.features.tolist()
                if name == "all" or seed == SEEDS[0]:
                    tried["pairs"] = [
                        levers.of_pair(pair, measure.x, goal, strength)
                        for pair in random_pairs(len(sae.encoder), AT_RANDOM)
                    ]
            if seed == SEEDS[0]:
                tried["directions"] = [
                    signs(measure.to_feminine) * one for one in random_directions(by.size(1))
                ]
            ways[way]["next"] = measure.next_word(by)
            for kind, changes in tried.items():
                each = [measure.next_word(as_long(one, by)) for one in changes]
                ways[way][kind] = {what: [one[what] for one in each] for what in each[0]}
        found[name] = ways
    return rounded({"named by": found})


def random_directions(d: int) -> Tensor:
    return torch.randn(AT_RANDOM, d, generator=torch.Generator().manual_seed(0))


@experiment("features-turned")
@one_thread()
def turned_by_name() -> dict[str, Any]:
    """Whether steering works with exact names, and what a hundred changes at random do."""
    subject, runs = Subject("grammar"), []
    settings = {"model": subject.seed, "sentences": SENTENCES, "learned": TRAINED_ON}
    settings |= {"at_random": AT_RANDOM, "strengths": list(STRENGTHS), "choose": CHOOSE}
    how = {"what": "swap", **settings}
    runs.append(cached("features-turned", how, partial(measure_swap, subject)))
    for seed in tqdm(SEEDS, unit="dictionary"):
        how = {"what": "turned", "seed": seed, **settings}
        runs.append(cached("features-turned", how, partial(measure_turned, subject, seed)))
    return {"runs": runs}


# --- all of it -----------------------------------------------------------------------------------


def plan(seed: str) -> list[tuple[str, str, int]]:
    """(what, kind, seed of the dictionary) for a translator: three seeds for the shipped one, one
    for the others."""
    seeds = SEEDS if seed == "0" else SEEDS[:1]
    jobs = [("controls", "", 0), *(("dictionary", "top-k", one) for one in seeds)]
    if seed == "untrained":
        return jobs
    jobs += [("swap", "", 0), *(("steering", "top-k", one) for one in seeds)]
    if seed == "0":
        jobs.append(("portrait", "top-k", 0))
        jobs += [("dictionary", kind, 0) for kind in ("ReLU", "top-k, 64", "top-k, 256")]
    return jobs


OF_DICTIONARIES = {
    "dictionary": measure_dictionary,
    "steering": measure_steering,
    "portrait": measure_portrait,
}
OF_TRANSLATORS = {"controls": measure_controls, "swap": measure_swap}


@one_thread()
def all_runs(models: Sequence[str]) -> list[dict[str, Any]]:
    subjects = [Subject(model) for model in models]
    jobs = [(subject, *job) for subject in subjects for job in plan(subject.seed)]
    runs = []
    for subject, what, kind, seed in (bar := tqdm(jobs, unit="measure")):
        bar.set_description(f"{subject.seed}: {what} {kind} {seed}")
        settings = {"what": what, "model": subject.seed, "kind": kind, "seed": seed}
        settings |= {"how": KINDS.get(kind, {}), "sentences": SENTENCES, "learned": TRAINED_ON}
        settings["asked"] = list(labels.PROPERTIES)
        if what == "steering":
            settings["control"] = "as large a change"
        if kind:
            measure = partial(OF_DICTIONARIES[what], subject, kind, seed)
        else:
            measure = partial(OF_TRANSLATORS[what], subject)
        runs.append(cached("features", settings, measure))
    first = subjects[0]
    pairs = [(first, seed) for seed in SEEDS[1:]] + [(other, 0) for other in subjects[1:]]
    for other, other_seed in pairs:
        settings = {"what": "returns", "model": first.seed, "kind": "top-k", "seed": 0}
        settings |= {"other": other.seed, "other_seed": other_seed, "sentences": SENTENCES}
        settings["asked"] = list(labels.PROPERTIES)
        measure = partial(measure_returns, first, other, other_seed)
        runs.append(cached("features", settings, measure))
    return runs


@experiment("features")
def dictionaries(models: Sequence[str] = ("grammar", "untrained")) -> dict[str, Any]:
    """What sparse dictionaries of the translator's residual stream hold of the grammar (--model).

    Run with all translators at once: "grammar", others of its recipe, "untrained".
    """
    return {"kinds": KINDS, "runs": all_runs(models)}
