"""Training on a user's own pairs: from text files to a translator that needs its folder alone."""

import dataclasses
import gzip
import random
import shutil

import pytest
import torch

from tests.commands import refused
from transformer_lib import TOY, Translator, make_model, recipes
from transformer_lib.files import read_json
from transformer_lib.recipes import Recipe, more_recipe, parallel_recipe, train_recipe
from transformer_lib.text import downloads
from transformer_lib.text.languages import SubwordLanguage
from transformer_lib.text.parallel import CorpusError, sentence_hash
from transformer_lib.text.subwords import Subwords
from transformer_lib.text.tokenized_dataset import TokenizedDataset

ENGLISH = "tree dog cat house river song bird stone night".split()
SPANISH = "árbol perro gato casa río canción pájaro piedra noche".split()
WORDS = dict(zip(ENGLISH, SPANISH, strict=True))


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
def test_pairs_are_drawn_from_disk_in_the_order_of_the_seed_also_after_resuming(
    table, tmp_path, monkeypatch
):
    recipe = small(parallel_recipe([table()], subwords=300), steps=8, validate_every=2)
    whole = train_recipe(recipe, tmp_path / "whole")
    assert isinstance(recipe.load_data(tmp_path / "whole").training, TokenizedDataset)

    def stop(_):
        raise KeyboardInterrupt

    train = recipes.train
    with monkeypatch.context() as patch, pytest.raises(KeyboardInterrupt):
        patch.setattr(recipes, "train", lambda *a, **b: train(*a, **b | {"measure": stop}))
        train_recipe(recipe, tmp_path / "cut")
    assert same(train_recipe(recipe, tmp_path / "cut", resume=True), whole)
    table(seed=1)
    with pytest.raises(CorpusError, match="pairs.tsv has changed since this run began"):
        train_recipe(recipe, tmp_path / "cut", resume=True)


def test_text_is_encoded_once_for_the_same_files_and_subwords(table, cache, tmp_path, monkeypatch):
    recipe = small(parallel_recipe([table()], subwords=300), steps=1)
    one = recipe.load_data(tmp_path)
    for subwords, seed in ((310, 0), (300, 1)):
        parallel_recipe([table(seed=seed)], subwords=subwords).load_data(tmp_path)
    assert len(list((cache / "encoded").iterdir())) == 6  # training and validation of each
    table()
    monkeypatch.setattr(recipes, "encode_pairs", None)  # would fail if it were asked again
    assert list(recipe.load_data(tmp_path).training) == list(one.training)


def test_no_sentence_of_validation_is_in_training(table):
    recipe = parallel_recipe([table(3000)])
    train, held_out = ({source for source, _ in recipe.pairs(s)} for s in ("train", "validation"))
    assert train | held_out == {source for source, _ in sentences(3000)}
    assert (
        not train & held_out and held_out and all(sentence_hash(text) < 0.01 for text in held_out)
    )
    named = parallel_recipe([table()], [table(20, seed=1, name="held-out.tsv")])
    assert list(named.pairs("train")) == sentences(600)
    assert list(named.pairs("validation")) == sentences(20, seed=1)


def test_subwords_are_learned_from_the_training_side_only(table, tmp_path):
    held_out = tmp_path / "held-out.tsv"
    held_out.write_text("zebra zebra zebra\tcebra cebra cebra\n" * 50)
    vocab = parallel_recipe([table()], [held_out], subwords=330).load_data(tmp_path).src.vocab
    assert "Ġdog" in vocab.ids
    assert not [token for token in vocab.tokens if "eb" in token]


def test_a_finished_model_goes_on_learning_from_where_it_was(table, tmp_path):
    first = train_recipe(small(parallel_recipe([table()], subwords=300)), tmp_path / "first")
    (tmp_path / "first" / "notice.txt").write_text("whose sentences it learned", encoding="utf-8")
    recipe = more_recipe([table(seed=1, name="new.tsv")], tmp_path / "first")
    size = dataclasses.replace(recipe.training, steps=2, validate_every=1, warmup=1, max_tokens=256)

    def more(name, max_lr):
        training = dataclasses.replace(size, max_lr=max_lr)
        return train_recipe(dataclasses.replace(recipe, training=training), tmp_path / name)

    stayed, learned = more("stayed", 1e-12), more("learned", 1e-2)
    for a, b in zip(stayed.model.parameters(), first.model.parameters(), strict=True):
        torch.testing.assert_close(a, b, rtol=0, atol=1e-9)
    assert stayed.src.vocab.tokens == first.src.vocab.tokens and not same(learned, first)
    shutil.rmtree(tmp_path / "first")  # what it needs of it is in its own folder now
    again = Recipe.from_json(read_json(tmp_path / "learned" / "recipe.json"))
    assert same(train_recipe(again, tmp_path / "learned", resume=True), learned)
    assert Translator.load(tmp_path / "learned").notice == "whose sentences it learned"


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


@pytest.fixture
def translator():
    text = [text for pair in sentences(50) for text in pair]
    both = SubwordLanguage(Subwords.learn(text, 400))
    sizes = dataclasses.asdict(TOY) | {"tie_weights": "all"}
    return Translator(make_model(len(both.vocab), len(both.vocab), **sizes), both, both)


