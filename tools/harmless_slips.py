"""Slips that change no output, for tools/slips.py: each with a proof, which a test runs."""

import ast
import gzip
import inspect
import io
import itertools
import lzma
import math
import re
import tempfile
import zipfile
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path
from types import ModuleType
from unittest import mock

import torch

TIES = ("none", "target", "all")  # as in transformer_lib/model/config.py


@dataclass(frozen=True)
class Harmless:
    """before, after: the line, or lines, without the space around them.

    proof: gets the module as it is and the one with the slip; fails if what they compute differs.
    """

    module: str
    before: str
    after: str
    why: str
    proof: Callable[[ModuleType, ModuleType], None]


def all_of_the_words(right: ModuleType, other: ModuleType) -> None:
    """Below the size of the vocabulary, top_k takes the same way; at it, all words are taken."""
    generator = torch.Generator().manual_seed(0)
    for size in (1, 2, 9, 50):
        logits = 9 * torch.randn(40, size, generator=generator)
        for top_k in {1, max(size - 1, 1), size, size + 1, None}:
            for top_p in (0.5, 1.0):
                how = {"top_k": top_k, "top_p": top_p}
                one, same = (x.sampling_distribution(logits, **how) for x in (right, other))
                assert torch.equal(one > 0, same > 0)
                torch.testing.assert_close(one, same)


def talkative(seed: int, N: int = 1) -> torch.nn.Module:
    """A random model: some of its sentences end early, others don't end in time."""
    from transformer_lib.model.transformer import make_model

    torch.manual_seed(seed)
    model = make_model(9, 9, N=N, d_model=8, d_ff=8, h=2).eval()
    with torch.no_grad():
        model.generator.proj.weight.mul_(4)
    return model


WAYS: dict[str, list[dict[str, float]]] = {
    "greedy_decode": [{}],
    "sample_decode": [{}, {"temperature": 0.5, "top_p": 0.9}],
    "beam_search": [{"beam_size": n, "n_best": n} for n in (1, 3, 20)],
}


def same_translations(right: ModuleType, other: ModuleType) -> None:
    """The same words with the same scores, early and late, of many sentences, one and none."""
    (search,) = (name for name in WAYS if hasattr(right, name))
    src = torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0], [7, 5, 2, 0], [3, 4, 2, 0]])
    lengths = set()
    for seed, rows, how in itertools.product(range(3), (4, 1, 0), WAYS[search]):
        found = []
        for module in (right, other):
            model = talkative(seed)
            torch.manual_seed(seed)  # for what is drawn
            found.append(repr(getattr(module, search)(model, src[:rows], max_length=6, **how)))
        assert found[0] == found[1]
        lengths |= {ids.count(",") + 1 for ids in re.findall(r"\[[\d, ]+\]", found[0])}
    assert min(lengths) < 6 == max(lengths)


def same_logits(right: ModuleType, other: ModuleType) -> None:
    """Read, taken back and chosen from, a decoder says the same of the next word."""
    src = torch.tensor([[5, 6, 7, 2], [8, 2, 0, 0], [7, 5, 2, 0], [3, 4, 2, 0]])
    for layers, cache in itertools.product((1, 2), (True, False)):
        model = talkative(0, layers)
        with right.inference_mode(model):
            states = [each.DecoderState(model, src, 20, cache) for each in (right, other)]
            for step in ("read 3", "back 2", "rows", "back 0", "rows", "read 0", "read 2"):
                one, same = (state.next_logits() for state in states)
                torch.testing.assert_close(one, same)
                number = int(step[-1]) if step[-1].isdigit() else 0
                for state in states:
                    state.append(one.argmax(dim=-1))
                    if step == "rows":
                        state.select(torch.tensor([2, 0, 0]))
                    elif step.startswith("back"):
                        state.decoder.rollback(number)
                if step.startswith("read"):
                    words = src[: len(one), :number]
                    torch.testing.assert_close(*(state.decoder.read(words) for state in states))
                first, second = (state.decoder for state in states)
                assert (first.length, first.bytes) == (second.length, second.bytes)


def any_size_of_parts(right: ModuleType, other: ModuleType) -> None:
    """A sentence is encoded alike, whichever others are beside it."""
    src = torch.randint(4, 9, (300, 7), generator=torch.Generator().manual_seed(0))
    src[::2, 4:] = torch.tensor([2, 0, 0])
    assert src.numel() > right.AT_ONCE != other.AT_ONCE
    ours, theirs = (each.encode_in_parts(talkative(0), src) for each in (right, other))
    torch.testing.assert_close(ours, theirs)


def a_table_has_two_dimensions(right: ModuleType, other: ModuleType) -> None:
    """Probabilities are (b, vocab_size): the last dimension is number 1."""
    p = torch.rand(50, 30, generator=torch.Generator().manual_seed(0)).softmax(dim=-1)
    uniform = torch.rand(50, generator=torch.Generator().manual_seed(1))
    assert torch.equal(right.sample(p, uniform), other.sample(p, uniform))


def any_device(right: ModuleType, other: ModuleType) -> None:
    """Of the names that there can be, "auto" is the first in the alphabet."""
    for name in ("auto", "cpu", "cuda", "mps", "", "tpu"):
        for cuda, mps in itertools.product((True, False), repeat=2):
            with (
                mock.patch("torch.cuda.is_available", lambda cuda=cuda: cuda),
                mock.patch("torch.backends.mps.is_available", lambda mps=mps: mps),
            ):
                assert answer(right.get_device, name) == answer(other.get_device, name)


KINDS = ("cpu", "cuda", "mps", "xpu", "mtia", "hpu", "xla", "meta")  # of devices, in PyTorch


def first_kind(right: ModuleType, other: ModuleType) -> None:
    """Of the kinds of devices, the processor is the first in the alphabet."""
    assert min(KINDS) == "cpu"
    for kind in KINDS:
        device = torch.device(kind)
        assert right.has_fast_bf16(device) == other.has_fast_bf16(device)


def any_scores(right: ModuleType, other: ModuleType) -> None:
    """Two axes change places, whichever is named first."""
    query, key = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5)
    ours, theirs = (each.attention_weights(query, key) for each in (right, other))
    assert torch.equal(ours, theirs)


def any_heads(right: ModuleType, other: ModuleType) -> None:
    """Two axes change places, whichever is named first."""
    ours, theirs = (each.MultiHeadAttention(15, 3) for each in (right, other))
    x, heads = torch.randn(2, 7, 15), torch.randn(2, 3, 7, 5)
    assert torch.equal(ours.split_heads(x), theirs.split_heads(x))
    assert torch.equal(ours.merge_heads(heads), theirs.merge_heads(heads))


def any_ids(right: ModuleType, other: ModuleType) -> None:
    """Of all ids that a vocabulary gives, that of padding is the smallest."""
    from transformer_lib.text.tokens import Vocabulary

    ids = torch.tensor([list(Vocabulary(["a", "b"]).ids.values())])
    assert ids.min() == right.PAD
    assert torch.equal(right.padding_mask(ids), other.padding_mask(ids))


def any_settings(right: ModuleType, other: ModuleType) -> None:
    """Of what may be tied, "all" is the first in the alphabet, and of the positions "learned"."""
    from transformer_lib.model.config import POSITIONS

    src, tgt = torch.tensor([[5, 6, 2]]), torch.tensor([[1, 4, 5]])
    refused = 0
    for tie, positions, size in itertools.product(TIES, POSITIONS, (7, 8)):
        config = right.ModelConfig(1, 4, 4, 2, tie_weights=tie, positions=positions)
        found = []
        for module in (right, other):
            torch.manual_seed(0)
            model = answer(module.Transformer, 7, size, config)
            if isinstance(model, str):
                found.append(model)
            else:
                names = [name for name, _ in model.named_parameters()]
                found.append((names, model.eval()(src, tgt).tolist()))
        assert found[0] == found[1]
        refused += isinstance(found[0], str)
    assert refused == len(POSITIONS)  # both vocabularies in one table, with other sizes


