"""What can't be used on the command line is refused in one sentence, before any work."""

import os
import shlex

import pytest
import torch

from tests.commands import refused
from transformer_lib.cli import main
from transformer_lib.translator import SHIPPED_MODEL

# what is typed -> parts of what is said; {} is a folder with few.tsv, three pairs of sentences
SAID = {
    "translate --beam 2 --nbest 3 trees": "--nbest 3|--beam 2",
    "translate --sample --temperature 0 trees": "temperature=0.0|more than 0",
    "translate --sample --top-k 0 trees": "top_k=0",
    "translate --sample --top-p 1.5 trees": "top_p=1.5|at most 1",
    "translate --sample --beam 4 trees": "--sample|--beam 4",
    "translate --temperature 0.7 trees": "--temperature needs --sample",
    "translate --seed 7 trees": "--seed needs --sample",
    "translate xylophones": "'xylophones'|reads English|tatoeba",
    "translate Hello": 'the larger model, "tatoeba", reads any word',
    "translate 'I like trees. I like dogs.'": "one at a time",
    "translate --input {}/none": "none",
    f"translate --output {os.devnull}": os.devnull,
    "translate Ana --input {}/x": "--input|'Ana'",
    "translate Ana --output {}/x": "--output|'Ana'",
    "translate trees --model {}/none": "folder is missing (grammar and tatoeba come with",
    "translate trees --model {}/cut": "damaged",
    "translate trees --device cuda:99": "device 'cuda:99' is not there for this PyTorch",
    "evaluate --split gustar --device cuda:99": "device 'cuda:99' is not there for this PyTorch",
    "evaluate --split tennis": "'tennis'|noun-adjective|everyday",
    "evaluate --int8 --heads": "--heads looks into the|leave out --int8",
    "evaluate --training {}/few.tsv": "--training needs --split everyday",
    "evaluate --data {}/few.tsv --split gustar": "--split",
    "train": "--task",
    "train --resume --task copy --out {}": "nothing to resume",
    "train --task copy --out {}/few.tsv/run": "few.tsv",
    "train --task copy --set d_modle=64 --out {}/run": "'d_modle'|'d_model'",
    "train --task copy --set steps=5 h=5 --out {}/run": "d_model=32|h=5",
    "train --task copy --set steps=5 --steps 6 --out {}/run": "--steps|once",
    "train --resume --out {}/damaged": "recipe.json is damaged",
    "train --data {}/few.tsv --task copy --out {}/run": "--data|--task copy",
    "train --task copy --skip-bad 1 --out {}/run": "--skip-bad needs --data",
    "train --data {}/none.tsv --out {}/run": "none.tsv",
    "train --data {}/few.tsv {}/few.tsv {}/few.tsv --out {}/run": "3 files",
    "train --data {}/few.tsv --subwords 9 --out {}/run": "subwords=9|260",
    "train --data {}/few.tsv --out {}/run": "too few|validation",
    "train --from grammar --out {}/run": "--from needs --data",
    "train --data {}/few.tsv --replay 0.5 --out {}/run": "--replay needs --from",
    "train --data {}/few.tsv --from {}/none --out {}/run": "none",
    "train --data {}/few.tsv --from grammar --out {}/run": "few.tsv, line 1|no word",
    "train --data {}/few.tsv --from tatoeba --replay 1 --out {}/run": "less than 1",
    "train --data {}/few.tsv --from tatoeba --set h=4 --out {}/run": "keeps its sizes|'h': 8",
}


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_LIB_CACHE", str(tmp_path / "cache"))
    (tmp_path / "few.tsv").write_text("Tree zebra.\tÁrbol.\nDog.\tPerro.\nCat.\tGato.\n", "utf-8")
    (tmp_path / "damaged").mkdir()
    (tmp_path / "damaged" / "recipe.json").write_text('{"task": "copy"}')
    (tmp_path / "cut").mkdir()
    for name in ("config.json", "vocabulary.json", "model.safetensors"):
        (tmp_path / "cut" / name).write_bytes((SHIPPED_MODEL / name).read_bytes()[:99])
    return tmp_path


@pytest.mark.parametrize("typed", SAID)
def test_what_cannot_be_used_is_said(run, folder, typed):
    refused(run(*shlex.split(typed.replace("{}", str(folder)))), *SAID[typed].split("|"))
    assert not list(folder.glob("run/*"))  # nothing was begun


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is one")
def test_a_gpu_that_is_not_there_is_named(run, folder):
    typed = ["train", "--task", "copy", "--device", "cuda", "--out", folder / "run"]
    refused(run(*typed), "'cuda' is not there", "there is")


@pytest.mark.parametrize(
    "typed",
    ["translate --beam 0 x", "translate --int8 --bf16 x", "train --task sing", "corpus", "fly", ""],
)
def test_mistyped_options_are_refused_by_the_parser(typed, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(typed.split())
    assert stopped.value.code == 2 and "usage: transformer-lib" in capsys.readouterr().err
