"""Whatever the text is: it comes back, nothing is lost, and what is wrong is named."""

import gzip
import unicodedata

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from transformer_lib.text.batching import batch_indices, make_batch, pair_lengths
from transformer_lib.text.normalizing import AS_IT_IS, normalizer
from transformer_lib.text.parallel import CorpusError, read_parallel
from transformer_lib.text.stand_ins import STAND_INS, put_back, replace_by_stand_ins
from transformer_lib.text.subwords import Subwords
from transformer_lib.text.tokenized_dataset import TokenizedDataset, encode_pairs
from transformer_lib.text.tokens import BOS, EOS, PAD, SPECIALS, UNK, Tokenizer, Vocabulary

LETTERS = st.characters(exclude_categories=["Cs"])  # without halves of letters
TEXTS = st.text(LETTERS, max_size=40) | st.text("aáé'’ .,!?¿¡<eos>tn\n", max_size=40)
IDS = st.lists(st.integers(4, 60), max_size=12)
PAIRS = st.lists(st.tuples(IDS, IDS), max_size=12)
SUBWORDS = Subwords.learn(["Good morning, trees!", "¿Dónde están los árboles?"] * 9, 300)
PIECES = SUBWORDS.vocabulary()
TOKENIZERS = [Tokenizer(language) for language in ("en", "es", "de")]


# --- tokenizers ----------------------------------------------------------------------------------


@given(TEXTS)
@pytest.mark.slow
def test_subwords_give_every_text_back(text):
    composed = unicodedata.normalize("NFC", text)
    ids = SUBWORDS.encode_all([text])[0]
    assert PIECES.encode(SUBWORDS(text)) == ids and not {PAD, BOS, EOS, UNK} & set(ids)
    # a space before the first word is the tokenizer's own, so one that was there is not kept
    assert SUBWORDS.detokenize(PIECES.decode(ids)) == composed.removeprefix(" ")


@given(st.sampled_from(TOKENIZERS), TEXTS)
@pytest.mark.slow
def test_a_tokenizer_drops_nothing_but_space(tokenizer, text):
    composed = unicodedata.normalize("NFC", text).replace("’", "'")
    assert "".join("".join(tokenizer.split(text)).split()) == "".join(composed.split())


@given(st.sampled_from(TOKENIZERS), TEXTS)
def test_detokenized_text_has_the_same_letters_in_their_order(tokenizer, text):
    tokens = tokenizer.split(text)
    letters = "".join(tokenizer.detokenize(tokens).split())
    # the first one may be a capital now: ß becomes SS
    assert letters.upper() == "".join("".join(tokens).split()).upper()
    first = next((i for i, letter in enumerate(letters) if letter.isalpha()), len(letters))
    assert letters[:first] == "".join("".join(tokens).split())[:first]


@given(st.lists(st.text(LETTERS, min_size=1, max_size=5), max_size=12, unique=True))
def test_words_and_numbers_undo_each_other(words):
    words = [word for word in words if word not in SPECIALS]
    vocabulary = Vocabulary(words)
    ids = vocabulary.encode(words)
    assert ids == list(range(len(SPECIALS), len(vocabulary)))
    assert vocabulary.decode([BOS, *ids, EOS, *ids, PAD]) == words
    assert Vocabulary.build([words, words[:1]]).tokens[4:] == [*words[:1], *sorted(words[1:])]


COPIED = ["a@b.de", "www.x.org", "5:30", "90210", "B52", "{x}", "1999", "7%", "and", "🍕", "Ñam"]


@given(st.lists(st.sampled_from([*COPIED, *STAND_INS["link"], *STAND_INS["emoji"]]), max_size=8))
def test_what_is_replaced_by_a_stand_in_comes_back(words):
    text = " ".join(words)
    read, replaced = replace_by_stand_ins(text)
    assert put_back(read, replaced) == text
    assert all(one not in text for one, _ in replaced)


@given(st.text("ab5 -,?!&—’\u00a0\u200b\u200d\t\n🍕") | st.text(), st.sampled_from(["en", "xx"]))
def test_a_normalized_text_stays_as_it_is_and_keeps_its_letters(text, language):
    once = normalizer(language)(text)
    assert normalizer(language)(once) == once
    assert "  " not in once and once == once.strip() and once.isprintable() >= text.isprintable()
    assert any(map(str.isalnum, once)) == any(map(str.isalnum, text))
    assert AS_IT_IS(text) == text


# --- batches -------------------------------------------------------------------------------------


@given(PAIRS.filter(bool))
def test_a_batch_holds_its_sentences_and_nothing_else(pairs):
    batch = make_batch(pairs)
    for row, (src, tgt) in enumerate(pairs):
        for table, ids in (
            (batch.src, [*src, EOS]),
            (batch.tgt_in, [BOS, *tgt]),
            (batch.tgt_out, [*tgt, EOS]),
        ):
            assert table[row].tolist() == ids + [PAD] * (table.size(1) - len(ids))
    assert batch.src.size(1) == max(len(src) for src, _ in pairs) + 1
    assert batch.tgt_in.shape == batch.tgt_out.shape


