"""What the exercises of notebook 08 are about is as they say."""

import torch

from course.chapters.ch08_decoder import checks as check
from transformer_lib import (
    DecoderLayer,
    Translator,
    count_parameters,
    make_batch,
    make_model,
    patch_attention,
    record_attention,
)
from transformer_lib.interpret.patching import block_attention


def test_the_numbers_are_those_of_the_library():
    model = make_model(20, 1794, N=1)
    src, tgt_in = torch.full((2, 7), 5), torch.full((2, 5), 5)
    with torch.no_grad(), record_attention(model) as weights:
        logits, memory = model(src, tgt_in), model.encode(src)
    cross = model.decoder.layers[0].cross_attn
    keys = cross.split_heads(cross.w_k(memory))
    shapes = keys.shape, weights["decoder.layers.0.cross_attn"].shape, logits.shape
    assert tuple(map(tuple, shapes)) == check.shapes.right
    layer = DecoderLayer(128, 512, 4)
    network, norm = map(count_parameters, (layer.feed_forward, layer.residual_self_attn.norm))
    attentions = count_parameters(layer) - network - 3 * norm
    assert (attentions, network, 3 * norm) == check.three_parts.right


def test_four_writers():
    writers = check.writers()
    one, two = "I like the tree", "I like trees"
    assert [writers[name](two) for name in "AB"] == [
        "me gusta los árboles",
        "me gustan los árboles",
    ]
    assert writers["A"](one) == writers["B"](one) == "me gusta el árbol"
    assert "me los" in writers["C"](two) and "me me me" in writers["D"](two)


def test_what_the_exercise_asks_for_is_what_the_model_needs():
    """Each English word hidden at each place: what is written there instead."""
    translator = Translator.load()
    model, vocab = translator.model, translator.tgt.vocab
    spanish = vocab.encode(["me", "gustan", "los", "árboles"])
    batch = make_batch([(translator.src.vocab.encode(translator.read("I like trees")), spanish)])
    written = {}
    for hidden, word in enumerate(("I", "like", "trees", "<eos>")):
        best = []
        for place in range(5):
            edit = block_attention(0, place, [hidden])
            edits = {f"decoder.layers.{i}.cross_attn": edit for i in (0, 1)}
            with torch.no_grad(), patch_attention(model.eval(), edits):
                best.append(int(model(batch.src, batch.tgt_in)[0, place].argmax()))
        written[word] = vocab.decode(best)
    right = ["me", "gustan", "los", "árboles", "<eos>"]
    assert [word for word, said in written.items() if said[1] == "gusta"] == ["trees"]
    assert [word for word, said in written.items() if said[:4] == right[:4]] == ["<eos>"]
    assert written["<eos>"][4] != "<eos>" and written["like"][1] == "me"


def test_the_suspect_has_one_fault_that_can_be_measured():
    suspect, tgt = check.suspect(), check.causal_mask(5)
    x, memory = torch.randn(1, 5, 32), torch.randn(1, 6, 32)
    src = torch.tensor([True] * 4 + [False] * 2).view(1, 1, 1, 6)
    later, first, padding = x.clone(), memory.clone(), memory.clone()
    later[0, 4] += 1
    first[0, 0] += 1
    padding[0, 4:] += 1
    reads_padding = []
    for number, layer in enumerate(suspect.layers):
        output = layer(x, memory, tgt_mask=tgt, src_mask=src)
        assert torch.equal(layer(later, memory, tgt_mask=tgt, src_mask=src)[0, :4], output[0, :4])
        assert (layer(x, first, tgt_mask=tgt, src_mask=src) != output).any(-1).all()
        if not torch.equal(layer(x, padding, tgt_mask=tgt, src_mask=src), output):
            reads_padding.append(number)
    assert reads_padding == [check.FAULTY_LAYER]
    assert len({layer.cross_attn.w_k.weight.sum().item() for layer in suspect.layers}) == 4
