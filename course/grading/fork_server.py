"""The process that students' processes are forked from, because importing PyTorch takes seconds.

It waits for the grader's requests on a socket. No student's code runs in it or even reaches it:
that goes from the grader straight to the forked processes, each of which builds its sandbox before
it reads anything.
"""

import contextlib
import ctypes
import importlib
import json
import os
import shutil
import signal
import socket
import sys
from pathlib import Path

from course.grading.sandbox import PR_SET_PDEATHSIG, lock_in

LONGEST = 2**16  # bytes of one request


def main() -> None:
    """Serve requests until the grader is gone. sys.argv: a folder, and the socket's descriptor."""
    folder, grader = Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2]))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, copies would be gone at once
    try:
        while serve(grader):
            pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


def serve(grader: socket.socket) -> bool:
    """Answer one request of the grader; False if the grader is gone."""
    message, pipes, *_ = socket.recv_fds(grader, LONGEST, 2)
    if not message:
        return False
    request = json.loads(message)
    if "ended" in request:  # until now its number couldn't become another's
        os.waitpid(request["ended"], 0)
        grader.send(b"gone")
        return True
    work = importlib.import_module(f"course.grading.{request['module']}").main
    if len(os.listdir("/proc/self/task")) > 1:  # a copy would wait for locks of the other threads
        grader.send(b"0")
        for pipe in pipes:
            os.close(pipe)
        return True
    fork_server = os.getpid()
    if os.fork() == 0:
        try:
            detach(fork_server, grader, pipes)
            os.chdir(request["home"])
            os.environ.update(request["surroundings"])
            lock_in(request["sandbox"], request["home"], request["given"]["readable"])
            work(request["given"])
        finally:
            os._exit(0)
    for pipe in pipes:
        os.close(pipe)
    return True


def detach(fork_server: int, grader: socket.socket, pipes: list[int]) -> None:
    """Make a forked process like a new program: its own session, nothing open but two pipes.

    fork_server: the process that it was forked from; if that is gone, this one ends.
    """
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != fork_server:
        os._exit(0)
    for stream, pipe in enumerate(pipes):
        os.dup2(pipe, stream)
    grader.send(str(os.getpid()).encode())
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2:
            with contextlib.suppress(OSError):  # the one that read this list
                os.close(number)
