"""What was trained as text for a script: in 8 bits where that is asked for, and compressed.

A page that is opened from disk may load scripts and nothing else, and no server compresses them.
So the format does: zlib's deflate, which browsers undo, then a letter of ASCII for every 7 bits.
Base64, with 6 bits to a letter, would take a tenth more. translator.js reads it.
"""

import copy
import json
import zlib
from typing import Any

import numpy as np
import torch
from safetensors.torch import save
from torch import Tensor

from transformer_lib.checkpoints import weights
from transformer_lib.translator import Translator

SCALE = ".scale"  # what the name of a matrix's scales has more than that of the matrix
# These end a string, a line or a script, or are lost in HTML. Each stands as a letter above ASCII.
UNSAFE = '\0\n\r"<\\'
STAND_INS = "ÀÁÂÃÄÅ"


def pack(about: dict[str, Any], tensors: dict[str, Tensor]) -> str:
    """About and tensors (as safetensors) as letters that may stand between quotation marks."""
    told = json.dumps(about).encode()
    file = len(told).to_bytes(4, "little") + told + save(tensors)
    small = np.frombuffer(zlib.compress(file, 9), np.uint8)
    bits = np.unpackbits(small)
    bits = np.append(bits, np.zeros(-len(bits) % 7, np.uint8)).reshape(-1, 7)
    letters = np.packbits(np.pad(bits, ((0, 0), (1, 0))), axis=1).tobytes().decode("ascii")
    return letters.translate(str.maketrans(UNSAFE, STAND_INS))


def full_numbers(translator: Translator) -> dict[str, Tensor]:
    """Every weight as it is."""
    return {name: shortest(tensor) for name, tensor in weights(translator.model).items()}


def shortest(tensor: Tensor) -> Tensor:
    """The same numbers in 16 bits where they fit, as those that were stored so do; else in 32."""
    half = tensor.half()
    return half if torch.equal(half.float(), tensor.float()) else tensor.float()


def eight_bits(translator: Translator) -> dict[str, Tensor]:
    """Each matrix as whole numbers from -128 to 127, and beside it a scale for each of its rows."""
    found = {}
    for name, tensor in weights(translator.model).items():
        if tensor.ndim == 2:
            found[name], found[name + SCALE] = quantized(tensor.float())
        else:
            found[name] = tensor.float()
    return found


def quantized(matrix: Tensor) -> tuple[Tensor, Tensor]:
    """(out, in) -> whole numbers of 8 bits (out, in) and scales (out,), as `translate --int8` has.

    A row of scale s holds round(w / s), where 127.5 s is its largest |w|.
    """
    largest = matrix.abs().amax(dim=1) / 127.5
    scales = largest.clamp(min=torch.finfo(torch.float32).eps)
    whole = (matrix * (1 / scales)[:, None]).round().clamp(-128, 127)  # in PyTorch's order
    return whole.to(torch.int8), scales


def in_eight_bits(translator: Translator) -> Translator:
    """The translator that a page in 8 bits is: a copy with each matrix rounded so, and back.

    `--int8` rounds what is multiplied with these matrices too; a page doesn't.
    """
    rounded = copy.copy(translator)
    rounded.model = copy.deepcopy(translator.model).eval()
    with torch.no_grad():
        for tensor in weights(rounded.model).values():
            if tensor.ndim == 2:
                whole, scales = quantized(tensor.float())
                tensor.copy_(whole * scales[:, None])
    return rounded
