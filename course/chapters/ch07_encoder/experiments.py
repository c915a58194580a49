"""What notebook 07 measures: deep stacks, norms, and how alike words become."""

import functools
from collections.abc import Callable, Sequence
from typing import Any

import torch
from torch import Tensor, nn
from torch.nn.functional import cross_entropy, layer_norm, normalize

from course.chapters.journey.experiments import trace
from course.experiments.digit_training import one_thread
from course.grammar.lexicon import NOUNS
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.recording import record_outputs
from transformer_lib.model.encoder import Encoder, EncoderLayer
from transformer_lib.model.layers import PositionwiseFeedForward, SublayerConnection
from transformer_lib.text import english_spanish
from transformer_lib.text.batching import source_batch
from transformer_lib.translator import Translator

SENTENCE = "The tired animal crosses the wide street"
Way = Callable[[Tensor, Callable[[Tensor], Tensor]], Tensor]


def size(x: Tensor) -> float:
    """The root of the mean square: how large a number in x typically is."""
    return x.square().mean().sqrt().item()


def alike(x: Tensor) -> Tensor:
    """The cosine of every two words: (…, s, d_model) -> (…, s, s)."""
    x = normalize(x, dim=-1)
    return x @ x.transpose(-2, -1)


def mean_alike(x: Tensor) -> float:
    """The mean cosine of two different words of a sentence."""
    length = x.size(-2)
    return ((alike(x).sum(dim=(-2, -1)) - length) / (length**2 - length)).mean().item()


def fresh(module: nn.Module) -> nn.Module:
    """As a new Transformer starts: Xavier's uniform matrices, and biases of 0. In doubles."""
    for part in module.double().modules():
        if isinstance(part, nn.Linear):
            nn.init.xavier_uniform_(part.weight)
            if part.bias is not None:
                nn.init.zeros_(part.bias)
    return module.eval()


def fresh_sub_layers(layers: int) -> list[Callable[[Tensor], Tensor]]:
    """Self-attention and feed-forward network of each untrained layer, in turn, as functions."""
    stack = [fresh(EncoderLayer(d_model=64, d_ff=256, h=4, dropout=0.0)) for _ in range(layers)]
    return [
        f
        for layer in stack
        for f in (lambda x, attend=layer.self_attn: attend(x, x, x), layer.feed_forward)
    ]


@torch.enable_grad()
def deep_stack(way: Way, layers: int = 24, seed: int = 0) -> dict[str, list[float]]:
    """Size of the signal and of the gradient, and how alike the words are, layer by layer.

    way: what is done around each sub-layer. The same weights and input for each way.
    """
    torch.manual_seed(seed)
    sub_layers = fresh_sub_layers(layers)
    x = torch.randn(4, 7, 64, dtype=torch.float64, requires_grad=True)  # 4 sentences of 7 words
    xs = [x]
    for f in sub_layers:
        xs.append(way(xs[-1], f))
    xs = xs[::2]  # the input, and what comes out of each layer
    loss = (xs[-1] * torch.randn_like(x)).sum()
    gradients = torch.autograd.grad(loss, xs)
    return {
        "signal": [size(x) for x in xs],
        "gradient": [size(gradient) for gradient in gradients],
        "alike": [mean_alike(x.detach()) for x in xs],
    }


def fresh_norm(x: Tensor) -> Tensor:
    """A layer norm before training: scale 1, shift 0."""
    return layer_norm(x, x.shape[-1:])


WAYS: dict[str, Way] = {
    "f(x)": lambda x, f: f(x),
    "x + f(x)": lambda x, f: x + f(x),
    "norm(f(x))": lambda x, f: fresh_norm(f(x)),
    "norm(x + f(x))": lambda x, f: fresh_norm(x + f(x)),
}


@functools.cache
@one_thread()
def all_ways() -> dict[str, dict[str, list[float]]]:
    """What `deep_stack` measures, for each of the four ways."""
    return {name: deep_stack(way) for name, way in WAYS.items()}


@one_thread()
@torch.no_grad()
def stream(norm_first: bool) -> list[float]:
    """The size of a fresh encoder's vectors: its input, after each layer, and its output."""
    torch.manual_seed(0)
    encoder = fresh(Encoder(24, d_model=64, d_ff=256, h=4, norm_first=norm_first))
    x = torch.randn(4, 7, 64, dtype=torch.float64)
    x /= size(x)  # so that the input has size 1
    xs = [x]
    for layer in encoder.layers:
        xs.append(layer(xs[-1]))
    return [*map(size, xs), size(encoder(x))]


