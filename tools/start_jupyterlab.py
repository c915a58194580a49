"""Open the course in JupyterLab, on copies in `work`, so that the originals stay as they are.

    python tools/start_jupyterlab.py              # make lab
    python tools/start_jupyterlab.py --originals  # make edit: for authors

Notebooks and pages are copied into `work` the first time. Later starts bring what is new there and
never overwrite what the reader wrote: a notebook whose cells were changed stays, and a newer
version of it is put beside it. To start one again, delete its copy, or rename it.
"""

import hashlib
import json
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
ORIGINALS = ROOT / "notebooks"
WORK = ROOT / "work"
FIRST = "00_start_here.ipynb"
NEWER = "-new"  # at the end of the name of a newer version


def signature(path: Path) -> str:
    """What somebody wrote into a file: of a notebook its cells, without outputs and counts."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".ipynb":
        try:
            cells = [(c["cell_type"], "".join(c["source"])) for c in json.loads(text)["cells"]]
            text = json.dumps(cells)
        except (ValueError, KeyError, TypeError):  # damaged: all that is left of it counts
            pass
    return hashlib.sha256(text.encode()).hexdigest()


def bring(originals: Path, work: Path) -> Iterator[str]:
    """Copy what is new or changed, and say what was done about each notebook.

    The file `.copied.json` in `work` holds, for each copy, the signature of its original then.
    """
    work.mkdir(exist_ok=True)
    ledger = work / ".copied.json"
    try:
        copied = json.loads(ledger.read_text(encoding="utf-8"))
    except (OSError, ValueError):
        copied = {}
    for original in sorted([*originals.glob("*.ipynb"), *originals.glob("*.md")]):
        name, now = original.name, signature(original)
        copy = work / name
        if not copy.exists():
            pass
        elif signature(copy) == now:
            copied[name] = now
            continue
        elif name not in copied or signature(copy) != copied[name]:
            if copied.get(name) != now:
                newer = f"{copy.stem}{NEWER}{copy.suffix}"
                shutil.copyfile(original, work / newer)
                yield f"{name}: you changed it, so it stays; its new version is {newer}"
                copied[name] = now
            continue
        else:
            yield f"{name}: a new version (you had not changed the old one)"
        shutil.copyfile(original, copy)
        copied[name] = now
    ledger.write_text(json.dumps(copied, indent=1, sort_keys=True), encoding="utf-8")


def prepare(config: Path) -> dict[str, str]:
    """The configuration folder, and the environment in which JupyterLab uses it.

    What people have set for themselves (theme, shortcuts) is kept, and wins.
    """
    from jupyter_core.paths import jupyter_config_dir

    own = Path(jupyter_config_dir())
    ours = ROOT / "tools" / "jupyterlab"
    for source, target in (("custom.css", "custom"), ("overrides.json", "settings")):
        (config / target).mkdir(parents=True, exist_ok=True)
        shutil.copyfile(ours / source, config / target / source)
    for font in (ROOT / "course" / "drawing" / "fonts").glob("*.ttf"):
        shutil.copyfile(font, config / "custom" / font.name)
    settings = os.environ.get("JUPYTERLAB_SETTINGS_DIR", str(own / "lab" / "user-settings"))
    paths = [os.environ.get("JUPYTER_CONFIG_PATH"), str(own)]
    return {
        "JUPYTER_CONFIG_DIR": str(config),
        "JUPYTER_CONFIG_PATH": os.pathsep.join(filter(None, paths)),
        "JUPYTERLAB_SETTINGS_DIR": settings,
        "JUPYTERLAB_WORKSPACES_DIR": str(config / "workspaces"),
    }


def first_page(config: Path, folder: str) -> str:
    """Where JupyterLab opens: notebook 00, or what was open the last time."""
    for saved in sorted((config / "workspaces").glob("*.jupyterlab-workspace")):
        try:
            opened = json.loads(saved.read_text(encoding="utf-8"))["data"]
        except (OSError, ValueError, KeyError):
            continue
        if any(key.startswith(f"notebook:{folder}/") for key in opened):
            return "/lab"
    return f"/lab/tree/{folder}/{FIRST}"


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
    folder = ORIGINALS.name if originals else WORK.name
    config = WORK / (".jupyter-originals" if originals else ".jupyter")
    if not originals:
        for line in bring(ORIGINALS, WORK):
            print(line)
        print("The notebooks are copies in the folder work: change them as you like.", flush=True)
    os.environ.update(prepare(config))
    options = [
        f"--ServerApp.root_dir={ROOT}",
        f"--ServerApp.preferred_dir={ROOT / folder}",
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
