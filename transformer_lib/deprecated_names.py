"""Old names of modules, functions and commands, which work until release 2.0.

The tables are at the top. An old module is a stand-in that looks each name up in its new place, and
warns. What went to the course is found if there is a course: course/deprecated_names.py.
"""

import sys
import warnings
from collections.abc import Sequence
from functools import partial
from importlib import import_module
from importlib.abc import Loader
from importlib.machinery import ModuleSpec
from importlib.util import module_from_spec
from typing import Any

from transformer_lib.confidence import ConfidenceThresholds
from transformer_lib.model.decoder import DecoderLayer
from transformer_lib.model.encoder import EncoderLayer
from transformer_lib.text.languages import Language, SubwordLanguage
from transformer_lib.text.subwords import Subwords
from transformer_lib.translator import Translator
from transformer_lib.variants import MixtureOfExperts, Rotary
from transformer_lib.variants.language_model import LanguageModelLayer
from transformer_lib.variants.recurrent import RecurrentTranslator


def table(text: str) -> dict[str, str]:
    """From pairs such as old=now; several places are separated by commas."""
    pairs = (pair.partition("=") for pair in text.split())
    return {old: now.replace(",", " ") for old, _, now in pairs}


# Old command, or option of a command -> what is typed now.
COMMANDS = {
    "figures": "python -m course figures",
    "experiment": "python -m course experiment",
    "view": "python -m course view",
    "corpus --out": "python -m course corpus --out DIR",
    "translate --attention": "python -m course view MODEL TEXT --out FILE",
}

# Old module -> where its names are now, without "transformer_lib."; they are asked in this order.
MODULES = table("""
    attention=model.attention batching=text.batching before=variants.recurrent checkpoints=files
    config=model.config corpora=text.data corpora.digits=text.digits
    corpora.english_spanish=text.english_spanish corpora.english_spanish.splits=text.english_spanish
    corpora.everyday=text.everyday corpora.parallel=text.parallel decoder=model.decoder
    decoding.layout=decoding.quantization decoding.optimize=decoding.quantization
    distributed=training.distributed variants.replacement=variants.module_surgery
    downloads=text.downloads embedding=model.embedding encoded=text.tokenized_dataset
    encoder=model.encoder evaluation=interpret.patching,interpret.pronouns,metrics
    language_model=variants.language_model,variants.gpt2 languages=text.languages
    layers=model.layers log=training.log loss=training.loss masks=model.masks
    model=model.transformer moses=text.moses recording=interpret.recording,interpret.patching
    settings=cli.settings since=variants since.attention=variants.modern_attention
    since.exchange=variants.module_surgery since.feed_forward=variants.feed_forwards
    since.flash=variants.flash_attention since.norms=variants.rms_norm
    since.optimizers=training.optimizers since.positions=variants.relative_positions
    subwords=text.subwords sureness=confidence tokens=text.tokens typed=text.user_input
""")
MODULES["training"] = """training.schedules training.config training.batches training.step
    training.state training.devices training.optimizers training.trainer"""

# A name in an old module -> the name that it has in its new place, or in transformer_lib itself.
RENAMED = table("""
    Run=TrainState exchange=replace_modules,gradient_sync Attentive=AttentionReadout
    Blind=LastStateReadout make_look=make_readout unprompted=as_lm_pairs continue_ids=generate
    starts=empty_sources sharpen=sampling_distribution draw=sample Prefixes=DecoderState
    deciding=inference_mode Speculation=SpeculativeResult Looks=AttentionMaps
    Sureness=ConfidenceThresholds measure_sureness=measure_confidence Typed=UserInput
    EncodedPairs=TokenizedDataset proper_words=learn_truecasing Material=TrainingData
    OwnPairs=ParallelRecipe own_pairs=parallel_recipe everyday=tatoeba everyday_sizes=tatoeba_sizes
    pictures=multi30k pictures_sizes=multi30k_sizes how_far=validation_scores
    say_whose=_print_attribution edit_attention=patch_attention edit_outputs=patch_outputs
    switch_off=ablate_head forbid=block_attention swap=swap_attention in_int8=quantize_int8
    for_decoding=optimize_for_decoding device_named=get_device place_of=sentence_hash
    words_in=count_tokens part_with_weights=inner_attention load_balance=load_balancing_loss
    world=world_size mine=shard total=all_reduce_sum joined=process_group own_device=local_device
    own_random_numbers=seed_process exchanging=data_parallel_loss
""")

# Parts and methods of classes: old name -> the name that they have now.
LAYER = {f"around_{x}": f"residual_{x}" for x in ("self_attn", "cross_attn", "feed_forward")}
LANGUAGE = table("typed=preprocess answer=postprocess shown=display_tokens text=decode")
PARTS: dict[type, dict[str, str]] = {
    **dict.fromkeys((EncoderLayer, DecoderLayer, LanguageModelLayer), LAYER),
    **dict.fromkeys((Language, SubwordLanguage), LANGUAGE | {"more": "larger_model_hint"}),
    Subwords: table("encode_varied=encode_with_dropout"),
    Translator: table(
        "sureness=confidence doubt=warning looks=attention_maps for_decoding=optimize_for_decoding"
    ),
    ConfidenceThresholds: table("doubt=warning"),
    Rotary: table("turn=rotate"),
    MixtureOfExperts: table("top=top_k"),
    RecurrentTranslator: table("look=readout"),
}

