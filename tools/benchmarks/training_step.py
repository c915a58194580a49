"""How fast is a training step, beside torch.nn.Transformer?

    python tools/benchmarks/training_step.py                    toy and small, about a minute
    python tools/benchmarks/training_step.py --sizes base
    python tools/benchmarks/training_step.py --device cuda --fused --compile --sizes base wmt14

One step is what training repeats: forward, loss with label smoothing, backward, Adam. All
contestants see the same ids and have matrices of the same sizes; see tools/benchmarks/README.md.
"""

import argparse
import warnings
from collections.abc import Callable

import torch
import torch.nn.functional as F
from measuring import (
    CLOCKS,
    CPU,
    arguments,
    matrix_products,
    milliseconds,
    ratio,
    set_up,
    take_turns,
)
from peers import installed
from torch import Tensor, nn
from torch.profiler import ProfilerActivity, profile
from torch.utils.flop_counter import FlopCounterMode

from course.chapters.ch09_whole_transformer.experiment_scaling import FusedAttention, peak_bytes
from transformer_lib.model.attention import Attention
from transformer_lib.model.embedding import Embeddings, PositionalEncoding
from transformer_lib.model.transformer import Generator, Transformer, make_model
from transformer_lib.text.batching import Batch, make_batch
from transformer_lib.text.tokens import PAD, SPECIALS
from transformer_lib.training.devices import get_device
from transformer_lib.training.loss import label_smoothed_cross_entropy
from transformer_lib.training.optimizers import OptimizerOf, adam, muon
from transformer_lib.training.step import update
from transformer_lib.variants import replace_modules

SIZES = {  # model, sentences in the batch, words in a sentence
    "toy": ({"N": 2, "d_model": 128, "d_ff": 512, "h": 4}, 1_000, 28, 32),
    "small": ({"N": 3, "d_model": 256, "d_ff": 1024, "h": 4}, 8_000, 48, 32),
    "base": ({"N": 6, "d_model": 512, "d_ff": 2048, "h": 8}, 10_000, 16, 32),
    # as in docs/scaling.md
    "wmt14": ({"N": 6, "d_model": 512, "d_ff": 2048, "h": 8}, 37_000, 98, 32),
}
WMT14_FLOP = 9.4e17  # the whole training, by the count of docs/scaling.md
SAME = "torch.nn.Transformer, our loss and optimizer"
USERS = "torch.nn.Transformer, as its users write it"


class TorchTransformer(nn.Module):
    """torch.nn.Transformer with what it leaves to its users: embeddings, generator, masks."""

    def __init__(self, vocab_size: int, N: int, d_model: int, d_ff: int, h: int, dropout: float):
        super().__init__()
        self.src_embed = Embeddings(vocab_size, d_model)
        self.tgt_embed = Embeddings(vocab_size, d_model)
        self.positions = PositionalEncoding(d_model, dropout)
        self.transformer = nn.Transformer(d_model, h, N, N, d_ff, dropout, batch_first=True)
        self.generator = Generator(d_model, vocab_size)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        t = tgt_in.size(1)
        future = torch.ones(t, t, dtype=torch.bool, device=src.device).triu(1)  # True = forbidden
        x = self.transformer(
            self.positions(self.src_embed(src)),
            self.positions(self.tgt_embed(tgt_in)),
            tgt_mask=future,
            src_key_padding_mask=src == PAD,
            tgt_key_padding_mask=tgt_in == PAD,
            memory_key_padding_mask=src == PAD,
        )
        return self.generator(x)


def our_step(
    model: Transformer, batch: Batch, bf16: bool = False, optimizer_of: OptimizerOf = adam
) -> Callable[[], float]:
    """A function that trains the model by one step, as `transformer_lib.training` does it.

    It returns the loss as a number, so a GPU has finished when it ends.
    """
    optimizer = optimizer_of(model)
    return lambda: update(model, optimizer, [batch], lr=1e-4, smoothing=0.1, bf16=bf16)


def fused(model: Transformer) -> Transformer:
    replace_modules(model, Attention, lambda old: FusedAttention())
    return model


def compiled(model: Transformer) -> Transformer:
    """With encoder and decoder compiled by PyTorch; the first step takes a minute or more."""
    model.encoder.compile()
    model.decoder.compile()
    return model


def peer_step(model: nn.Module, batch: Batch, *, like_ours: bool) -> Callable[[], float]:
    """The same for the peer: with our loss and optimizer, or with what its users write.

    A peer that has a loss of its own keeps it.
    """
    own_loss = getattr(model, "loss", label_smoothed_cross_entropy)
    optimizer = adam(model) if like_ours else torch.optim.Adam(model.parameters(), lr=1e-4)

    def step() -> float:
        logits = model(batch.src, batch.tgt_in)
        if like_ours:
            loss = own_loss(logits, batch.tgt_out)
        else:
            loss = F.cross_entropy(
                logits.flatten(0, 1), batch.tgt_out.flatten(), label_smoothing=0.1, ignore_index=PAD
            )
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        return loss.item()

    return step


def random_batch(vocab_size: int, sentences: int, words: int, padding: float) -> Batch:
    """Random words; lengths spread evenly so that this share of the batch is padding."""
    lengths = torch.linspace(1 - 2 * padding, 1, sentences).mul(words).round().int().tolist()
    draw = torch.randint(len(SPECIALS), vocab_size, (2, sentences, words)).tolist()
    pairs = zip(*draw, lengths, strict=True)
    return make_batch([(src[: n - 1], tgt[: n - 1]) for src, tgt, n in pairs])


