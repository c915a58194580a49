"""Settings as they are typed, by the names that they have in the code: d_model=256 N=3."""

import dataclasses
import difflib
import math
from collections.abc import Sequence
from typing import Any, get_args

KINDS = {int: "a whole number", float: "a number", bool: "true or false"}


def read_settings(typed: Sequence[str], *configs: Any) -> dict[str, Any]:
    """["d_model=256", "dropout=0.2"] -> {"d_model": 256, "dropout": 0.2}.

    configs: the dataclasses with such fields. Raises ValueError for anything but NAME=VALUE, an
    unknown name, a name given twice, or a value of another kind; `replaced` checks the rest.
    """
    kinds = {field.name: field.type for config in configs for field in dataclasses.fields(config)}
    found: dict[str, Any] = {}
    for text in typed:
        name, equals, value = text.partition("=")
        if not equals:
            raise ValueError(f"{text!r} is no setting: write NAME=VALUE, like dropout=0.2")
        if name not in kinds:
            near = difflib.get_close_matches(name, kinds, n=1)
            way_out = f"did you mean {near[0]!r}?" if near else f"there are {', '.join(kinds)}"
            raise ValueError(f"there is no setting {name!r}; {way_out}")
        if name in found:
            raise ValueError(f"{name} is set twice")
        found[name] = read_value(name, value, kinds[name])
    return found


def read_value(name: str, text: str, kind: Any) -> Any:
    """The value of one setting. kind: int, float, bool or str, perhaps with None, typed as none."""
    plain, *others = get_args(kind) or [kind]
    if others and text == "none":
        return None
    if plain is bool:
        value = {"true": True, "false": False}.get(text)
    else:
        try:
            value = plain(text)
        except ValueError:
            value = None
    if value is None or (plain is float and not math.isfinite(value)):
        raise ValueError(f"{text!r} is no value for {name}: {KINDS[plain]} is")
    return value


def replaced(config: Any, settings: dict[str, Any]) -> Any:
    """A copy of a dataclass, with the settings that are among its fields."""
    own = {field.name for field in dataclasses.fields(config)}
    return dataclasses.replace(config, **{k: v for k, v in settings.items() if k in own})