# Old modules that went to the course, whole or in part.
GONE = "checks corpora.english_spanish corpora.messy experiments paper plots web".split()
TO_THE_COURSE = tuple(f"transformer_lib.{old}" for old in GONE)

# Modules that are where they were, but for some of their names.
PARTLY = """decoding decoding.cache decoding.sampling decoding.speculative interpret.recording
    recipes text.parallel training.step translator variants"""
KEPT = ("transformer_lib", *(f"transformer_lib.{part}" for part in PARTLY.split()))

# The tables of both, by full names.
PLACES: dict[str, list[str]] = {}
HANDED_ON: dict[str, str] = {}  # names that an old package handed on, by themselves


def command_now(arguments: Sequence[str]) -> str:
    """A sentence that says what to type instead of an old command; "" for any other."""
    options = {argument.partition("=")[0] for argument in arguments}
    for old, now in COMMANDS.items():
        command, _, option = old.partition(" ")
        if list(arguments[:1]) == [command] and (not option or option in options):
            if list(arguments[:2]) != ["corpus", "get"]:
                return f"`{old}` is now `{now}`, in a clone of the project"
    return ""


def alias(package: str, modules: dict[str, str]) -> None:
    """Make old modules of the library stand-ins for modules of a package."""
    for old, places in modules.items():
        name = f"transformer_lib.{old}"
        PLACES.setdefault(name, []).extend(f"{package}.{place}" for place in places.split())
        if name not in sys.modules:
            sys.modules[name] = module_from_spec(ModuleSpec(name, StandIn(), is_package=True))
        vars(sys.modules[name])["__getattr__"] = partial(find, name)


def find(old: str, name: str) -> Any:
    """What `name` was in the module `old`; AttributeError if there was no such name."""
    whole = f"{old}.{name}"
    found = None if name.startswith("__") else look_up(old, name)
    if not found and whole.startswith(TO_THE_COURSE) and not name.startswith("__"):
        load_table_of_course(whole)  # once; then it adds nothing
        found = look_up(old, name)
    if not found:
        raise AttributeError(f"module {old!r} has no attribute {name!r}")
    thing, message = found
    if message:
        warnings.warn(f"{message}; the old name goes with release 2.0", FutureWarning, 2)
    return thing


def look_up(old: str, name: str) -> tuple[Any, str] | None:
    """What `name` was in `old`, and a warning or ""; None if it isn't in the tables."""
    whole = f"{old}.{name}"
    for place in [HANDED_ON[whole]] if whole in HANDED_ON else PLACES[old]:
        names = vars(import_module(place))
        for now in (*RENAMED.get(name, "").split(), name, f"_{name}"):  # or private by now
            if now in names:
                is_now = "isn't public any more" if now.startswith("_") else f"is now {now}"
                renamed = [f"{name} {is_now}"] if now != name else []
                moved = [f"{old} is now {place}"] if place != old else []
                return names[now], ", and ".join(moved + renamed)
    if whole not in PLACES:
        return None
    if len(PLACES[whole]) > 1 or any(other.startswith(f"{whole}.") for other in PLACES):
        return sys.modules[whole], ""  # which warns itself
    (place,) = PLACES[whole]
    return import_module(place), f"{whole} is now {place}"


def old_part(old: str, now: str) -> property:
    """A part of an object by its old name."""

    def get(layer: Any) -> Any:
        warnings.warn(f"{old} is now {now}; the old name goes with release 2.0", FutureWarning, 2)
        return getattr(layer, now)

    return property(get)


class StandIn(Loader):
    """Makes an empty module; `find` looks its names up."""

    def create_module(self, spec: ModuleSpec) -> Any:
        return sys.modules.get(spec.name)

    def exec_module(self, module: Any) -> None:
        pass


class NamesOfCourse:
    """Python asks this for modules that it finds nowhere else."""

    @staticmethod
    def find_spec(name: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        if not name.startswith(TO_THE_COURSE) or "course.deprecated_names" in sys.modules:
            return None
        load_table_of_course(name)
        return sys.modules[name].__spec__ if name in sys.modules else None


def load_table_of_course(name: str) -> None:
    try:
        import_module("course.deprecated_names")
    except ModuleNotFoundError:
        raise ModuleNotFoundError(
            f"{name} is no part of the library any more: it went to the course, which comes with "
            "a clone of the project",
            name=name,
        ) from None


for kept in KEPT:
    PLACES[kept] = [kept]
    vars(import_module(kept))["__getattr__"] = partial(find, kept)
alias("transformer_lib", MODULES)
for kind, names in PARTS.items():
    for old, now in names.items():
        setattr(kind, old, old_part(old, now))
sys.meta_path.insert(0, NamesOfCourse)  # an old folder may have been left behind, with __pycache__