def only_two_kinds(right: ModuleType, other: ModuleType) -> None:
    """Which of two kinds of tokenizer is named first is no difference: it is one or the other."""
    ours, theirs = (each.AnyTokenizer for each in (right, other))
    assert set(ours.__constraints__) == set(theirs.__constraints__)
    assert ours.__name__ == theirs.__name__ and len(ours.__constraints__) == 2


def only_sentence(right: ModuleType, other: ModuleType) -> None:
    """A writer reads one sentence at a time: the first of one is the last."""
    source = inspect.getsource(right.Writer)
    assert source.count("self.decoder.read(") == 1 and "torch.tensor([words]" in source
    x = torch.randn(1, 3, 5)
    assert torch.equal(x[0], x[-1])


def same_words_with_a_draft(right: ModuleType, other: ModuleType) -> None:
    """The same words in as many rounds, whatever the draft."""
    from transformer_lib.model.transformer import make_model

    src = torch.tensor([[5, 6, 7, 2]])
    for seed in range(5):
        torch.manual_seed(seed)
        model, draft = (make_model(11, 11, N=1, d_model=8, d_ff=8, h=2).eval() for _ in "ab")
        for ahead in (1, 4, 20):
            how = {"ahead": ahead, "max_length": 9}
            one, same = (
                each.speculative_decode(model, draft, src, **how) for each in (right, other)
            )
            assert vars(one) == vars(same)


def a_copy_is_enough(right: ModuleType, other: ModuleType) -> None:
    """The weights in 8 bits compute the same, and the model that was given stays as it is."""
    from transformer_lib.model.transformer import make_model

    torch.manual_seed(0)
    model, src = make_model(11, 11, N=1, d_model=8, d_ff=8, h=2).eval(), torch.tensor([[5, 6, 2]])
    before = model(src, src)
    one, same = (
        answer(lambda each=each: each.optimize_for_decoding(model, int8=True)(src, src))
        for each in (right, other)
    )
    assert torch.equal(one, same) if isinstance(one, torch.Tensor) else one == same
    assert torch.equal(model(src, src), before)


def even_widths(right: ModuleType, other: ModuleType) -> None:
    """Half of an even width is a whole number; an odd one is refused by both."""
    for encoding, smallest in (("positional_encoding", 2), ("tensor2tensor_encoding", 4)):
        for d_model in (smallest, 6, 128, 512):
            ours, theirs = (getattr(each, encoding)(9, d_model) for each in (right, other))
            assert torch.equal(ours, theirs)
        odd = [answer(getattr(each, encoding), 9, 5) for each in (right, other)]
        assert odd[0] == odd[1] and "even" in str(odd[0])


def more_than_asked(right: ModuleType, other: ModuleType) -> None:
    """A tar archive's mark ends at byte 262, and looking further ahead moves nothing."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in (
            ("plain", b"a\tb\n" * 999),
            ("tar", b"x" * 257 + b"ustar" + b"x" * 999),
        ):
            path = Path(folder, name)
            path.write_bytes(content)
            ours, theirs = (
                answer(lambda e=each, p=path: list(e.lines(p))) for each in (right, other)
            )
            assert ours == theirs


def first_line(right: ModuleType, other: ModuleType) -> None:
    """Lines are counted from 1, so none has a smaller number."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "marked")
        path.write_bytes(b"\xef\xbb\xbfa\n\xef\xbb\xbfb\n")
        assert list(right.lines(path)) == list(other.lines(path))


def answer(function: Callable, *given: object) -> object:
    try:
        return function(*given)
    except ValueError as error:
        return str(error)


def any_length(right: ModuleType, other: ModuleType) -> None:
    """The table has room for more words than are there; how many more is a question of speed."""
    x = torch.zeros(1, 1, 4)
    ours, theirs = (each.PositionalEncoding(4, dropout=0.0) for each in (right, other))
    for start in (0, 254, 255, 256, 257, 300, 511, 700, 5000):
        assert torch.equal(ours(x, start=start), theirs(x, start=start))


def only_a_wait(right: ModuleType, other: ModuleType) -> None:
    """It is nothing but the time after which a process gives up, and stays long."""
    tree = ast.parse(inspect.getsource(right))
    uses = [node for node in ast.walk(tree) if isinstance(node, ast.Name) and node.id == "WAIT"]
    given = [node for node in ast.walk(tree) if isinstance(node, ast.keyword)]
    waits = [one.value for one in given if one.arg == "timeout"]
    assert [one for one in uses if isinstance(one.ctx, ast.Load)] == waits
    assert min(right.WAIT, other.WAIT) >= timedelta(hours=1)


def another_patience(right: ModuleType, other: ModuleType) -> None:
    """The number is nothing but how long a silent server is waited for, and stays long."""
    for module in (right, other):
        tree = ast.parse(inspect.getsource(module))
        (wait,) = (
            one.value.value
            for one in ast.walk(tree)
            if isinstance(one, ast.keyword) and one.arg == "timeout"
        )
        assert wait >= 20


def no_place_is_a_share(right: ModuleType, other: ModuleType) -> None:
    """A place is a multiple of 2**-48, and neither of the two shares is."""
    for share in (right.HELD_OUT, 2 * right.HELD_OUT):
        below = int(share * 2**48)
        assert below < share * 2**48 < below + 1
        for place in (below / 2**48, (below + 1) / 2**48):
            splits = []
            for module in (right, other):
                with mock.patch.object(module, "sentence_hash", lambda _, place=place: place):
                    splits.append(module.split_of("Hi."))
            assert splits[0] == splits[1]


SPACES = ("", " ", "\t", "\v\f \r", "\u2003\u3000\xa0", " a", "a ", " a b ", "\u200b")


def any_empty_line(right: ModuleType, other: ModuleType) -> None:
    """What is nothing but space is so from either end; what isn't, is not changed by the look."""
    for one, two in itertools.product(SPACES, repeat=2):
        ours, theirs = (answer(each.one_line, f"{one}\n{two}") for each in (right, other))
        assert ours == theirs


def any_two_words(right: ModuleType, other: ModuleType) -> None:
    """The smaller of two whole numbers is the same, whichever is named first."""
    words = ["".join(word) for size in range(6) for word in itertools.product("ab", repeat=size)]
    near = 0
    for pair in itertools.product(words, repeat=2):
        assert right.is_near(*pair) == other.is_near(*pair)
        near += right.is_near(*pair)
    assert near


def once_at_least(right: ModuleType, other: ModuleType) -> None:
    """What occurs, occurs once or more often."""
    for text in ("", "a", "b b a", "a c b c a c", "<eos> a"):
        sentences = [text.split(), text.split()[:2]]
        ours, theirs = (each.Vocabulary.build(sentences).tokens for each in (right, other))
        assert ours == theirs


def in_any_portions(right: ModuleType, other: ModuleType) -> None:
    """How many pairs are encoded together is a question of speed and memory."""
    pairs = [("ab" * (i % 3), "c" * (i % 5)) for i in range(max(right.AT_A_TIME, 1000) + 9)]
    with tempfile.TemporaryDirectory() as folder:
        for name, module in (("ours", right), ("theirs", other)):
            module.encode_pairs(
                pairs, lambda texts: [[*text.encode()] for text in texts], 200, Path(folder, name)
            )
        for file in ("ids", "ends", "about.json"):
            ours, theirs = (Path(folder, name, file).read_bytes() for name in ("ours", "theirs"))
            assert ours == theirs


