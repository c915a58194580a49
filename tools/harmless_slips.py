"""Slips that change no output, for tools/slips.py: each with a proof, which a test runs."""

import ast
import gzip
import inspect
import io
import itertools
import lzma
import tempfile
import zipfile
from collections.abc import Callable
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


def any_scores(right: ModuleType, other: ModuleType) -> None:
    """Two axes change places, whichever is named first."""
    query, key = torch.randn(2, 3, 4, 5), torch.randn(2, 3, 6, 5)
    ours, theirs = (each.attention_weights(query, key) for each in (right, other))
    assert torch.equal(ours, theirs)


def only_sentence(right: ModuleType, other: ModuleType) -> None:
    """A writer reads one sentence at a time: the first of one is the last."""
    source = inspect.getsource(right.Writer)
    assert source.count("self.decoder.read(") == 1 and "torch.tensor([words]" in source
    x = torch.randn(1, 3, 5)
    assert torch.equal(x[0], x[-1])


def a_longer_cache(right: ModuleType, other: ModuleType) -> None:
    """The cache has room for more words than are read; how many more is a question of speed."""
    from transformer_lib.model.transformer import make_model

    src = torch.tensor([[5, 6, 7, 2]])
    for seed in range(5):
        torch.manual_seed(seed)
        model, draft = (make_model(11, 11, N=1, d_model=8, d_ff=8, h=2).eval() for _ in "ab")
        how = {"max_length": 9}
        one, same = (each.speculative_decode(model, draft, src, **how) for each in (right, other))
        assert vars(one) == vars(same)


def even_widths(right: ModuleType, other: ModuleType) -> None:
    """Half of an even width is a whole number; an odd one is refused by both."""
    for d_model in (2, 6, 128, 512):
        ours, theirs = (each.positional_encoding(9, d_model) for each in (right, other))
        assert torch.equal(ours, theirs)
    odd = [answer(each.positional_encoding, 9, 5) for each in (right, other)]
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


def any_name(right: ModuleType, other: ModuleType) -> None:
    """No draw is equal to a share, so both take the same way."""
    import random

    book = [("Tom is here.", "Tom está aquí.")] * 300, [], {"name_m": [("Ana", "Ana")]}
    for seed in range(3):
        ours, theirs = (list(each.augmented(*book, random.Random(seed))) for each in (right, other))
        assert ours == theirs


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
        "transformer_lib/training/devices.py",
        'return torch.device(there[0] if name == "auto" else name)',
        'return torch.device(there[0] if name <= "auto" else name)',
        "no device has a name that comes before auto",
        any_device,
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
        "transformer_lib/training/distributed.py",
        'if int(os.environ.get("WORLD_SIZE", 1)) == 1 or dist.is_initialized():',
        'if int(os.environ.get("WORLD_SIZE", 1)) <= 1 or dist.is_initialized():',
        "there are never fewer processes than one",
        any_number_of_processes,
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
        "transformer_lib/decoding/speculative.py",
        "return logits_of_words(self.model, x[0]).argmax(dim=-1).tolist()",
        "return logits_of_words(self.model, x[-1]).argmax(dim=-1).tolist()",
        "the first of one sentence is the last",
        only_sentence,
    ),
    Harmless(
        "transformer_lib/decoding/speculative.py",
        "writer, drafter = (Writer(each, src, max_length + 1) for each in (model, draft))",
        "writer, drafter = (Writer(each, src, max_length + 2) for each in (model, draft))",
        "a cache with more room holds the same",
        a_longer_cache,
    ),
    Harmless(
        "transformer_lib/model/embedding.py",
        "angles = _angles(length, d_model, base, d_model / 2)",
        "angles = _angles(length, d_model, base, d_model // 2)",
        "half of an even width is a whole number, and odd ones are refused",
        even_widths,
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
        "for path, line in zip(paths, raw, strict=True)",
        "for path, line in zip(paths, raw, strict=False)",
        "each file gives a line or ends the reading",
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
        "transformer_lib/training/schedules.py",
        "way = min((step - warmup) / max(total - warmup, 1), 1)",
        "way = min((step - warmup) / max(1, total - warmup), 1)",
        "the larger of two numbers is the same, whichever is named first",
        any_cosine,
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
        "if TOM.search(english) and TOM.search(spanish) and rng.random() < RENAMED:",
        "if TOM.search(english) and TOM.search(spanish) and rng.random() <= RENAMED:",
        "no draw of 53 bits comes to a share in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if rng.random() < TYPED:",
        "if rng.random() <= TYPED:",
        "no draw of 53 bits comes to a share in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if rng.random() < JOINED:",
        "if rng.random() <= JOINED:",
        "no draw of 53 bits comes to a share in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if rng.random() < 0.75:",
        "if rng.random() <= 0.75:",
        "no draw of 53 bits comes to a share in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "text = text.lower() if rng.random() < 0.6 else text[:1].lower() + text[1:]",
        "text = text.lower() if rng.random() <= 0.6 else text[:1].lower() + text[1:]",
        "no draw of 53 bits comes to a share in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if rng.random() < 0.5:",
        "if rng.random() <= 0.5:",
        "no draw of 53 bits comes to a share in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if ending < 0.7:",
        "if ending <= 0.7:",
        "no draw of 53 bits comes to a share in years",
        any_name,
    ),
    Harmless(
        "transformer_lib/text/augmentation.py",
        "if ending < 0.85:",
        "if ending <= 0.85:",
        "no draw of 53 bits comes to a share in years",
        any_name,
    ),
]
