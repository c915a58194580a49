"""For a class without a network: fetch all that an installation needs into a folder.

    python tools/wheelhouse.py                      # make wheelhouse
    python tools/wheelhouse.py --extra grading --torch-index https://download.pytorch.org/whl/cpu

Then, on a computer of the same system with the same Python, the folder beside the project:

    make lab WHEELS=wheelhouse

It fetches what fits the computer that it runs on, at the versions of constraints.txt. It needs
nothing but Python, and makes itself a pip, as an environment made by uv has none.
"""

import argparse
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What an editable install needs beside the project's own packages: what builds it, and pip.
TO_INSTALL = ("hatchling", "editables", "pip")


def commands(
    python: Path | str, folder: Path, extra: str, torch_index: str = ""
) -> list[list[str]]:
    """What to run, one after the other; from an index of its own PyTorch comes first."""
    fetch = [str(python), "-m", "pip", "download", "--disable-pip-version-check"]
    fetch += ["--dest", str(folder), "--constraint", str(ROOT / "constraints.txt")]
    wanted = [f"{ROOT}[{extra}]", *TO_INSTALL]
    first = [[*fetch, "--no-deps", "--index-url", torch_index, "torch"]] if torch_index else []
    return [*first, [*fetch, "--find-links", str(folder), *wanted]]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--out", type=Path, default=ROOT / "wheelhouse", metavar="DIR")
    options.add_argument("--extra", default="lab", help="lab (the default), grading, site or test")
    options.add_argument("--torch-index", default="", metavar="URL")
    told = options.parse_args()
    with tempfile.TemporaryDirectory() as place:
        venv.create(place, with_pip=True)
        python = Path(place) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        for command in commands(python, told.out, told.extra, told.torch_index):
            if status := subprocess.run(command).returncode:
                return status
    # pip also packs the project itself, which is installed from its folder.
    for packed in told.out.glob("transformer_lib-*"):
        packed.unlink()
    files = [file for file in told.out.iterdir() if file.is_file()]
    size = sum(file.stat().st_size for file in files) / 1e6
    print(f"{told.out}: {len(files)} files, {size:.0f} MB; make lab WHEELS={told.out.name}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
