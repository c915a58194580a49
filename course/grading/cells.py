"""A notebook's cells, run as JupyterLab runs them: Python, and what IPython adds to it.

Of IPython itself there is only what makes Python of `%magic`, `!shell` and `help?`. A magic that
measures a statement runs it. A shell does nothing: no other program may run while work is graded.
"""

import __future__

import ast
import asyncio
import functools
import getopt
import inspect
import itertools
import linecache
import operator
import os
import sys
import time
import timeit
import types
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import torch

FUTURE = functools.reduce(
    operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names)
)
MEASURE = {"time": "", "timeit": "n:r:tcp:qov:", "prun": "l:rs:T:D:q"}  # magics, and their options


class Cells:
    """The cells of one notebook. names: what they define; for Python, the module __main__."""

    def __init__(self) -> None:
        main = types.ModuleType("__main__")
        sys.modules["__main__"] = main
        sys.path.insert(0, "")  # for modules that the notebook writes itself
        shell = Mock()  # takes whatever else a notebook asks of IPython
        shell.run_line_magic, shell.run_cell_magic = self.line_magic, self.cell_magic
        shell.getoutput = nothing_printed
        self.names = vars(main)
        self.names |= {"display": Mock(), "get_ipython": lambda: shell}
        self.flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
        self.count = itertools.count(1)
        self.loop = Loop()
        # What PyTorch has compiled runs where no watch sees it (course/checks/watching.py), and
        # its own compiler needs programs that a submission may not start.
        torch.jit._state.disable()
        os.environ["TORCH_COMPILE_DISABLE"] = "1"

    def run(self, source: str) -> None:
        """Run a cell, with what IPython and `await` need. Its exceptions pass."""
        try:
            code = self.compiled(source)
        except SyntaxError:
            from IPython.core.inputtransformer2 import TransformerManager  # takes half a second

            code = self.compiled(TransformerManager().transform_cell(source))
        if code.co_flags & inspect.CO_COROUTINE:
            self.loop.run_until_complete(eval(code, self.names))
        else:
            exec(code, self.names)

    def compiled(self, source: str) -> types.CodeType:
        """Its code, whose lines `inspect` finds. `from __future__` holds in later cells, too."""
        name = f"<cell {next(self.count)}>"
        linecache.cache[name] = len(source), None, source.splitlines(keepends=True), name
        code = compile(source, name, "exec", self.flags, dont_inherit=True)
        self.flags |= code.co_flags & FUTURE
        return code

    def line_magic(self, name: str, line: str) -> Any:
        """What %time, %timeit and %prun return for their statement; other magics do nothing."""
        if name not in MEASURE:
            return None
        options, statement = parsed(name, line)
        inside = sys._getframe(1).f_locals  # it may stand in a function
        if name == "timeit":
            return self.timed(statement, "pass", options, self.names | inside)
        try:
            code = compile(statement, "<magic>", "eval", dont_inherit=True)
        except SyntaxError:
            code = compile(statement, "<magic>", "exec", dont_inherit=True)
        return eval(code, self.names, inside)

    def cell_magic(self, name: str, line: str, cell: str) -> None:
        """The same for whole cells; and %%capture and %%writefile, whose results others may use."""
        words = [word for word in line.split() if not word.startswith("-")]
        if name == "timeit":
            options, setup = parsed(name, line)
            self.timed(cell, setup or "pass", options, self.names)
        elif name in MEASURE:
            self.run(cell)
        elif name == "capture":
            from IPython.utils.capture import capture_output

            with capture_output() as captured:
                self.run(cell)
            self.names |= dict.fromkeys(words[:1], captured)
        elif name in ("writefile", "file"):
            mode = "a" if "-a" in line.split() else "w"
            with Path(words[0]).open(mode, encoding="utf-8") as file:
                file.write(cell)

    def timed(
        self, statement: str, setup: str, options: dict[str, str], names: dict[str, Any]
    ) -> Any:
        """Run it once; with -o as often as is asked for -> IPython's account of it."""
        timer = timeit.Timer(statement, setup, globals=names)
        if "-o" not in options:
            timer.timeit(1)
            return None
        from IPython.core.magics.execution import TimeitResult

        loops, repeat = int(options.get("-n", 1)), int(options.get("-r", 7))
        runs = [seconds / loops for seconds in timer.repeat(repeat, loops)]
        return TimeitResult(loops, repeat, min(runs), max(runs), runs, 0.0, 3)


def parsed(name: str, line: str) -> tuple[dict[str, str], str]:
    """The options of a magic that measures, and its statement, which may begin with a minus."""
    if not MEASURE[name]:
        return {}, line
    options, words = getopt.getopt(line.split(" "), MEASURE[name])
    return dict(options), " ".join(words)


def nothing_printed(*command: Any, **options: Any) -> list[str]:
    """What a shell command printed, in IPython's kind of list: nothing."""
    from IPython.utils.text import SList

    return SList()


class Loop(asyncio.BaseEventLoop):
    """What `await` waits in, without the sockets of asyncio's own: a submission may have none."""

    _selector = types.SimpleNamespace(select=lambda seconds: time.sleep(seconds or 0) or ())

    def _process_events(self, events: Any) -> None:
        pass

    def _write_to_self(self) -> None:
        pass
