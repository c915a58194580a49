"""What is measured of a dictionary: how well it rebuilds, and how much of the truth it holds."""

from collections.abc import Callable
from typing import Any

import torch
import torch.nn.functional as F
from torch import Tensor

from course.chapters.ch20_features.labels import Asked
from transformer_lib.decoding import inference_mode
from transformer_lib.interpret.patching import Edit, patch_outputs
from transformer_lib.text.batching import make_batch
from transformer_lib.text.tokens import PAD
from transformer_lib.translator import Translator
from transformer_lib.variants.sae import SparseAutoencoder

SITE = "encoder.layers.1"  # its output is the memory that the decoder reads
MOST = 2500  # words asked of a property, at most
Activations = Callable[[Tensor], Tensor]  # vectors (n, d) -> what is read off them (n, candidates)


# --- the residual stream -------------------------------------------------------------------------


def read(translator: Translator, texts: list[str], batch: int = 256) -> tuple[Tensor, Tensor]:
    """English texts -> ids (b, s) and the residual stream after the last layer (b, s, d_model)."""
    src = translator.batch([translator.src.encode(text) for text in texts])
    with inference_mode(translator.model):
        memory = torch.cat([translator.model.encode(part) for part in src.split(batch)])
    return src, memory


def vectors(translator: Translator, texts: list[str]) -> Tensor:
    """The vectors of all words (n, d_model), those of <eos> included."""
    src, memory = read(translator, texts)
    return memory[src != PAD]


# --- how well it rebuilds ------------------------------------------------------------------------


def loss_with(translator: Translator, pairs: list[tuple[str, str]], edit: Edit | None) -> float:
    """Nats per Spanish word, each after the right ones, with an edited residual stream."""
    batch = make_batch([(translator.src.encode(a), translator.tgt.encode(b)) for a, b in pairs])
    total = 0.0
    model = translator.model
    with inference_mode(model), patch_outputs(model, {SITE: edit} if edit else {}):
        parts = (part.split(250) for part in (batch.src, batch.tgt_in, batch.tgt_out))
        for src, tgt_in, tgt_out in zip(*parts, strict=True):
            logits = model(src, tgt_in).transpose(1, 2)
            total += F.cross_entropy(logits, tgt_out, ignore_index=PAD, reduction="sum").item()
    return total / int((batch.tgt_out != PAD).sum())


def rebuilt(sae: SparseAutoencoder) -> Edit:
    """Each vector replaced by what the dictionary makes of it."""
    return lambda x: sae(x.flatten(0, 1)).view_as(x)


def quality(
    sae: SparseAutoencoder, translator: Translator, pairs: list[tuple[str, str]], trained_on: Tensor
) -> dict[str, float]:
    """L0, explained variance and losses on pairs (held out); dead: the share that never fires on
    the vectors it was trained on.

    Loss recovered: 0 with each vector replaced by the mean of all, 1 with what the model has.
    """
    x = vectors(translator, [english for english, _ in pairs])
    f = sae.encode(x)
    error = (sae.decode(f) - x).pow(2).sum() / (x - x.mean(dim=0)).pow(2).sum()
    mean = trained_on.mean(dim=0)
    losses = {
        "as it is": loss_with(translator, pairs, None),
        "rebuilt": loss_with(translator, pairs, rebuilt(sae)),
        "mean": loss_with(translator, pairs, lambda x: mean.expand_as(x)),
        "zero": loss_with(translator, pairs, torch.zeros_like),
    }
    gained = losses["mean"] - losses["rebuilt"]
    return {
        "l0": (f > 0).float().sum(dim=1).mean().item(),
        "explained": 1 - error.item(),
        "dead": (firing_rates(sae, trained_on) == 0).float().mean().item(),
        "recovered": gained / (losses["mean"] - losses["as it is"]),
        "losses": losses,
    }


def firing_rates(sae: SparseAutoencoder, x: Tensor) -> Tensor:
    """(features): the share of these vectors on which each feature fires."""
    return sum((sae.encode(part) > 0).float().sum(dim=0) for part in x.split(8192)) / len(x)


# --- how much of the truth it holds --------------------------------------------------------------


def average_precision(scores: Tensor, true: Tensor) -> Tensor:
    """scores (n, c), true (n) -> (c): for each column the mean precision at the true ones.

    The words in the order of their scores, highest first; at each true one, which share of those
    so far is true? Words with the same score come together. The share of true ones, if the scores
    know nothing; 1 if all true ones come first.
    """
    ranked, order = scores.sort(dim=0, descending=True)
    hits = true[order].float()
    n = torch.arange(1.0, len(scores) + 1)[:, None]
    precision = hits.cumsum(dim=0) / n
    last = torch.ones_like(ranked, dtype=torch.bool)  # of those with the same score
    last[:-1] = ranked[:-1] != ranked[1:]
    place = torch.where(last, n.long() - 1, len(scores) - 1)
    end = place.flip(0).cummin(dim=0).values.flip(0)
    return (hits * precision.gather(0, end)).sum(dim=0) / true.sum()


