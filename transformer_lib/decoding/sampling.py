"""Sampling: words drawn at random, by the model's probabilities or by adjusted ones."""

import math

import torch
from torch import Tensor

from transformer_lib.checks import number, whole
from transformer_lib.decoding.beam import Hypothesis
from transformer_lib.decoding.state import DecoderState, inference_mode
from transformer_lib.ids import EOS
from transformer_lib.model.interface import Seq2SeqModel


def sampling_distribution(
    logits: Tensor, *, temperature: float = 1.0, top_k: int | None = None, top_p: float = 1.0
) -> Tensor:
    """softmax(logits / temperature), cut down to the likeliest words and normalized again.

    logits (…, vocab_size) -> probabilities (…, vocab_size) that add up to 1; they have no unit.
    temperature: below 1 likely words gain, above 1 unlikely ones; near 0 the likeliest gets all.
    top_k: only the k likeliest words (None: all). top_p: of these, the fewest likeliest words
    that have a probability of at least top_p together; one word always stays (1.0: all).
    Raises ValueError unless temperature > 0, top_k >= 1 and 0 < top_p <= 1.
    """
    check_sampling(temperature, top_k, top_p)
    best = logits.max(dim=-1, keepdim=True).values  # subtracted first, so no temperature is too low
    p = ((logits - best) / temperature).softmax(dim=-1)
    if top_k is not None and top_k < p.size(-1):
        words = p.topk(top_k, dim=-1).indices
        p = torch.zeros_like(p).scatter(-1, words, p.gather(-1, words))
        p = p / p.sum(dim=-1, keepdim=True)
    if top_p < 1:
        likeliest, words = p.sort(dim=-1, descending=True, stable=True)
        before = likeliest.cumsum(dim=-1) - likeliest  # what the likelier words have together
        p = torch.zeros_like(p).scatter(-1, words, likeliest.masked_fill(before >= top_p, 0.0))
        p = p / p.sum(dim=-1, keepdim=True)
    return p


def sample_decode(
    model: Seq2SeqModel,
    src: Tensor,
    *,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float = 1.0,
    generator: torch.Generator | None = None,
    max_length: int = 64,
    cache: bool = True,
) -> list[Hypothesis]:
    """Translations whose words are drawn at random (`sampling_distribution`), until <eos>.

    src (b, s) ids -> b hypotheses, one for each sentence. Their log_prob, in nats, is by the
    model's own probabilities, as in beam search, before they are sharpened. generator: the source
    of random numbers (None: PyTorch's own). A seed gives the same translations in a batch or
    sentence by sentence: each sentence takes max_length numbers, one for each word it might have.
    cache=False: slower, same result. ValueError as in `sampling_distribution`, or max_length < 1.
    """
    whole("max_length", max_length)
    check_sampling(temperature, top_k, top_p)
    found: dict[int, Hypothesis] = {}
    with inference_mode(model):
        state = DecoderState(model, src, max_length, cache)
        uniform = random_numbers((len(src), max_length), generator).to(src.device)
        sentence = torch.arange(len(src), device=src.device)  # which one each row belongs to
        log_prob = torch.zeros(len(src), device=src.device)
        for place in range(max_length):
            logits = state.next_logits()
            p = sampling_distribution(logits, temperature=temperature, top_k=top_k, top_p=top_p)
            words = sample(p, uniform[sentence, place])
            log_prob = log_prob + logits.log_softmax(dim=-1).gather(1, words[:, None])[:, 0]
            state.append(words)
            ended = words == EOS
            _write_down(found, sentence[ended], state.words[ended, 1:-1], log_prob[ended])
            if ended.any():
                rows = (~ended).nonzero().squeeze(1)
                state.select(rows)
                sentence, log_prob = sentence[rows], log_prob[rows]
            if len(sentence) == 0:
                break
        _write_down(found, sentence, state.words[:, 1:], log_prob, finished=False)
    return [found[i] for i in range(len(src))]


def random_numbers(shape: int | tuple[int, int], generator: torch.Generator | None) -> Tensor:
    """Numbers from [0, 1), drawn where the generator is (None: PyTorch's own, on the CPU).

    So a seed gives the same numbers wherever the model computes.
    """
    return torch.rand(
        shape, generator=generator, device=generator.device if generator is not None else "cpu"
    )


def sample(probabilities: Tensor, uniform: Tensor) -> Tensor:
    """(b, vocab_size) probabilities, (b) random numbers in [0, 1) -> (b) words.

    Side by side, the probabilities fill the line from 0 to 1; the number falls on one word's part.
    """
    ends = probabilities.double().cumsum(dim=-1)
    points = uniform.double()[:, None] * ends[:, -1:]  # the sum is 1 but for the last digits
    return (ends > points).int().argmax(dim=-1)


def _write_down(
    found: dict[int, Hypothesis],
    sentences: Tensor,
    words: Tensor,
    log_prob: Tensor,
    finished: bool = True,
) -> None:
    for i, ids, total in zip(sentences.tolist(), words.tolist(), log_prob.tolist(), strict=True):
        found[i] = Hypothesis(ids, total, total, finished)


def check_sampling(temperature: float, top_k: int | None, top_p: float) -> None:
    """ValueError for what `sampling_distribution` can't use."""
    number("temperature", temperature)
    number("top_p", top_p)
    if not 0 < temperature < math.inf:
        raise ValueError(f"temperature={temperature} must be more than 0; greedy is near 0")
    if top_k is not None:
        whole("top_k", top_k)
    if not 0 < top_p <= 1:
        raise ValueError(f"top_p={top_p} must be more than 0 and at most 1")