def any_pattern(right: ModuleType, other: ModuleType) -> None:
    """An empty line is so from either end; of the two opening brackets, ( is the smaller one."""
    assert min(right.CLOSING) == "("
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "sentences.txt")
        for space in SPACES:
            text = f"== a ==\n{space}\nHi.\n  (Oh) {{hola|(muy) buenas}}.!\n{space}\n"
            file.write_text(text, encoding="utf-8")
            ours, theirs = (answer(each.load, file) for each in (right, other))
            assert ours == theirs
    for pattern in ("(a) b", "{a|b} (c|d)", "({a|b} c) {d|(e)}", "{a", "(a", "a)"):
        ours, theirs = (answer(each.expand, pattern) for each in (right, other))
        assert ours == theirs


def any_part(right: ModuleType, other: ModuleType) -> None:
    """The larger of two numbers has no order; a batch is encoded in the same parts."""
    for width in (1, 3, right.AT_ONCE, right.AT_ONCE + 1):
        sizes: list[list[int]] = []
        for module in (right, other):
            model = mock.Mock()
            model.modules.return_value = []
            model.encode.side_effect = lambda part: part
            module.encode_in_parts(model, torch.zeros(5, width, dtype=torch.long))
            sizes.append([len(call.args[0]) for call in model.encode.call_args_list])
        assert sizes[0] == sizes[1]


