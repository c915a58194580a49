"""The translator in JavaScript and the one in Python: the same tokens, numbers, words, messages."""

import json
from functools import cache
from pathlib import Path

import numpy as np
import pytest
import torch

from course import experiments
from course.chapters.ch13_what_heads_learned.experiments import translate_changed
from course.lab import packing, pages
from course.lab.node import SWAP, measure_javascript
from course.site.build import EXAMPLES
from course.site.opening import opening
from transformer_lib import Translator, make_model
from transformer_lib.checkpoints import save_model
from transformer_lib.decoding import beam_search, inference_mode
from transformer_lib.decoding.sampling import sample, sampling_distribution
from transformer_lib.files import read_json
from transformer_lib.interpret.patching import (
    ablate_head,
    block_attention,
    patch_attention,
    swap_attention,
)
from transformer_lib.text import english_spanish, everyday
from transformer_lib.text.batching import make_batch
from transformer_lib.text.data import read_table
from transformer_lib.text.stand_ins import STAND_INS
from transformer_lib.text.tokens import BOS, EOS, PAD
from transformer_lib.text.user_input import InputError

RIDDLE = "The animal didn't cross the street because it was too "
ENCODER, CROSS = "encoder.layers.1.self_attn", "decoder.layers.1.cross_attn"
# What people type, and what they could not be meant to type.
ODD = """
I don't like trees|I DON’T LIKE TREES|  i like trees !!|I like trees!|What a day!|Do you like me?
I can’t read the letter.|He can't cross|She won't eat…|they'll eat...|We've eaten;|I'm tired
It's wide|the queen's duck|Ana's mother isn't here.|who's there|IT WASN'T TOO TIRED|cant|Ca n't
I liek treez|the anmial|xqzt|"I like trees"|I like (trees)|I like trees, too|“I like trees”
I like trees. I like him.|I like trees? No!|the dog/cat|well-read|3 trees|10am|U.S.|a.m.|:)|:-))
look at www.trees.org|me@trees.org|¿Qué?|¡no!|straße|CAFÉ|Cafe\u0301|I like\u00a0trees|\u200b
İstanbul|中文|😀 trees|the 'animal'|'s|n't|she'd've|o'clock|gonna|y'all|let's|''|…|...|!?|\t
x\u200by|trees,can't|tired.don't|one\ntwo|one\n\n|one\x85two|\ud800 tree|\\|it's "tired"
don't'|tree<pad>|<eos>|__proto__
""".strip("\n").split("|")


@cache
def translator() -> Translator:
    return Translator.load()


@cache
def larger() -> Translator:
    return Translator.load("tatoeba")


def in_python(call, text):
    try:
        return call(text)
    except InputError as error:
        return str(error)


READ = """
const attempt = (text) => {
  try { return translator.src.read(text).tokens; }
  catch (error) { if (error instanceof InputError) return error.message; throw error; }
};
return given.map(attempt);
"""


def test_every_sentence_of_the_test_split_is_cut_alike(node):
    texts = [english for english, _ in english_spanish.load("test")]
    assert node(READ, texts) == [translator().read(text) for text in texts]


def test_oddities_are_cut_alike_or_refused_in_the_same_words(node):
    texts = [*ODD, "tree " * 65, *(line for text in ODD for line in text.split("\n"))]
    whole = [text for text in texts if "\ud800" not in text]  # spaCy can't take half a letter
    cut = "return given.map((text) => translator.src.tokenizer.tokens(text));"
    assert node(cut, whole) == [translator().src.tokenizer(text) for text in whole]
    assert node(READ, texts) == [in_python(translator().read, text) for text in texts]


WRITE = "return given.map((one) => translator.translate(one)).map((o) => [o.text, o.doubt]);"


def test_a_translation_is_written_alike(node):
    texts = ["I like trees!", "What a day!", "Who crosses the street?", "They like us…"]
    expected = translator().translate(texts)
    assert node(WRITE, texts) == [[one.text, translator().warning(one)] for one in expected]