def shares_a_mean(norm: Callable[[Tensor], Tensor], shape: tuple[int, int, int]) -> Tensor:
    """Which numbers are normalized together: whole numbers of this shape, equal in one group.

    Found by trial: one number is changed, and whatever changes with it belongs to its group.
    """
    x = torch.randn(shape, dtype=torch.float64)
    before, groups = norm(x), torch.full(shape, -1)
    for number in range(x.numel()):
        changed = x.clone()
        changed.view(-1)[number] += 1
        groups[(norm(changed) - before).abs() > 1e-9] = number
    return groups


def batch_norm(x: Tensor) -> Tensor:
    """PyTorch's batch norm as in training: each feature over all words of all sentences."""
    return nn.BatchNorm1d(x.size(-1)).to(x)(x.transpose(1, 2)).transpose(1, 2).detach()


@torch.no_grad()
def flow_stations(norm_first: bool) -> list[Any]:
    """The vectors that run through a live `SublayerConnection`, for `around_flow`."""
    torch.manual_seed(4)
    around = fresh(SublayerConnection(8, dropout=0.25, norm_first=norm_first)).train()
    feed_forward = fresh(PositionwiseFeedForward(8, 16))
    seen = {}
    around.norm.register_forward_hook(lambda _, x, y: seen.update(norm_in=x[0], norm_out=y))
    around.dropout.register_forward_hook(lambda _, x, y: seen.update(dropped=y))
    x = fresh_norm(torch.randn(3, 8, dtype=torch.float64)) * torch.tensor([[0.5], [1.0], [2.0]])
    result = around(x, feed_forward)
    added = ["f, then\ndropout", ("what is added", seen["dropped"]), "+"]
    if norm_first:
        return [("x", x), "norm", ("norm(x)", seen["norm_out"]), *added, ("output", result)]
    return [("x", x), *added, ("sum", seen["norm_in"]), "norm", ("output", result)]


LAYERS = ("encoder.layers.0", "encoder.layers.1")


def in_encoder(texts: Sequence[str], *parts: str) -> tuple[list[list[str]], list[Tensor]]:
    """The words of each sentence, and what these parts of the shipped encoder make of them.

    Each tensor is (sentences, positions, …); after the words come <eos> and the padding.
    """
    translator = Translator.load()
    words = [translator.read(text) for text in texts]
    src = source_batch([translator.src.vocab.encode(tokens) for tokens in words])
    with inference_mode(translator.model), record_outputs(translator.model, *parts) as outputs:
        translator.model.encode(src)
    return words, [outputs[part] for part in parts]


def read_by_encoder(texts: Sequence[str]) -> tuple[list[list[str]], list[Tensor]]:
    """The words of each sentence, and what is below and above each layer of the shipped encoder."""
    return in_encoder(texts, "src_positions", *LAYERS)


def hidden_layers(texts: Sequence[str]) -> tuple[list[list[str]], list[Tensor]]:
    """The words, and the numbers of the feed-forward networks' neurons, one tensor for a layer.

    Each is (sentences, positions, d_ff); that of a neuron that doesn't fire is 0.
    """
    words, sums = in_encoder(texts, *(f"{layer}.feed_forward.w_1" for layer in LAYERS))
    return words, [layer.relu() for layer in sums]


@functools.cache
def held_out_neurons() -> tuple[list[str], list[Tensor]]:
    """Every word of the test set, and the numbers of each layer's neurons: (words, d_ff)."""
    texts = [english for english, _ in english_spanish.load("test")]
    every, said = [], []
    for start in range(0, len(texts), 200):
        words, hidden = hidden_layers(texts[start : start + 200])
        every += [word for own in words for word in own]
        said.append(
            [
                torch.cat([rows[: len(own)] for rows, own in zip(one, words, strict=True)])
                for one in hidden
            ]
        )
    return every, [torch.cat(parts) for parts in zip(*said, strict=True)]


def plural_nouns(gender: str) -> set[str]:
    """The English plurals of the nouns that have this gender in Spanish."""
    return {noun.english_plural for noun in NOUNS.values() if noun.default_gender == gender}


def kinds_of_words() -> dict[str, Tensor]:
    """For each kind of word, which of the words of `held_out_neurons` belong to it."""
    words, _ = held_out_neurons()
    groups = {
        "masculine plurals": plural_nouns("m"),
        "feminine plurals": plural_nouns("f"),
        "singular nouns": {noun.english for noun in NOUNS.values()},
    }
    kinds = {
        kind: torch.tensor([word in group for word in words]) for kind, group in groups.items()
    }
    return kinds | {"other words": ~torch.stack(list(kinds.values())).any(dim=0)}


