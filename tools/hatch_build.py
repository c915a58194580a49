"""What a build holds: the wheel the library and its data, an editable install the course too.

So `import course` works in every folder of a clone, and nobody who installs the library gets it.
And where the project lives: as CITATION.cff says, if it says so.
"""

import re
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

COURSE_ONLY = "data/models/earlier/"  # notebook 15 looks into it, and nothing in the library does


class LibraryOrCourse(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            self.build_config.packages.append("course")
        else:
            for file in Path(self.root, "data").rglob("*"):
                name = file.relative_to(self.root).as_posix()
                if file.is_file() and not name.startswith(COURSE_ONLY):
                    build_data["force_include"][str(file)] = f"transformer_lib/{name}"


class Addresses(MetadataHookInterface):
    """[project.urls], in the one place where addresses are: none there, none here."""

    def update(self, metadata: dict[str, Any]) -> None:
        file = Path(self.root) / "CITATION.cff"
        found = urls(file.read_text(encoding="utf-8") if file.exists() else "")
        if found:
            metadata["urls"] = found


def urls(citation: str) -> dict[str, str]:
    """From the keys `url` and `repository-code`. A build has no YAML reader, so lines are read."""
    told = dict(
        re.findall(r"""^(url|repository-code): *["']?([^\s"'#]+)""", citation, re.MULTILINE)
    )
    found = {"Homepage": told["url"]} if "url" in told else {}
    if repository := told.get("repository-code", "").rstrip("/"):
        found |= {"Repository": repository, "Issues": f"{repository}/issues"}
        found["Changelog"] = f"{repository}/blob/HEAD/docs/CHANGELOG.md"
    return found
