"""What a model reads: ids, of which the first four are no words."""

from typing import Any

import torch
from torch import Tensor

PAD, BOS, EOS, UNK = 0, 1, 2, 3  # ids: padding, beginning, end, an unknown word
SPECIALS = ("<pad>", "<bos>", "<eos>", "<unk>")  # the words with the ids PAD, BOS, EOS, UNK


def check_ids(name: str, ids: Any, vocab_size: int | None = None, *, padded: bool = True) -> None:
    """Refuse what a model can't read, with one sentence that names the value.

    ids: (b, s) whole numbers, at least one in each row, from 0 to vocab_size - 1 (None: any); with
    padded, PAD only on the right of a row. TypeError for other things than a tensor of whole
    numbers, ValueError else. The numbers themselves are looked at on the CPU only, as a GPU would
    have to wait for that; and nothing is while PyTorch compiles a model.
    """
    if torch.compiler.is_compiling():
        return
    if not isinstance(ids, Tensor) or ids.is_floating_point() or ids.dtype == torch.bool:
        found = ids.dtype if isinstance(ids, Tensor) else type(ids).__name__
        raise TypeError(f"{name} must be a tensor of ids, as `source_batch` makes one, not {found}")
    shape = tuple(ids.shape)
    if len(shape) != 2:
        hint = f": {name}[None] is a batch of one sentence" if len(shape) == 1 else ""
        raise ValueError(f"{name} has the shape {shape}, but needs two axes, (batch, words){hint}")
    if shape[1] == 0:
        raise ValueError(f"{name} has the shape {shape}: a sentence has at least <bos> or <eos>")
    if not ids.is_cpu or ids.numel() == 0:
        return
    lowest, highest = map(int, ids.aminmax())
    if lowest < 0 or (vocab_size is not None and highest >= vocab_size):
        wrong = lowest if lowest < 0 else highest
        rows = "" if vocab_size is None else f" to {vocab_size - 1}"
        raise ValueError(f"{name} holds the id {wrong}, but ids go from 0{rows}")
    if padded and bool(((ids[:, :-1] == PAD) & (ids[:, 1:] != PAD)).any()):
        raise ValueError(f"{name} has <pad> before a word: pad sentences on the right only")
