"""The exercises of notebook 08: what is right passes, and each mistake gets its own hint."""

import pytest
import torch

from course.chapters.ch08_decoder import checks as check
from course.checks import Hint, graded
from tests.course.checks.saying import refused, said
from transformer_lib import (
    BOS,
    EOS,
    DecoderLayer,
    Translator,
    count_parameters,
    make_batch,
    patch_attention,
)
from transformer_lib.interpret.patching import block_attention


@pytest.mark.parametrize(
    ("checked", "attempt"),
    [
        (check.shapes, (1, ..., 2)),
        (check.needed, (..., ...)),
        (check.decoder_layer, (lambda x, memory, mask, own, cross, ffn, norms: ...,)),
        (check.three_sublayers, (lambda x, memory, mask, own, cross, ffn, norms: ...,)),
        (check.parameters, (...,)),
        (check.next_word, (lambda x, weight: ...,)),
        (check.all_at_once, (lambda model, src, words: ...,)),
        (check.all_at_once, (...,)),
    ],
)
def test_what_was_not_tried_is_not_judged(capsys, checked, attempt):
    assert said(capsys, checked, *attempt) == "not tried yet"


@pytest.mark.parametrize(
    "checked",
    [check.three_sublayers, check.next_word, check.all_at_once],
)
def test_what_is_no_solution_at_all(capsys, checked):
    assert refused(said(capsys, checked, 7), "the function itself")
    assert refused(said(capsys, checked, lambda *_: None), "`return`")
    assert refused(said(capsys, checked, lambda *_: 1.0), "not a float")
    assert refused(said(capsys, checked, lambda *_: 1 / 0), "ZeroDivisionError")
    assert refused(said(capsys, checked, lambda *_: torch.zeros(3)), "The shape is (3,)")


# --- shapes and runs ---

SHAPES = ((2, 8, 7, 64), (2, 8, 5, 7), (2, 5, 1794))


@pytest.mark.parametrize(
    ("place", "wrong", "hint"),
    [
        (0, (2, 8, 5, 64), "the queries"),
        (0, (2, 7, 512), "the memory"),
        (0, (2, 7, 8, 64), "before the transpose"),
        (0, (2, 8, 7, 512), "its share"),
        (0, (2, 8, 64, 7), "the product"),
        (0, (1,), "The keys: not yet"),
        (0, 7, "as a tuple"),
        (1, (2, 8, 7, 5), "Which words look"),
        (1, (2, 8, 5, 5), "decoder's self-attention"),
        (1, (2, 8, 7, 7), "encoder's self-attention"),
        (1, (2, 5, 7), "one head"),
        (1, (2, 8, 5, 64), "a pair of words"),
        (2, (2, 7, 1794), "each target place"),
        (2, (2, 1794), "last place alone"),
        (2, (2, 5, 512), "into the generator"),
        (2, (2, 1794, 5), "last axis"),
        (2, (2, 8, 5, 1794), "After W^O"),
        (2, (5, 1794), "the batch"),
    ],
)
def test_shapes(capsys, place, wrong, hint):
    assert said(capsys, check.shapes, *SHAPES) == "right!"
    attempt = [wrong if i == place else shape for i, shape in enumerate(SHAPES)]
    assert refused(said(capsys, check.shapes, *attempt), hint)


def test_the_shapes_are_those_of_the_library():
    from transformer_lib import make_model, record_attention

    model = make_model(20, 1794, N=1)
    src, tgt_in = torch.full((2, 7), 5), torch.full((2, 5), 5)
    with torch.no_grad(), record_attention(model) as weights:
        logits = model(src, tgt_in)
        memory = model.encode(src)
        cross = model.decoder.layers[0].cross_attn
        keys = cross.split_heads(cross.w_k(memory))
    shapes = keys.shape, weights["decoder.layers.0.cross_attn"].shape, logits.shape
    assert tuple(tuple(shape) for shape in shapes) == SHAPES


# --- four ways to write ---


