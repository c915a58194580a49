"""Does environment.yml work? Do its pip part in a fresh virtual environment, as conda would.

    .venv/bin/python tools/replay_environment.py

conda itself gives Python and pip only; then it hands the list under `pip:` to
`pip install -U -r FILE`, with FILE beside environment.yml. This does the same in a temporary
folder (some 1.7 GB, a minute or two), and ends with `pip check` and an import.
"""

import subprocess
import sys
import tempfile
import venv
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    environment = yaml.safe_load((ROOT / "environment.yml").read_text(encoding="utf-8"))
    lines = next(part["pip"] for part in environment["dependencies"] if isinstance(part, dict))
    with (
        tempfile.TemporaryDirectory() as folder,
        tempfile.NamedTemporaryFile(
            "w", encoding="utf-8", dir=ROOT, suffix=".requirements.txt"
        ) as requirements,
    ):
        requirements.write("\n".join(lines) + "\n")
        requirements.flush()
        venv.create(folder, with_pip=True)
        python = Path(folder) / ("Scripts" if sys.platform == "win32" else "bin") / "python"
        subprocess.run(
            [python, "-m", "pip", "install", "-q", "-U", "-r", requirements.name],
            cwd=ROOT,
            check=True,
        )
        subprocess.run([python, "-m", "pip", "check"], check=True)
        subprocess.run([python, "-c", "import transformer_lib, jupyterlab, pytest"], check=True)
    print("environment.yml: its pip part installs, fits together and imports")


if __name__ == "__main__":
    main()
