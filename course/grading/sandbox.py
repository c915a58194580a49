"""Sandboxes: what the system itself forbids to a student's process, whatever its code tries.

    bubblewrap    Linux: namespaces, in which only what is bound can be seen
    landlock      Linux: the kernel's Landlock for files, seccomp for everything else
    sandbox-exec  macOS

In each there is no network and no other process, nothing to read but Python, the library and its
data, and one folder to write to. A sandbox is trusted once a process in it has tried to get out
and failed (`start.py`). A student's process imports this module first, before any of the student's
code runs, so it imports nothing large.
"""

import contextlib
import errno
import json
import os
import re
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import BinaryIO

try:
    import resource
except ImportError:  # Windows has none
    resource = None
try:
    import landlockpy
    import pyseccomp
except (ImportError, RuntimeError, OSError):  # no Linux, or one without libseccomp
    landlockpy = pyseccomp = None

ROOT = Path(__file__).resolve().parents[2]
# What no student gets or may read of the course: solutions, and what checks them in secret.
TEACHERS = ("assignments", "grading")
DISK = 500 * 2**20  # bytes that a submission may write, in all its files together


# --- what a student's process gets ---------------------------------------------------------------


def students_part(folder: Path = ROOT / "course") -> list[Path]:
    """Files and folders of the course that students may have."""
    return sorted(
        path
        for path in folder.iterdir()
        if path.name not in TEACHERS and path.name != "__pycache__"
    )


def readable() -> list[str]:
    """Files and folders that every submission may read: Python's, the system's, the library's."""
    python = (sys.prefix, sys.base_prefix)
    system = ("/usr", "/lib", "/lib64", "/bin", "/sbin", "/System/Library", "/Library/Frameworks")
    etc = [f"/etc/{name}" for name in ("ld.so.cache", "alternatives", "localtime", "fonts")]
    ours = [str(path) for path in (ROOT / "transformer_lib", ROOT / "data", *students_part())]
    found = [*python, *map(os.path.realpath, python), *system, *etc, *ours]
    return [path for path in dict.fromkeys(found) if os.path.exists(path)]


def keep_apart(*secrets: Path) -> None:
    """Raise a ValueError if one of these paths is in a folder that every submission may read."""
    for secret in map(os.path.realpath, secrets):
        for folder in map(os.path.realpath, readable()):
            if within(secret, folder):
                raise ValueError(
                    f"{secret} lies in {folder}, which every submission may read: keep it elsewhere"
                )