def test_four_writers(capsys):
    writers = check.writers()
    one, two = "I like the tree", "I like trees"
    assert [writers[name](two) for name in "AB"] == [
        "me gusta los árboles",
        "me gustan los árboles",
    ]
    assert writers["A"](one) == writers["B"](one) == "me gusta el árbol"
    assert "me los" in writers["C"](two) and "me me me" in writers["D"](two)
    assert said(capsys, check.four_writers, check.WRITERS) == "right!"
    assert said(capsys, check.four_writers, dict.fromkeys("ABCD", ...)) == "not tried yet"


@pytest.mark.parametrize(
    ("verdict", "hint"),
    [
        ({"A": "fine"}, "isn't “fine”. Compare"),
        ({"B": "number"}, "isn't “number”. Try the same sentence"),
        ({"C": "even"}, "isn't “even”. Can it tell"),
        ({"D": "forgets"}, "isn't “forgets”. Does it know"),
        ({"D": "blind"}, "choose one of"),
        ({"A": ...}, "still to be measured"),
    ],
)
def test_another_verdict_on_a_writer(capsys, verdict, hint):
    assert refused(said(capsys, check.four_writers, {**check.WRITERS, **verdict}), hint)


# --- what each place needs ---


def test_what_the_exercise_asks_for_is_what_the_model_needs(capsys):
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
    assert said(capsys, check.needed, "trees", "<eos>") == "right!"


@pytest.mark.parametrize(
    ("attempt", "hint"),
    [
        (("like", "<eos>"), "For the number: Without it no verb"),
        (("I", "<eos>"), "For the number: Without it the verb stays"),
        (("trees", "I"), "For the end: Without it the last place"),
        (("trees", "trees"), "For the end: Without it the sentence ends"),
        (("gustan", "<eos>"), "Give words of"),
        ((2, 3), "Give words of"),
    ],
)
def test_another_word_than_the_needed_one(capsys, attempt, hint):
    assert refused(said(capsys, check.needed, *attempt), hint)


# --- the parameters of a decoder layer ---

PARAMETERS = (8 * 128 * 128, 2 * 128 * 512 + 512 + 128, 6 * 128)


def test_the_parameters_are_those_of_the_library(capsys):
    layer = DecoderLayer(128, 512, 4)
    parts = (layer.feed_forward, layer.residual_self_attn.norm)
    network, norm = map(count_parameters, parts)
    attentions = count_parameters(layer) - network - 3 * norm
    assert (attentions, network, 3 * norm) == PARAMETERS
    assert said(capsys, check.parameters, PARAMETERS) == "right!"


@pytest.mark.parametrize(
    ("place", "wrong", "hint"),
    [
        (0, 65536, "one attention"),
        (0, 98304, "W^O"),
        (0, 32768, "one matrix in each"),
        (0, 524288, "128 × 32"),
        (0, 132096, "no biases"),
        (0, 5, "Attention: not yet"),
        (1, 65536, "the way back"),
        (1, 131072, "And the biases"),
        (2, 512, "the encoder layer"),
        (2, 384, "Those are the scales"),
        (2, 256, "one norm"),
        (2, 6, "for each feature"),
        (2, 3, "for each feature"),
        (2, 0, "learns"),
        (2, 7.5, "whole number"),
    ],
)
def test_wrong_parameters(capsys, place, wrong, hint):
    attempt = [wrong if i == place else number for i, number in enumerate(PARAMETERS)]
    assert refused(said(capsys, check.parameters, attempt), hint)


@pytest.mark.parametrize("guess", [7, (1, 2), "three"])
def test_not_three_numbers(capsys, guess):
    assert refused(said(capsys, check.parameters, guess), "three whole numbers")


# --- the decoder layer ---


def right(x, memory, mask, own, cross, ffn, norms):
    x = norms[0](x + own(x, x, x, mask))
    x = norms[1](x + cross(x, memory, memory))
    return norms[2](x + ffn(x))


def in_a_loop(x, memory, mask, own, cross, ffn, norms):
    parts = [lambda x: own(x, x, x, mask), lambda x: cross(x, memory, memory), ffn]
    for part, norm in zip(parts, norms, strict=True):
        x = norm(part(x) + x)
    return x


