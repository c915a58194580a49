"""Kernels for the tests, which don't each import PyTorch anew: that takes seconds a notebook.

A kernel starts as a copy of a process that has imported what others have written and most notebooks
need. It goes on as `python -m ipykernel_launcher` does, in its own folder, with its own variables;
nothing of this project and no name is in it. That a kernel starts by itself is tested as well:
tests/prose/test_notebooks.py.
"""

import atexit
import functools
import gc
import importlib.util
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from unittest.mock import patch

NEEDED = (
    "ipykernel.kernelapp",
    "torch",
    "torch._dynamo",  # every optimizer imports it
    "matplotlib.figure",
    "matplotlib.backends.backend_agg",
    "spacy",
)


def serve() -> None:
    """Start a kernel for each line of standard input, and print its number."""
    # A kernel doesn't find these tools. With Python's -P it wouldn't find its own folder either.
    sys.path.remove(str(Path(__file__).resolve().parent))
    os.environ["MPLBACKEND"] = "module://matplotlib_inline.backend_inline"  # as ipykernel has it
    os.environ["JPY_PARENT_PID"] = str(os.getpid())  # so that a kernel ends with this process
    for name in NEEDED:
        importlib.import_module(name)
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # a kernel that has ended leaves nothing behind
    for line in sys.stdin:
        if os.fork() == 0:
            return become(**json.loads(line))


def become(words: list[str], cwd: str, env: dict[str, str]) -> None:
    """This process is a kernel from here on. words: what follows `python -m ipykernel_launcher`."""
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    os.setsid()
    os.chdir(cwd)
    os.environ.clear()
    os.environ.update(env)
    print(os.getpid(), flush=True)
    nowhere = os.open(os.devnull, os.O_RDWR)
    for stream in (0, 1, 2):
        os.dup2(nowhere, stream)
    gc.unfreeze()
    sys.modules["numpy"].random.seed()  # or all would draw the same; Python's own does it by itself
    sys.argv = [importlib.util.find_spec("ipykernel_launcher").origin, *words]
    sys.modules["ipykernel.kernelapp"].launch_new_instance()


class Copy:
    """What subprocess.Popen gives to who starts a kernel."""

    stdin = stdout = stderr = None

    def __init__(self, command: list[str], cwd: str, env: dict[str, str], **_):
        words = command[command.index("ipykernel_launcher") + 1 :]
        process = server()
        print(json.dumps({"words": words, "cwd": cwd, "env": env}), file=process.stdin, flush=True)
        self.pid = int(process.stdout.readline())

    def poll(self) -> int | None:
        """None while it runs."""
        try:
            return os.kill(self.pid, 0)
        except ProcessLookupError:
            return 0

    wait = poll  # asked for when it has ended

    def send_signal(self, number: int) -> None:
        os.kill(self.pid, number)


@functools.cache
def server() -> subprocess.Popen:
    """The process that is copied. It ends with this one."""
    command = [sys.executable, __file__]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    atexit.register(process.communicate)
    return process


def start_copy(start: Callable, **how) -> tuple:
    """What nbval's function `start` gives, for a copy."""
    with patch("jupyter_client.provisioning.local_provisioner.launch_kernel", Copy):
        try:
            return start(**how)
        except (ProcessLookupError, RuntimeError):  # somebody took a port before the kernel had it
            return start(**how)


def copies_for_nbval() -> None:
    """From now on nbval gets copies, where processes can be copied."""
    if sys.platform == "linux":
        import nbval.kernel

        nbval.kernel.start_new_kernel = functools.partial(start_copy, nbval.kernel.start_new_kernel)


if __name__ == "__main__":
    serve()