def test_what_it_reads_and_shows(translator):
    maps = translator.attention_maps("dog río", translation=["Ġcasa", "."])
    assert maps.src == ["·dog", "·río", "<eos>"] and maps.tgt_out == ["·casa", ".", "<eos>"]
    assert maps.weights["decoder.layers.0.cross_attn"].shape == (4, 3, 3)
    assert "\ufffd" in translator.attention_maps("漢").src  # a part of a letter has no picture


@pytest.mark.slow
def test_training_on_two_packed_files(run, tmp_path):
    for side, name in zip(zip(*sentences(300), strict=True), ("en.gz", "es.gz"), strict=True):
        (tmp_path / name).write_bytes(gzip.compress("\n".join([*side, "\x00"]).encode()))
    command = ["train", "--data", tmp_path / "en.gz", tmp_path / "es.gz", "--out", tmp_path / "run"]
    command += ["--steps", 1, "--subwords", 300]
    refused(run(*command), f"{tmp_path / 'en.gz'}, line 301: control character U+0000")
    status, out, err = run(*command, "--skip-bad", 1)  # the same folder: nothing was begun
    assert status == 0 and f"saved in {tmp_path / 'run'}" in out
    assert err.count("skipped: ") == 1 and f"skipped: {tmp_path / 'en.gz'}, line 301" in err
    assert run("translate", "--model", tmp_path / "run", "Zebras?")[0] == 0
    refused(run("translate", "--model", tmp_path / "run", "--words"), "any word")
    test = tmp_path / "test.tsv"
    for text, found in (("Tree.\tÁrbol.\nDog.\tPerro.\n", 0), ("Tree.\tÁrbol.\nDog.\n", 2)):
        test.write_text(text, encoding="utf-8")
        status, out, err = run("evaluate", "--model", tmp_path / "run", "--data", test)
        assert status == found and ("fewer than 30" in out) == (f"{test}, line 2" not in err)
    assert run("train", "--resume", "--out", tmp_path / "run")[0] == 0


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


def test_the_recipe_of_the_larger_model_fetches_its_sentences(fetched, tmp_path):
    recipe = recipes.tatoeba()
    assert fetched == ["tatoeba-en-es"]
    assert recipe.files == (str(tmp_path / "pairs.tsv"),)
    assert recipe.validation == (str(tmp_path / "validation.tsv"),)
    assert Recipe.from_json(recipe.to_json()) == recipe


@pytest.mark.parametrize("task", ["tatoeba", "multi30k-en-de", "multi30k-en-fr"])
def test_a_task_that_fetches_says_once_whose_its_sentences_are(
    run, fetched, monkeypatch, tmp_path, task
):
    corpus = {"tatoeba": "tatoeba-en-es"}.get(task, task)
    monkeypatch.setattr(recipes, "train_recipe", lambda *_, **__: None)
    for said in (downloads.CORPORA[corpus].about + "\n", ""):
        status, out, err = run("train", "--task", task, "--out", tmp_path / "run")
        assert (status, err) == (0, said) and "License" not in out and fetched[-1] == corpus


def test_what_is_typed_is_finished_if_the_training_text_was(tmp_path, table):
    """The full stop that the model needs is not in the answer; the folder remembers."""
    train_recipe(small(parallel_recipe([table()])), tmp_path / "run")
    loaded = Translator.load(tmp_path / "run")
    assert loaded.src.finished and loaded.read("tree dog") == loaded.read("Tree dog.")
    ids = loaded.tgt.encode("Árbol perro.")
    for typed, answer in (("tree dog", "Árbol perro"), ("tree dog.", "Árbol perro.")):
        assert loaded.tgt.postprocess(ids, loaded.src.preprocess(typed)) == answer
    (tmp_path / "run" / "typed.json").unlink()
    assert not Translator.load(tmp_path / "run").src.finished


@pytest.mark.slow
def test_a_recipe_for_what_is_typed_adds_the_phrasebook_and_keeps_its_stand_ins(table, tmp_path):
    """To the training side only; the folder then answers a link and an emoji as they were typed."""
    files = [table(200)], [table(20, seed=1, name="validation.tsv")]
    plain, recipe = (parallel_recipe(*files, subwords=900, as_typed=a) for a in (False, True))
    assert recipe.sha256 != plain.sha256
    assert [*recipe.pairs("validation")] == [*plain.pairs("validation")]
    pairs = list(recipe.pairs("train"))
    assert {"Buenos días.", "Árbol."} & {spanish for _, spanish in pairs} and len(pairs) > 10_000
    assert pairs == list(Recipe.from_json(recipe.to_json()).pairs("train"))
    train_recipe(small(recipe, steps=3), tmp_path / "run")
    translator = Translator.load(tmp_path / "run")
    typed = translator.src.preprocess("see www.uni.es 🍕")
    assert typed.words == "see www.example.com 😀"
    ids = translator.tgt.encode("Véase www.example.com 😀")
    assert translator.tgt.postprocess(ids, typed) == "Véase www.uni.es 🍕"