def changed(own=None, cross=None):
    """The right layer, with one attention called in another way."""

    def layer(x, memory, mask, self_attn, cross_attn, ffn, norms):
        first = own or (lambda f, x, m, mask: f(x, x, x, mask))
        second = cross or (lambda f, x, y, m, mask: f(y, m, m))
        y = norms[0](x + first(self_attn, x, memory, mask))
        z = norms[1](y + second(cross_attn, x, y, memory, mask))
        return norms[2](z + ffn(z))

    return layer


def sublayers(order, skip=(), ways=(0, 1, 2)):
    def layer(x, m, mask, own, cross, ffn, norms):
        parts = (lambda x: own(x, x, x, mask), lambda x: cross(x, m, m), ffn)
        for i in order:
            y = parts[i](x) + (0 if i in skip else x)
            x = y if ways is None else norms[ways[i]](y)
        return x

    return layer


def other_attention(x, m, mask, own, cross, ffn, norms):
    y = norms[0](x + own(x, x, x, mask))
    z = norms[1](y + own(y, m, m))
    return norms[2](z + ffn(z))


def older_x(x, m, mask, own, cross, ffn, norms):
    y = norms[0](x + own(x, x, x, mask))
    return norms[2](y + ffn(norms[1](y + cross(y, m, m))))


def first_x(x, m, mask, own, cross, ffn, norms):
    y = norms[0](x + own(x, x, x, mask))
    return norms[2](x + ffn(norms[1](x + cross(y, m, m))))


def pre(x, m, mask, own, cross, ffn, norms):
    y = norms[0](x)
    x = x + own(y, y, y, mask)
    x = x + cross(norms[1](x), m, m)
    return x + ffn(norms[2](x))


def sum_after_norm(x, m, mask, own, cross, ffn, norms):
    x = x + norms[0](own(x, x, x, mask))
    x = x + norms[1](cross(x, m, m))
    return x + norms[2](ffn(x))


@pytest.mark.parametrize("function", [right, in_a_loop])
def test_decoder_layer_right(capsys, function):
    assert said(capsys, check.three_sublayers, function) == "right!"


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (changed(own=lambda f, x, m, mask: f(x, x, x)), "The causal mask is missing"),
        (changed(own=lambda f, x, m, mask: f(x, x, x, mask.mT)), "wrong side"),
        (changed(own=lambda f, x, m, mask: f(x, x, x, ~mask)), "turned around"),
        (changed(cross=lambda f, x, y, m, mask: f(y, y, y)), "never looks at the memory"),
        (changed(cross=lambda f, x, y, m, mask: f(y, y, y, mask)), "never looks at the mem"),
        (changed(cross=lambda f, x, y, m, mask: f(x, m, m)), "as it came in"),
        (changed(cross=lambda f, x, y, m, mask: f(m, y, y)), "have changed places"),
        (changed(cross=lambda f, x, y, m, mask: f(y, m, m, mask)), "The mask doesn't fit"),
        (changed(cross=lambda f, x, y, m, mask: f(y, m, y)), "Both come from the memory"),
        (changed(cross=lambda f, x, y, m, mask: f(y, y, m)), "Both come from the memory"),
        (other_attention, "self_attn twice"),
        (sublayers((1, 0, 2)), "comes first"),
        (sublayers((0, 2, 1)), "comes before"),
        (sublayers((1, 0, 2), ways=(1, 0, 2)), "comes first"),
        (sublayers((0, 2, 1), ways=(0, 2, 1)), "comes before"),
        (sublayers((0, 2)), "The cross-attention is missing"),
        (sublayers((1, 2)), "The self-attention is missing"),
        (sublayers((0, 1)), "The feed-forward network is missing"),
        (sublayers((0, 1, 2), skip=(0, 1, 2)), "The residual connections are missing"),
        (sublayers((0, 1, 2), skip=(0,)), "around the self-attention"),
        (sublayers((0, 1, 2), skip=(1,)), "around the cross-attention"),
        (sublayers((0, 1, 2), skip=(2,)), "around the feed-forward"),
        (sublayers((0, 1, 2), ways=None), "The norms are missing"),
        (sublayers((0, 1, 2), ways=(0, 0, 0)), "three times"),
        (older_x, "an older x"),
        (first_x, "as it came in each time"),
        (pre, "pre-norm"),
        (sum_after_norm, "The sum comes after the norm"),
        (sublayers((0, 1, 2), ways=(1, 0, 2)), "meant for them"),
        (sublayers((0, 1, 2), ways=(0, 1, 1)), "meant for them"),
        (lambda x, *_: DecoderLayer(14, 13, 2)(x, x), "write its steps yourself"),
        (lambda x, *_: x, "the numbers aren't"),
    ],
)
def test_decoder_layer_wrong(capsys, function, hint):
    assert refused(said(capsys, check.three_sublayers, function), hint)


