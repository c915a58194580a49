"""The kernels in which pytest runs the notebooks are like those that Jupyter starts."""

import ast
import os
import sys

import pytest
from jupyter_client.manager import start_new_kernel

import kernels

ASK = """
import os, signal, sys, threading
foreign = {"pytest", "kernels", "transformer_lib"} & {name.split(".")[0] for name in sys.modules}
print([os.getcwd(), sys.path, sys.argv[0], sorted(globals()), foreign, os.getsid(0) == os.getpid(),
       {k: v for k, v in os.environ.items() if k != "JPY_PARENT_PID"}, str(signal.getsignal(17)),
       sorted(type(one).__name__ for one in threading.enumerate())])
"""


def told(folder) -> list:
    manager, client = start_new_kernel(kernel_name="python3", cwd=str(folder), env=dict(os.environ))
    said = []
    try:
        client.execute_interactive(ASK, output_hook=lambda m: said.append(m["content"].get("text")))
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    return ast.literal_eval("".join(text for text in said if text))


@pytest.mark.skipif(sys.platform != "linux", reason="kernels are copied on Linux alone")
def test_a_copy_is_a_kernel_with_nothing_of_ours(tmp_path, monkeypatch):
    monkeypatch.setenv("SET_AFTER_THE_FIRST", "yes")
    real = told(tmp_path)
    monkeypatch.setattr(kernels.local_provisioner, "launch_kernel", kernels.Copy)
    copy = told(tmp_path)
    assert copy == real
    assert copy[4] == set() and "SET_AFTER_THE_FIRST" in copy[6]
