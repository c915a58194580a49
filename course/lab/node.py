"""The page's own scripts, run by Node: do they give the numbers that the library gives?

What Node found is stored (data/experiments/javascript.json), so that nobody needs Node to compare.
"""

import json
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

import torch
from torch import Tensor

from course.experiments import experiment
from course.lab.pages import HERE, SCRIPTS, WebError, texts_script, trained_script
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import patch_attention, swap_attention
from transformer_lib.text.batching import make_batch
from transformer_lib.translator import Translator

# Scripts of a page share their names; so do scripts that Node runs one after another like this.
# Then a line with a program and what it is given comes in, and a line with its result goes out.
START = """
const { readFileSync } = require("fs");
const { runInThisContext } = require("vm");
for (const path of process.argv.slice(1)) {
  runInThisContext(readFileSync(path, "utf8"), { filename: path });
}
globalThis.fs = require("fs");
const answer = async (line) => {
  const { program, given } = JSON.parse(line);
  try {
    return { result: await runInThisContext(`async (given) => {${program}}`)(given) };
  } catch (error) {
    return { error: error.stack };
  }
};
runInThisContext("Translator.load(TRAINED)").then((translator) => {
  globalThis.translator = translator;
  const lines = require("readline").createInterface({ input: process.stdin });
  lines.on("line", async (line) => console.log(JSON.stringify(await answer(line))));
});
"""
LIKELIEST = 5
RIDDLE = "The animal didn't cross the street because it was too tired"
LAYER, HEAD, TIRED, ANIMAL, STREET = "encoder.layers.1.self_attn", 2, 11, 1, 6
SWAP = {"kind": "swap", "layer": LAYER, "head": HEAD, "query": TIRED, "from": ANIMAL, "to": STREET}
PROGRAM = """
return given.changes.map((changes) => {
  const { ids, steps, text } = translator.translate(given.text, { changes });
  const best = steps.map((logits) => likeliest(logits, given.count));
  const [words, logits] = [0, 1].map((i) => best.map((step) => step.map((one) => one[i])));
  return { changes, ids, text, words, logits };
});
"""


class Node:
    """A translator in JavaScript: with Node(translator) as node: node.run(program, given).

    A program is the lines of a function of `given`; it knows the scripts' names, and `translator`.
    eight: with matrices of 8 bits, as on the site. Raises WebError where Node isn't installed.
    """

    def __init__(self, translator: Translator, *, eight: bool = False):
        if not shutil.which("node"):
            raise WebError("running the page's scripts needs Node: install it from nodejs.org")
        self.folder = tempfile.TemporaryDirectory()
        texts, trained = (Path(self.folder.name) / name for name in ("texts.js", "trained.js"))
        texts.write_text(texts_script(), encoding="utf-8")
        trained.write_text(trained_script(translator, eight=eight), encoding="utf-8")
        scripts = (texts, *(HERE / name for name in SCRIPTS), trained)
        command = ["node", "-e", START, *map(str, scripts)]
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, encoding="utf-8"
        )

    def run(self, program: str, given: object = None) -> Any:
        """What the program returns; RuntimeError with JavaScript's own words if it fails."""
        self.process.stdin.write(json.dumps({"program": program, "given": given}) + "\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        if "error" in answer:
            raise RuntimeError(answer["error"])
        return answer.get("result")

    def __enter__(self) -> "Node":
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.wait()
        self.process.stdout.close()
        self.folder.cleanup()


@experiment("javascript")
def measure_javascript() -> dict[str, Any]:
    """What the laboratory's JavaScript computes, under Node: the riddle, as it is and changed."""
    given = {"text": RIDDLE, "changes": [[], [SWAP]], "count": LIKELIEST}
    with Node(Translator.load()) as node:
        results = node.run(PROGRAM, given)
        version = node.run("return process.version;")
    return {
        "settings": {"text": RIDDLE, "likeliest": LIKELIEST, "node": version},
        "results": results,
    }


def python_logits(translator: Translator, text: str, found: dict[str, Any]) -> Tensor:
    """The library's logits of the words that JavaScript found likeliest: (words written, 5).

    found: one of the results of the experiment "javascript". What was swapped there is swapped
    here.
    """
    edits = {
        one["layer"]: swap_attention(0, one["head"], one["query"], one["from"], one["to"])
        for one in found["changes"]
    }
    batch = make_batch([(translator.src.encode(text), found["ids"])])
    with inference_mode(translator.model), patch_attention(translator.model, edits):
        logits = translator.model(batch.src, batch.tgt_in)[0]  # (t, vocabulary)
    return logits.gather(1, torch.tensor(found["words"]))