def named(x, memory, mask, own, cross, ffn, norms):
    return right(x, memory, mask, lambda *parts: own(*parts[:3], mask=parts[3]), cross, ffn, norms)


def misnamed(x, memory, mask, own, cross, ffn, norms):
    return right(
        x, memory, mask, lambda *parts: own(*parts[:3], tgt_mask=parts[3]), cross, ffn, norms
    )


def of_the_modules(x, memory, mask, own, cross, ffn, norms):
    return norms[0].weight * x


@pytest.mark.parametrize("checked", [check.decoder_layer, check.three_sublayers])
def test_a_mask_is_taken_by_its_name(capsys, checked):
    assert said(capsys, checked, lambda *parts: named(*parts)) == "right!"


def test_the_parts_are_plain_functions(capsys):
    assert refused(said(capsys, check.three_sublayers, misnamed), "the mask is called `mask`")
    assert refused(said(capsys, check.three_sublayers, of_the_modules), "AttributeError")


# --- the generator ---


@pytest.mark.parametrize(
    "function",
    [
        lambda x, w: (x[:, -1] @ w.T).log_softmax(-1),
        lambda x, w: torch.nn.functional.linear(x, w)[:, -1].softmax(-1).log(),
    ],
)
def test_next_word_right(capsys, function):
    assert said(capsys, check.next_word, function) == "right!"


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (lambda x, w: (x @ w.T).log_softmax(-1), "all places"),
        (lambda x, w: (x @ w.T).log_softmax(1)[:, -1], "over the positions"),
        (lambda x, w: (x @ w.T).log_softmax(1), "over the positions, and"),
        (lambda x, w: (x[:, -1] @ w.T).log_softmax(0), "over the batch: two"),
        (lambda x, w: x[:, -1] @ w.T, "Those are logits"),
        (lambda x, w: x @ w.T, "the logits of all places"),
        (lambda x, w: (x[:, -1] @ w.T).softmax(-1), "the logarithm is missing"),
        (lambda x, w: (x[:, -1] @ w.T).softmax(-1).log2(), "base 2"),
        (lambda x, w: (x[:, 0] @ w.T).log_softmax(-1), "the first place"),
        (lambda x, w: (x[-1] @ w.T).log_softmax(-1), "last sentence"),
        (lambda x, w: (x.mean(1) @ w.T).log_softmax(-1), "average"),
        (lambda x, w: (x.sum(1) @ w.T).log_softmax(-1), "add up"),
        (lambda x, w: (x[:, -1] @ w.T).log_softmax(-1).T, "should be the rows"),
        (lambda x, w: (x[:, -1] @ w.T).argmax(-1), "the word itself"),
        (lambda x, w: (x[:, -1] @ w.T).argmax(0), "over the batch. We want"),
        (lambda x, w: (x[:, -1] @ w).log_softmax(-1), "weight.T"),
        (lambda x, w: (x @ w).log_softmax(-1), "weight.T"),
        (lambda x, w: 0 * (x[:, -1] @ w.T), "the numbers aren't"),
    ],
)
def test_next_word_wrong(capsys, function, hint):
    assert refused(said(capsys, check.next_word, function), hint)


# --- all places at once ---


def ids(words, number):
    return torch.full((len(words), 1), number)


def forced(model, src, words):
    return model(src, torch.cat([ids(words, BOS), words], dim=1))