def any_pair_of_lengths(right: ModuleType, other: ModuleType) -> None:
    """The larger of two whole numbers is the same, whichever is named first."""
    lengths = {0, 1, right.SHORT // 2, right.SHORT, right.SHORT + 1, 3 * right.RATIO * right.SHORT}
    refused = 0
    for pair in itertools.product([letter * "a" for letter in lengths], repeat=2):
        messages = []
        for module in (right, other):
            try:
                module._check_lengths([Path("a.tsv")], 1, pair)
                messages.append("")
            except ValueError as error:
                messages.append(str(error))
        assert messages[0] == messages[1]
        refused += messages[0] != ""
    assert refused


def one_or_two_files(right: ModuleType, other: ModuleType) -> None:
    """There are one or two files, else it is refused before; of each there is a line, or none."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("one", "two", "three")]
        for texts in (("a\tb\n", "c\td\n"), ("a\n", "b\n"), ("a\nb", "c"), ("a\n\xff", "b\nc")):
            for path, text in zip(paths, (*texts, "e"), strict=True):
                path.write_bytes(text.encode("latin-1"))
            for count in range(4):
                ours, theirs = (
                    answer(lambda e=each, n=count: list(e.read_parallel(paths[:n])))
                    for each in (right, other)
                )
                assert ours == theirs


def less_than_asked(right: ModuleType, other: ModuleType) -> None:
    """Whoever asks for a few bytes gets all of those that have been read, some thousands."""
    start = b"x" * 257
    with tempfile.TemporaryDirectory() as folder:
        for content in (start + b"ustar" + start * 9, start + b"\ty\n" + b"a\tb\n" * 999):
            packed = io.BytesIO()
            with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
                archive.writestr("text", content)
            for name, written in (
                ("plain", content),
                ("text.gz", gzip.compress(content)),
                ("text.xz", lzma.compress(content)),
                ("text.zip", packed.getvalue()),
            ):
                path = Path(folder, name)
                path.write_bytes(written)
                ours, theirs = (
                    answer(lambda e=each, p=path: list(e.lines(p))) for each in (right, other)
                )
                assert ours == theirs and ("is a tar" in ours) == (b"ustar" in content)


def only_name(right: ModuleType, other: ModuleType) -> None:
    """The first of one name is the last."""
    for names in (["a"], ["b/", "b/a", "_c"], [], ["a", "b"]):
        packed = mock.Mock(**{"namelist.return_value": names})
        ours, theirs = (answer(each.only_text, Path("a.zip"), packed) for each in (right, other))
        assert ours == theirs


def any_cosine(right: ModuleType, other: ModuleType) -> None:
    """The larger of two numbers is the same, whichever is named first."""
    for warmup, total in itertools.product((1, 3, 9), (3, 9, 10, 100)):
        for step in (1, 3, 9, 10, 100):
            how = (step, 0.01, warmup, total)
            assert right.cosine_schedule(*how) == other.cosine_schedule(*how)


def any_rate(right: ModuleType, other: ModuleType) -> None:
    """The smaller of two or three numbers is the same, whichever is named first."""
    assert_rates(right, other, lambda one, same: one == same)


def where_they_meet(right: ModuleType, other: ModuleType) -> None:
    """The last step of the warm-up is the highest point of the cosine, but for the last digit."""
    assert_rates(right, other, lambda one, same: math.isclose(one, same, rel_tol=1e-15))


def assert_rates(right: ModuleType, other: ModuleType, alike: Callable) -> None:
    for warmup, total in itertools.product((1, 3, 7, 10, 30), (1, 3, 10, 29)):
        for step, rate in itertools.product(range(1, total + 2), (0.1, 0.3, 2.0)):
            assert alike(*(each.paper_schedule(step, 16, warmup, rate) for each in (right, other)))
            for name, schedule in right.SCHEDULES.items():
                how = (step, rate, warmup, total)
                assert alike(schedule(*how), other.SCHEDULES[name](*how))


def any_name(right: ModuleType, other: ModuleType) -> None:
    """The draws differ from one half, so both take the same way."""
    import random

    book = [("Tom is here.", "Tom está aquí.")] * 300, [], {"name_m": [("Ana", "Ana")]}
    for seed in range(3):
        ours, theirs = (list(each.augmented(*book, random.Random(seed))) for each in (right, other))
        assert ours == theirs


def any_typing(right: ModuleType, other: ModuleType) -> None:
    """The draws differ from three quarters, so both take the same way."""
    import random

    for text in ("I don't know Tom!", "Really?", "NASA."):
        ours, theirs = (
            [each.as_typed(text, dice) for _ in range(2000)]
            for each, dice in ((right, random.Random(0)), (other, random.Random(0)))
        )
        assert ours == theirs


def two_files(right: ModuleType, other: ModuleType) -> None:
    """Of two files two lines are read at a time; where one is longer, it is said before."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [Path(folder, name) for name in ("a", "b")]
        for texts in (("x\ny\n", "u\nv\n"), ("x\ny\n", "u\n"), ("", "")):
            for path, text in zip(paths, texts, strict=True):
                path.write_text(text, encoding="utf-8")
            one, same = (
                answer(lambda m=module: list(m.read_parallel(paths))) for module in (right, other)
            )
            assert one == same


def any_tie(right: ModuleType, other: ModuleType) -> None:
    """Of what may be tied, "all" is the first in the alphabet."""
    for tie in TIES:
        sizes = right.RecurrentConfig(N=1, d_model=4, hidden=4, tie_weights=tie)
        for module in (right, other):
            model = module.RecurrentTranslator(7, 7, sizes)
            first, second, third = (
                model.src_embed.table,
                model.tgt_embed.table,
                model.generator.proj,
            )
            assert (first.weight is second.weight) == (tie == "all")
            assert (third.weight is second.weight) == (tie != "none")


def last_of_two_axes(right: ModuleType, other: ModuleType) -> None:
    """What is chosen from has two axes, so the last is number 1."""
    from transformer_lib.decoding import DecoderState
    from transformer_lib.model.transformer import make_model

    src = torch.tensor([[5, 6, 2], [7, 2, 0]])
    for seed in range(5):
        torch.manual_seed(seed)
        model = make_model(11, 11, N=1, d_model=8, d_ff=8, h=2).eval()
        assert DecoderState(model, src, 9, True).next_logits().dim() == 2
        one, same = (each.greedy_decode(model, src, max_length=9) for each in (right, other))
        assert one == same


def any_number_of_processes(right: ModuleType, other: ModuleType) -> None:
    """There is at least one process; who doesn't say how many is one."""

    def begins(module: ModuleType) -> bool:
        begun = mock.Mock(side_effect=KeyError)
        with mock.patch("torch.distributed.init_process_group", begun):
            try:
                with module.process_group():
                    return False
            except KeyError:
                return True

    for count in ("", "1", "2", "8"):
        with mock.patch.dict("os.environ", {"WORLD_SIZE": count} if count else {}):
            assert begins(right) == begins(other) == (count > "1")


def no_fewer_than_one(right: ModuleType, other: ModuleType) -> None:
    """There is at least one process, and one alone shares nothing."""
    for size in (0, -1):
        try:
            torch.distributed.init_process_group("gloo", store=mock.Mock(), rank=0, world_size=size)
        except (AssertionError, ValueError) as error:
            assert "world_size" in str(error)
        else:
            raise AssertionError("a group of no process began")
    for count in (1, 2, 3):
        one, same = (shared_by(module, count) for module in (right, other))
        assert one == same and one[0] == (5.0 * count, 7.0 * count)


def shared_by(module: ModuleType, count: int) -> tuple:
    """A sum over so many processes, the parts of a loss, and a device."""
    model, kind = torch.nn.Linear(1, 1), torch.device("cuda")
    with (
        mock.patch.object(module, "world_size", lambda: count),
        mock.patch.object(module, "DistributedDataParallel", lambda part: mock.Mock(module=part)),
        mock.patch.dict("os.environ", {"LOCAL_RANK": "0"}),
        mock.patch("torch.distributed.all_reduce", lambda sums: sums.mul_(count)),
        mock.patch("torch.cuda.device_count", lambda: count),
        mock.patch("torch.cuda.set_device"),
    ):
        loss = module.data_parallel_loss(model, len)
        device = module.local_device(kind)
        return tuple(module.all_reduce_sum(5.0, 7.0)), loss is len, device


def every_kind(right: ModuleType, other: ModuleType) -> None:
    """The processor is the first in the alphabet, and NVIDIA's GPUs are the next."""
    assert sorted(KINDS)[:2] == ["cpu", "cuda"]

    def given(module: ModuleType, kind: str) -> object:
        with (
            mock.patch.object(module, "world_size", lambda: 2),
            mock.patch.dict("os.environ", {"LOCAL_RANK": "1"}),
            mock.patch("torch.cuda.device_count", lambda: 2),
            mock.patch("torch.cuda.set_device"),
        ):
            return answer(module.local_device, torch.device(kind))

    for kind in KINDS:
        assert given(right, kind) == given(other, kind)


def only_file(right: ModuleType, other: ModuleType) -> None:
    """The first of one file is the last."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "pairs.tsv")
        for text in ("a\tb\nc\td\n", "a\tb\nc\n", ""):
            file.write_text(text, encoding="utf-8")
            one, same = (answer(lambda m=m: list(m.read_parallel([file]))) for m in (right, other))
            assert one == same


def any_number_of_resamples(right: ModuleType, other: ModuleType) -> None:
    """One is the fewest that is asked for: the score alone, where there is an error as well."""
    tree = ast.parse(inspect.getsource(right))
    asked = {
        ast.unparse(word.value)
        for call in ast.walk(tree)
        if isinstance(call, ast.Call)
        for word in call.keywords
        if word.arg in ("resamples", "n_bootstrap")
    }
    assert asked <= {"resamples", "1"} and min(right.RESAMPLES, right.MOST_RESAMPLED) > 1
    for resamples in (1, 2, 30):
        one, same = (
            each.sacrebleu_score("chrf", ["a b"], [["a c"]], resamples) for each in (right, other)
        )
        assert one == same


def any_rank(right: ModuleType, other: ModuleType) -> None:
    """Processes are counted from 0, and who is alone is number 0."""
    assert right.rank() == 0
    try:
        torch.distributed.init_process_group("gloo", store=mock.Mock(), rank=-1, world_size=2)
    except (AssertionError, ValueError) as error:
        assert "rank" in str(error)
    else:
        raise AssertionError("a process below 0 began")
    for number in range(4):
        one, same = (files_of_process(module, number) for module in (right, other))
        assert one == same == (Path("run") if number == 0 else None)


def files_of_process(module: ModuleType, number: int) -> Path | None:
    with mock.patch.object(module, "rank", lambda: number):
        return module.RunFiles(Path("run"), None, None, mock.Mock(average=1)).out


def training(module: ModuleType, measure: Callable | None = None, **settings: object) -> tuple:
    """The history and the weights of a small training in a folder."""
    from tqdm import tqdm

    from transformer_lib.model.transformer import make_model
    from transformer_lib.training.config import TrainingConfig

    torch.manual_seed(0)
    model = make_model(11, 11, N=1, d_model=4, d_ff=4, h=1)
    pairs = [([4 + i % 7] * (1 + i % 3), [4 + i % 5] * (1 + i % 4)) for i in range(20)]
    config = TrainingConfig(**{"steps": 3, "validate_every": 2, "max_tokens": 16} | settings)
    how = {"measure": measure, "progress": tqdm(disable=True)}
    with tempfile.TemporaryDirectory() as folder:
        history = module.train(model, pairs, pairs[:12], config, folder=Path(folder), **how)
    return history, [parameter.tolist() for parameter in model.parameters()]


def any_aim(right: ModuleType, other: ModuleType) -> None:
    """A run goes by the loss or by BLEU, and of these BLEU is the first in the alphabet."""
    ways = list(itertools.product(("loss", "bleu", "accuracy"), (None, lambda model: {"bleu": 3})))
    for best_by, measure in ways:
        one, same = (
            answer(lambda m=m, aim=best_by, how=measure: training(m, how, best_by=aim))
            for m in (right, other)
        )
        assert one == same
        assert isinstance(one, str) == (best_by == "accuracy" or (best_by, measure) == ways[2])


def any_process(right: ModuleType, other: ModuleType) -> None:
    """Processes are counted from 0, so what the first one does, no other does."""
    any_rank(right, right)
    for number in range(3):
        found = []
        for module in (right, other):
            with mock.patch.object(module, "rank", lambda number=number: number):
                found.append(training(module, lambda model: {"bleu": 3}, best_by="bleu"))
        assert found[0] == found[1]
        assert ("bleu" in found[0][0][0]) == (number == 0)


def any_step(right: ModuleType, other: ModuleType) -> None:
    """A remainder is never below 0."""
    for every in (1, 2, 9):
        assert training(right, validate_every=every) == training(other, validate_every=every)


def any_mean(right: ModuleType, other: ModuleType) -> None:
    """A mean of fewer than one is refused."""
    assert "average=0 must be 1 or more" in answer(lambda: training(right, average=0))
    for average in (1, 2, 3):
        assert training(right, average=average) == training(other, average=average)


def any_size_of_steps(right: ModuleType, other: ModuleType) -> None:
    """The threads follow a product, whose order is no matter."""
    for words, threads in ((2**16, 1), (2**17, 7)):
        taken: list[list[int]] = [[], []]
        for module, counts in zip((right, other), taken, strict=True):
            with (
                mock.patch("torch.get_num_threads", lambda: 7),
                mock.patch.object(
                    module,
                    "using_threads",
                    lambda count, c=counts: c.append(count) or nullcontext(),
                ),
            ):
                training(module, steps=1, max_tokens=words)
        assert taken == [[threads], [threads]]


def any_neighbours(right: ModuleType, other: ModuleType) -> None:
    """Which held-out sentences share a batch is a question of rounding, and changes no weight."""
    (history, weights), (same, equal) = training(right), training(other)
    assert weights == equal and len(history) == len(same)
    for entry, another in zip(history, same, strict=True):
        assert abs(entry.pop("validation_loss") - another.pop("validation_loss")) < 2e-4
        assert entry == another


def any_log(right: ModuleType, other: ModuleType) -> None:
    """A remainder is never below 0, and the larger of two numbers is the same in any order."""
    texts = []
    for module in (right, other):
        with tempfile.TemporaryDirectory() as folder:
            log = module.Log(Path(folder))
            for step in range(1, 36):
                log.step(step, 1 / step, words=step, lr=0.5, seconds=max(step - 15, 0) / 7)
            log.validation({"step": 35})
            texts.append(Path(folder, module.LOG_FILE).read_text(encoding="utf-8"))
    assert texts[0] == texts[1] and texts[0].count("words_per_second") == 4


def other_generators(right: ModuleType, other: ModuleType) -> None:
    """Of the kinds of devices, the processor is the first in the alphabet."""
    assert min(KINDS) == "cpu"
    for kind in KINDS:
        with mock.patch("torch.get_device_module", lambda device: mock.Mock()):
            one, same = (each.rng_states(torch.device(kind)) for each in (right, other))
        assert one.keys() == same.keys() and (len(one) == 1) == (kind == "cpu")


def any_piece(right: ModuleType, other: ModuleType) -> None:
    """Ids are counted from 0, that of <pad>; a loss is a sum over words, in pieces of any size."""
    from transformer_lib.model.transformer import make_model
    from transformer_lib.text.batching import make_batch
    from transformer_lib.text.tokens import PAD

    assert PAD == 0
    batch = make_batch([([5, 6], [7] * length) for length in (1, 2, 40)])
    for vocab, pieces in ((11, 1), (60_000, 2)):  # of 33 words with the usual size of a piece
        torch.manual_seed(0)
        model = make_model(11, vocab, N=1, d_model=4, d_ff=4, h=1).eval()
        assert -(-46 * vocab // right.LOGITS_AT_A_TIME) == pieces
        one, same = (each.batch_loss(model, batch, 0.1) for each in (right, other))
        torch.testing.assert_close(one, same)
        assert right.count_tokens([batch, batch]) == other.count_tokens([batch, batch]) == 92


def any_warmup(right: ModuleType, other: ModuleType) -> None:
    """Which of two whole numbers is named first makes no larger one."""
    for total, warmup in itertools.product((1, 2, 5, 40), (1, 2, 5, 6, 41, 50)):
        for step in range(1, total + 1):
            one, same = (each.linear_schedule(step, 0.3, warmup, total) for each in (right, other))
            assert one == same


def any_space(right: ModuleType, other: ModuleType) -> None:
    """What is nothing but space is so from either end; what isn't, is not changed by the look."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder, "table.tsv")
        for cell in ("", " ", "\v\f \r", "\u2003\u3000\xa0", " a", "a ", " a b ", "\u200b"):
            file.write_bytes(f"one\ttwo\nx\t{cell}\n".encode())
            one, same = (answer(each.read_table, file, ("one", "two")) for each in (right, other))
            assert one == same
            assert (one == [("x", cell)]) == bool(cell.strip())


HARMLESS = [
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "if top_k is not None and top_k < p.size(-1):",
        "if top_k is not None and top_k <= p.size(-1):",
        "the likeliest words, as many as there are, are all of them",
        all_of_the_words,
    ),
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "return (ends > points).int().argmax(dim=-1)",
        "return (ends > points).int().argmax(dim=1)",
        "a table of probabilities has two dimensions",
        a_table_has_two_dimensions,
    ),
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "log_prob = log_prob + logits.log_softmax(dim=-1).gather(1, words[:, None])[:, 0]",
        "log_prob = log_prob + logits.log_softmax(dim=1).gather(1, words[:, None])[:, 0]",
        "of two axes the last is number 1",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "log_prob = log_prob + logits.log_softmax(dim=-1).gather(1, words[:, None])[:, 0]",
        "log_prob = log_prob + logits.log_softmax(dim=-1).gather(1, words[:, None])[:, -1]",
        "of one column the first is the last",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "ended = words == EOS",
        "ended = words <= EOS",
        "<pad> and <bos>, which come before <eos>, are never drawn",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "if len(sentence) == 0:",
        "if len(sentence) <= 0:",
        "no batch has fewer sentences than none",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "ends = probabilities.double().cumsum(dim=-1)",
        "ends = probabilities.double().cumsum(dim=1)",
        "a table of probabilities has two dimensions",
        a_table_has_two_dimensions,
    ),
    Harmless(
        "transformer_lib/decoding/sampling.py",
        "for i, ids, total in zip(sentences.tolist(), words.tolist(), log_prob.tolist(), "
        "strict=True):",
        "for i, ids, total in zip(sentences.tolist(), words.tolist(), log_prob.tolist(), "
        "strict=False):",
        "as many sentences are written down as there are rows",
        same_translations,
    ),
    Harmless(
        "transformer_lib/training/devices.py",
        'return torch.device(there[0] if name == "auto" else name)',
        'return torch.device(there[0] if name <= "auto" else name)',
        "no device has a name that comes before auto",
        any_device,
    ),
    Harmless(
        "transformer_lib/training/devices.py",
        'if device.type != "cpu":',
        'if device.type > "cpu":',
        "no kind of device has a name that comes before cpu",
        first_kind,
    ),
    Harmless(
        "transformer_lib/model/embedding.py",
        "self.table = self.encoding(2 * end, self.d_model).to(self.table)",
        "self.table = self.encoding(2 + end, self.d_model).to(self.table)",
        "the table has room for two words more, and grows with every second",
        any_length,
    ),
    Harmless(
        "transformer_lib/training/distributed.py",
        "WAIT = timedelta(hours=2)  # for process 0, which may have a large corpus to read",
        "WAIT = timedelta(hours=1)  # for process 0, which may have a large corpus to read",
        "who waits an hour less computes the same",
        only_a_wait,
    ),
    Harmless(
        "transformer_lib/variants/recurrent.py",
        'if config.tie_weights == "all":',
        'if config.tie_weights <= "all":',
        "no tie has a name that comes before all",
        any_tie,
    ),
    Harmless(
        "transformer_lib/decoding/greedy.py",
        "words = state.next_logits().argmax(dim=-1)",
        "words = state.next_logits().argmax(dim=1)",
        "of two axes the last is number 1",
        last_of_two_axes,
    ),
    Harmless(
        "transformer_lib/decoding/greedy.py",
        "goes_on = words != EOS",
        "goes_on = words > EOS",
        "<pad> and <bos>, which come before <eos>, are never the likeliest",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/greedy.py",
        "if len(sentence) == 0:",
        "if len(sentence) <= 0:",
        "no batch has fewer sentences than none",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/greedy.py",
        "for i, ids in zip(sentences.tolist(), words.tolist(), strict=True):",
        "for i, ids in zip(sentences.tolist(), words.tolist(), strict=False):",
        "as many sentences are recorded as there are rows",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/beam.py",
        "following = state.next_logits().log_softmax(dim=-1)",
        "following = state.next_logits().log_softmax(dim=1)",
        "of two axes the last is number 1",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/beam.py",
        "log_prob, index = every.topk(min(beam_size, every.size(1)), dim=1)",
        "log_prob, index = every.topk(min(every.size(1), beam_size), dim=1)",
        "the smaller of two numbers is the same, whichever is named first",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/beam.py",
        "ended = chosen & (index % vocab_size == EOS)",
        "ended = chosen & (index % vocab_size <= EOS)",
        "<pad> and <bos>, which come before <eos>, are never chosen",
        same_translations,
    ),
    Harmless(
        "transformer_lib/decoding/beam.py",
        "if len(sentence) == 0:",
        "if len(sentence) <= 0:",
        "no batch has fewer sentences than none",
        same_translations,
    ),
    Harmless(
        "transformer_lib/training/distributed.py",
        'if int(os.environ.get("WORLD_SIZE", 1)) == 1 or dist.is_initialized():',
        'if int(os.environ.get("WORLD_SIZE", 1)) <= 1 or dist.is_initialized():',
        "there are never fewer processes than one",
        any_number_of_processes,
    ),
    Harmless(
        "transformer_lib/training/distributed.py",
        "WAIT = timedelta(hours=2)  # for process 0, which may have a large corpus to read",
        "WAIT = timedelta(hours=3)  # for process 0, which may have a large corpus to read",
        "who waits an hour more computes the same",
        only_a_wait,
    ),
    Harmless(
        "transformer_lib/training/distributed.py",
        "if world_size() == 1:",
        "if world_size() <= 1:",
        "a group has at least one process",
        no_fewer_than_one,
    ),
    Harmless(
        "transformer_lib/training/distributed.py",
        'if world_size() == 1 or device.type == "cpu":',
        'if world_size() <= 1 or device.type == "cpu":',
        "a process is never in a group of none",
        no_fewer_than_one,
    ),
    Harmless(
        "transformer_lib/training/distributed.py",
        'if world_size() == 1 or device.type == "cpu":',
        'if world_size() == 1 or device.type <= "cpu":',
        "of all kinds of devices, cpu is the first in the alphabet",
        every_kind,
    ),
    Harmless(
        "transformer_lib/training/distributed.py",
        'if device.type != "cuda":',
        'if device.type > "cuda":',
        "of the kinds of devices, only cpu has a name that comes before cuda",
        every_kind,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        "pair = columns(paths[0], number, raw[0])",
        "pair = columns(paths[-1], number, raw[0])",
        "the first of one file is the last",
        only_file,
    ),
    Harmless(
        "transformer_lib/metrics.py",
        "if resamples == 1:",
        "if resamples <= 1:",
        "nobody asks for fewer than one set of sentences",
        any_number_of_resamples,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        "self.out = self.folder if rank() == 0 else None",
        "self.out = self.folder if rank() <= 0 else None",
        "no process has a number below 0",
        any_rank,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        'if config.best_by == "bleu" and measure is None:',
        'if config.best_by <= "bleu" and measure is None:',
        "nothing that a run goes by has a name that comes before bleu",
        any_aim,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        'if config.best_by == "bleu":',
        'if config.best_by <= "bleu":',
        "the best is that of the loss or of bleu, which comes first in the alphabet",
        any_aim,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        "own_share = shard(batch_indices(validation, config.max_tokens, seed=0))",
        "own_share = shard(batch_indices(validation, config.max_tokens, seed=1))",
        "a sum over sentences does not depend on their order",
        any_neighbours,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        "own_share = shard(batch_indices(validation, config.max_tokens, seed=0))",
        "own_share = shard(batch_indices(validation, config.max_tokens, seed=-1))",
        "nor does it depend on which of them share a batch",
        any_neighbours,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        "with using_threads(threads or threads_for(model.config.d_model, config.max_tokens)):",
        "with using_threads(threads or threads_for(config.max_tokens, model.config.d_model)):",
        "a product is the same in any order",
        any_size_of_steps,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        "if state.step % config.validate_every == 0 or state.step == config.steps:",
        "if state.step % config.validate_every <= 0 or state.step == config.steps:",
        "no remainder of steps is below 0",
        any_step,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        "return entry | (measure(model) if measure is not None and rank() == 0 else {})",
        "return entry | (measure(model) if measure is not None and rank() <= 0 else {})",
        "the first process measures, and none comes before it",
        any_process,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        '(cost,) = all_reduce_sum(-entry["bleu"] if rank() == 0 else 0)',
        '(cost,) = all_reduce_sum(-entry["bleu"] if rank() <= 0 else 0)',
        "the first process knows the bleu, and none comes before it",
        any_process,
    ),
    Harmless(
        "transformer_lib/training/trainer.py",
        "if self.folder is None or self.config.average == 1:",
        "if self.folder is None or self.config.average <= 1:",
        "no mean is of fewer than one",
        any_mean,
    ),
    Harmless(
        "transformer_lib/training/log.py",
        "if step % EVERY == 0:",
        "if step % EVERY <= 0:",
        "no remainder of the steps so far is below 0",
        any_log,
    ),
    Harmless(
        "transformer_lib/training/log.py",
        "pace = round(words / max(self._seconds, 1e-9))",
        "pace = round(words / max(1e-9, self._seconds))",
        "the longer of two times is the same, whichever is named first",
        any_log,
    ),
    Harmless(
        "transformer_lib/training/state.py",
        'if device.type != "cpu":',
        'if device.type > "cpu":',
        "of devices with a generator of their own, none comes before cpu",
        other_generators,
    ),
    Harmless(
        "transformer_lib/training/step.py",
        "LOGITS_AT_A_TIME = 2_000_000",
        "LOGITS_AT_A_TIME = 4000000",
        "the loss in larger pieces is the same",
        any_piece,
    ),
    Harmless(
        "transformer_lib/training/step.py",
        "LOGITS_AT_A_TIME = 2_000_000",
        "LOGITS_AT_A_TIME = 200000",
        "the loss in smaller pieces is the same",
        any_piece,
    ),
    Harmless(
        "transformer_lib/training/step.py",
        "predicts = tgt_out != PAD",
        "predicts = tgt_out > PAD",
        "no id comes before that of <pad>",
        any_piece,
    ),
    Harmless(
        "transformer_lib/training/step.py",
        "words = max(1, LOGITS_AT_A_TIME // model.generator.proj.out_features)  # in a piece",
        "words = max(LOGITS_AT_A_TIME // model.generator.proj.out_features, 1)  # in a piece",
        "the larger of two numbers of words is the same, whichever is named first",
        any_piece,
    ),
    Harmless(
        "transformer_lib/training/step.py",
        "pieces = zip(x[predicts].split(words), tgt_out[predicts].split(words), strict=True)",
        "pieces = zip(x[predicts].split(words), tgt_out[predicts].split(words), strict=False)",
        "both sides are of the same places, so there are as many",
        any_piece,
    ),
    Harmless(
        "transformer_lib/training/step.py",
        "return sum(int((batch.tgt_out != PAD).sum()) for batch in batches)",
        "return sum(int((batch.tgt_out > PAD).sum()) for batch in batches)",
        "no id of a word is below that of <pad>",
        any_piece,
    ),
    Harmless(
        "transformer_lib/training/schedules.py",
        "return max_lr * min(step / warmup, (total + 1 - step) / max(total + 1 - warmup, 1))",
        "return max_lr * min(step / warmup, (total + 1 - step) / max(1, total + 1 - warmup))",
        "the larger of two numbers is the same, whichever is named first",
        any_warmup,
    ),
    Harmless(
        "transformer_lib/text/data.py",
        "if not all(cell.strip() for cell in cells):",
        "if not all(cell.rstrip() for cell in cells):",
        "what is nothing but space is so from either end",
        any_space,
    ),
    Harmless(
        "transformer_lib/model/attention.py",
        "scores = query @ key.transpose(-2, -1) / math.sqrt(d_k)",
        "scores = query @ key.transpose(-1, -2) / math.sqrt(d_k)",
        "two axes change places, whichever is named first",
        any_scores,
    ),
    Harmless(
        "transformer_lib/model/attention.py",
        "return x.unflatten(-1, (self.h, -1)).transpose(1, 2)  # (b, s, d_model) -> (b, h, s, d_k)",
        "return x.unflatten(-1, (self.h, -1)).transpose(2, 1)  # (b, s, d_model) -> (b, h, s, d_k)",
        "two axes change places, whichever is named first",
        any_heads,
    ),
    Harmless(
        "transformer_lib/model/attention.py",
        "return x.transpose(1, 2).flatten(2)  # (b, h, s, d_k) -> (b, s, d_model)",
        "return x.transpose(2, 1).flatten(2)  # (b, h, s, d_k) -> (b, s, d_model)",
        "two axes change places, whichever is named first",
        any_heads,
    ),
    Harmless(
        "transformer_lib/model/masks.py",
        "return (ids != PAD)[:, None, None, :]",
        "return (ids > PAD)[:, None, None, :]",
        "no id is below that of padding",
        any_ids,
    ),
    Harmless(
        "transformer_lib/model/transformer.py",
        'if config.tie_weights == "all":',
        'if config.tie_weights <= "all":',
        "no tie has a name that comes before all",
        any_settings,
    ),
    Harmless(
        "transformer_lib/model/transformer.py",
        'if tie_weights == "all" and src_vocab_size != tgt_vocab_size:',
        'if tie_weights <= "all" and src_vocab_size != tgt_vocab_size:',
        "no tie has a name that comes before all",
        any_settings,
    ),
    Harmless(
        "transformer_lib/model/transformer.py",
        'if config.positions == "learned":',
        'if config.positions <= "learned":',
        "no positions have a name that comes before learned",
        any_settings,
    ),
    Harmless(
        "transformer_lib/text/languages.py",
        'AnyTokenizer = TypeVar("AnyTokenizer", Tokenizer, Subwords)',
        'AnyTokenizer = TypeVar("AnyTokenizer", Subwords, Tokenizer)',
        "of two kinds either may be named first",
        only_two_kinds,
    ),
    Harmless(
        "transformer_lib/decoding/speculative.py",
        "return logits_of_words(self.model, x[0]).argmax(dim=-1).tolist()",
        "return logits_of_words(self.model, x[-1]).argmax(dim=-1).tolist()",
        "the first of one sentence is the last",
        only_sentence,
    ),
    Harmless(
        "transformer_lib/decoding/speculative.py",
        "return logits_of_words(self.model, x[0]).argmax(dim=-1).tolist()",
        "return logits_of_words(self.model, x[0]).argmax(dim=1).tolist()",
        "of two axes the last is number 1",
        same_words_with_a_draft,
    ),
    Harmless(
        "transformer_lib/decoding/speculative.py",
        "guesses = guess(drafter, words, min(ahead, max_length - len(words)))",
        "guesses = guess(drafter, words, min(max_length - len(words), ahead))",
        "the smaller of two numbers is the same, whichever is named first",
        same_words_with_a_draft,
    ),
    Harmless(
        "transformer_lib/decoding/quantization.py",
        "return quantize_dynamic(model, {nn.Linear: per_channel_dynamic_qconfig}, inplace=True)",
        "return quantize_dynamic(model, {nn.Linear: per_channel_dynamic_qconfig}, inplace=False)",
        "what is copied is a copy already",
        a_copy_is_enough,
    ),
    Harmless(
        "transformer_lib/model/embedding.py",
        "angles = _angles(length, d_model, base, d_model / 2)",
        "angles = _angles(length, d_model, base, d_model // 2)",
        "half of an even width is a whole number, and odd ones are refused",
        even_widths,
    ),
    Harmless(
        "transformer_lib/model/embedding.py",
        "angles = _angles(length, d_model, base, d_model / 2 - 1)",
        "angles = _angles(length, d_model, base, d_model // 2 - 1)",
        "half of an even width is a whole number, and odd ones are refused",
        even_widths,
    ),
    Harmless(
        "transformer_lib/model/embedding.py",
        "i = torch.arange(d_model // 2, dtype=torch.float64)",
        "i = torch.arange(d_model / 2, dtype=torch.float64)",
        "half of an even width is a whole number, and odd ones are refused",
        even_widths,
    ),
    Harmless(
        "transformer_lib/model/embedding.py",
        "self.table = self.encoding(2 * end, self.d_model).to(self.table)",
        "self.table = self.encoding(3 * end, self.d_model).to(self.table)",
        "a table with more room holds the same",
        any_length,
    ),
    Harmless(
        "transformer_lib/model/embedding.py",
        "self.table = self.encoding(2 * end, self.d_model).to(self.table)",
        "self.table = self.encoding(1 * end, self.d_model).to(self.table)",
        "a table without more room grows with every word",
        any_length,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        'if TAR_NAME.search(path.name) or file.peek(512)[257:262] == b"ustar":  # tar\'s mark',
        'if TAR_NAME.search(path.name) or file.peek(1024)[257:262] == b"ustar":  # tar\'s mark',
        "looking further ahead moves nothing",
        more_than_asked,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        'yield line.removeprefix(b"\\xef\\xbb\\xbf") if number == 1 else line',
        'yield line.removeprefix(b"\\xef\\xbb\\xbf") if number <= 1 else line',
        "lines are counted from 1",
        first_line,
    ),
    Harmless(
        "transformer_lib/text/downloads.py",
        "downloader=pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=30),",
        "downloader=pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=29),",
        "who waits a second less for a silent server fetches the same",
        another_patience,
    ),
    Harmless(
        "transformer_lib/text/downloads.py",
        "downloader=pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=30),",
        "downloader=pooch.HTTPDownloader(progressbar=sys.stderr.isatty(), timeout=31),",
        "who waits a second more for a silent server fetches the same",
        another_patience,
    ),
    Harmless(
        "transformer_lib/text/downloads.py",
        'return "test" if place < HELD_OUT else "validation" if place < 2 * HELD_OUT else "train"',
        'return "test" if place <= HELD_OUT else "validation" if place < 2 * HELD_OUT else "train"',
        "no place is the share of the test",
        no_place_is_a_share,
    ),
    Harmless(
        "transformer_lib/text/downloads.py",
        'return "test" if place < HELD_OUT else "validation" if place < 2 * HELD_OUT else "train"',
        'return "test" if place < HELD_OUT else "validation" if place <= 2 * HELD_OUT else "train"',
        "no place is the share of the test and of validation",
        no_place_is_a_share,
    ),
    Harmless(
        "transformer_lib/text/user_input.py",
        "lines = [line for line in text.splitlines() if line.strip()]",
        "lines = [line for line in text.splitlines() if line.rstrip()]",
        "what is nothing but space is so from either end",
        any_empty_line,
    ),
    Harmless(
        "transformer_lib/text/user_input.py",
        "while start < min(len(word), len(other)) and word[start] == other[start]:",
        "while start < min(len(other), len(word)) and word[start] == other[start]:",
        "the smaller of two numbers is the same, whichever is named first",
        any_two_words,
    ),
    Harmless(
        "transformer_lib/text/tokens.py",
        'def build(cls, sentences: Iterable[Sequence[str]], min_count: int = 1) -> "Vocabulary":',
        'def build(cls, sentences: Iterable[Sequence[str]], min_count: int = 0) -> "Vocabulary":',
        "what occurs, occurs once at least",
        once_at_least,
    ),
    Harmless(
        "transformer_lib/text/tokenized_dataset.py",
        "AT_A_TIME = 10_000  # pairs that are encoded together",
        "AT_A_TIME = 20000  # pairs that are encoded together",
        "larger portions give the same files",
        in_any_portions,
    ),
    Harmless(
        "transformer_lib/text/tokenized_dataset.py",
        "AT_A_TIME = 10_000  # pairs that are encoded together",
        "AT_A_TIME = 1000  # pairs that are encoded together",
        "smaller portions give the same files",
        in_any_portions,
    ),
    Harmless(
        "transformer_lib/text/everyday.py",
        'if not line.strip() or line.startswith("#"):',
        'if not line.rstrip() or line.startswith("#"):',
        "what is nothing but space is so from either end",
        any_pattern,
    ),
    Harmless(
        "transformer_lib/text/everyday.py",
        'choices = alternatives(signs, CLOSING[sign]) + ([""] if sign == "(" else [])',
        'choices = alternatives(signs, CLOSING[sign]) + ([""] if sign <= "(" else [])',
        "no bracket comes before the round one",
        any_pattern,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        "if longer > max(SHORT, RATIO * shorter):",
        "if longer > max(RATIO * shorter, SHORT):",
        "the larger of two numbers is the same, whichever is named first",
        any_pair_of_lengths,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        "if len(paths) == 1:",
        "if len(paths) <= 1:",
        "none at all is refused before",
        one_or_two_files,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        "pair = columns(paths[0], number, raw[0])",
        "pair = columns(paths[0], number, raw[-1])",
        "the first of one line is the last",
        only_file,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        'if TAR_NAME.search(path.name) or file.peek(512)[257:262] == b"ustar":  # tar\'s mark',
        'if TAR_NAME.search(path.name) or file.peek(51)[257:262] == b"ustar":  # tar\'s mark',
        "whoever asks for less gets what is there",
        less_than_asked,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        "return names[0]",
        "return names[-1]",
        "the first of one name is the last",
        only_name,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "parts = src.split(max(1, AT_ONCE // src.size(1)))",
        "parts = src.split(max(AT_ONCE // src.size(1), 1))",
        "the larger of two numbers is the same, whichever is named first",
        any_part,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "AT_ONCE = 1_024  # source words that are encoded together",
        "AT_ONCE = 2048  # source words that are encoded together",
        "in larger parts the same is encoded",
        any_size_of_parts,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "AT_ONCE = 1_024  # source words that are encoded together",
        "AT_ONCE = 102  # source words that are encoded together",
        "in smaller parts the same is encoded",
        any_size_of_parts,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "if self.length == 0:  # room for every word to come, so that nothing is copied later",
        "if self.length <= 0:  # room for every word to come, so that nothing is copied later",
        "no cache has fewer words than none",
        same_logits,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "for layer, cache in zip(layers, self.cross_caches, strict=True):",
        "for layer, cache in zip(layers, self.cross_caches, strict=False):",
        "each layer has a cache of its own",
        same_logits,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "mask = None if new == 1 else causal_mask(start + new, words.device)[:, :, start:]",
        "mask = None if new <= 1 else causal_mask(start + new, words.device)[:, :, start:]",
        "of fewer words than one there is nothing to hide",
        same_logits,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "cache.length = min(cache.length, length)",
        "cache.length = min(length, cache.length)",
        "the smaller of two numbers is the same, whichever is named first",
        same_logits,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "return self.self_caches[0].length",
        "return self.self_caches[-1].length",
        "every layer has read the same words",
        same_logits,
    ),
    Harmless(
        "transformer_lib/decoding/cache.py",
        "return logits_of_words(self.model, self.decoder.read(self.words[:, -1:])[:, -1])",
        "return logits_of_words(self.model, self.decoder.read(self.words[:, -1:])[:, -0])",
        "of one word the first is the last",
        same_logits,
    ),
    Harmless(
        "transformer_lib/training/schedules.py",
        "way = min((step - warmup) / max(total - warmup, 1), 1)",
        "way = min((step - warmup) / max(1, total - warmup), 1)",
        "the larger of two numbers is the same, whichever is named first",
        any_cosine,
    ),
    Harmless(
        "transformer_lib/training/schedules.py",
        "return float(factor * d_model**-0.5 * min(step**-0.5, step * warmup**-1.5))",
        "return float(factor * d_model**-0.5 * min(step * warmup**-1.5, step**-0.5))",
        "the smaller of two numbers is the same, whichever is named first",
        any_rate,
    ),
    Harmless(
        "transformer_lib/training/schedules.py",
        "return max_lr * min(step / warmup, (total + 1 - step) / max(total + 1 - warmup, 1))",
        "return max_lr * min((total + 1 - step) / max(total + 1 - warmup, 1), step / warmup)",
        "the lower of two lines is the same, whichever is named first",
        any_rate,
    ),
    Harmless(
        "transformer_lib/training/schedules.py",
        "if step <= warmup:",
        "if step < warmup:",
        "where the warm-up ends, the cosine begins",
        where_they_meet,
    ),
    Harmless(
        "transformer_lib/training/schedules.py",
        "way = min((step - warmup) / max(total - warmup, 1), 1)",
        "way = min(1, (step - warmup) / max(total - warmup, 1))",
        "the shorter of two ways is the same, whichever is named first",
        any_rate,
    ),
    Harmless(
        "transformer_lib/training/schedules.py",
        "return max_lr * min(step / warmup, (total + 1 - step) / (total * decay), 1)",
        "return max_lr * min((total + 1 - step) / (total * decay), step / warmup, 1)",
        "the smallest of three numbers is the same, whichever is named first",
        any_rate,
    ),
    Harmless(
        "transformer_lib/training/schedules.py",
        "return max_lr * min(step / warmup, (total + 1 - step) / (total * decay), 1)",
        "return max_lr * min(step / warmup, 1, (total + 1 - step) / (total * decay))",
        "the smallest of three numbers is the same, whichever is named last",
        any_rate,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "pair = renamed(pair, rng.choice(names) if rng.random() < 0.5 else invented(rng))",
        "pair = renamed(pair, rng.choice(names) if rng.random() <= 0.5 else invented(rng))",
        "no draw of 53 bits comes to one half in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if rng.random() < 0.75:",
        "if rng.random() <= 0.75:",
        "no draw of 53 bits comes to this number in years",
        any_typing,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "text = text.lower() if rng.random() < 0.6 else text[:1].lower() + text[1:]",
        "text = text.lower() if rng.random() <= 0.6 else text[:1].lower() + text[1:]",
        "no draw of 53 bits comes to this number in years",
        any_typing,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if rng.random() < 0.5:",
        "if rng.random() <= 0.5:",
        "no draw of 53 bits comes to this number in years",
        any_typing,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if ending < 0.7:",
        "if ending <= 0.7:",
        "no draw of 53 bits comes to this number in years",
        any_typing,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if ending < 0.85:",
        "if ending <= 0.85:",
        "no draw of 53 bits comes to this number in years",
        any_typing,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if TOM.search(english) and TOM.search(spanish) and rng.random() < RENAMED:",
        "if TOM.search(english) and TOM.search(spanish) and rng.random() <= RENAMED:",
        "no draw of 53 bits comes to this number in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if rng.random() < TYPED:",
        "if rng.random() <= TYPED:",
        "no draw of 53 bits comes to this number in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if rng.random() < JOINED:",
        "if rng.random() <= JOINED:",
        "no draw of 53 bits comes to this number in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/parallel.py",
        "for path, line in zip(paths, raw, strict=True)",
        "for path, line in zip(paths, raw, strict=False)",
        "of two files two lines are read at a time",
        two_files,
    ),
]
