"""Training runs that anybody can repeat: which text, which sizes, how long."""

import copy
import dataclasses
import functools
import hashlib
import json
import random
import sys
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any

import torch
from torch import Tensor
from tqdm import tqdm

from transformer_lib.checkpoints import current_settings, save_model, set_weights, weights
from transformer_lib.files import CheckpointError, read_json, write_file, write_json
from transformer_lib.metrics import exact_match, pair_exact_match, quick_bleu
from transformer_lib.model.config import SMALL, TOY, ModelConfig
from transformer_lib.model.interface import Seq2SeqModel
from transformer_lib.model.transformer import count_parameters, make_model
from transformer_lib.text import (
    digit_tasks,
    downloads,
    english_spanish,
    moses,
    parallel,
    phrasebook,
)
from transformer_lib.text.augmentation import augmented
from transformer_lib.text.data import using_cache
from transformer_lib.text.languages import (
    SUBWORDS_FILE,
    AnyLanguage,
    Language,
    SubwordLanguage,
    read_languages,
    read_subwords,
    write_languages,
)
from transformer_lib.text.normalizing import AS_IT_IS, Normalizer, normalizer
from transformer_lib.text.stand_ins import STAND_INS
from transformer_lib.text.subwords import Subwords
from transformer_lib.text.tokenized_dataset import TokenizedDataset, encode_pairs
from transformer_lib.text.tokens import Tokenizer, Vocabulary, learn_truecasing
from transformer_lib.text.user_input import is_finished
from transformer_lib.training.batches import Pairs
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.devices import get_device
from transformer_lib.training.distributed import first_before_others, local_device, rank, world_size
from transformer_lib.training.optimizers import OptimizerOf, adam
from transformer_lib.training.state import STATE_FILE, differing
from transformer_lib.training.threads import threads_for
from transformer_lib.training.trainer import check_processes, train
from transformer_lib.translator import MODELS, Translator, model_folder
from transformer_lib.variants import adamw, muon

TextPairs = list[tuple[str, str]]
LATER_FIELDS = ("as_typed", "aside", "start", "replay")  # of recipes: older runs lack them
DIGIT_TASKS = ("copy", "reverse", "sort")
OPTIMIZERS: dict[str, OptimizerOf] = {"adam": adam, "adamw": adamw, "muon": muon}
NEARLY_ALL = 0.95  # share of sentences; what so many have in common, the model expects of all
STEPS_MORE = 60  # steps of a finished model on a user's own pairs
OLD = 1000  # sentences of the kind it knew that it meets again, at least
READING = 2  # another number when files are read or cut in another way, so that none is stale
ASIDE = 0.01  # share of the source sentences to validate on, if no file is named
ASIDE_MORE = 0.1  # the same where there may be only fifty of them


def _print_complaint(message: str) -> None:
    print(f"skipped: {message}", file=sys.stderr)


def _silent(message: str) -> None:
    pass


