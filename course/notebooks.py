"""Until release 2.0: `course.notebooks` is now `course.notebook_tools`; old commands still run."""

import warnings

from course import notebook_tools

warnings.warn(
    "course.notebooks is now course.notebook_tools; the old name goes with release 2.0",
    FutureWarning,
    2,
)
__path__ = notebook_tools.__path__  # where Python looks for course.notebooks.run
