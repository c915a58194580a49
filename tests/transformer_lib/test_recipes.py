"""Training on a user's own pairs: from text files to a translator that needs its folder alone."""

import dataclasses
import gzip
import random
import shutil

import pytest
import torch

from transformer_lib import recipes
from transformer_lib.cli import main
from transformer_lib.files import CheckpointError, read_json
from transformer_lib.model.config import TOY
from transformer_lib.model.transformer import make_model
from transformer_lib.recipes import Recipe, more_recipe, parallel_recipe, train_recipe
from transformer_lib.text import downloads, phrasebook
from transformer_lib.text.languages import SubwordLanguage
from transformer_lib.text.normalizing import AS_IT_IS
from transformer_lib.text.parallel import CorpusError, sentence_hash
from transformer_lib.text.subwords import Subwords
from transformer_lib.text.tokenized_dataset import TokenizedDataset
from transformer_lib.text.user_input import InputError
from transformer_lib.translator import Translator

WORDS = {
    "tree": "árbol",
    "dog": "perro",
    "cat": "gato",
    "house": "casa",
    "river": "río",
    "song": "canción",
    "bird": "pájaro",
    "stone": "piedra",
    "night": "noche",
}


@pytest.fixture(autouse=True)
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("TRANSFORMER_LIB_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache"


def sentences(count, seed=0):
    draw = random.Random(seed)
    chosen = [draw.choices(list(WORDS), k=draw.randrange(1, 5)) for _ in range(count)]
    return [
        (" ".join(words).capitalize() + ".", " ".join(WORDS[word] for word in words) + ".")
        for words in chosen
    ]


@pytest.fixture
def table(tmp_path):
    def write(count=600, seed=0, name="pairs.tsv"):
        path = tmp_path / name
        lines = [f"{source}\t{target}\n" for source, target in sentences(count, seed)]
        path.write_text("".join(lines), encoding="utf-8")
        return path

    return write


def small(recipe, **training):
    """The same recipe with a model that trains in a second."""
    training = {"steps": 6, "validate_every": 3, "max_tokens": 256, "warmup": 2} | training
    return dataclasses.replace(
        recipe,
        model=dataclasses.replace(TOY, tie_weights="all", dropout=0.1),
        training=dataclasses.replace(recipe.training, **training),
    )


def same(one, another):
    return all(
        torch.equal(a, b)
        for a, b in zip(one.model.parameters(), another.model.parameters(), strict=True)
    )


def test_from_files_to_a_translator_that_needs_its_folder_alone(table, cache, tmp_path):
    files = table()
    recipe = small(parallel_recipe([files], subwords=330))
    trained = train_recipe(recipe, tmp_path / "run")
    shutil.rmtree(cache)
    files.unlink()
    shutil.move(tmp_path / "run", tmp_path / "elsewhere")
    loaded = Translator.load(tmp_path / "elsewhere")
    assert same(loaded, trained)
    assert not (tmp_path / "elsewhere" / "vocabulary.json").exists()
    assert len(loaded.src.vocab) == 330 and loaded.src.tokenizer is loaded.tgt.tokenizer
    assert loaded.read("dog\u00a0river") == loaded.read("dog river")
    assert loaded.tgt.encode("dog\u00a0river") != loaded.tgt.encode("dog river")
    weights = loaded.model.generator.proj.weight
    assert weights is loaded.model.src_embed.table.weight is loaded.model.tgt_embed.table.weight
    for text in ("Tree dog. Night!", "Xylophones, 漢字?"):  # two sentences, unknown words
        assert loaded.translate(text) == trained.translate(text)
    assert Recipe.from_json(recipe.to_json()) == recipe


@pytest.mark.slow
def test_it_learns(table, tmp_path):
    learn = {"steps": 240, "max_lr": 1e-2, "warmup": 30, "max_tokens": 512, "validate_every": 80}
    recipe = small(parallel_recipe([table(2000)], subwords=330), **learn)
    recipe = dataclasses.replace(recipe, model=dataclasses.replace(recipe.model, dropout=0.0))
    translator = train_recipe(recipe, tmp_path / "run")
    pairs = sentences(50, seed=9)
    written = [one.text for one in translator.translate([source for source, _ in pairs])]
    assert sum(a == b for a, (_, b) in zip(written, pairs, strict=True)) >= 45


@pytest.mark.slow
def test_pairs_are_drawn_from_disk_in_the_order_of_the_seed_also_after_resuming(
    table, tmp_path, monkeypatch
):
    recipe = small(parallel_recipe([table()], subwords=300), steps=8, validate_every=2)
    whole = train_recipe(recipe, tmp_path / "whole")
    material = recipe.load_data(tmp_path / "whole")
    assert isinstance(material.training, TokenizedDataset)

    class Stop(Exception):
        pass

    def stop(_):
        raise Stop

    train = recipes.train
    monkeypatch.setattr(recipes, "train", lambda *a, **b: train(*a, **b | {"measure": stop}))
    with pytest.raises(Stop):
        train_recipe(recipe, tmp_path / "cut")
    monkeypatch.setattr(recipes, "train", train)
    assert same(train_recipe(recipe, tmp_path / "cut", resume=True), whole)
    other = dataclasses.replace(recipe, training=dataclasses.replace(recipe.training, seed=1))
    assert not same(train_recipe(other, tmp_path / "other"), whole)


def test_text_is_encoded_once_for_the_same_files_and_subwords(table, cache, tmp_path, monkeypatch):
    recipe = small(parallel_recipe([table()], subwords=300), steps=1)
    one = recipe.load_data(tmp_path)
    names = sorted(path.name for path in (cache / "encoded").iterdir())
    assert len(names) == 2

    encode_pairs = recipes.encode_pairs
    monkeypatch.setattr(recipes, "encode_pairs", None)  # would fail if it were asked again
    again = recipe.load_data(tmp_path)
    assert list(again.training) == list(one.training)

    monkeypatch.setattr(recipes, "encode_pairs", encode_pairs)
    parallel_recipe([table()], subwords=310).load_data(tmp_path)
    parallel_recipe([table(seed=1)], subwords=300).load_data(tmp_path)
    assert len(list((cache / "encoded").iterdir())) == 6


def test_no_sentence_of_validation_is_in_training(table, tmp_path):
    recipe = parallel_recipe([table(3000)])
    sides = {side: [source for source, _ in recipe.pairs(side)] for side in ("train", "validation")}
    assert len(sides["train"]) + len(sides["validation"]) == 3000
    assert not set(sides["train"]) & set(sides["validation"])
    assert sides["validation"] and all(sentence_hash(text) < 0.01 for text in sides["validation"])

    named = parallel_recipe([table()], [table(20, seed=1, name="held-out.tsv")])
    assert [list(named.pairs(side)) for side in ("train", "validation")] == [
        sentences(600),
        sentences(20, seed=1),
    ]


def test_subwords_are_learned_from_the_training_side_only(table, tmp_path):
    held_out = tmp_path / "held-out.tsv"
    held_out.write_text("zebra zebra zebra\tcebra cebra cebra\n" * 50)
    vocab = parallel_recipe([table()], [held_out], subwords=330).load_data(tmp_path).src.vocab
    assert "Ġdog" in vocab.ids
    assert not [token for token in vocab.tokens if "eb" in token]


def test_files_that_changed_are_not_gone_on_with(table, tmp_path):
    path = table()
    recipe = small(parallel_recipe([path], subwords=300), steps=2)
    train_recipe(recipe, tmp_path / "run")
    path.write_text(path.read_text(encoding="utf-8") + "new\tnuevo\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="pairs.tsv has changed since this run began"):
        train_recipe(recipe, tmp_path / "run", resume=True)
    with pytest.raises(CheckpointError, match="other settings"):
        train_recipe(small(parallel_recipe([path], subwords=300)), tmp_path / "run", resume=True)


def test_a_finished_model_goes_on_learning_from_where_it_was(table, tmp_path):
    first = train_recipe(small(parallel_recipe([table()], subwords=300)), tmp_path / "first")
    (tmp_path / "first" / "notice.txt").write_text("whose sentences it learned", encoding="utf-8")
    files = [table(seed=1, name="new.tsv")]

    def more(**training):
        recipe = more_recipe(files, tmp_path / "first")
        how = {"steps": 2, "validate_every": 1, "warmup": 1, "max_tokens": 256} | training
        training = dataclasses.replace(recipe.training, **how)
        return dataclasses.replace(recipe, training=training)

    stayed = train_recipe(more(max_lr=1e-12), tmp_path / "stayed")
    for a, b in zip(stayed.model.parameters(), first.model.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-9)
    assert stayed.src.vocab.tokens == first.src.vocab.tokens
    learned = train_recipe(more(max_lr=1e-2), tmp_path / "learned")
    assert not same(learned, first)
    shutil.rmtree(tmp_path / "first")  # what it needs of it is in its own folder now
    again = Recipe.from_json(read_json(tmp_path / "learned" / "recipe.json"))
    assert same(train_recipe(again, tmp_path / "learned", resume=True), learned)
    assert Translator.load(tmp_path / "learned").notice == "whose sentences it learned"


def test_what_a_finished_model_cannot_learn_is_said(run, table, tmp_path, capsys):
    train_recipe(small(parallel_recipe([table()], subwords=300)), tmp_path / "first")
    capsys.readouterr()
    new = tmp_path / "new.tsv"
    new.write_text(
        "I like trees.\tMe gustan los árboles.\n" * 9 + "A smoker.\tUn ahumador.\n", "utf-8"
    )
    for arguments, parts in (
        (["--from", tmp_path / "first"], ["--from needs --data"]),
        (["--data", new, "--replay", 0.5], ["--replay needs --from"]),
        (["--data", new, "--from", tmp_path / "none"], [str(tmp_path / "none")]),
        (["--data", new, "--from", tmp_path / "first", "--replay", 0.5], ["add some to your own"]),
        (["--data", new, "--from", tmp_path / "first", "--replay", 1], ["less than 1"]),
        (["--data", new, "--from", "grammar"], ["new.tsv, line 10", "no word 'smoker'"]),
        (["--data", new, "--from", "tatoeba", "--set", "h=4"], ["keeps its sizes", "'h': 8"]),
    ):
        status, out, err = run("train", "--out", tmp_path / "run", *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        for part in parts:
            assert part in err


def test_old_sentences_have_their_share_and_few_new_ones_are_repeated():
    new = [(f"new {i}", "") for i in range(10)]
    old = [(f"old {i}", "") for i in range(5000)]
    for share in (0.25, 0.5, 0.8):
        mixed = list(recipes.with_old(new, old, share))
        assert {pair for pair in mixed if pair in new} == set(new)
        found = sum(pair[0].startswith("old") for pair in mixed) / len(mixed)
        assert found == pytest.approx(share, abs=0.01)


def test_a_text_that_learned_positions_do_not_reach_is_named_before_training(table, tmp_path):
    held_out = tmp_path / "held-out.tsv"
    held_out.write_text("A dog.\tUn perro.\n" + "dog " * 300 + "\t" + "perro " * 300, "utf-8")
    recipe = small(parallel_recipe([table()], [held_out], subwords=330))
    model = dataclasses.replace(recipe.model, positions="learned")
    with pytest.raises(CorpusError, match=r"held-out.tsv, line 2: \d+ subwords, .* up to 255"):
        train_recipe(dataclasses.replace(recipe, model=model), tmp_path / "run")
    assert not (tmp_path / "run" / "recipe.json").exists()


def test_a_cache_that_cannot_be_used_is_named(table, cache, tmp_path):
    cache.write_text("a file")
    with pytest.raises(OSError, match=f"TRANSFORMER_LIB_CACHE.*{cache}"):
        train_recipe(small(parallel_recipe([table()], subwords=300)), tmp_path / "run")


def test_a_file_that_changes_while_it_is_read_leaves_nothing_behind(table, cache, tmp_path):
    path = table()
    recipe = small(parallel_recipe([path], subwords=300))
    both = recipe.learn_language(AS_IT_IS)
    path.write_text(path.read_text(encoding="utf-8") + "new\tnuevo\n", encoding="utf-8")
    with pytest.raises(CorpusError, match="has changed"):
        recipe.encoded(both, both, "train")
    assert not [path for path in cache.rglob("*") if path.is_file()]


def test_a_damaged_tokenizer_is_named(tmp_path, table):
    train_recipe(small(parallel_recipe([table()], subwords=300), steps=1), tmp_path / "run")
    path = tmp_path / "run" / "tokenizer.json"
    path.write_text(path.read_text(encoding="utf-8")[:-50], encoding="utf-8")
    with pytest.raises(CheckpointError, match="tokenizer.json is damaged"):
        Translator.load(tmp_path / "run")


# --- what a translator with subwords reads and shows


@pytest.fixture
def translator():
    text = [text for pair in sentences(50) for text in pair]
    both = SubwordLanguage(Subwords.learn(text, 400))
    sizes = dataclasses.asdict(TOY) | {"tie_weights": "all"}
    return Translator(make_model(len(both.vocab), len(both.vocab), **sizes), both, both)


def test_it_reads_the_whole_line(translator):
    assert translator.read(" Tree,  dog! ") == translator.src.tokenizer("Tree, dog!")
    assert translator.src.decode(translator.src.encode("Tree, ¿río?")) == "Tree, ¿río?"


@pytest.mark.parametrize(
    ("typed", "message"),
    [
        ("", "empty"),
        ("?!", "no word"),
        ("one\ntwo", "2 lines"),
        (5, "one sentence in quotes"),
        ("dog " * 300, "300 subwords, more than 255"),
    ],
)
def test_what_it_cannot_read_is_said(translator, typed, message):
    with pytest.raises(InputError, match=message):
        translator.translate(typed)


def test_it_has_no_list_of_words(translator):
    with pytest.raises(InputError, match="any word"):
        translator.words  # noqa: B018


@pytest.mark.slow
def test_figures_show_letters(translator):
    maps = translator.attention_maps("dog río", translation=["Ġcasa", "."])
    assert maps.src == ["·dog", "·río", "<eos>"]
    assert maps.tgt_out == ["·casa", ".", "<eos>"]
    assert maps.weights["decoder.layers.0.cross_attn"].shape == (4, 3, 3)
    assert "\ufffd" in translator.attention_maps("漢").src  # a part of a letter has no picture


# --- at the keyboard


@pytest.fixture
def run(capsys):
    def call(*arguments):
        status = main([str(argument) for argument in arguments])
        captured = capsys.readouterr()
        return status, captured.out, captured.err

    return call


@pytest.mark.slow
def test_training_on_two_packed_files(run, tmp_path):
    for side, name in zip(zip(*sentences(300), strict=True), ("en.gz", "es.gz"), strict=True):
        (tmp_path / name).write_bytes(gzip.compress("\n".join([*side, "\x00"]).encode()))
    command = ["train", "--data", tmp_path / "en.gz", tmp_path / "es.gz", "--out", tmp_path / "run"]
    command += ["--steps", 1, "--subwords", 300]
    status, out, err = run(*command)
    assert (status, out) == (2, "")
    assert f"{tmp_path / 'en.gz'}, line 301: control character U+0000" in err
    status, out, err = run(*command, "--skip-bad", 1)  # the same folder: nothing was begun
    assert status == 0 and f"saved in {tmp_path / 'run'}" in out
    assert err.count("skipped: ") == 1 and f"skipped: {tmp_path / 'en.gz'}, line 301" in err
    assert run("translate", "--model", tmp_path / "run", "Zebras?")[0] == 0
    test = tmp_path / "test.tsv"
    test.write_text("Tree.\tÁrbol.\nDog.\tPerro.\n", encoding="utf-8")
    status, out, err = run("evaluate", "--model", tmp_path / "run", "--data", test)
    assert status == 0 and f"{'test.tsv':<26}{2:>10}" in out and "fewer than 30" in out
    test.write_text("Tree.\tÁrbol.\nDog.\n", encoding="utf-8")
    status, out, err = run("evaluate", "--model", tmp_path / "run", "--data", test)
    assert (status, out) == (2, "") and f"{test}, line 2: no tab" in err
    status, out, err = run("evaluate", "--data", test, "--split", "gustar")
    assert (status, out) == (2, "") and "--split" in err
    status, out, err = run("translate", "--model", tmp_path / "run", "--words")
    assert (status, out) == (2, "") and "any word" in err
    assert run("train", "--resume", "--out", tmp_path / "run")[0] == 0


def test_trainings_on_own_pairs_that_cannot_start(run, tmp_path, table):
    few = table(3)
    for arguments, parts in (
        (["--data", few, "--task", "copy"], ["--data", "--task copy"]),
        (["--task", "copy", "--skip-bad", 1], ["--skip-bad needs --data"]),
        (["--data", tmp_path / "none.tsv"], ["none.tsv"]),
        (["--data", few, few, few], ["3 files"]),
        (["--data", few, "--subwords", 9], ["subwords=9", "260"]),
        (["--data", few], ["too few", "validation"]),
    ):
        status, out, err = run("train", "--out", tmp_path / "run", *arguments)
        assert (status, out, err.count("\n")) == (2, "", 1), err
        for part in parts:
            assert part in err


@pytest.fixture
def fetched(monkeypatch, table):
    """Names of the corpora that were asked for; in each are the same few sentences."""
    splits = {"train": table(), "validation": table(40, seed=1, name="validation.tsv")}
    names = []

    def get(name, report=print):
        names.append(name)
        return splits

    monkeypatch.setattr("transformer_lib.text.downloads.get", get)
    recipes._print_attribution.cache_clear()
    return names


@pytest.mark.slow
def test_the_recipe_of_the_larger_model_fetches_its_sentences(tmp_path, fetched, table):
    """`train --task tatoeba`: from nothing to a run that goes on with the same files."""
    splits = {"train": table(), "validation": table(40, seed=1, name="validation.tsv")}
    recipe = recipes.tatoeba()
    assert fetched == ["tatoeba-en-es"]
    assert recipe.files == (str(splits["train"]),)
    assert recipe.validation == (str(splits["validation"]),)
    assert Recipe.from_json(recipe.to_json()) == recipe
    translator = train_recipe(small(recipe), tmp_path / "run")
    assert isinstance(translator.src, SubwordLanguage)


@pytest.mark.parametrize(
    ("task", "corpus"),
    [
        ("tatoeba", "tatoeba-en-es"),
        ("multi30k-en-de", "multi30k-en-de"),
        ("multi30k-en-fr", "multi30k-en-fr"),
    ],
)
def test_a_task_that_fetches_says_whose_its_sentences_are(
    run, fetched, monkeypatch, tmp_path, task, corpus
):
    """What `corpus get` says, in one line on standard error; once in a process."""
    monkeypatch.setattr(recipes, "train_recipe", lambda *_, **__: None)
    for time in (1, 2):
        status, out, err = run("train", "--task", task, "--out", tmp_path / "run")
        assert status == 0 and fetched == [corpus] * time
        assert "License" not in out
        assert err == (downloads.CORPORA[corpus].about + "\n" if time == 1 else "")
    assert run("train", "--task", "copy", "--out", tmp_path / "run")[2] == ""


def test_one_of_several_processes_says_whose_they_are(fetched, monkeypatch, capsys):
    monkeypatch.setattr(recipes, "rank", lambda: 1)
    recipes.tatoeba()
    assert fetched == ["tatoeba-en-es"] and capsys.readouterr().err == ""


def test_what_is_typed_is_finished_if_the_training_text_was(tmp_path, table):
    """The full stop that the model needs is not in the answer; the folder remembers."""
    translator = train_recipe(small(parallel_recipe([table()])), tmp_path / "run")
    assert translator.src.finished and translator.read("tree dog") == translator.read("Tree dog.")
    loaded = Translator.load(tmp_path / "run")
    assert loaded.src.finished
    ids = loaded.tgt.encode("Árbol perro.")
    assert loaded.tgt.postprocess(ids, loaded.src.preprocess("tree dog")) == "Árbol perro"
    assert loaded.tgt.postprocess(ids, loaded.src.preprocess("tree dog.")) == "Árbol perro."
    (tmp_path / "run" / "typed.json").unlink()
    assert not Translator.load(tmp_path / "run").src.finished


def test_text_without_signs_stays_as_it_is(tmp_path):
    path = tmp_path / "plain.tsv"
    path.write_text("".join(f"{a[:-1].lower()}\t{b}\n" for a, b in sentences(300)), "utf-8")
    translator = train_recipe(small(parallel_recipe([path])), tmp_path / "run")
    assert not translator.src.finished
    assert translator.read("tree dog") == translator.src.tokenizer("tree dog")


@pytest.mark.slow
def test_a_recipe_for_what_is_typed_adds_the_phrasebook_and_keeps_its_stand_ins(table, tmp_path):
    """To the training side only; the folder then answers a link and an emoji as they were typed."""
    plain = parallel_recipe([table(200)], [table(20, seed=1, name="validation.tsv")], subwords=900)
    recipe = small(
        parallel_recipe(plain.files, plain.validation, subwords=900, as_typed=True), steps=3
    )
    assert recipe.sha256 != plain.sha256
    pairs = {side: list(recipe.pairs(side)) for side in ("train", "validation")}
    assert pairs["validation"] == list(plain.pairs("validation"))
    assert {"Buenos días.", "Árbol."} & {spanish for _, spanish in pairs["train"]}
    assert len(pairs["train"]) > 10_000
    assert pairs["train"] == list(Recipe.from_json(recipe.to_json()).pairs("train"))
    folder = tmp_path / "run"
    train_recipe(recipe, folder)
    translator = Translator.load(folder)
    typed = translator.src.preprocess("see www.uni.es 🍕")
    assert typed.words == "see www.example.com 😀"
    ids = translator.tgt.vocab.encode(translator.tgt.tokenizer("Véase www.example.com 😀"))
    assert translator.tgt.postprocess(ids, typed) == "Véase www.uni.es 🍕"


def test_a_run_whose_phrasebook_has_changed_is_refused(table, tmp_path, monkeypatch):
    recipe = small(parallel_recipe([table(200)], subwords=300, as_typed=True))
    book = shutil.copytree(phrasebook.FOLDER, tmp_path / "book")
    with open(book / "weather.tsv", "a", encoding="utf-8") as file:
        file.write("It's windy.\tHace viento.\n")
    monkeypatch.setattr(phrasebook.files, "__defaults__", (book,))
    with pytest.raises(CorpusError, match="has changed since this run began"):
        recipe.load_data(tmp_path)