def padded(model, src, words):
    return model(src, torch.nn.functional.pad(words, (1, 0), value=BOS))


@pytest.mark.parametrize("function", [forced, padded])
def test_all_at_once_right(capsys, function):
    assert said(capsys, check.all_at_once, function) == "right!"


def one_by_one(model, src, words):
    tgt_in = torch.cat([ids(words, BOS), words], dim=1)
    steps = range(1, tgt_in.size(1) + 1)
    return torch.stack([model(src, tgt_in[:, :n])[:, -1] for n in steps], dim=1)


def reads(*parts):
    """The model after reading these: "w" the words, or special ids."""

    def attempt(model, src, words):
        rows = [words if part == "w" else ids(words, part) for part in parts]
        return model(src, torch.cat(rows, dim=1))

    return attempt


def vectors(model, src, words):
    return model.decode(torch.cat([ids(words, BOS), words], dim=1), model.encode(src), src)


@pytest.mark.parametrize(
    ("function", "hint"),
    [
        (reads("w"), "<bos> is missing"),
        (reads("w", EOS), "the right answers"),
        (reads(BOS, "w", EOS), "not to read"),
        (reads("w", BOS), "at the end"),
        (reads(EOS, "w"), "It begins with <eos>"),
        (reads(0, "w"), "It begins with <pad>"),
        (lambda *a: forced(*a)[:, 1:], "predicts the first word"),
        (lambda *a: forced(*a)[:, :-1], "predicts <eos>"),
        (lambda *a: forced(*a)[:, -1], "the last place alone"),
        (lambda model, src, words: forced(model, words, src), "have changed places"),
        (
            lambda model, src, words: model(torch.cat([ids(words, BOS), words], 1), src),
            "have changed places",
        ),
        (lambda *a: forced(*a).softmax(-1), "Those are probabilities"),
        (lambda *a: forced(*a).log_softmax(-1), "Those are log-probabilities"),
        (vectors, "The generator is missing"),
        (one_by_one, "the decoder runs 4 times"),
        (lambda *a: 0 * forced(*a), "the numbers aren't"),
    ],
)
def test_all_at_once_wrong(capsys, function, hint):
    assert refused(said(capsys, check.all_at_once, function), hint)


# --- points ---


@pytest.mark.parametrize(
    ("checked", "attempt", "keeps"),
    [
        (check.shapes, (SHAPES[0], (2, 8, 7, 5), SHAPES[2]), 0.5),
        (check.shapes, ((2, 7, 512), (2, 8, 7, 5), SHAPES[2]), 0),
        (check.needed, ("trees", "like"), 0.5),
        (check.needed, ("I", "like"), 0),
        (check.parameters, ((65536, *PARAMETERS[1:]),), 0.5),
        (check.three_sublayers, (pre,), 0.5),
        (check.three_sublayers, (misnamed,), 0.5),
        (check.next_word, (lambda x, w: (x[:, -1] @ w.T).softmax(-1),), 0.5),
        (check.next_word, (lambda x, w: x @ w.T,), 0),
        (check.all_at_once, (one_by_one,), 0.5),
    ],
)
def test_a_slip_keeps_half_the_points(checked, attempt, keeps):
    with graded(), pytest.raises(Hint) as caught:
        checked(*attempt)
    assert caught.value.keeps == keeps


# --- the planted fault ---


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


def test_the_planted_fault(capsys):
    assert said(capsys, check.planted_fault, ..., ...) == "not tried yet"
    assert said(capsys, check.planted_fault, 2, "padding") == "right!"


@pytest.mark.parametrize(
    ("layer", "fault", "hint"),
    [
        (3, "padding", "count from 0"),
        (0, "padding", "another layer"),
        (2, "future", "outputs before it"),
        (2, "deaf", "first word of the memory"),
        (2, "shared", "Compare the weights"),
        (2, "x", "The fault is one of"),
        (4, "padding", "from 0 to 3"),
        (None, "padding", "whole number"),
    ],
)
def test_another_fault_than_the_planted_one(capsys, layer, fault, hint):
    assert refused(said(capsys, check.planted_fault, layer, fault), hint)