def within(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


# This process's own /proc/self/status, opened before a sandbox that hides it (`lock_in`).
STATUS: list[BinaryIO] = []


def open_status() -> BinaryIO:
    """The file in which Linux says what this process uses. Elsewhere an OSError."""
    return open("/proc/self/status", "rb", buffering=0)


def data_in_use() -> int:
    """Bytes that already count towards RLIMIT_DATA; 0 where the system doesn't say."""
    with contextlib.suppress(OSError), STATUS.pop() if STATUS else open_status() as status:
        if found := re.search(rb"^VmData:\s*(\d+) kB$", status.read(), re.MULTILINE):
            return int(found[1]) * 1024
    return 0


def limit_memory(megabytes: int) -> None:
    """Let this process use so many megabytes more than it does now.

    PyTorch itself takes 0.2 GB, or 0.7 GB where it can use CUDA.
    """
    set_limits({"RLIMIT_DATA": data_in_use() + megabytes * 2**20})


def limit(megabytes: int, seconds: float) -> None:
    """Limit memory, processor time, files and processes, where the system can."""
    limit_memory(megabytes)
    set_limits(
        {
            "RLIMIT_CPU": int(seconds) + 5,  # even if nobody is left to stop it
            "RLIMIT_FSIZE": DISK // 5,
            "RLIMIT_CORE": 0,
            "RLIMIT_NPROC": 0,  # no more processes or threads; root is exempt
        }
    )


def set_limits(bounds: Mapping[str, int]) -> None:
    for name, bound in bounds.items():
        try:
            resource.setrlimit(getattr(resource, name), (bound, bound))
        except (AttributeError, ValueError, OSError):  # no such limit here, or it can't be set
            continue


# --- the sandboxes -------------------------------------------------------------------------------


def bubblewrap(home: str, tree: str) -> list[str]:
    """What to put in front of a command. `home` is in memory, and gone afterwards.

    The command is the only process in the sandbox (--as-pid-1). Otherwise one of bubblewrap's own
    would be there too, without limits or a filter, and the command could write to its memory.
    """
    words = [
        "bwrap",
        "--unshare-all",
        "--as-pid-1",
        "--die-with-parent",
        "--cap-drop",
        "ALL",
        "--proc",
        "/proc",
        "--dev",
        "/dev",
    ]
    for path in [*readable(), tree]:
        words += ["--ro-bind", path, path]
    words += ["--size", str(DISK), "--tmpfs", home, "--chdir", home]
    return [*words, "--remount-ro", "/dev", "--remount-ro", "/"]


def profile(home: str, tree: str) -> str:
    """The rules for macOS's sandbox-exec; the last rule that matches decides."""
    places = map(os.path.realpath, [*readable(), tree, home])
    reads = "".join(f"(subpath {json.dumps(path)})" for path in places)
    return (
        '(version 1)(deny default)(import "system.sb")(deny network*)(allow sysctl-read)'
        "(allow process-exec)(deny process-fork)(allow signal (target self))"
        '(allow file-read-metadata)(allow file-write-data (literal "/dev/null"))'
        f"(allow file-read* {reads})"
        f"(allow file-write* (subpath {json.dumps(os.path.realpath(home))}))"
    )


def lock_in(sandbox: str, home: str, readable: Sequence[str]) -> None:
    """Build the part of a sandbox that a process puts around itself. It can't be undone."""
    with contextlib.suppress(OSError):
        STATUS.append(open_status())
    if sandbox == "landlock":
        landlock(home, readable)
    if sandbox == "landlock" or (sandbox == "bubblewrap" and pyseccomp):
        system_calls()


def landlock(home: str, readable: Sequence[str]) -> None:
    """Restrict access to files. Nothing in `home` can be deleted, so its size is what was used."""
    can = landlockpy.AccessFS
    read = can.READ_FILE | can.READ_DIR
    cpu = ("/proc/cpuinfo", "/sys/devices/system/cpu")  # how PyTorch chooses its kernels
    rules = dict.fromkeys([*readable, *cpu, "/dev/urandom"], read)
    rules |= {"/dev/null": can.READ_FILE | can.WRITE_FILE | can.TRUNCATE}
    rules |= {home: read | can.WRITE_FILE | can.TRUNCATE | can.MAKE_REG | can.MAKE_DIR}
    scopes = landlockpy.Scope.SIGNAL | landlockpy.Scope.ABSTRACT_UNIX_SOCKET
    with landlockpy.Ruleset(scoped=scopes) as ruleset:
        for path, access in rules.items():
            if os.path.isdir(path):
                ruleset.allow_path(path, access)
            elif os.path.exists(path):
                ruleset.allow_path(path, access & ~(can.READ_DIR | can.MAKE_REG | can.MAKE_DIR))
        ruleset.restrict()


# System calls that a notebook has no need for. Landlock doesn't see most of them.
DENIED = """
    kill tkill rt_sigqueueinfo rt_tgsigqueueinfo pidfd_open pidfd_send_signal pidfd_getfd
    ptrace process_vm_readv process_vm_writev process_madvise process_mrelease kcmp
    clone fork vfork execve execveat unshare setns setsid setpgid
    socket io_uring_setup bpf perf_event_open userfaultfd add_key request_key keyctl
    truncate openat2 mknod mknodat symlink symlinkat link linkat
    chmod fchmod fchmodat chown fchown lchown fchownat utime utimes futimesat utimensat
    setxattr lsetxattr fsetxattr removexattr lremovexattr fremovexattr
    memfd_create memfd_secret shmget msgget semget mq_open
    setpriority ioprio_set sched_setscheduler sched_setattr sched_setparam sched_setaffinity
    mount umount2 pivot_root chroot fsopen fsmount fspick move_mount open_tree mount_setattr
    name_to_handle_at open_by_handle_at quotactl quotactl_fd
""".split()
DENIED_BY_NUMBER = (452, 463, 466, 469)  # fchmodat2, setxattrat, removexattrat, file_setattr
MAP_SHARED, MAP_ANONYMOUS = 0x01, 0x20
PR_SET_PDEATHSIG, F_SETLEASE, FS_IOC_SETFLAGS = 1, 1024, 0x40086602


def system_calls() -> None:
    """Deny system calls, until a process can only compute, and read and write open files."""
    refused, arg = pyseccomp.ERRNO(errno.EPERM), pyseccomp.Arg
    rules = pyseccomp.SyscallFilter(pyseccomp.ALLOW)
    known = [pyseccomp.resolve_syscall(pyseccomp.Arch.NATIVE, name) for name in DENIED]
    for number in [*known, *DENIED_BY_NUMBER]:
        if number != -1:  # newer than this system's libseccomp
            rules.add_rule(refused, number)

    def refuse_if(name: str, position: int, bits: int, are: int) -> None:
        rules.add_rule(refused, name, arg(position, pyseccomp.MASKED_EQ, bits, are))

    rules.add_rule(pyseccomp.ERRNO(errno.ENOSYS), "clone3")  # then clone is tried, and refused
    rules.add_rule(refused, "tgkill", arg(0, pyseccomp.NE, os.getpid()))
    rules.add_rule(refused, "prlimit64", arg(0, pyseccomp.NE, 0))  # another process's limits
    rules.add_rule(refused, "prctl", arg(0, pyseccomp.EQ, PR_SET_PDEATHSIG))  # ends with the grader
    rules.add_rule(refused, "fcntl", arg(1, pyseccomp.EQ, F_SETLEASE))  # others wait for a lease
    rules.add_rule(refused, "ioctl", arg(1, pyseccomp.EQ, FS_IOC_SETFLAGS))
    shared = MAP_SHARED | MAP_ANONYMOUS  # memory that no limit counts
    refuse_if("mmap", 3, shared, shared)
    for name, position in (("open", 1), ("openat", 2)):
        refuse_if(name, position, os.O_TRUNC | os.O_ACCMODE, os.O_TRUNC)  # emptied by reading
        refuse_if(name, position, os.O_TMPFILE, os.O_TMPFILE)  # a file that no folder shows
    rules.load()


def size(folder: str, most: int = DISK) -> int:
    """Bytes in all files below a folder, at least 4 KB each. Stops counting beyond `most`."""
    total, waiting = 0, [folder]
    while waiting and total <= most:
        try:
            with os.scandir(waiting.pop()) as entries:
                for entry in entries:
                    total += max(4096, entry.stat(follow_symlinks=False).st_size)
                    if entry.is_dir(follow_symlinks=False):
                        waiting.append(entry.path)
                    if total > most:
                        break
        except OSError:  # gone meanwhile, or deeper than the system can name
            total += 4096
    return total