def test_capitals_are_read_alike(node):
    texts = [
        "I LOVE YOU",
        "HELLO",
        "NASA",
        "É 1 ÑÑÑÑ",
        "I LOVE ªº",
        "ǅ HELLO",
        "U.S.A. OK",
        "OK 🍕",
        "Hi",
    ]
    texts += ["ЯНЕГОВОРЮ", "ΟΔΟΣ ΟΔΟΣ", "WWW.UNI.EDU/A", "GO TO HTTPS://UNI.EDU/A", "日本語日本語"]
    program = """
        const language = new SubwordLanguage({ pieces: [], merges: [], stand_ins: given.rules });
        language.normalizer = translator.src.normalizer;
        return given.texts.map((text) => language.read(text).typed.words);
    """
    rules = pages.stand_in_rules(STAND_INS)
    expected = [larger().src.preprocess(text).words for text in texts]
    assert node(program, {"texts": texts, "rules": rules}) == expected


@cache
def in_eight(name: str) -> Translator:
    """What Python holds against a page whose matrices are in 8 bits."""
    return packing.in_eight_bits(Translator.load(name))


@pytest.mark.parametrize("eight", [False, True])
@pytest.mark.parametrize("name", ["grammar", "tatoeba"])
def test_sentences_get_the_same_words_and_logits(node_of, name, eight, by_night, tmp_path):
    """Greedy, with a cache, sentence by sentence; PyTorch in batches, all words at once.

    By day every fourth sentence of the test split. Of the everyday ones every fifth, and of each
    fourth of these the logits.
    """
    if name == "grammar":
        texts = [english for english, _ in english_spanish.load("test")][:: 1 if by_night else 4]
        every = 1
    else:
        texts, every = [item.english for item in everyday.load()][::5], 4
    expected = in_eight(name) if eight else Translator.load(name)
    program = """
        const file = fs.openSync(given.file, "w");
        return given.texts.map((text, i) => {
          const { ids, steps, text: written } = translator.translate(text);
          if (i % given.every == 0) {
            for (const logits of steps) fs.writeSync(file, new Uint8Array(logits.buffer));
          }
          return [ids, written];
        });
    """
    given = {"texts": texts, "every": every, "file": str(tmp_path / "logits")}
    ids, written = zip(*node_of(name, eight)(program, given), strict=True)
    assert list(written) == [one.text for one in expected.translate(texts)]
    sources = [expected.src.vocab.encode(expected.read(text)) for text in texts[::every]]
    pairs = list(zip(sources, ids[::every], strict=True))
    logits = np.fromfile(tmp_path / "logits", np.float32).reshape(-1, len(expected.tgt.vocab))
    assert (logits[:, [PAD, BOS]] == -np.inf).all()  # they never follow
    wanted = torch.cat(
        [forced_logits(expected.model, pairs[i : i + 100]) for i in range(0, len(pairs), 100)]
    )
    torch.testing.assert_close(
        torch.from_numpy(logits)[:, EOS:], wanted[:, EOS:], rtol=0, atol=1e-4
    )


def forced_logits(model, pairs):
    """The logits at every place of every sentence of a batch, one after another."""
    batch = make_batch(pairs)
    with inference_mode(model):
        return model(batch.src, batch.tgt_in)[batch.tgt_out != PAD]


def test_each_head_looks_where_the_recorded_one_does(node):
    text = RIDDLE + "tired"
    program = "return translator.translate(given).weights;"
    maps = translator().attention_maps(text)
    # {layer: [head][query] -> {computed, used}}, a row as {"0": weight, "1": ...}
    weights = node(program, text)
    assert list(weights) == list(maps.weights)
    for layer, heads in weights.items():
        for head, queries in enumerate(heads):
            for query, row in enumerate(queries):
                assert row["used"] == row["computed"]
                got = torch.tensor(list(row["used"].values()), dtype=torch.float)
                expected = maps.weights[layer][head, query, : len(got)]
                torch.testing.assert_close(got, expected, rtol=0, atol=1e-5)
                assert not maps.weights[layer][head, query, len(got) :].any()  # words to come


def raised(weights):
    """`set`: 0.75 on the street, the others share 0.25 in proportion."""
    weights = weights.clone()
    row = weights[0, 2, 11]
    row *= 0.25 / (1 - row[6])
    row[6] = 0.75
    return weights


CHANGES = [
    (RIDDLE + "tired", [SWAP], {ENCODER: swap_attention(0, 2, 11, 1, 6)}),
    (
        RIDDLE + "tired",
        [{"kind": "set", "layer": ENCODER, "head": 2, "query": 11, "key": 6, "weight": 0.75}],
        {ENCODER: raised},
    ),
    ("I like trees", [{"kind": "off", "layer": CROSS, "head": 0}], {CROSS: ablate_head(0)}),
    (
        RIDDLE + "wide",
        [{"kind": "bar", "layer": ENCODER, "query": 11, "key": key} for key in (1, 6)],
        {ENCODER: block_attention(0, 11, [1, 6])},
    ),
]


