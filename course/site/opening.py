"""What the first page shows before anything is fetched: computed when the site is built.

The examples are translated by the model that the page fetches later, with the same numbers in
8 bits, so that nothing changes when it has come. home.js makes the same of a typed sentence.
"""

from typing import Any

from torch import Tensor

from course.lab.node import ANIMAL, HEAD, LAYER, RIDDLE, STREET, TIRED
from course.lab.packing import in_eight_bits
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.text.batching import make_batch
from transformer_lib.translator import Translator

CELLS = 8  # numbers of a word's vector that are drawn
STEPS = 20  # of the slider, from the weights as they are to the weights exchanged


def opening(translator: Translator, text: str) -> dict[str, Any]:
    """A sentence and its translation, word by word.

    -> {text, from: [{text, cells}], to: [{text, shares}], written}. cells: the first numbers of the
    encoder's vector for the word's last piece. shares: how much the written word attends to each
    word of the sentence, in the last cross-attention, as a mean of all heads.
    """
    maps = translator.attention_maps(text)
    last = [name for name in maps.weights if name.endswith("cross_attn")][-1]
    weights = maps.weights[last].mean(0)
    with inference_mode(translator.model):
        ids = translator.src.vocab.encode(translator.read(text))
        memory = translator.model.encode(translator.batch([ids]))[0]
    source, written = words(maps.src[:-1]), words(maps.tgt_out[:-1])
    return {
        "text": text,
        "from": [
            {"text": word, "cells": rounded(memory[pieces[-1], :CELLS])} for word, pieces in source
        ],
        "to": [
            {
                "text": word,
                "shares": [
                    round(weights[queries][:, keys].sum().item() / len(queries), 2)
                    for _, keys in source
                ],
            }
            for word, queries in written
        ],
        "written": translator.translate(text).text,
    }


def words(pieces: list[str]) -> list[tuple[str, list[int]]]:
    """Pieces side by side -> the words they make up, each with the positions of its pieces.

    · stands for the space that begins a word.
    """
    found: list[tuple[str, list[int]]] = []
    for i, piece in enumerate(pieces):
        if piece.startswith("·") or not found:
            found.append(("", []))
        text, places = found.pop()
        found.append((text + piece.removeprefix("·"), [*places, i]))
    return found


def rounded(vector: Tensor) -> list[float]:
    return [round(number, 1) for number in vector.tolist()]


def riddle() -> dict[str, Any]:
    """Two attention weights of one head, moved step by step until they have changed places.

    -> {written, steps: [[animal, street, cansado, cansada, last]]}: what the small model writes
    before the last word, and for each step the two weights, the probabilities of the two endings,
    and the last word that it writes.
    """
    translator = in_eight_bits(Translator.load())
    ids = translator.src.vocab.encode(translator.read(RIDDLE))
    before = translator.translate(RIDDLE).tokens
    batch = make_batch([(ids, translator.tgt.vocab.encode(before))])
    endings = translator.tgt.vocab.encode(["cansado", "cansada"])
    maps = translator.attention_maps(RIDDLE)
    pair = maps.weights[LAYER][HEAD, TIRED, [ANIMAL, STREET]]
    steps = []
    for step in range(STEPS + 1):
        moved = pair.lerp(pair.flip(0), step / STEPS)

        def edit(weights: Tensor, moved: Tensor = moved) -> Tensor:
            weights = weights.clone()
            weights[0, HEAD, TIRED, [ANIMAL, STREET]] = moved
            return weights

        with inference_mode(translator.model), patch_attention(translator.model, {LAYER: edit}):
            logits = translator.model(batch.src, batch.tgt_in)[0, len(before) - 1]
            written, last = translator.translate(RIDDLE).text.rsplit(" ", 1)
        if written != " ".join(before[:-1]).capitalize():
            raise ValueError(f"more than the ending has changed: {written} {last}")
        numbers = [*moved.tolist(), *logits.softmax(-1)[endings].tolist()]
        steps.append([*(round(number, 2) for number in numbers), last])
    return {"written": written, "steps": steps}
