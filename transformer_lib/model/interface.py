"""What training and decoding ask of a model. The Transformer and its variants provide it."""

from collections.abc import Iterator, Mapping
from typing import Any, ClassVar, Protocol, Self

import torch
from torch import Tensor, nn

from transformer_lib.model.embedding import Embeddings
from transformer_lib.model.transformer import Generator


class Parts(Protocol):
    """What the library uses of any `nn.Module`: its parts, its parameters, its mode."""

    def modules(self) -> Iterator[nn.Module]: ...
    def named_modules(self) -> Iterator[tuple[str, nn.Module]]: ...
    def parameters(self) -> Iterator[nn.Parameter]: ...
    def named_parameters(self) -> Iterator[tuple[str, nn.Parameter]]: ...
    def named_buffers(self) -> Iterator[tuple[str, Tensor]]: ...
    def state_dict(self, *, keep_vars: bool = False) -> dict[str, Any]: ...
    def load_state_dict(self, state_dict: Mapping[str, Any], /) -> Any: ...
    def train(self, mode: bool = True) -> Self: ...
    def eval(self) -> Self: ...
    def bfloat16(self) -> Self: ...
    def to(self, device: torch.device, /) -> Self: ...


class Sizes(Protocol):
    """What training and saving need of a model's config: it is a dataclass, and has d_model."""

    __dataclass_fields__: ClassVar[dict[str, Any]]

    @property
    def d_model(self) -> int: ...


class Seq2SeqModel(Parts, Protocol):
    """A model that reads one sequence of ids and writes another.

    The Transformer, the recurrent translator and the language model (which reads an empty source)
    are such models. src (b, s) and tgt_in (b, t) are ids; the memory has b rows and any other axes.
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
    """A model with embeddings on both sides, which a `Translator` needs."""

    @property
    def src_embed(self) -> Embeddings: ...
    @property
    def tgt_embed(self) -> Embeddings: ...
    def __call__(self, src: Tensor, tgt_in: Tensor, /) -> Tensor:
        """-> logits (b, t, vocab_size)."""
        ...
