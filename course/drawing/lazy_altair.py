"""Altair, imported when the first chart is drawn, and in a fraction of its usual time.

from course.drawing import lazy_altair as alt     # alt.Chart is Altair's
"""

import sys
from types import ModuleType
from typing import Any

ADDRESSES = "rfc3987_syntax"  # checks international web addresses


def altair() -> ModuleType:
    """The module altair.

    It imports jsonschema, which imports, where JupyterLab is installed, a parser of international
    web addresses that works out its tables anew in every process: ten times the time of jsonschema
    itself. It is optional, no chart holds such an address, and nothing here checks one; so while
    Altair is imported, it counts as not installed.
    """
    if ADDRESSES in sys.modules or "jsonschema" in sys.modules:
        import altair
    else:
        sys.modules[ADDRESSES] = None
        try:
            import altair
        finally:
            del sys.modules[ADDRESSES]
    return altair


def __getattr__(name: str) -> Any:
    if name.startswith("__"):  # Python asks every module for these
        raise AttributeError(name)
    return getattr(altair(), name)