def rates(fires: Tensor, true: Tensor) -> tuple[Tensor, Tensor]:
    """fires (n, features), true (n) -> precision and recall of "it fires", each (features).

    A feature that never fires has precision 0.
    """
    fires, true = fires.float(), true.float()
    both = true @ fires
    return both / fires.sum(dim=0).clamp(min=1), both / true.sum().clamp(min=1)


def halves(asked: Asked) -> tuple[Asked, Asked]:
    """To choose and learn on, and to measure on: no noun (or verb) is in both. At most MOST words.

    So what knows single nouns by heart finds nothing in the second.
    """
    generator = torch.Generator().manual_seed(0)
    some = asked.where(torch.randperm(len(asked), generator=generator)[:MOST])
    first = torch.rand(int(asked.groups.max()) + 1, generator=generator) < 0.5
    return some.where(first[some.groups]), some.where(~first[some.groups])


def best_candidate(
    activations: Activations,
    memory: Tensor,
    asked: Asked,
    truth: bool = True,
    *,
    interval: bool = False,
) -> dict[str, Any]:
    """The candidate (feature, neuron, direction) that finds a property best.

    Chosen by average precision on one half of the nouns, measured on the other. truth: whether
    "yes" is looked for, or "no". base: the share of true ones. interval: see `ap_interval`.
    """
    choose, measure = halves(asked)
    best = int(
        average_precision(
            activations(memory[choose.rows, choose.places]), choose.true == truth
        ).argmax()
    )
    scores = activations(memory[measure.rows, measure.places])[:, best : best + 1]
    true = measure.true == truth
    precision, recall = rates(scores > 0, true)
    ends = {"interval": ap_interval(scores, true, measure.groups)} if interval else {}
    return ends | {
        "candidate": best,
        "ap": average_precision(scores, true).item(),
        "precision": precision.item(),
        "recall": recall.item(),
        "base": true.float().mean().item(),
    }


def ap_interval(scores: Tensor, true: Tensor, groups: Tensor) -> list[float]:
    """95 % interval of one average precision (n, 1), the nouns (groups) drawn anew."""
    generator = torch.Generator().manual_seed(0)
    names, group = groups.unique(return_inverse=True)
    found = []
    for _ in range(100):
        some = torch.randint(len(names), (len(names),), generator=generator)
        times = some.bincount(minlength=len(names))[group]  # how often each word is drawn
        chosen = torch.arange(len(group)).repeat_interleave(times)
        found.append(average_precision(scores[chosen], true[chosen]).item())
    return torch.quantile(torch.tensor(found), torch.tensor([0.025, 0.975])).tolist()


def probe(memory: Tensor, asked: Asked) -> Activations:
    """A linear probe: logistic regression on the half to learn on, one candidate."""
    learn, _ = halves(asked)
    x = memory[learn.rows, learn.places].double()
    center, scale = x.mean(dim=0), x.std(dim=0)
    x, true = (x - center) / scale, learn.true.double()
    weight = torch.zeros(x.size(1), dtype=torch.double, requires_grad=True)
    bias = torch.zeros((), dtype=torch.double, requires_grad=True)
    optimizer = torch.optim.LBFGS([weight, bias], max_iter=200, line_search_fn="strong_wolfe")

    def closure() -> Tensor:
        optimizer.zero_grad()
        loss = F.binary_cross_entropy_with_logits(x @ weight + bias, true)
        loss = loss + 1e-3 * weight.pow(2).sum()
        loss.backward()
        return loss

    optimizer.step(closure)
    direction, offset = weight.detach(), bias.detach()
    return lambda x: (((x.double() - center) / scale) @ direction + offset)[:, None]


def controls(d: int) -> dict[str, Activations]:
    """What a feature has to beat: neurons, the same rotated at random, and as many directions at
    random as a dictionary has; of neurons both signs."""
    generator = torch.Generator().manual_seed(0)
    rotation = torch.linalg.qr(torch.randn(d, d, generator=generator)).Q
    directions = F.normalize(torch.randn(1024, d, generator=generator), dim=1)
    return {
        "neurons": lambda x: torch.cat([x, -x], dim=1),
        "rotated neurons": lambda x: torch.cat([x @ rotation, -x @ rotation], dim=1),
        "random directions": lambda x: x @ directions.T,
    }


# --- what its features are -----------------------------------------------------------------------


def word_shares(fires: Tensor, words: Tensor) -> tuple[Tensor, Tensor]:
    """fires (n, features), words (n) ids -> (features): the commonest word among those on which
    each fires, and its share of them; 0 for what never fires."""
    kinds, number = words.unique(return_inverse=True)
    counts = torch.zeros(len(kinds), fires.size(1)).index_add(0, number, fires.float())
    most = counts.max(dim=0)
    return kinds[most.indices], most.values / counts.sum(dim=0).clamp(min=1)


def correlations(f: Tensor, g: Tensor) -> Tensor:
    """Activations of two dictionaries on the same words (n, a), (n, b) -> (a, b)."""

    def standard(x: Tensor) -> Tensor:
        x = x - x.mean(dim=0)
        return x / x.norm(dim=0).clamp(min=1e-9)

    return standard(f).T @ standard(g)
