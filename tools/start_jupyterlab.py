"""Open the course in JupyterLab, on copies in `work`, so that the originals stay as they are.

    python tools/start_jupyterlab.py              # make lab
    python tools/start_jupyterlab.py --originals  # make edit: for authors

Notebooks and pages are copied into `work` the first time. Later starts bring what is new there and
never overwrite what the reader wrote: a notebook whose cells were changed stays, and a newer
version of it is put beside it. To start one again, delete its copy, or rename it.
"""

import errno
import hashlib
import itertools
import json
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORIGINALS = ROOT / "notebooks"
WORK = ROOT / "work"
FIRST = "00_start_here.ipynb"
NEWER = "-new"  # at the end of the name of a newer version; the next ones end in -new2, -new3
OURS = r"(?:course|transformer_lib|coursework|web)\b[\w.]*"  # the last two are names of before
IMPORT = re.compile(
    rf"^[ \t]*(?:import[ \t]+({OURS})|from[ \t]+({OURS})[ \t]+import[ \t]+(\([^)]*\)|.+))",
    re.MULTILINE,
)


def read(path: Path) -> bytes | None:
    """What a file holds, or None if nothing has this name. OSError: what has it can't be read."""
    if not os.path.lexists(path):
        return None
    if not path.is_file():  # a pipe, for one, would be waited for
        raise OSError(errno.EINVAL, "it isn't a file", path)
    return path.read_bytes()


def write(path: Path, content: bytes) -> None:
    """Write a file whole or not at all: a run that is killed leaves what was there."""
    if read(path) == content:
        return
    beside = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    try:
        beside.write_bytes(content)
        beside.replace(path)
    except OSError as error:
        raise OSError(error.errno, error.strerror, path) from error
    finally:
        with suppress(OSError):
            beside.unlink()


def make_folder(path: Path) -> None:
    """Make a folder, where there is none. OSError if nothing can be written into it."""
    path.mkdir(parents=True, exist_ok=True)
    if not os.access(path, os.W_OK):
        raise OSError(errno.EACCES, os.strerror(errno.EACCES), path)


def cells(content: bytes) -> list[tuple[str, str, object]] | None:
    """Kind, text and pasted pictures of a notebook's cells; None if it isn't a whole notebook."""
    try:
        return [
            (cell["cell_type"], "".join(cell["source"]), cell.get("attachments") or {})
            for cell in json.loads(content)["cells"]
        ]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None


def signature(content: bytes) -> str:
    """Stands for what somebody wrote into a file.

    In a notebook that is the kind of each cell, its text, and the pictures pasted into it. Outputs,
    counts and folds are not: running the cells gives them again, so a copy that was only run is
    replaced by a new version. In a page, and in a damaged notebook, every byte counts.
    """
    written = cells(content)
    text = content if written is None else json.dumps(written, sort_keys=True).encode()
    return hashlib.sha256(text).hexdigest()


def is_there(module: str, name: str = "") -> bool:
    """Whether the course has a module, or a name in it.

    Nothing is imported, as that takes seconds: a name is there if the module's file mentions it.
    """
    path = ROOT.joinpath(*module.split("."))
    files = [file for file in (Path(f"{path}.py"), path / "__init__.py") if file.is_file()]
    if not name:
        return bool(files) or path.is_dir()
    mention = re.compile(rf"\b{name}\b".encode())
    return is_there(f"{module}.{name}") or any(mention.search(file.read_bytes()) for file in files)


def missing(content: bytes) -> str:
    """What a notebook imports from the course and isn't there any more: modules, names in them."""
    found = []
    for kind, text, _ in cells(content) or []:
        for whole, module, names in IMPORT.findall(text if kind == "code" else ""):
            if not is_there(whole or module):
                found.append(whole or module)
                continue
            for name in re.sub(r"#.*|[()\\]", "", names).split(","):
                word = name.strip().partition(" ")[0]  # of `word as other`
                if word.isidentifier() and not is_there(module, word):
                    found.append(f"{module}.{word}")
    return ", ".join(dict.fromkeys(found))


def bring_one(original: Path, content: bytes, work: Path, ours: set[str]) -> Iterator[str]:
    """Put a version under the first of its names that is free or that has one of `ours`."""
    name, now = original.name, signature(content)
    why, lasting = "", False  # why another copy stays, and whether that is said at every start
    endings = itertools.chain(["", NEWER], (f"{NEWER}{n}" for n in itertools.count(2)))
    for copy in (work / f"{original.stem}{ending}{original.suffix}" for ending in endings):
        try:
            there = read(copy)
        except OSError as error:
            why, lasting = why or f"what has this name can't be read ({error.strerror})", True
            continue
        found = None if there is None else signature(there)
        is_new = found != now
        if there is None or not is_new or (found in ours and not copy.is_symlink()):
            if is_new:
                write(copy, content)
            if why and (is_new or lasting):
                yield f"{name}: {why}, so it stays; the new version is {copy.name}"
            elif is_new and there is not None:
                yield f"{name}: a new version (you had not changed the old one)"
            return
        gone = missing(there)
        if gone:
            why, lasting = why or f"it imports {gone}, which the course no longer has", True
        elif now in ours:
            return
        why = why or "you changed it"


