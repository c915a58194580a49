"""Settings and keywords that have another name now: what files hold loads, a caller is told."""

import functools
from collections.abc import Callable, Mapping
from typing import Any, TypeVar, cast

# In recipes, configurations and runs written before -> now.
SETTINGS = {
    "peak": "max_lr",
    "accumulate": "accumulation_steps",
    "src_vocab": "src_vocab_size",
    "tgt_vocab": "tgt_vocab_size",
}
# Of functions -> now; until the next release.
KEYWORDS = SETTINGS | {"bar": "progress", "rate": "lr"}

F = TypeVar("F", bound=Callable[..., Any])


def current_settings(settings: Mapping[str, Any]) -> dict[str, Any]:
    """Settings by the names that they have now, also if they come from an older file."""
    return {SETTINGS.get(name, name): value for name, value in settings.items()}


def says_new_keywords(function: F) -> F:
    """The function; called with a keyword of before, it raises a TypeError that names the new one.

    A decorator, for functions that have neither **keywords nor parameters of the old names.
    """

    @functools.wraps(function)
    def checked(*args: Any, **keywords: Any) -> Any:
        for name in keywords.keys() & KEYWORDS:
            raise TypeError(f"{name}= is now called {KEYWORDS[name]}=")
        return function(*args, **keywords)

    return cast(F, checked)
