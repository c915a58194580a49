"""Fair timing on a machine that does other things too: the contestants take turns.

In each round every contestant runs once, so a slow moment hits them all. What counts is the ratio
of two times within a round, and of those ratios the median; the quartiles say how far to trust it.
"""

import argparse
import os
import platform
import statistics
import time
from collections.abc import Callable, Mapping

import torch
import torch.nn.functional as F

Contestants = Mapping[str, Callable[[], object]]
# The processor's time of all threads is fair on a busy machine, but only with --threads 1.
CLOCKS = {"wall": time.perf_counter, "processor": time.process_time}
CPU = torch.device("cpu")
Times = dict[str, list[float]]  # contestant -> seconds, one number per round


def take_turns(
    contestants: Contestants, rounds: int, clock: Callable[[], float] = time.perf_counter
) -> Times:
    """Run each contestant once unseen (caches, memory), then `rounds` times in turn.

    The order moves by one place each round, so that nobody always runs after the same neighbor.
    """
    names = list(contestants)
    for name in names:
        contestants[name]()
    seconds: Times = {name: [] for name in names}
    for i in range(rounds):
        first = i % len(names)
        for name in names[first:] + names[:first]:
            start = clock()
            contestants[name]()
            seconds[name].append(clock() - start)
    return seconds


def finished(x: torch.Tensor) -> None:
    """Wait for it: a GPU takes orders, and the clock would stop before it has carried them out."""
    x[0, 0].item()


def milliseconds(times: Times, name: str) -> float:
    return 1000 * statistics.median(times[name])


def ratio(times: Times, numerator: str, denominator: str) -> str:
    """Median and quartiles of (numerator's time / denominator's time), round by round."""
    each = [a / b for a, b in zip(times[numerator], times[denominator], strict=True)]
    low, middle, high = statistics.quantiles(each, n=4, method="inclusive")
    return f"{middle:.2f} ({low:.2f}-{high:.2f})"


def matrix_products(n: int, device: torch.device) -> Contestants:
    """The yardstick: one product of two n x n matrices, 2 n^3 operations.

    PyTorch multiplies fp32 matrices through MKL, which some processors run slower than they could;
    oneDNN, which PyTorch takes for bf16, shows what they can.
    """
    a, b = torch.randn(2, n, n, device=device)
    a_16, b_16 = a.bfloat16(), b.bfloat16()
    products = {
        "fp32": lambda: finished(a @ b),
        "bf16": lambda: finished(a_16 @ b_16),
    }
    if device == CPU and torch.backends.mkldnn.is_available():
        a_onednn, b_onednn = a.to_mkldnn(), b.to_mkldnn()
        products["fp32 by oneDNN"] = lambda: F.linear(a_onednn, b_onednn)
    return products


def arguments(description: str, rounds: int) -> argparse.ArgumentParser:
    """The options that every benchmark has."""
    parser = argparse.ArgumentParser(description=description.split("\n")[0])
    parser.add_argument("--repeats", type=int, default=rounds, help="rounds (default %(default)s)")
    parser.add_argument("--threads", type=int, default=2, help="CPU cores (default %(default)s)")
    parser.add_argument(
        "--precision",
        choices=["highest", "medium"],
        default="highest",
        help="PyTorch's setting for fp32 matrix products (default %(default)s)",
    )
    parser.add_argument(
        "--clock", choices=CLOCKS, default="wall", help="whose time counts (default %(default)s)"
    )
    return parser


def set_up(options: argparse.Namespace) -> None:
    """Threads, seed, precision; prints what a reader of the numbers has to know."""
    torch.set_num_threads(options.threads)
    torch.manual_seed(0)
    error = rounding_error(options.precision)
    circumstances = {
        "torch": torch.__version__,
        "processor": processor(),
        "cores": os.cpu_count() or 0,
        "load_at_start": round(os.getloadavg()[0], 1) if hasattr(os, "getloadavg") else -1.0,
        "rounding_error": float(f"{error:.1e}"),
    }
    print(", ".join(f"{name} {value}" for name, value in (circumstances | vars(options)).items()))
    if circumstances["load_at_start"] > 0.5:
        print("Other programs are running: expect wide quartiles, and measure again later.")


def rounding_error(precision: str) -> float:
    """Set the precision of fp32 matrix products. -> how far one is from the exact product.

    With "medium" PyTorch takes oneDNN instead of MKL, and oneDNN may round to bf16 on the way where
    the processor has units for that. Below 1e-6: nothing was rounded; about 1e-3: it was.
    """
    torch.set_float32_matmul_precision(precision)
    a, b = torch.randn(2, 256, 256)
    exact = a.double() @ b.double()
    return float((a @ b - exact).norm() / exact.norm())


def processor() -> str:
    """What the processor calls itself where Linux tells, else its family."""
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            names = [line.split(":")[1].strip() for line in file if line.startswith("model name")]
        return names[0]
    except (OSError, IndexError):
        return platform.machine()
