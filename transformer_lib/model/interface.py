"""What training and decoding ask of a model: the Transformer has it, and so have its variants."""

from collections.abc import Iterator
from typing import Protocol, Self

from torch import Tensor, nn

from transformer_lib.model.embedding import Embeddings
from transformer_lib.model.transformer import Generator


class Parts(Protocol):
    """Any `nn.Module`, as far as its parts and parameters are asked for."""

    def modules(self) -> Iterator[nn.Module]: ...

    def named_modules(self) -> Iterator[tuple[str, nn.Module]]: ...

    def parameters(self) -> Iterator[nn.Parameter]: ...

    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]: ...

    def train(self, mode: bool = True) -> Self: ...

    def eval(self) -> Self: ...


class Sizes(Protocol):
    """A model's config, as far as training asks for it."""

    @property
    def d_model(self) -> int: ...


class Seq2SeqModel(Parts, Protocol):
    """A model that reads one sequence of ids and writes another.

    The Transformer, the recurrent translator and the language model (which reads an empty source)
    are such models. src (b, s) and tgt_in (b, t) are ids; the memory has b rows, and its further
    axes are the model's own business.
    """

    @property
    def config(self) -> Sizes: ...

    @property
    def generator(self) -> Generator:
        """A module, (..., d_model) -> logits (..., vocab_size)."""
        ...

    def encode(self, src: Tensor, /) -> Tensor:
        """src -> memory."""
        ...

    def decode(self, tgt_in: Tensor, memory: Tensor, src: Tensor, /) -> Tensor:
        """-> (b, t, d_model), all positions at once; none depends on a later word."""
        ...


class TranslationModel(Seq2SeqModel, Protocol):
    """One with embeddings on both sides: what a `Translator` is made of."""

    @property
    def src_embed(self) -> Embeddings: ...

    @property
    def tgt_embed(self) -> Embeddings: ...

    def __call__(self, src: Tensor, tgt_in: Tensor, /) -> Tensor:
        """-> logits (b, t, vocab_size)."""
        ...
