"""The kernels in which pytest runs the notebooks are like those that Jupyter starts."""

import ast
import sys

import nbval.kernel
import pytest
from nbval.kernel import CURRENT_ENV_KERNEL_NAME

ASK = """
import os, signal, sys, threading
foreign = {"pytest", "kernels", "transformer_lib"} & {name.split(".")[0] for name in sys.modules}
print([os.getcwd(), sys.path, sys.argv[0], sorted(globals()), foreign, os.getsid(0) == os.getpid(),
       {k: v for k, v in os.environ.items() if k != "JPY_PARENT_PID"}, str(signal.getsignal(17)),
       sorted(type(one).__name__ for one in threading.enumerate())])
"""


DRAW = "import random; import numpy as np; print([random.random(), np.random.random()])"


def told(start, folder, asked: str = ASK) -> list:
    manager, client = start(kernel_name=CURRENT_ENV_KERNEL_NAME, cwd=str(folder))
    said = []
    try:
        client.execute_interactive(
            asked, output_hook=lambda m: said.append(m["content"].get("text"))
        )
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return ast.literal_eval("".join(text for text in said if text))


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are copied on Linux alone")
def test_a_copy_is_a_kernel_with_nothing_of_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("SET_AFTER_THE_FIRST", "yes")
    copies = nbval.kernel.start_new_kernel
    (itself,) = copies.args
    real, copy = told(itself, tmp_path), told(copies, tmp_path)
    assert copy == real
    assert copy[4] == set() and "SET_AFTER_THE_FIRST" in copy[6]


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are copied on Linux alone")
def test_each_copy_draws_other_numbers(tmp_path):
    one, two = (told(nbval.kernel.start_new_kernel, tmp_path, DRAW) for _ in range(2))
    assert one[0] != two[0] and one[1] != two[1], "or what a notebook forgot to seed would pass"
