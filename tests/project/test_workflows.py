"""The workflows for GitHub type what the documents say, and make knows what to do."""

import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
import yaml

from tests.users.documents import all_commands

ROOT = Path(__file__).resolve().parents[2]
WORKFLOWS = {
    path.stem: yaml.safe_load(path.read_text(encoding="utf-8"))
    for path in sorted((ROOT / ".github/workflows").glob("*.yml"))
}
JOBS = [
    pytest.param(name, job, id=f"{name}, {title}")
    for name, told in WORKFLOWS.items()
    for title, job in told["jobs"].items()
]
STEPS = [(name, step) for name, job in (p.values for p in JOBS) for step in job["steps"]]
# Steps that do what only this place needs; read there.
NOT_FOR_READERS = {"Put it on the branch gh-pages"}
RUNS = [
    pytest.param(line.strip(), step.get("if", ""), id=f"{name}: {line.strip()}")
    for name, step in STEPS
    for line in step.get("run", "").splitlines()
    if step.get("name") not in NOT_FOR_READERS
]
ACTIONS = {  # name -> the versions whose options were read
    "actions/checkout": "v4",
    "actions/setup-python": "v5",
    "actions/upload-artifact": "v4",
    "astral-sh/setup-uv": "v6",
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
PYTHONS = re.findall(r"Python :: (3\.\d+)", "\n".join(PROJECT["classifiers"]))


def documented(command: str) -> bool:
    """Whether a reader finds it: as it stands, or a target and a setting that each are found."""
    commands = {re.sub(r"^py -3\.\d+ ", "python ", one) for one in all_commands()}
    if command in commands:
        return True
    words = command.split()
    if words[0] != "make":
        return False
    found = {word for one in commands for word in one.split() if one.startswith("make ")}
    return f"make {words[1]}" in commands and set(words[2:]) <= found


@pytest.mark.parametrize("command, condition", RUNS)
def test_a_step_is_a_command_of_the_documents(command, condition):
    assert documented(command), f"no document says: {command}"
    assert ("\\" in command) <= ("Windows" in condition)


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no make")
@pytest.mark.parametrize(
    "command", sorted({p.values[0] for p in RUNS if p.values[0].startswith("make ")})
)
def test_make_would_do_it(command):
    """With what it installs and starts, but without doing it."""
    dry = ["make", "--dry-run", "--always-make", f"PYTHON={sys.executable}"]
    run = subprocess.run([*dry, *command.split()[1:]], cwd=ROOT, capture_output=True, text=True)
    assert run.returncode == 0, run.stderr
    assert re.search(r"tools/\w+\.py|-m pytest|-m course", run.stdout)
    for word in command.split()[2:]:
        assert word.partition("=")[2] in run.stdout  # its setting is used
    for file in re.findall(r"tools/\w+\.py", run.stdout):
        assert (ROOT / file).exists()


@pytest.mark.skipif(sys.platform == "win32", reason="the step is for a shell of Unix")
def test_the_site_is_put_on_its_branch(tmp_path):
    """As the step has it, with a bare repository here in place of GitHub's."""
    (step,) = (step for _, step in STEPS if step.get("name") == "Put it on the branch gh-pages")
    hub, site = tmp_path / "hub.git", tmp_path / "site"
    subprocess.run(["git", "init", "--quiet", "--bare", hub], check=True)
    site.mkdir()
    (site / "index.html").write_text("<p>It is there.</p>", encoding="utf-8")
    (site / ".nojekyll").write_text("", encoding="utf-8")
    script, count = re.subn(
        r'"https://x-access-token:.*?\.git"|"https://\S+.*?"', f'"{hub}"', step["run"]
    )
    script = re.sub(r"\$\{\{ github\.(\w+) \}\}", r"the-\1", script)
    assert count == 1 and "${{" not in script
    for _ in range(2):  # the second time over the first
        subprocess.run(["bash", "-e", "-c", script], cwd=site, check=True, capture_output=True)
        shown = ["git", "--git-dir", hub, "show", "gh-pages:index.html"]
        assert subprocess.check_output(shown, encoding="utf-8") == "<p>It is there.</p>"
        listed = ["git", "--git-dir", hub, "ls-tree", "--name-only", "gh-pages"]
        assert subprocess.check_output(listed, encoding="utf-8").split() == [
            ".nojekyll",
            "index.html",
        ]
        shutil.rmtree(site / ".git")


@pytest.mark.nightly
@pytest.mark.skipif(not (ROOT / ".git").exists(), reason="a workflow begins with a clone")
@pytest.mark.skipif(sys.platform == "win32", reason="the steps are for a shell of Unix")
def test_the_steps_of_each_change_pass(tmp_path):
    """In a fresh clone, one after the other, with nothing in the environment: minutes.

    Those of macOS: Linux's differ only in the place that PyTorch comes from.
    """
    steps = [step for step in WORKFLOWS["tests"]["jobs"]["quick"]["steps"] if "run" in step]
    linux, mac = (
        [step["run"] for step in steps if name in step["if"]] for name in ("Linux", "macOS")
    )
    assert [line.split(" TORCH_INDEX=")[0] for line in linux] == mac and mac
    clone, home = tmp_path / "clone", tmp_path / "home"
    home.mkdir()
    subprocess.run(["git", "clone", "--quiet", ROOT, clone], check=True)
    told = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8", "CI": "true"}
    for line in mac:
        run = subprocess.run(
            ["bash", "-e", "-c", line], cwd=clone, env=told, capture_output=True, text=True
        )
        assert run.returncode == 0, run.stdout[-3000:] + run.stderr[-3000:]


def test_each_system_and_each_python_is_tested():
    matrix = WORKFLOWS["tests"]["jobs"]["quick"]["strategy"]["matrix"]
    assert matrix["python"] == PYTHONS
    systems = {name.partition("-")[0] for name in matrix["os"]}
    assert systems == {"ubuntu", "macos", "windows"}
    steps = WORKFLOWS["tests"]["jobs"]["quick"]["steps"]
    conditions = {step["if"] for step in steps if "run" in step}
    assert conditions == {f"runner.os == '{name}'" for name in ("Linux", "macOS", "Windows")}
    for name, job in (p.values for p in JOBS):
        for step in job["steps"]:
            version = step.get("with", {}).get("python-version", PYTHONS[0])
            assert version in (*PYTHONS, "${{ matrix.python }}"), name


@pytest.mark.parametrize("name, job", JOBS)
def test_a_job_ends_and_may_write_nothing(name, job):
    assert 0 < job["timeout-minutes"] <= 360
    writes = {what for what, may in WORKFLOWS[name]["permissions"].items() if may == "write"}
    assert writes == ({"contents"} if name == "site" else set())
    for step in job["steps"]:
        assert ("uses" in step) != ("run" in step)
        if "uses" in step:
            action, _, version = step["uses"].partition("@")
            assert ACTIONS[action] == version
    assert "secrets." not in str(job)


def test_what_runs_at_a_time_runs_at_the_time_that_is_said():
    """on: is True to YAML 1.1, which PyYAML reads; GitHub reads it as a word."""
    for name, fields in (("nightly", "* * *"), ("weekly", "* * 6")):
        (when,) = WORKFLOWS[name][True]["schedule"]
        minute, hour, days = when["cron"].split(" ", 2)
        assert 0 < int(minute) < 60 and 0 <= int(hour) < 24 and days == fields
    assert WORKFLOWS["release"][True]["push"] == {"tags": ["v*"]}


def test_contributing_names_each_workflow():
    page = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    for name in WORKFLOWS:
        assert f"`{name}.yml`" in page


def test_commands_that_no_document_has_are_seen():
    assert documented("make quick") and documented("python -m venv .venv")
    assert not documented("make mischief") and not documented("make quick COLOR=yes")
    assert not documented("curl https://example.org")
