"""Trainings that anybody can repeat: which text, which sizes, how long."""

import dataclasses
import json
import time
from dataclasses import dataclass
from pathlib import Path

import torch
from tqdm import tqdm

from transformer_lib.checkpoints import CheckpointError, read_json, save_model, write_json
from transformer_lib.config import SMALL, TOY, ModelConfig
from transformer_lib.corpora import digits, english_spanish
from transformer_lib.evaluation import exact_match, pair_exact_match
from transformer_lib.model import Transformer, count_parameters, make_model
from transformer_lib.tokens import Tokenizer, Vocabulary, proper_words
from transformer_lib.training import STATE_FILE, TrainingConfig, train
from transformer_lib.translator import Language, Translator, write_languages

TextPairs = list[tuple[str, str]]
DIGIT_TASKS = ("copy", "reverse", "sort")


@dataclass(frozen=True)
class Recipe:
    """What to train on and how. languages: spaCy's codes of source and target."""

    task: str
    languages: tuple[str, str]
    model: ModelConfig
    training: TrainingConfig

    def texts(self) -> tuple[TextPairs, TextPairs]:
        """Pairs of text to train on, and to validate on."""
        if self.task in DIGIT_TASKS:
            return digits.load(self.task)
        return english_spanish.load("train"), english_spanish.load("validation")

    def to_json(self) -> dict:
        return json.loads(json.dumps(dataclasses.asdict(self)))

    @classmethod
    def from_json(cls, content: dict) -> "Recipe":
        try:
            return cls(
                content["task"],
                tuple(content["languages"]),
                ModelConfig(**content["model"]),
                TrainingConfig(**content["training"]),
            )
        except (KeyError, TypeError, ValueError) as error:
            raise CheckpointError(f"recipe.json is damaged: {error!r}") from None


DIGITS = TrainingConfig(steps=600, schedule="linear", peak=1e-2, warmup=50, validate_every=100)
RECIPES = {
    **{task: Recipe(task, ("xx", "xx"), TOY, DIGITS) for task in DIGIT_TASKS},
    "en-es": Recipe(
        "en-es",
        ("en", "es"),
        dataclasses.replace(SMALL, dropout=0.0, tie_weights="target"),
        TrainingConfig(steps=8000, schedule="linear", peak=2e-3, warmup=400, validate_every=250),
    ),
}


def how_far(translator: Translator) -> dict:
    """What the history of an English-Spanish training records beside the loss.

    The pairs come from the pronoun test split, so they are for looking at: no setting of the
    recipe and no stop depends on them.
    """
    validation = english_spanish.load("validation")[:100]
    return {
        "exact_match": exact_match(translator, validation),
        "pair_exact_match": pair_exact_match(translator, english_spanish.load_pronoun()[:100]),
    }


def learn_language(code: str, texts: list[str]) -> Language:
    """Tokenizer and vocabulary of one language, from training text only."""
    tokenizer = Tokenizer(code)
    tokenizer = Tokenizer(code, proper_words(texts, tokenizer))
    return Language(tokenizer, Vocabulary.build(tokenizer(text) for text in texts))


def train_recipe(
    recipe: Recipe,
    folder: Path,
    *,
    resume: bool = False,
    bar: tqdm | None = None,
) -> Translator:
    """Train what the recipe says and save it in `folder`, ready for `Translator.load`.

    recipe.json comes first and model.safetensors last; a run that was stopped in between goes on
    with resume=True. bar: the progress bar to use.
    """
    folder = Path(folder)
    start(recipe, folder, resume)
    training, validation = recipe.texts()
    src = learn_language(recipe.languages[0], [source for source, _ in training])
    tgt = learn_language(recipe.languages[1], [target for _, target in training])
    write_languages(folder, src, tgt)

    torch.manual_seed(recipe.training.seed)
    sizes = dataclasses.asdict(recipe.model)
    model = make_model(len(src.vocab), len(tgt.vocab), **sizes)
    translator = Translator(model, src, tgt)

    def measure(_: Transformer) -> dict:
        return how_far(translator) if recipe.task == "en-es" else {}

    began = time.perf_counter()
    history = train(
        model,
        [(src.encode(source), tgt.encode(target)) for source, target in training],
        [(src.encode(source), tgt.encode(target)) for source, target in validation],
        recipe.training,
        folder=folder,
        resume=resume and (folder / STATE_FILE).exists(),
        measure=measure,
        bar=bar,
    )
    record = {
        "parameters": count_parameters(model),
        "sentences": len(training),
        "threads": torch.get_num_threads(),
        "torch": torch.__version__.split("+")[0],
        "seconds": round(time.perf_counter() - began),  # since the last start
        "resumed": resume,
        "history": history,
    }
    write_json(folder / "training.json", record)
    save_model(folder, model)
    return translator


def start(recipe: Recipe, folder: Path, resume: bool) -> None:
    """Claim the folder for this recipe, or make sure that it is this recipe's."""
    path = folder / "recipe.json"
    if not path.exists():
        if resume:
            raise CheckpointError(f"there is nothing to resume in {folder}: it has no recipe.json")
        write_json(path, recipe.to_json())
    elif not resume:
        raise CheckpointError(
            f"{folder} already holds a training run; add --resume to go on with it, or name "
            f"another folder"
        )
    elif read_json(path) != recipe.to_json():
        raise CheckpointError(
            f"{folder} was started with other settings (see its recipe.json); resume with the same"
        )
