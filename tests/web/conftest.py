"""The laboratory, written once for all its tests, and Node to run its scripts."""

import json
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from transformer_lib import Translator
from transformer_lib.web import pages

# Scripts of a page share their names; so do scripts that Node runs one after another like this.
# Then a line with a program and what it is given comes in, and a line with its result goes out.
START = """
const { readFileSync } = require("fs");
const { runInThisContext } = require("vm");
for (const path of process.argv.slice(1)) {
  runInThisContext(readFileSync(path, "utf8"), { filename: path });
}
globalThis.fs = require("fs");
globalThis.translator = runInThisContext("new Translator(TRAINED)");
require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const { program, given } = JSON.parse(line);
  let answer;
  try {
    answer = { result: runInThisContext(`(given) => {${program}}`)(given) };
  } catch (error) {
    answer = { error: error.stack };
  }
  console.log(JSON.stringify(answer));
});
"""
SCRIPTS = ("tokens.js", "model.js", "decoding.js", "recording.js", "translator.js")


@pytest.fixture(scope="session")
def lab(tmp_path_factory) -> Path:
    """The folder of the laboratory."""
    return pages.write_lab(tmp_path_factory.mktemp("lab")).parent


@pytest.fixture(scope="session")
def node(tmp_path_factory) -> Iterator[Callable]:
    """node(program, given): what lines of JavaScript return that know the laboratory's names."""
    if not shutil.which("node"):
        pytest.skip("Node is not installed: the JavaScript of the laboratory is not tested")
    trained = tmp_path_factory.mktemp("node") / "trained.js"
    trained.write_text(pages.trained_script(Translator.load()), encoding="utf-8")
    command = ["node", "-e", START, *(str(pages.HERE / name) for name in SCRIPTS), str(trained)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
    ) as process:

        def run(program: str, given: object = None) -> object:
            process.stdin.write(json.dumps({"program": program, "given": given}) + "\n")
            process.stdin.flush()
            answer = json.loads(process.stdout.readline())
            assert "error" not in answer, answer["error"]
            return answer.get("result")

        yield run
