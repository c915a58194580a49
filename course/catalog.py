"""What chapters offer by name: figures, and experiments.

A chapter is imported when one of its names is first asked for, because importing all of them takes
seconds. The names themselves are read in its source, where they stand behind the decorator,
@figure("attention-arrow", ...), or behind a function named after it, figure_of_place("machine-01").
"""

import re
from collections import UserDict
from importlib import import_module
from pathlib import Path
from typing import Any, TypeVar

from course.chapters import CHAPTERS

COURSE = Path(__file__).parent
FOLDERS = [*(COURSE / "chapters" / name for name in CHAPTERS), COURSE / "lab"]
Entry = TypeVar("Entry")


class Registry(UserDict[str, Entry]):
    """name -> what is registered under it, in the order of the series.

    decorator: the name of the decorator that registers: "figure", "animation" or "experiment".
    """

    def __init__(self, decorator: str):
        self.decorator = decorator
        self.data: dict[str, Any] = {}  # until a name is asked for, it stands for its module
        named = re.compile(rf'^(?:@{decorator}|{decorator}_\w+)\(\s*"([^"]+)"', re.MULTILINE)
        for path in (path for folder in FOLDERS for path in sorted(folder.glob("*.py"))):
            module = ".".join(("course", *path.relative_to(COURSE).with_suffix("").parts))
            for name in named.findall(path.read_text(encoding="utf-8")):
                self.register(name, module, module)

    def register(self, name: str, entry: Entry | str, module: str) -> None:
        """Register an entry under a name. module: the module of the decorated function.

        ValueError if the name has an entry, or is another module's.
        """
        if self.data.get(name, module) != module:
            raise ValueError(f"there are two {self.decorator}s with the name {name!r}")
        self.data[name] = entry

    def __getitem__(self, name: str) -> Entry:
        if isinstance(self.data[name], str):
            import_module(self.data[name])
        if isinstance(self.data[name], str):
            raise KeyError(name)  # its module only looks as if it had it
        return self.data[name]
