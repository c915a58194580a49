"""What chapters offer by name: figures, and experiments.

A chapter is imported when one of its names is first asked for, because importing all of them takes
seconds. The names themselves are read in its source, where they stand behind the decorator,
@figure("attention-arrow", ...), or behind a function named after it, figure_of_place("machine-01").
"""

import re
from collections.abc import Iterator, MutableMapping
from importlib import import_module
from pathlib import Path
from typing import Generic, TypeVar

from course.chapters import CHAPTERS

COURSE = Path(__file__).parent
FOLDERS = [*(COURSE / "chapters" / name for name in CHAPTERS), COURSE / "lab"]
Entry = TypeVar("Entry")


class Registry(MutableMapping[str, Entry], Generic[Entry]):
    """name -> what is registered under it, in the order of the series.

    decorator: the name of the decorator that registers: "figure", "animation" or "experiment".
    """

    def __init__(self, decorator: str):
        self.decorator = decorator
        self.modules: dict[str, str] = {}  # name -> the module in which it is registered
        self.entries: dict[str, Entry] = {}  # of the modules that have been imported
        named = re.compile(rf'^(?:@{decorator}|{decorator}_\w+)\(\s*"([^"]+)"', re.MULTILINE)
        for path in (path for folder in FOLDERS for path in sorted(folder.glob("*.py"))):
            module = ".".join(("course", *path.relative_to(COURSE).with_suffix("").parts))
            for name in named.findall(path.read_text(encoding="utf-8")):
                self.claim(name, module)

    def claim(self, name: str, module: str) -> None:
        """ValueError if another module has this name."""
        if self.modules.setdefault(name, module) != module:
            raise ValueError(f"there are two {self.decorator}s with the name {name!r}")

    def register(self, name: str, entry: Entry, module: str) -> None:
        """Register an entry under a name. module: the module of the decorated function."""
        self.claim(name, module)
        if name in self.entries:
            raise ValueError(f"there are two {self.decorator}s with the name {name!r}")
        self.entries[name] = entry

    def __getitem__(self, name: str) -> Entry:
        if name not in self.entries and name in self.modules:
            import_module(self.modules[name])
        return self.entries[name]

    def __setitem__(self, name: str, entry: Entry) -> None:
        self.modules.setdefault(name, "")
        self.entries[name] = entry

    def __delitem__(self, name: str) -> None:
        del self.modules[name], self.entries[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.modules)

    def __len__(self) -> int:
        return len(self.modules)
