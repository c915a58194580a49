"""A language model: the Transformer's decoder, without encoder and cross-attention.

model = LanguageModel(len(vocab), SMALL)
train(model, as_lm_pairs(sentences), as_lm_pairs(others), TrainingConfig())
sample_decode(model, empty_sources(5))           # five sentences
generate(model, prompt, max_new_tokens=10)       # (b, t) ids -> (b, t + 10)
load_gpt2("gpt2")                                # a folder with GPT-2's weights (gpt2.py)
"""

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor, nn

from transformer_lib.checks import instance, whole
from transformer_lib.decoding import (
    CachedDecoder,
    IncrementalDecoder,
    WholePrefix,
    inference_mode,
    sampling_distribution,
)
from transformer_lib.decoding.cache import runs_as_written
from transformer_lib.decoding.sampling import random_numbers, sample
from transformer_lib.ids import check_ids
from transformer_lib.model.attention import MultiHeadAttention
from transformer_lib.model.config import ModelConfig
from transformer_lib.model.embedding import Embeddings
from transformer_lib.model.layers import (
    PositionwiseFeedForward,
    SublayerConnection,
    final_norm,
    initialize,
)
from transformer_lib.model.masks import causal_mask
from transformer_lib.model.transformer import Generator, make_positions
from transformer_lib.text.batching import Ids, source_batch


class LanguageModelLayer(nn.Module):
    """Masked self-attention, then the feed-forward network: no cross-attention.

    Its parts are those of an encoder layer: what makes it a decoder is the mask. x (b, t, d_model),
    mask (b, 1, t, t) -> (b, t, d_model).
    """

    def __init__(
        self, d_model: int, d_ff: int, h: int, dropout: float = 0.1, norm_first: bool = False
    ):
        super().__init__()
        self.self_attn = MultiHeadAttention(d_model, h)
        self.feed_forward = PositionwiseFeedForward(d_model, d_ff)
        self.residual_self_attn = SublayerConnection(d_model, dropout, norm_first)
        self.residual_feed_forward = SublayerConnection(d_model, dropout, norm_first)

    def forward(self, x: Tensor, *, mask: Tensor) -> Tensor:
        x = self.residual_self_attn(x, lambda x: self.self_attn(x, x, x, mask=mask))
        return self.residual_feed_forward(x, self.feed_forward)


class LanguageModel(nn.Module):
    """p(next word | words so far), at all places at once (Liu et al. 2018; GPT: Radford 2018).

    ids (b, t), padded with PAD on the right -> logits (b, t, vocab_size) for the word after each.
    No mask for the padding is needed: it is at the end, and no position attends to later ones.

    `encode` and `decode` are called as those of `Transformer`, with a source that is ignored. So
    training, greedy decoding, beam search and sampling work with it as they are.
    """

    def __init__(self, vocab_size: int, config: ModelConfig):
        super().__init__()
        instance("config", config, ModelConfig)
        self.config = config
        sizes = (config.d_model, config.d_ff, config.h, config.dropout, config.norm_first)
        self.tgt_embed = Embeddings(vocab_size, config.d_model)
        self.tgt_positions = make_positions(config)
        self.layers = nn.ModuleList(LanguageModelLayer(*sizes) for _ in range(config.N))
        self.norm = final_norm(config.d_model, config.norm_first)
        self.generator = Generator(config.d_model, vocab_size)
        initialize(self)
        if config.tie_weights != "none":
            self.generator.proj.weight = self.tgt_embed.table.weight

    def forward(self, ids: Tensor) -> Tensor:
        return self.generator(self.decode(ids))

    def encode(self, src: Tensor) -> Tensor:
        """The memory is the source itself (b, s), which `decode` ignores."""
        return src

    def decode(
        self, tgt_in: Tensor, memory: Tensor | None = None, src: Tensor | None = None
    ) -> Tensor:
        """(b, t) ids -> (b, t, d_model), all positions at once."""
        check_ids("ids", tgt_in, self.tgt_embed.table.num_embeddings, padded=False)
        x = self.tgt_positions(self.tgt_embed(tgt_in))
        mask = causal_mask(tgt_in.size(1), tgt_in.device)
        for layer in self.layers:
            x = layer(x, mask=mask)
        return self.norm(x)

    def incremental_decoder(
        self, memory: Tensor, src: Tensor, max_length: int
    ) -> IncrementalDecoder:
        """A decoder that reads at most max_length words, one by one."""
        if not can_be_cached(self):
            return WholePrefix(self, memory, src)
        parts = self.tgt_embed, self.tgt_positions, list(self.layers), self.norm
        return CachedDecoder(*parts, max_length)


def can_be_cached(model: LanguageModel) -> bool:
    """Whether `CachedDecoder` computes what the model's `decode` does."""
    return runs_as_written(model, LanguageModel.decode) and all(
        runs_as_written(layer, LanguageModelLayer.forward)
        and runs_as_written(layer.self_attn, MultiHeadAttention.forward)
        for layer in model.layers
    )


def language_model(tgt_vocab_size: int, **settings: Any) -> LanguageModel:
    """A model with the settings of a config.json, for load_model(folder, build=language_model)."""
    return LanguageModel(tgt_vocab_size, ModelConfig(**settings))


def as_lm_pairs(sentences: Sequence[Ids]) -> list[tuple[Ids, Ids]]:
    """Sentences as pairs for `train`: each is the target of an empty source."""
    return [([], ids) for ids in sentences]


def empty_sources(count: int) -> Tensor:
    """Empty sources (count, 1), from which `sample_decode` and the like write `count` sentences."""
    whole("count", count)
    return source_batch([[]] * count)


def generate(
    model: LanguageModel,
    ids: Tensor,
    max_new_tokens: int,
    *,
    generator: torch.Generator | None = None,
    cache: bool = True,
    **sampling: Any,
) -> Tensor:
    """Write max_new_tokens more words after each row, drawn as `sample_decode` does.

    ids (b, t), prompts of one length -> (b, t + max_new_tokens). No id ends a row, not even <eos>.
    generator: the source of random numbers (None: PyTorch's own). cache=False: slower, with the
    same result. sampling: temperature, top_k and top_p, as for `sampling_distribution`. ValueError
    for a prompt of no words, or with unknown ids, and for max_new_tokens below 0.
    """
    whole("max_new_tokens", max_new_tokens, 0)
    check_ids("ids", ids, model.tgt_embed.table.num_embeddings, padded=False)
    with inference_mode(model):
        source = model.encode(ids[:, :0])
        decoder = (
            model.incremental_decoder(source, source, ids.size(1) + max_new_tokens)
            if cache
            else WholePrefix(model, source, source)
        )
        new = ids
        for _ in range(max_new_tokens):
            p = sampling_distribution(model.generator(decoder.read(new)[:, -1]).float(), **sampling)
            new = sample(p, random_numbers(len(ids), generator).to(ids.device))[:, None]
            ids = torch.cat([ids, new], dim=1)
    return ids.clone()  # outside, where a tensor may be trained with


def prefix_mask(ids: Tensor, separator: int) -> Tensor:
    """The mask by which a prompt is read in both directions, and the rest from left to right.

    ids (b, t) -> (b, 1, t, t), boolean, True = may attend: each position may attend to all words up
    to the row's last `separator`, and to the words so far. Without a separator: the causal mask.
    This makes a "prefix LM" (Raffel et al. 2020, figure 4).
    """
    prompt = (ids == separator).flip(-1).cumsum(dim=-1).flip(-1) > 0
    return causal_mask(ids.size(1), ids.device) | prompt[:, None, None, :]
