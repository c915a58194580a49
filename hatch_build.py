"""What a build holds: the wheel the library and its data, an editable install the course too.

So `import course` works in every folder of a clone, and nobody who installs the library gets it.
"""

from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class LibraryOrCourse(BuildHookInterface):
    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            self.build_config.packages.append("course")
        else:
            build_data["force_include"]["data"] = "transformer_lib/data"
