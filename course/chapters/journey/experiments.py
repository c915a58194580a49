"""One sentence on its way through a model: every vector that it becomes, with its true numbers."""

from dataclasses import dataclass

import torch
from torch import Tensor

from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.recording import record_attention, record_outputs
from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import BOS, EOS, SPECIALS
from transformer_lib.translator import Translator

SENTENCE = "I like trees"


@dataclass(frozen=True)
class Trace:
    """What a sentence becomes inside a model, without the batch axis.

    src, tgt_in, tgt_out: the words at the places of source and target, with <eos> and <bos>.
    outputs: of each part of the model, as (place, numbers). weights: of each attention layer
    (h, query, key). logits: (t, vocab_size).
    """

    src: list[str]
    tgt_in: list[str]
    tgt_out: list[str]
    outputs: dict[str, Tensor]
    weights: dict[str, Tensor]
    logits: Tensor

    def of(self, part: str, word: str) -> Tensor:
        """What `part` puts out at the place of a word; in the decoder, of the word written there.

        way.of("encoder.layers.1", "trees")
        """
        words = self.tgt_out if part.startswith(("tgt", "decoder", "generator")) else self.src
        return self.outputs[part][words.index(word)]

    def likeliest(self, word: str, count: int = 5) -> list[tuple[int, float]]:
        """The likeliest words at the place that writes `word`: ids and probabilities."""
        best = self.logits[self.tgt_out.index(word)].softmax(dim=-1).topk(count)
        return list(zip(best.indices.tolist(), best.values.tolist(), strict=True))


@torch.no_grad()
def trace(translator: Translator, text: str = SENTENCE) -> Trace:
    """Send a sentence and its own greedy translation through the model, and keep all it becomes."""
    model, vocab = translator.model, translator.tgt.vocab
    tokens, written = translator.read(text), translator.translate(text).tokens
    batch = make_batch([(translator.src.vocab.encode(tokens), vocab.encode(written))])
    with (
        inference_mode(model),
        record_outputs(model) as outputs,
        record_attention(model) as weights,
    ):
        logits = model(batch.src, batch.tgt_in)
    return Trace(
        src=[*tokens, SPECIALS[EOS]],
        tgt_in=[SPECIALS[BOS], *written],
        tgt_out=[*written, SPECIALS[EOS]],
        outputs={name: output[0] for name, output in outputs.items()},
        weights={name: w[0] for name, w in weights.items()},
        logits=logits[0],
    )


@torch.no_grad()
def with_borrowed_memory(translator: Translator, text: str, word: str, other: str) -> list[str]:
    """Translate `text` with the memory of one word taken from the same sentence with another.

    with_borrowed_memory(translator, "I like trees", "trees", "houses")

    reads "I like trees" and "I like houses", puts the memory of "houses" into the place of "trees"
    and lets the decoder write, greedily, at most as many words as it wrote before plus two.
    """
    model, vocab = translator.model, translator.tgt.vocab
    words = translator.read(text)
    place = words.index(word)
    changed = [*words[:place], other, *words[place + 1 :]]
    encode = translator.src.vocab.encode
    batch = make_batch([(encode(words), []), (encode(changed), [])])
    with inference_mode(model):
        memory = model.encode(batch.src)
        memory[0, place] = memory[1, place]
        src, mixed = batch.src[:1], memory[:1]
        ids = [BOS]
        while ids[-1] != EOS and len(ids) < len(words) + 6:
            x = model.decode(torch.tensor([ids]), mixed, src)
            ids.append(int(model.generator(x[0, -1]).argmax()))
    return vocab.decode([i for i in ids[1:] if i != EOS])