def test_a_change_does_what_the_edit_does(node):
    for text, changes, edits in CHANGES:
        program = """
            const { text, steps } = translator.translate(given.text, { changes: given.changes });
            return { text, logits: [...steps.at(-2)].slice(EOS) };
        """
        got = node(program, {"text": text, "changes": changes})
        assert got["text"] == translate_changed(translator(), text, edits)
        ids = translator().src.encode(text)
        written = translator().tgt.encode(got["text"])
        with patch_attention(translator().model, edits):
            expected = forced_logits(translator().model, [(ids, written)])[-2, EOS:]
        torch.testing.assert_close(torch.tensor(got["logits"]), expected, rtol=0, atol=1e-4)


def test_beam_search_finds_the_same(node):
    program = """
        return given.map((ids) => beam_search(translator.model, ids, { beam_size: 4 }));
    """
    texts = [english for english, _ in english_spanish.load("longer")[:6]]
    sources = [[*translator().src.encode(text), EOS] for text in texts]
    for ids, found in zip(sources, node(program, sources), strict=True):
        (expected,) = beam_search(translator().model, torch.tensor([ids]), beam_size=4, n_best=4)
        for one, other in zip(found["hypotheses"], expected, strict=True):
            assert one["ids"] == other.ids
            assert (one["log_prob"], one["score"]) == pytest.approx(
                (other.log_prob, other.score), abs=1e-4
            )
            assert one["finished"] == other.finished
        kept = {tuple(beginning["words"]) for beginning in found["tree"]}
        for one in expected:  # each hypothesis is a path of the tree
            path = [*one.ids, EOS] if one.finished else one.ids
            assert {tuple(path[:i]) for i in range(1, len(path) + 1)} <= kept


def test_temperature_and_lots_are_the_same(node):
    logits = [3.0, 1.0, 2.0, -1.0]
    program = (
        "return [...sampling_distribution(new Float32Array(given.logits), given.temperature)];"
    )
    for temperature in (0.01, 0.7, 1.0, 3.0):
        got = node(program, {"logits": logits, "temperature": temperature})
        expected = sampling_distribution(torch.tensor(logits), temperature=temperature)
        assert got == pytest.approx(expected.tolist(), abs=1e-6)
    uniform = [i / 97 for i in range(97)]
    p = [0.5, 0.0, 0.3, 0.2]
    words = node(
        "return given.uniform.map((lot) => draw(given.p, lot));", {"uniform": uniform, "p": p}
    )
    assert words == sample(torch.tensor([p] * 97), torch.tensor(uniform)).tolist()


def test_other_models_give_the_same_logits(node, tmp_path):
    """Sizes that are no multiples of four, both places of the norm, and shared tables."""
    for norm_first in [False, True]:
        for ties in ["none", "target", "all"]:
            model = make_model(
                11, 11, N=2, d_model=6, d_ff=7, h=3, norm_first=norm_first, tie_weights=ties
            )
            save_model(tmp_path, model)
            config = read_json(tmp_path / "config.json")
            src, written = [5, 4, 10, EOS], [7, 4, 9]
            program = """
                const { buffer, byteOffset, length } = fs.readFileSync(given.file);
                const tensors = read_safetensors(buffer.slice(byteOffset, byteOffset + length));
                const model = new Transformer(given.config, tensors);
                const { steps } = forced_decode(model, given.src, given.written);
                return steps.map((step) => [...step].slice(EOS));
            """
            given = {
                "file": str(tmp_path / "model.safetensors"),
                "config": config,
                "src": src,
                "written": written,
            }
            with inference_mode(model):
                expected = model(torch.tensor([src]), torch.tensor([[BOS, *written]]))[0, :, EOS:]
            torch.testing.assert_close(
                torch.tensor(node(program, given)), expected, rtol=0, atol=1e-5
            )