@given(PAIRS, st.integers(1, 60), st.integers(0, 5))
def test_batches_hold_each_pair_once_within_the_limit(pairs, max_tokens, seed):
    batches = batch_indices(pairs, max_tokens, seed)
    assert sorted(sum(batches, [])) == list(range(len(pairs))) and all(batches)
    assert batch_indices(pairs, max_tokens, seed) == batches
    for batch in batches:
        widest = max(max(map(len, pairs[i])) + 1 for i in batch)
        assert widest * len(batch) <= max_tokens or len(batch) == 1
    # sentences of similar length are together: no batch lies across another
    widths = [sorted(max(map(len, pairs[i])) for i in batch) for batch in batches]
    widths.sort(key=lambda each: (each[-1], each[0]))
    assert all(one[-1] <= other[0] for one, other in zip(widths, widths[1:], strict=False))


@given(st.lists(st.tuples(st.text("ab ", max_size=9), st.text("ab ", max_size=9))))
def test_what_is_encoded_on_disk_is_what_was_given(tmp_path_factory, pairs):
    def encode_all(texts):
        return [[ord(letter) for letter in text] for text in texts]

    pairs = [*pairs, ("a", "")]  # with a letter at least
    folder = tmp_path_factory.mktemp("pairs") / "encoded"
    encoded = encode_pairs(iter(pairs), encode_all, 200, folder)
    expected = [tuple(encode_all(pair)) for pair in pairs]
    assert list(encoded) == list(TokenizedDataset(folder)) == expected and len(encoded) == len(
        pairs
    )
    assert (pair_lengths(encoded) == pair_lengths(expected)).all()
    assert encoded[1:] == expected[1:]


# --- files of pairs ------------------------------------------------------------------------------

LINES = st.lists(
    st.binary(max_size=12)
    | st.sampled_from(
        [b"Hi\tHola", b"Hi\tHola\tCC", b"", b"Hi", b"\xef\xbb\xbfHi\tHola", b"\t", b"\r"]
    )
    | st.builds(lambda one, other: f"{one}\t{other}".encode(), TEXTS, TEXTS)
)


def read(paths, skip_bad):
    """The pairs, what was said of bad lines, and of what ended the reading."""
    pairs, said = [], []
    try:
        for pair in read_parallel(paths, skip_bad=skip_bad, report=said.append):
            pairs.append(pair)
    except CorpusError as error:
        return pairs, said, str(error)
    return pairs, said, ""


def is_sentence(message):
    return message and "\n" not in message and "Traceback" not in message


@given(LINES, st.sampled_from([b"\n", b"\r\n"]), st.booleans())
@example([b"\xff"], b"\n", True)
def test_each_line_of_any_file_is_a_pair_or_a_sentence_with_its_number(
    tmp_path_factory, content, end, packed
):
    whole = end.join(content)
    path = tmp_path_factory.getbasetemp() / f"pairs.tsv{'.gz' * packed}"
    path.write_bytes(gzip.compress(whole) if packed else whole)
    filled = sum(bool(line.strip()) for line in whole.split(b"\n"))
    pairs, said, ended = read([path], skip_bad=10**6)
    if ended:  # no pair at all, or no text
        assert is_sentence(ended) and str(path) in ended and not pairs
        return
    assert len(pairs) + len(said) == filled
    numbers = []
    for message in said:
        assert is_sentence(message) and message.startswith(f"{path}, line ")
        numbers.append(int(message.removeprefix(f"{path}, line ").split(":")[0]))
    assert numbers == sorted(set(numbers))
    assert all(1 <= number <= whole.count(b"\n") + 1 for number in numbers)
    for pair in pairs:
        assert all(text == text.strip() and text and "\t" not in text for text in pair)
        assert f"{pair[0]}".encode() in whole and f"{pair[1]}".encode() in whole
    bad = [message for message in said if "the header of a table" not in message]
    if bad:  # without skip_bad the first of them ends it
        before, _, ended = read([path], skip_bad=0)
        assert before == pairs[: len(before)] and ended.startswith(bad[0]) and is_sentence(ended)


@given(LINES, LINES)
def test_of_two_files_every_pair_stands_in_one_line_of_each(tmp_path_factory, english, spanish):
    paths = [tmp_path_factory.getbasetemp() / f"train.{side}" for side in ("en", "es")]
    for path, content in zip(paths, (english, spanish), strict=True):
        path.write_bytes(b"\n".join(content))
    lines = [path.read_bytes().split(b"\n") for path in paths]
    filled = [[n for n, line in enumerate(each) if line.strip()] for each in lines]
    pairs, said, ended = read(paths, skip_bad=10**6)
    if ended:
        assert is_sentence(ended) and any(str(path) in ended for path in paths)
    else:
        assert len(pairs) + len(said) == len({*filled[0], *filled[1]})
    assert all(is_sentence(message) and ", line " in message for message in said)
    at = -1
    for source, target in pairs:  # in their order, from the same line of both
        at = next(
            i
            for i in range(at + 1, min(map(len, lines)))
            if source.encode() in lines[0][i].replace(b"\t", b" ")
            and target.encode() in lines[1][i].replace(b"\t", b" ")
        )


@given(st.binary(max_size=60), st.sampled_from(["tsv", "gz", "xz", "zip", "tar"]))
def test_bytes_that_are_no_archive_are_refused_in_a_sentence(tmp_path_factory, content, ending):
    path = tmp_path_factory.getbasetemp() / f"any.{ending}"
    path.write_bytes(content)
    pairs, _, ended = read([path], skip_bad=10**6)
    assert is_sentence(ended) != bool(pairs)
    assert ended == "" or str(path) in ended