def count_flops(step: Callable) -> int:
    """Multiplications and additions inside the matrix products of one step."""
    with FlopCounterMode(display=False) as counter:
        step()
    return counter.get_total_flops()


def operators(step: Callable) -> int:
    """How many of PyTorch's operators a step calls: on a GPU, where small ones wait for the next
    to be launched, this decides more than their arithmetic."""
    with profile(activities=[ProfilerActivity.CPU]) as seen:
        step()
    return sum(event.count for event in seen.key_averages() if event.key.startswith("aten::"))


def megabytes(step: Callable, device: torch.device) -> float:
    """The most that tensors hold at a time in a step, beside what is there before it."""
    if device.type != "cuda":
        return peak_bytes(step) / 1e6
    torch.cuda.reset_peak_memory_stats(device)
    before = torch.cuda.memory_allocated(device)
    step()
    return (torch.cuda.max_memory_allocated(device) - before) / 1e6


def measure(size: str, options: argparse.Namespace) -> None:
    """Print the steps of one size, beside each other."""
    device = get_device(options.device)
    shape, vocab_size, sentences, words = SIZES[size]
    batch = random_batch(vocab_size, sentences, words, options.padding).to(device)

    def ours() -> Transformer:
        return make_model(vocab_size, vocab_size, **shape, dropout=options.dropout).to(device)

    def peer() -> TorchTransformer:
        return TorchTransformer(vocab_size, **shape, dropout=options.dropout).to(device)

    steps = {
        "ours, fp32": our_step(ours(), batch),
        "ours, bf16": our_step(ours(), batch, bf16=True),
        "ours, fp32, Muon": our_step(ours(), batch, optimizer_of=muon),
        SAME: peer_step(peer(), batch, like_ours=True),
        USERS: peer_step(peer(), batch, like_ours=False),
    }
    if options.fused:
        steps["ours, bf16, fused"] = our_step(fused(ours()), batch, bf16=True)
    if options.compile:
        steps["ours, bf16, compiled"] = our_step(compiled(ours()), batch, bf16=True)
    if options.fused and options.compile:
        steps["ours, bf16, fused, compiled"] = our_step(compiled(fused(ours())), batch, bf16=True)
    if options.peers:
        others = installed(vocab_size, **shape, dropout=options.dropout)
        steps |= {
            name: peer_step(model.to(device), batch, like_ours=True)
            for name, model in others.items()
        }
    n = 1024 if device == CPU else 8192  # a GPU needs more to be busy
    yardsticks = matrix_products(n, device)
    times = take_turns(steps | yardsticks, options.repeats, CLOCKS[options.clock])

    flops = count_flops(steps["ours, fp32"])
    speed = {name: 2e-6 * n**3 / milliseconds(times, name) for name in yardsticks}  # GFLOP/s
    peak = {"fp32": max(value for name, value in speed.items() if "fp32" in name)}
    peak["bf16"] = speed["bf16"]
    numbers = ", ".join(f"{name} {value}" for name, value in shape.items())
    print(f"\n{size}: {numbers}, vocabulary {vocab_size}, batch {sentences} x {words}")
    products = ", ".join(f"{name} {value:.0f}" for name, value in speed.items())
    print(f"{flops / 1e9:.1f} GFLOP a step; matrix products, GFLOP/s: {products}")
    print("speed = the peer's time / the row's time: median (quartiles)")
    print("MB = the most that tensors hold at a time, beside the weights and Adam's averages")
    print("WMT14 = hours for the training in docs/scaling.md, at the row's rate of operations")
    print(
        f"{'':46}{'ms':>8}{'like ours':>18}{'as users':>18}{'of peak':>9}{'MB':>6}{'WMT14':>9}"
        f"{'operators':>11}"
    )
    for name, step in steps.items():
        taken = milliseconds(times, name)
        rate = 1e-6 * flops / taken  # GFLOP/s
        share = rate / peak["bf16" if "bf16" in name else "fp32"]
        hours = WMT14_FLOP / (1e9 * rate) / 3600
        print(
            f"{name:46}{taken:8.1f}{ratio(times, SAME, name):>18}{ratio(times, USERS, name):>18}"
            f"{share:9.0%}{megabytes(step, device):6.0f}{hours:9,.1f}{operators(step):11,}"
        )


def main() -> None:
    parser = arguments(__doc__, rounds=30)
    parser.add_argument("--sizes", nargs="+", choices=SIZES, default=["toy", "small"])
    parser.add_argument("--dropout", type=float, default=0.0)
    parser.add_argument("--padding", type=float, default=0.0, help="share of the batch, 0 to 0.4")
    parser.add_argument("--device", default="cpu", help="cpu, cuda, mps or auto (%(default)s)")
    parser.add_argument("--fused", action="store_true", help="also with PyTorch's own attention")
    parser.add_argument("--compile", action="store_true", help="also compiled by PyTorch")
    parser.add_argument("--peers", action="store_true", help="also what other libraries have")
    options = parser.parse_args()
    try:
        get_device(options.device)
    except ValueError as error:
        parser.error(str(error))
    warnings.filterwarnings("ignore", module="torch.nn")

    set_up(options)
    for size in options.sizes:
        measure(size, options)


if __name__ == "__main__":
    main()
