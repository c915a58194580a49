"""The process that students' processes are copies of, as to import PyTorch anew takes seconds.

It waits for the grader at a socket. Nothing of a student's ever runs in it, or comes into it: their
work goes from the grader to the copies, and each builds its wall before it reads a word.
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
    """Started with a folder of its own and the number of its end of the socket."""
    folder, grader = Path(sys.argv[1]), socket.socket(fileno=int(sys.argv[2]))
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)  # ignored, copies would be gone at once
    try:
        while serve(grader):
            pass
    finally:
        shutil.rmtree(folder, ignore_errors=True)
        os._exit(0)


def serve(grader: socket.socket) -> bool:
    """Do what the grader asks for; False if it is gone."""
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
    itself = os.getpid()
    if os.fork() == 0:
        try:
            become(itself, grader, pipes)
            os.chdir(request["home"])
            os.environ.update(request["surroundings"])
            lock_in(request["wall"], request["home"], request["given"]["readable"])
            work(request["given"])
        finally:
            os._exit(0)
    for pipe in pipes:
        os.close(pipe)
    return True


def become(starter: int, grader: socket.socket, pipes: list[int]) -> None:
    """What tells a new program from a copy: its session, and that nothing is open but two pipes."""
    os.setsid()
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != starter:
        os._exit(0)
    for stream, pipe in enumerate(pipes):
        os.dup2(pipe, stream)
    grader.send(str(os.getpid()).encode())
    for number in map(int, os.listdir("/proc/self/fd")):
        if number > 2:
            with contextlib.suppress(OSError):  # the one that read this list
                os.close(number)