def what_is_added(text: str) -> list[dict[str, Tensor]]:
    """Each layer of the shipped encoder: its input x, what attention and feed-forward add to it,
    the sums after their norms, and the attention weights of the words (mean of the heads).

    The vectors are (words, d_model), <eos> included; the weights (words, words).
    """
    way, x, found = trace(Translator.load(), text), "src_positions", []
    for layer in LAYERS:
        parts = {
            "x": x,
            "attention": f"{layer}.self_attn",
            "between": f"{layer}.residual_self_attn",
            "feed_forward": f"{layer}.feed_forward",
            "output": layer,
        }
        vectors = {name: way.outputs[part] for name, part in parts.items()}
        found.append(vectors | {"weights": way.weights[f"{layer}.self_attn"].mean(dim=0)})
        x = layer
    return found


def others(cosines: Tensor) -> Tensor:
    """Without the diagonal: each word is like itself."""
    return cosines.masked_fill(torch.eye(len(cosines), dtype=torch.bool), torch.nan)


TEN_NOUNS = ("dog", "car", "book", "hat", "train", "house", "table", "apple", "flower", "shirt")


def red_things() -> dict[str, Tensor]:
    """How alike the vectors of "red" before ten nouns are, in each layer (10, 10)."""
    _, xs = read_by_encoder([f"I like the red {noun}" for noun in TEN_NOUNS])
    return {title: alike(x[:, 3]) for title, x in zip(titles(xs), xs, strict=True)}


def likeness_of_nouns() -> tuple[list[str], Tensor, Tensor, list[Tensor]]:
    """The nouns of `gendered_nouns` in both numbers, which are plurals, and which feminine.

    Then, below and above each layer, the cosine of every two in "I like the ..." (nouns, nouns).
    """
    known = Translator.load().src.vocab.tokens
    nouns = [
        noun
        for noun in gendered_nouns()
        if noun.english != noun.english_plural and noun.english_plural in known
    ]
    both = [noun.english_plural for noun in nouns] + [noun.english for noun in nouns]
    _, xs = read_by_encoder([f"I like the {noun}" for noun in both])
    plural = torch.arange(len(both)) < len(nouns)
    feminine = torch.tensor(2 * [noun.gender == "f" for noun in nouns])
    return both, plural, feminine, [alike(x[:, 3]) for x in xs]


def gendered_nouns() -> list[Any]:
    """The nouns that the shipped translator knows and that have one gender in Spanish."""
    known = Translator.load().src.vocab.tokens
    return [noun for noun in NOUNS.values() if noun.gender in "mf" and noun.english in known]


def gender_gap(frame: str) -> dict[str, dict[str, float]]:
    """Layer -> word -> how much more alike it is with nouns of one gender than with both.

    frame: a sentence with a place for the noun, filled with each of `gendered_nouns`.
    """
    nouns = gendered_nouns()
    words, xs = read_by_encoder([frame.format(noun.english) for noun in nouns])
    feminine = torch.tensor([noun.gender == "f" for noun in nouns])
    same = (feminine[:, None] == feminine) & ~torch.eye(len(nouns), dtype=torch.bool)
    other = feminine[:, None] != feminine
    names = [word if word != nouns[0].english else "noun" for word in words[0]]
    return {
        title: {
            name: (cosines[same].mean() - cosines[other].mean()).item()
            for name, cosines in zip(names, alike(x.transpose(0, 1)), strict=False)
        }
        for title, x in zip(titles(xs), xs, strict=True)
    }


@one_thread()
@torch.enable_grad()
def learns_to_copy(way: Way) -> float:
    """Train a small stack to name the digit at each position -> the share of right ones.

    The easiest task there is: each word has to come out as it went in.
    """
    torch.manual_seed(0)
    stack = nn.ModuleList(EncoderLayer(32, 64, 4, dropout=0.0) for _ in range(6))
    fresh(stack).float()
    embedding, generator = nn.Embedding(10, 32), nn.Linear(32, 10)
    parameters = [p for part in (embedding, stack, generator) for p in part.parameters()]
    optimizer = torch.optim.Adam(parameters, lr=2e-3)
    for _ in range(50):
        digits = torch.randint(10, (32, 5))
        x = embedding(digits)
        for layer in stack:
            x = way(x, lambda x, layer=layer: layer.self_attn(x, x, x))
            x = way(x, layer.feed_forward)
        logits = generator(x)
        loss = cross_entropy(logits.flatten(0, 1), digits.flatten())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
    return (logits.argmax(-1) == digits).float().mean().item()


def titles(xs: Sequence[Tensor]) -> list[str]:
    return ["input", *(f"layer {layer}" for layer in range(len(xs) - 1))]
