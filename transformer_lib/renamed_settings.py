"""Settings and keywords that were renamed: the old ones still work, and a caller is warned."""

import functools
import warnings
from collections.abc import Callable, Mapping
from typing import Any, ParamSpec, TypeVar

# Old name in recipes, configurations and saved runs -> new name.
SETTINGS = {
    "peak": "max_lr",
    "accumulate": "accumulation_steps",
    "src_vocab": "src_vocab_size",
    "tgt_vocab": "tgt_vocab_size",
}
# Old keyword of a function -> new one; until release 2.0.
KEYWORDS = SETTINGS | {"bar": "progress", "rate": "lr", "both_ways": "bidirectional"}
KEYWORDS |= {"buckets": "num_buckets", "farthest": "max_distance", "top": "top_k"}
KEYWORDS |= {"lots": "uniform", "before": "qk_transforms"}

P = ParamSpec("P")
R = TypeVar("R")


def current_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings, perhaps from an older file, by the names that they have now."""
    return {SETTINGS.get(name, name): value for name, value in settings.items()}


def says_new_keywords(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a function so that an old keyword works until release 2.0, with a warning.

    For functions that have neither **keywords nor parameters with old names.
    """

    @functools.wraps(function)
    def renamed(*args: Any, **keywords: Any) -> R:
        for name in keywords.keys() & KEYWORDS:
            message = f"{name}= is now called {KEYWORDS[name]}=; the old name goes with release 2.0"
            warnings.warn(message, FutureWarning, 2)
            keywords[KEYWORDS[name]] = keywords.pop(name)  # dataclasses.replace hands over both
        return function(*args, **keywords)

    return renamed
