"""A user's place: a clone, an environment of PATH, HOME and LANG, and whoever types there."""

import functools
import os
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from importlib.metadata import entry_points
from pathlib import Path

from tests.here import ROOT, outcome

ORDINARY = 1234  # a user of no account and no rights
SCRIPTS = ("torchrun", "transformer-lib", "jupyter-lab")


class Place:
    """The clone, with its own .venv, in a folder that belongs to `user` (None: who runs this).

    inside: packages lie in the .venv itself, as pip has them. That takes ten seconds and matters
    where submissions are graded: they may read what is in there. Else they are found elsewhere.
    """

    def __init__(self, user: int | None = None, *, inside: bool = False):
        self.user = user
        self.top = Path(tempfile.mkdtemp(prefix="user-"))
        self.top.chmod(0o755)
        self.clone, self.home = self.top / "course", self.top / "home"
        self.home.mkdir()
        clone(self.clone)
        environment(self.clone, inside)
        if user is not None:
            packages = self.clone / ".venv"  # files that others have under other names
            for path in (self.top, *self.top.rglob("*")):
                if packages not in path.parents:
                    os.lchown(path, user, user)

    def remove(self) -> None:
        shutil.rmtree(self.top, ignore_errors=True)

    def type(self, command: str, timeout: float = 600) -> tuple[int, str]:
        """What they type, after `source .venv/bin/activate`, in the folder of the project.

        -> the exit status, and all that it prints. AssertionError if it doesn't end.
        """
        typed = ["bash", "-c", f"source .venv/bin/activate\n{command}"]
        path = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"
        process = subprocess.Popen(
            typed if self.user is None else [*as_ordinary(self.user), *typed],
            cwd=self.clone,
            env={"PATH": path, "HOME": str(self.home), "LANG": "C.UTF-8"},
            stdin=subprocess.DEVNULL,
            encoding="utf-8",
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            said, _ = process.communicate(timeout=timeout)
        except subprocess.TimeoutExpired:
            os.killpg(process.pid, signal.SIGKILL)
            said, _ = process.communicate()
            raise AssertionError(f"{command}: no end after {timeout} s; so far:\n{said}") from None
        return process.returncode, said


def clone(folder: Path) -> None:
    """What somebody would get who cloned the project, if what is changed here were committed."""
    if not (ROOT / ".git").exists():
        leave = shutil.ignore_patterns(".venv", "__pycache__", "work", "site", "runs")
        shutil.copytree(ROOT, folder, ignore=leave)
        return
    outcome("git", "clone", "-q", "--no-checkout", "--no-hardlinks", ROOT, folder)
    outcome("git", "-C", folder, "reset", "-q")  # it has all files in its list, and none yet
    here = outcome("git", "ls-files", "-z", "--cached", "--others", "--exclude-standard")
    for name in here.split("\0"):
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / name, folder / name)


def environment(folder: Path, inside: bool) -> None:
    """The .venv that `make lab` would make there, with the packages that are here, not fetched."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    own = sysconfig.get_path("purelib", vars={"base": str(folder / ".venv")})
    packages = [path for path in sys.path if path.endswith("site-packages")]
    for one in reversed(packages if inside else []):
        leave = shutil.ignore_patterns("*.pth")
        shutil.copytree(
            one, own, ignore=leave, symlinks=True, dirs_exist_ok=True, copy_function=link
        )
    found = [str(folder), *([] if inside else packages)]
    Path(own, "here.pth").write_text("\n".join(found) + "\n", encoding="utf-8")
    python = folder / ".venv" / "bin" / "python"
    for script in entry_points(group="console_scripts"):
        if script.name in SCRIPTS:
            path = python.parent / script.name
            path.write_text(
                f"#!{python}\nimport sys\nfrom {script.module} import {script.attr}\n"
                f"sys.exit({script.attr}())\n"
            )
            path.chmod(0o755)
    for extra in ("lab", "grading", "site", "test"):
        (folder / ".venv" / f"has-{extra}").touch()


def link(source: str, target: str) -> None:
    """The same file under another name, which takes no room; a copy on another disk."""
    Path(target).unlink(missing_ok=True)
    try:
        os.link(source, target)
    except OSError:
        shutil.copy2(source, target)


@functools.cache
def as_ordinary(user: int) -> list[str]:
    """What makes a command one of this user's, whom root lets at Python wherever root keeps it.

    Where root's own folder is closed, the user gets one in its place that holds Python alone.
    """
    import pwd  # Windows has none, and reads this file all the same

    become = ["setpriv", f"--reuid={user}", f"--regid={user}", "--clear-groups"]
    needed = {Path(path).resolve() for path in [*sys.path, sys.base_prefix] if path}
    home = Path(pwd.getpwuid(0).pw_dir)
    inside = sorted(path for path in needed if home in path.parents and path.exists())
    if not inside or home.stat().st_mode & 0o005 == 0o005:
        return become
    parts = sorted({home / path.relative_to(home).parts[0] for path in inside})
    script = [
        f"mkdir -p /tmp/.kept-$$ && mount --bind {home} /tmp/.kept-$$",
        f"mount -t tmpfs -o mode=755 none {home}",
    ]
    for part in parts:
        script += [f"mkdir -p {part}", f"mount --bind /tmp/.kept-$$/{part.name} {part}"]
    script += ["umount -l /tmp/.kept-$$", "rmdir /tmp/.kept-$$", 'exec "$@"']
    apart = "unshare --mount --propagation private sh -ec".split()
    return [*apart, "\n".join(script), "sh", *become]
