"""Text -> subwords -> text: for real text, where no list of words is ever complete.

    "Good morning, Nguyễn"  ->  ĠGood Ġmorning , ĠN gu y á » ħ n

Byte-pair encoding begins with the 256 bytes and joins, again and again, the two neighbors that
are most frequent in the training text: frequent words become one piece, rare ones several, and what
was never seen is spelled byte by byte. So nothing is unknown. Ġ stands for the space before a word.
(Sennrich et al. 2016, https://arxiv.org/abs/1508.07909; here by Hugging Face's `tokenizers`.)
"""

from collections.abc import Iterable, Sequence

from transformer_lib.ids import SPECIALS
from transformer_lib.text.tokens import Vocabulary
from transformer_lib.text.user_input import several

SMALLEST = 256 + len(SPECIALS)  # every byte, and the special tokens


class Subwords:
    """Cuts text of any language into subwords, and joins them to the same text again.

    content: the result of `to_json`. Raises ValueError for any other text.
    """

    def __init__(self, content: str):
        import tokenizers  # here, because it is needed for nothing else

        try:
            self._bpe = tokenizers.Tokenizer.from_str(content)
        except Exception as error:  # the package raises nothing narrower
            raise ValueError(f"these are no subwords: {error}") from None
        self._bpe.encode_special_tokens = True  # somebody who types <eos> means five letters
        if [self._bpe.id_to_token(i) for i in range(len(SPECIALS))] != list(SPECIALS):
            raise ValueError(f"the first subwords must be {', '.join(SPECIALS)}")

    def __repr__(self) -> str:
        return f"Subwords({self._bpe.get_vocab_size()} pieces)"

    @classmethod
    def learn(cls, texts: Iterable[str], size: int) -> "Subwords":
        """Learn at most `size` subwords, special tokens included, from training texts only.

        The same texts give the same subwords, a small text fewer. ValueError below SMALLEST.
        """
        if size < SMALLEST:
            raise ValueError(
                f"subwords={size} must be {SMALLEST} or more: every byte and {len(SPECIALS)} "
                f"special tokens"
            )
        from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, trainers

        bpe = Tokenizer(models.BPE())
        bpe.normalizer = normalizers.NFC()
        bpe.pre_tokenizer = pre_tokenizers.ByteLevel(add_prefix_space=True)
        bpe.decoder = decoders.ByteLevel()
        trainer = trainers.BpeTrainer(
            vocab_size=size,
            special_tokens=list(SPECIALS),
            initial_alphabet=pre_tokenizers.ByteLevel.alphabet(),
            show_progress=False,
        )
        bpe.train_from_iterator(several(texts, "texts"), trainer)
        return cls(bpe.to_str())

    def __call__(self, text: str) -> list[str]:
        """The pieces of a text, which a model reads."""
        return self._bpe.encode(text).tokens

    def encode_all(self, texts: Sequence[str]) -> list[list[int]]:
        """The ids of many texts at once, which is faster."""
        return [found.ids for found in self._bpe.encode_batch_fast(list(several(texts, "texts")))]

    def encode_with_dropout(self, texts: Sequence[str], dropout: float) -> list[list[int]]:
        """As `encode_all`, but each join is left out with this probability, for training.

        BPE-dropout (Provilkov et al. 2020, https://arxiv.org/abs/1910.13267). The package takes no
        seed, so each call cuts the text differently.
        """
        varied = type(self._bpe).from_str(self._bpe.to_str())
        varied.encode_special_tokens = True
        varied.model.dropout = dropout
        return [found.ids for found in varied.encode_batch_fast(list(several(texts, "texts")))]

    def detokenize(self, tokens: Sequence[str]) -> str:
        """The text as it was, spaces and punctuation included (in Unicode's composed form, NFC).

        Bytes that form no letter, which a model may write, are left out.
        """
        text = str(self._bpe.decoder.decode(list(several(tokens, "tokens"))))
        return text.replace("\ufffd", "").removeprefix(" ")

    def piece(self, token: str) -> str:
        """The text of one subword, if it holds whole letters."""
        return str(self._bpe.decoder.decode([token]))

    def vocabulary(self) -> Vocabulary:
        """All pieces with their ids."""
        ids = self._bpe.get_vocab()
        return Vocabulary(sorted(ids, key=ids.__getitem__)[len(SPECIALS) :])

    def to_json(self) -> str:
        """The text of a tokenizer.json, which Hugging Face's libraries can read too."""
        return self._bpe.to_str(pretty=True)