def bring(originals: Path, work: Path) -> Iterator[str]:
    """Copy what is new, and say so of each copy that is replaced, or stays though it is old.

    `.copied.json` in `work` lists the signatures of all that was ever put there. Only a file that
    has one of them is overwritten, whatever its name; a link, and what can't be read, never is. A
    version that the reader has had isn't put beside theirs again, unless theirs imports what the
    course no longer has. The list is written after each copy: if a run is killed in between, the
    next one finds the copy equal to its original, and lists it then.

    OSError, with the file's name: `work`, or something in it, can't be written.
    """
    make_folder(work)
    ledger = work / ".copied.json"
    try:
        listed = json.loads(read(ledger) or "[]")
        if not isinstance(listed, list) or not all(isinstance(one, str) for one in listed):
            raise ValueError("no list of signatures")
    except (OSError, ValueError, RecursionError):
        listed = []
        yield f"{ledger} was damaged and is made anew: each copy that differs counts as yours"
    ours = set(listed)
    for original in sorted([*originals.glob("*.ipynb"), *originals.glob("*.md")]):
        try:
            content = original.read_bytes()
        except OSError as error:
            yield f"{original} can't be read ({error.strerror}), so it isn't copied"
            continue
        yield from bring_one(original, content, work, ours)
        if signature(content) not in ours:
            ours.add(signature(content))
            write(ledger, json.dumps(sorted(ours), indent=1).encode())
    for other in sorted(work.glob("*.ipynb")):
        with suppress(OSError):
            gone = "" if (originals / other.name).exists() else missing(read(other) or b"")
            if gone:
                yield f"{other.name}: it imports {gone}, which the course no longer has"


def prepare(config: Path) -> dict[str, str]:
    """The configuration folder, and the environment in which JupyterLab uses it.

    What people have set for themselves (theme, shortcuts) is kept, and wins.
    """
    from jupyter_core.paths import jupyter_config_dir

    own = Path(jupyter_config_dir())
    ours = ROOT / "tools" / "jupyterlab"
    make_folder(config / "workspaces")
    for source, target in (("custom.css", "custom"), ("overrides.json", "settings")):
        make_folder(config / target)
        write(config / target / source, (ours / source).read_bytes())
    for font in (ROOT / "course" / "drawing" / "fonts").glob("*.ttf"):
        write(config / "custom" / font.name, font.read_bytes())
    settings = os.environ.get("JUPYTERLAB_SETTINGS_DIR", str(own / "lab" / "user-settings"))
    paths = [os.environ.get("JUPYTER_CONFIG_PATH"), str(own)]
    return {
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths)),
        "JUPYTERLAB_SETTINGS_DIR": settings,
        "JUPYTERLAB_WORKSPACES_DIR": str(config / "workspaces"),
    }


def first_page(config: Path, folder: Path) -> str:
    """Where JupyterLab opens: notebook 00, or what was open the last time."""
    for saved in sorted((config / "workspaces").glob("*.jupyterlab-workspace")):
        try:
            opened = [str(key) for key in json.loads(saved.read_bytes())["data"]]
        except (OSError, ValueError, LookupError, TypeError):
            continue
        if any(key.startswith(f"notebook:{folder.name}/") for key in opened):
            return "/lab"
    first = f"/{FIRST}" if (folder / FIRST).is_file() else ""
    return f"/lab/tree/{folder.name}{first}"


def jupyterlab_main() -> Callable[[list[str]], int]:
    """JupyterLab's own main, imported in half its usual time.

    The rest goes into a parser of international web addresses, which jsonschema takes where it
    finds it, and which works out its tables anew in every process. It is optional, and no such
    address is checked here, so it counts as not installed (course/drawing/lazy_altair.py).
    """
    sys.modules["rfc3987_syntax"] = None
    from jupyterlab.labapp import main

    return main


def main(arguments: list[str]) -> int:
    originals = "--originals" in arguments
    arguments = [argument for argument in arguments if argument != "--originals"]
    folder = ORIGINALS if originals else WORK
    config = WORK / (".jupyter-originals" if originals else ".jupyter")
    try:
        if not originals:
            for line in bring(ORIGINALS, WORK):
                print(line)
        os.environ.update(prepare(config))
        if not originals:
            print(
                "The notebooks are copies in the folder work: change them as you like.", flush=True
            )
    except OSError as error:
        print(
            f"{error.filename} can't be written ({error.strerror}): rename what is in its way, "
            "make the folder yours or make room on the disk, and start again.",
            flush=True,
        )
        if not any(folder.glob("*.ipynb")):
            if os.access(ORIGINALS, os.W_OK):  # they would be changed
                return 1
            folder = ORIGINALS
        try:
            config = Path(tempfile.mkdtemp(prefix="jupyterlab-"))
            os.environ.update(prepare(config))
        except OSError:  # nor will JupyterLab find room
            return 1
        print(
            f"Until then JupyterLab shows {folder}: what you change may not be saved.", flush=True
        )
    options = [
        f"--ServerApp.root_dir={ROOT}",
        f"--FileContentsManager.preferred_dir={folder.name}",
        f"--LabApp.default_url={first_page(config, folder)}",
        f"--LabApp.app_settings_dir={config / 'settings'}",
        "--LabApp.custom_css=True",
        "--ip=localhost",
    ]
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        options.append("--allow-root")
    given = {argument.partition("=")[0] for argument in arguments}
    options = [option for option in options if option.partition("=")[0] not in given]
    return jupyterlab_main()([*options, *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