def test_subwords_are_cut_alike_or_refused_in_the_same_words(node_of):
    node, ours = node_of("tatoeba", False), [item.english for item in everyday.load()]
    spaces = [
        "a  b\u3000 c",
        " \u00a0x",
        "tab\there",
        "1234 5a6 ½ Ⅷ",
        "it's 'll'd",
        "é e\u0301",
        "ﬁ ǅ",
    ]
    texts = [*ours, *ODD, *spaces, "tree " * 300, "über Straße", "<bos>I like trees<eos>"]
    whole = [text for text in texts if "\ud800" not in text]
    cut = "return given.map((text) => translator.src.tokenizer.tokens(text));"
    assert node(cut, whole) == [larger().src.tokenizer(text) for text in whole]
    assert node(READ, texts) == [in_python(larger().read, text) for text in texts]


def test_what_people_type_is_translated_alike_and_nothing_is_silently_wrong(node_of):
    """What somebody types, and what must hold of its translation (both as JSON).

    as: as another text. has: these, once each. Of all: whole letters, and numbers or a doubt."""
    rows = read_table(Path(__file__).with_name("typed.tsv"), ("typed", "must hold"))
    typed, properties = (
        [json.loads(cell) for cell in column] for column in zip(*rows, strict=True)
    )
    found = [[one.text, larger().warning(one)] for one in larger().translate(typed)]
    assert node_of("tatoeba", False)(WRITE, typed) == found
    for text, property, (translation, doubt) in zip(typed, properties, found, strict=True):
        assert "�" not in translation, text
        kind, _, wanted = property.partition(": ")
        if kind == "as":
            assert translation == larger().translate(wanted).text, text
        elif kind == "has":
            assert {translation.count(one) for one in wanted.split(" | ")} == {1}, (
                text,
                translation,
            )
        assert doubt or digits(translation) == digits(larger().src.normalize(text)), text


def digits(text: str) -> list[str]:
    return list(filter(str.isnumeric, text))


def test_what_was_packed_is_read_as_it_was(node):
    """Every letter of 7 bits, those too that a page would not let through as they are."""
    about = {"name": "árbol"}
    tensors = {
        "whole": torch.arange(-128, 128, dtype=torch.int8).reshape(2, 128),
        "whole.scale": torch.tensor([0.5, 0.25]),
        "half": torch.tensor([[1.5, -2.0]], dtype=torch.float16),
        "random": torch.randn(100, 50),
    }
    letters = packing.pack(about, tensors)
    used = set(letters)
    assert len(used) == 128 and used.isdisjoint(packing.UNSAFE) and used >= set(packing.STAND_INS)
    program = """
        const file = await inflated(bytes_of(given));
        const size = new DataView(file).getUint32(0, true);
        const about = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 4, size)));
        const tensors = read_safetensors(file.slice(4 + size));
        const list = ({ rows, cols, data }) => [rows, cols, [...data]];
        return [about, Object.fromEntries(Object.entries(tensors).map(([n, t]) => [n, list(t)]))];
    """
    told, found = node(program, letters)
    assert told == about
    tensors["whole"] = tensors["whole"] * tensors["whole.scale"][:, None]
    for name, tensor in tensors.items():
        rows, cols, numbers = found[name]
        assert (rows, cols) == (tensor.shape if tensor.ndim == 2 else (1, len(tensor)))
        assert numbers == tensor.float().flatten().tolist()


def test_the_first_page_shows_what_the_page_would_compute(node_of):
    """The examples come with the page; with the translator there, they would be the same."""
    program = "return given.map((text) => opening(translator, text, 8));"
    found = node_of("tatoeba", True)(program, EXAMPLES)
    for one, text in zip(found, EXAMPLES, strict=True):
        shown = opening(in_eight("tatoeba"), text)
        assert one["written"] == shown["written"] and not one["doubt"]
        for words, numbers, rounded in [("from", "cells", 0.1), ("to", "shares", 0.01)]:
            assert [word["text"] for word in one[words]] == [word["text"] for word in shown[words]]
            for word, same in zip(one[words], shown[words], strict=True):
                np.testing.assert_allclose(word[numbers], same[numbers], rtol=0, atol=rounded)


def test_stored_is_what_node_finds(node):
    """data/experiments/javascript.json."""
    stored, found = experiments.load("javascript"), measure_javascript()
    assert stored["settings"] == found["settings"] | {"node": stored["settings"]["node"]}
    for now, was in zip(found["results"], stored["results"], strict=True):
        for part in ("changes", "ids", "text", "words"):
            assert now[part] == was[part], "run: python -m course experiment javascript"
        np.testing.assert_allclose(now["logits"], was["logits"], rtol=0, atol=1e-5)