@dataclass(frozen=True)
class Recipe:
    """What to train on, and how. languages: spaCy's codes for source and target.

    optimizer: the paper's "adam", or a newer one: "adamw", "muon". ValueError for any other.
    """

    task: str
    languages: tuple[str, str]
    model: ModelConfig
    training: TrainingConfig
    optimizer: str = field(default="adam", kw_only=True)

    def __post_init__(self) -> None:
        if self.optimizer not in OPTIMIZERS:
            known = ", ".join(OPTIMIZERS)
            raise ValueError(f"optimizer={self.optimizer!r} must be one of {known}")

    def texts(self) -> tuple[TextPairs, TextPairs]:
        """Pairs of text to train on, and pairs to validate on."""
        if self.task in DIGIT_TASKS:
            return digit_tasks.load(self.task)
        return english_spanish.load("train"), english_spanish.load("validation")

    def load_data(self, folder: Path) -> "TrainingData":
        """What the model learns from, in ids. folder: where the run is saved."""
        training, validation = self.texts()
        code = self.languages[0]
        rules = AS_IT_IS if self.task in DIGIT_TASKS else normalizer(code)
        src = learn_language(code, [source for source, _ in training], rules)
        tgt = learn_language(self.languages[1], [target for _, target in training])
        encoded, held_out = (
            [(src.encode(source), tgt.encode(target)) for source, target in pairs]
            for pairs in (training, validation)
        )
        return TrainingData(src, tgt, encoded, held_out)

    def to_json(self) -> dict[str, Any]:
        """The content of recipe.json."""
        return dict(json.loads(json.dumps(dataclasses.asdict(self))))

    def settings(self) -> dict[str, Any]:
        """All settings by their names, those of the model and of training among them."""
        found = self.to_json()
        return {**found.pop("model"), **found.pop("training"), **found}

    @classmethod
    def from_json(cls, content: dict[str, Any]) -> "Recipe":
        """The recipe in a recipe.json; CheckpointError if it is damaged."""
        try:
            settings = {
                "task": content["task"],
                "languages": tuple(content["languages"]),
                "model": ModelConfig(**content["model"]),
                "training": TrainingConfig(**current_settings(content["training"])),
                "optimizer": content.get("optimizer", "adam"),  # older runs know no other
            }
            if "files" not in content:
                return cls(**settings)
            return ParallelRecipe(
                **settings,
                **{name: content[name] for name in ("skip_bad", "subwords", "sha256")},
                **{name: content[name] for name in LATER_FIELDS if name in content},
                files=tuple(content["files"]),
                validation=tuple(content["validation"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"recipe.json is damaged: {error!r}") from None


@dataclass(frozen=True)
class TrainingData:
    """Both languages, and pairs of (source ids, target ids) to train on and to validate on.

    start: the translator whose weights the training starts from (None: random ones).
    """

    src: AnyLanguage
    tgt: AnyLanguage
    training: Pairs
    validation: Pairs
    start: Translator | None = None


@dataclass(frozen=True)
class ParallelRecipe(Recipe):
    """Training on a user's own sentence pairs (`text.parallel`), in subwords.

    files, validation: the files with the pairs; without validation, the share `aside` of the
    source sentences is set aside. skip_bad: how many bad lines to leave out. subwords: how many to
    learn, at most. sha256: of the contents of all files, so that a run goes on with the same text.
    as_typed: English into Spanish for what visitors type: the training side is `augmented`.
    start: a finished model that goes on learning, by its name in MODELS or its folder, with its
    vocabulary and its sizes. replay: the share of sentences of the kind it knew (`old_pairs`).
    """

    files: tuple[str, ...]
    validation: tuple[str, ...]
    skip_bad: int
    subwords: int
    sha256: str
    as_typed: bool = field(default=False, kw_only=True)
    aside: float = field(default=ASIDE, kw_only=True)
    start: str | None = field(default=None, kw_only=True)
    replay: float = field(default=0.0, kw_only=True)

    def __post_init__(self) -> None:
        super().__post_init__()
        if not 0 <= self.replay < 1:
            raise ValueError(f"replay={self.replay} must be at least 0 and less than 1")
        if self.replay and self.start not in MODELS:
            raise ValueError(
                f"replay={self.replay}: there are old sentences only for {' and '.join(MODELS)}; "
                f"for another model, add some to your own pairs"
            )

    def load_data(self, folder: Path) -> TrainingData:
        """As in `Recipe`; CorpusError if the text has changed since, or isn't as it should be."""
        list(self.still_the_same())
        start: Translator | None = None
        if (folder / STATE_FILE).exists():  # the run goes on
            src, tgt = read_languages(folder)
        elif self.start is not None:
            start = self.load_start()
            src, tgt = start.src, start.tgt
        elif (folder / SUBWORDS_FILE).exists():  # it was stopped before its first step
            src, tgt = read_subwords(folder)
        else:
            normalize = normalizer("en" if self.as_typed else "xx")
            tgt = self.learn_language(normalize)
            src = tgt.as_source(normalize)
        training, validation = (self.encoded(src, tgt, side) for side in ("train", "validation"))
        return TrainingData(src, tgt, training, validation, start)

    def load_start(self) -> Translator:
        """The finished model; CheckpointError if the recipe has other sizes."""
        assert self.start is not None
        start = Translator.load(self.start)
        sizes = {self.model, dataclasses.replace(start.model.config, dropout=self.model.dropout)}
        if len(sizes) > 1:
            raise CheckpointError(
                f"{self.start} keeps its sizes when it goes on learning, of which only dropout may "
                f"be another: {dataclasses.asdict(start.model.config)}"
            )
        return start

    def learn_language(self, normalize: Normalizer) -> SubwordLanguage:
        """Subwords of the training side, and whether its sentences begin and end like sentences.

        normalize: how its sources are read.
        """
        count = finished = 0

        def texts() -> Iterator[str]:
            nonlocal count, finished
            for source, target in self.pairs("train", _print_complaint):
                count, finished = count + 1, finished + is_finished(source)
                yield from (normalize(source), target)

        subwords = Subwords.learn(texts(), self.subwords)
        stand_ins = STAND_INS if self.as_typed else {}
        return SubwordLanguage(subwords, finished > NEARLY_ALL * count, stand_ins)

    def pairs(
        self,
        side: str,
        report: parallel.Report = _silent,
        check: Callable[[str, str], str] = lambda source, target: "",
    ) -> Iterator[tuple[str, str]]:
        """The pairs of one side, "train" or "validation", with a progress bar."""
        files = self.validation if self.validation and side == "validation" else self.files
        pairs = parallel.read_parallel(files, skip_bad=self.skip_bad, report=report, check=check)
        chosen = (
            (source, target)
            for source, target in tqdm(pairs, desc=f"reading ({side})", unit="pair", disable=None)
            if self.validation
            or (parallel.sentence_hash(source) < self.aside) == (side == "validation")
        )
        if self.as_typed and side == "train":
            book = phrasebook.load(), phrasebook.load_slots()
            return augmented(list(chosen), *book, random.Random(0))
        if self.replay and side == "train":
            return with_old(list(chosen), old_pairs(self.start), self.replay)
        return chosen

    def encoded(self, src: AnyLanguage, tgt: AnyLanguage, side: str) -> TokenizedDataset:
        """One side as ids, cached by a name from text and tokenizer; CorpusError if it is empty.

        The language of the sources normalizes them.
        """
        rules = src.normalize.to_json() if src.normalize else ""
        longest = src.longest if self.model.positions == "learned" else None
        settings = (READING, self.aside, longest, self.start, self.replay, len(self.files))
        about = (
            f"{settings} {self.sha256} {rules} {tokenizer_content(src)} {tokenizer_content(tgt)}"
        )
        name = hashlib.sha256(about.encode("utf-8")).hexdigest()[:20]
        check = functools.partial(wrong_for_model, src, tgt, longest)
        report = _print_complaint if self.start and side == "train" else _silent
        with using_cache() as cache:
            folder = cache / "encoded" / f"{name}-{side}"
            if folder.exists():
                return TokenizedDataset(folder)
            found = self.pairs(side, report, check)
            pairs = ((src.normalize(source), target) for source, target in found)
            first = next(pairs, None)
            if first is None:
                raise parallel.CorpusError(
                    f"{' and '.join(self.files)}: too few sentences to set some aside for "
                    f"validation; name a file of others for it"
                )
            whole = chain([first], pairs, self.still_the_same())
            encode_all = functools.partial(encode_texts, src, tgt)
            return encode_pairs(whole, encode_all, max(len(src.vocab), len(tgt.vocab)), folder)

    def still_the_same(self) -> Iterator[tuple[str, str]]:
        """Nothing, but CorpusError if the text has changed since the recipe was made."""
        if text_digest(self.files + self.validation, self.as_typed) != self.sha256:
            raise parallel.CorpusError(
                f"{' or '.join(self.files + self.validation)} has changed since this run began"
            )
        yield from ()


def tokenizer_content(language: AnyLanguage) -> str:
    """All that the ids of a text depend on."""
    if isinstance(language, SubwordLanguage):
        return language.tokenizer.to_json()
    return json.dumps(language.to_json())


def encode_texts(src: AnyLanguage, tgt: AnyLanguage, texts: Sequence[str]) -> list[list[int]]:
    """The ids of source, target, source, target, …; a model of words reads no final full stop."""
    if isinstance(src, SubwordLanguage):
        return src.tokenizer.encode_all(texts)
    return [(tgt if i % 2 else src).encode(text.removesuffix(".")) for i, text in enumerate(texts)]


def wrong_for_model(
    src: AnyLanguage, tgt: AnyLanguage, longest: int | None, source: str, target: str
) -> str:
    """Why a model with these languages can't learn from a pair, or "".

    longest: how many subwords its positions reach (None: any number).
    """
    for language, text in ((src, source), (tgt, target)):
        tokenizer = language.tokenizer
        if not isinstance(language, SubwordLanguage):
            words = tokenizer(language.normalize(text).removesuffix("."))
            if unknown := language.vocab.unknown(words):
                return f"this model has no word {unknown[0]!r}, and can't learn new ones"
        elif longest and len(text.encode()) > longest < (count := len(tokenizer(text))):
            return f"{count} subwords, but positions are learned only up to {longest}"
    return ""


def old_pairs(start: str | None) -> TextPairs:
    """Sentences of the kinds that a model of MODELS has learned, in a fixed random order."""
    rng = random.Random(0)
    if start == "grammar":
        pairs = english_spanish.load("train")
    else:
        pairs = list(phrasebook.sample(phrasebook.load(), phrasebook.load_slots(), rng))
    return rng.sample(pairs, len(pairs))


def with_old(new: TextPairs, old: TextPairs, share: float) -> Iterator[tuple[str, str]]:
    """New pairs and old ones, which have this share; few new ones are repeated instead."""
    old = old[: max(OLD, round(len(new) * share / (1 - share)))]
    copies = max(1, round(len(old) * (1 - share) / share / max(1, len(new))))
    yield from new * copies + old


def text_digest(files: Sequence[str | Path], as_typed: bool) -> str:
    """SHA-256 of all that is learned from: the files, and the phrasebook where it is used."""
    return parallel.digest([*files, *(phrasebook.files() if as_typed else ())])


def parallel_recipe(
    files: Sequence[str | Path],
    validation: Sequence[str | Path] = (),
    *,
    skip_bad: int = 0,
    subwords: int = 8000,
    as_typed: bool = False,
) -> ParallelRecipe:
    """A recipe for a user's own sentence pairs, with sizes that suit tens of thousands of them."""
    training_files, validation_files = (
        tuple(str(Path(file).resolve()) for file in side) for side in (files, validation)
    )
    return ParallelRecipe(
        "own",
        ("xx", "xx"),
        dataclasses.replace(SMALL, N=3, tie_weights="all"),
        TrainingConfig(
            steps=8000,
            schedule="linear",
            max_lr=2e-3,
            warmup=400,
            max_tokens=2048,
            validate_every=250,
        ),
        files=training_files,
        validation=validation_files,
        skip_bad=skip_bad,
        subwords=subwords,
        sha256=text_digest(training_files + validation_files, as_typed),
        as_typed=as_typed,
    )


def more_recipe(
    files: Sequence[str | Path],
    start: str | Path = "tatoeba",
    validation: Sequence[str | Path] = (),
    *,
    skip_bad: int = 0,
    replay: float = 0.0,
) -> ParallelRecipe:
    """A recipe for a finished model that goes on learning, from a user's own pairs.

        translator = train_recipe(more_recipe(["bees.tsv"], "tatoeba"), Path("runs/bees"))

    start: a name in MODELS, or the folder of a model. replay: the share of sentences of the kind
    that it knew; with them it forgets less and, in as many steps, learns less. The steps are meant
    for some fifty pairs.
    """
    folder = model_folder(start)
    name = next((name for name, place in MODELS.items() if place == folder), str(folder.resolve()))
    recipe = parallel_recipe(files, validation, skip_bad=skip_bad)
    training = TrainingConfig(
        steps=STEPS_MORE,
        schedule="linear",
        max_lr=3e-4,
        warmup=10,
        max_tokens=512,
        validate_every=10,
    )
    model = Translator.load(name).model.config
    how: dict[str, Any] = {"model": model, "training": training, "aside": ASIDE_MORE}
    return dataclasses.replace(recipe, **how, start=name, replay=replay)


def tatoeba_sizes() -> tuple[ModelConfig, TrainingConfig, int]:
    """Model, training and number of subwords of the larger translator in MODELS."""
    model = ModelConfig(
        N=3, d_model=256, d_ff=1024, h=8, dropout=0.15, norm_first=True, tie_weights="all"
    )
    training = TrainingConfig(
        steps=20_000,
        schedule="linear",
        max_lr=4e-3,
        warmup=500,
        max_tokens=1024,
        bf16=True,
        validate_every=500,
        average=5,
    )
    return model, training, 8000


def tatoeba() -> ParallelRecipe:
    """The larger translator's recipe; fetches its sentences if need be, or raises DownloadError."""
    splits = fetched("tatoeba-en-es")
    model, training, subwords = tatoeba_sizes()
    text = [splits["train"]], [splits["validation"]]
    recipe = parallel_recipe(*text, subwords=subwords, as_typed=True)
    return dataclasses.replace(
        recipe, task="tatoeba", model=model, training=training, optimizer="muon"
    )


def multi30k_sizes() -> tuple[ModelConfig, TrainingConfig, int]:
    """Model, training and number of subwords for the 29,000 descriptions of Multi30k.

    The model has the sizes of "tiny" in Wu et al. (ACL 2021), with pre-norm and half the subwords.
    It is trained with Muon, for 41 epochs; theirs took many more.
    """
    model = ModelConfig(
        N=4, d_model=128, d_ff=256, h=4, dropout=0.3, norm_first=True, tie_weights="all"
    )
    training = TrainingConfig(
        steps=20_000,
        schedule="linear",
        max_lr=6e-3,
        warmup=400,
        max_tokens=1024,
        validate_every=435,
        average=5,
    )
    return model, training, 5000


def multi30k(target: str) -> ParallelRecipe:
    """The recipe for Multi30k into "de" or "fr", in lower-case tokens (`moses`); fetches it too."""
    task = f"multi30k-en-{target}"
    splits = fetched(task)
    files = {split: moses.tokenized(path, ("en", target)) for split, path in splits.items()}
    model, training, subwords = multi30k_sizes()
    recipe = parallel_recipe([files["train"]], [files["validation"]], subwords=subwords)
    return dataclasses.replace(recipe, task=task, model=model, training=training, optimizer="muon")


def fetched(corpus: str) -> dict[str, Path]:
    """The files of a public corpus; its source and license are printed on standard error."""
    if rank() > 0:  # process 0 has fetched it and printed that
        return downloads.get(corpus, report=lambda message: None)
    splits = downloads.get(corpus)
    _print_attribution(corpus)
    return splits


@functools.cache  # once, however many times it is called
def _print_attribution(corpus: str) -> None:
    print(downloads.CORPORA[corpus].about, file=sys.stderr)


DIGITS = TrainingConfig(steps=600, schedule="linear", max_lr=1e-2, warmup=50, validate_every=100)
RECIPES = {  # by name: what `train --task NAME` trains
    **{task: Recipe(task, ("xx", "xx"), TOY, DIGITS) for task in DIGIT_TASKS},
    "en-es": Recipe(
        "en-es",
        ("en", "es"),
        dataclasses.replace(SMALL, dropout=0.0, tie_weights="target"),
        TrainingConfig(steps=8000, schedule="linear", max_lr=2e-3, warmup=400, validate_every=250),
    ),
}


def validation_scores(translator: Translator) -> dict[str, Any]:
    """What the history of an English-Spanish training run records besides the loss.

    Its pronoun sentences are those of a test split, so they are for information only: neither a
    setting of the recipe nor the end of the run depends on them.
    """
    validation = english_spanish.load("validation")[:100]
    return {
        "exact_match": exact_match(translator, validation),
        "pair_exact_match": pair_exact_match(translator, english_spanish.load_pronoun()[:100]),
    }


def learn_language(code: str, texts: list[str], normalize: Normalizer = AS_IT_IS) -> Language:
    """Tokenizer and vocabulary of one language, from training text only, as it is read."""
    tokenizer = Tokenizer(code)
    texts = [normalize(text) for text in texts]
    tokenizer = Tokenizer(code, learn_truecasing(texts, tokenizer))
    return Language(tokenizer, Vocabulary.build(tokenizer(text) for text in texts), normalize)


def train_recipe(
    recipe: Recipe,
    folder: Path,
    *,
    resume: bool = False,
    progress: tqdm | None = None,
    device: str = "cpu",
    dtype: torch.dtype | None = None,
    threads: int | None = None,
) -> Translator:
    """Train a translator by the recipe and save it in `folder`, ready for `Translator.load`.

    recipe.json is written first and training.json last; a run that stopped in between goes on with
    resume=True, and from its first validation on, `Translator.load` finds its best weights there.
    progress: the progress bar to use. device: as for `get_device`; only a run on a CPU goes on to
    the same weights bit for bit. dtype: see `save_model`. threads: see `train`. Raises
    CheckpointError if the folder holds another run, or none to resume.
    """
    folder, place = Path(folder), local_device(get_device(device))
    with first_before_others():  # who then find all of it on the disk
        check_processes(recipe.training)
        if rank() == 0:
            check_folder(recipe, folder, resume)
        data = recipe.load_data(folder)
        src, tgt = data.src, data.tgt
        if rank() == 0:
            write_json(folder / "recipe.json", recipe.to_json())  # from here on it is a run
            write_languages(folder, src, tgt)
            if data.start and data.start.notice:  # whose sentences it learned before
                write_file(folder / "notice.txt", data.start.notice.encode())

    torch.manual_seed(recipe.training.seed)
    sizes = dataclasses.asdict(recipe.model)
    model = make_model(len(src.vocab), len(tgt.vocab), **sizes).to(place)
    if data.start:
        set_weights(model, weights(data.start.model), where=str(data.start))
    translator = Translator(model, src, tgt)
    so_far = copy.deepcopy(model).cpu()  # what somebody who stops the run is left with

    def keep(tensors: dict[str, Tensor]) -> None:
        set_weights(so_far, tensors, where="this run")
        save_model(folder, so_far, dtype)

    def measure(_: Seq2SeqModel) -> dict[str, Any]:
        found = validation_scores(translator) if recipe.task == "en-es" else {}
        if recipe.training.best_by == "bleu":
            found["bleu"] = round(quick_bleu(translator, data.validation), 2)
        return found

    if threads is None:
        threads = threads_for(recipe.model.d_model, recipe.training.max_tokens)
    began = time.perf_counter()
    history = train(
        model,
        data.training,
        data.validation,
        recipe.training,
        folder=folder,
        resume=resume and (folder / STATE_FILE).exists(),
        measure=measure,
        progress=progress,
        optimizer=OPTIMIZERS[recipe.optimizer],
        keep=keep,
        threads=threads,
    )
    record = {
        "parameters": count_parameters(model),
        "sentences": len(data.training),
        "device": place.type,
        "processes": world_size(),
        "threads": threads,
        "torch": torch.__version__.split("+")[0],
        "seconds": round(time.perf_counter() - began),  # since the last start
        "resumed": resume,
        "history": history,
    }
    if rank() == 0:
        save_model(folder, model.cpu(), dtype)
        write_json(folder / "training.json", record)
    return translator


def check_folder(recipe: Recipe, folder: Path, resume: bool) -> None:
    """CheckpointError unless the folder is free, or holds a run of this recipe to resume."""
    path = folder / "recipe.json"
    if not path.exists():
        if resume:
            raise CheckpointError(f"there is nothing to resume in {folder}: it has no recipe.json")
        folder.mkdir(parents=True, exist_ok=True)
    elif not resume:
        raise CheckpointError(
            f"{folder} already holds a training run: resume it, or name another folder"
        )
    elif changed := differing(Recipe.from_json(read_json(path)).settings(), recipe.settings()):
        raise CheckpointError(f"{folder} was started with other settings: {changed}")
