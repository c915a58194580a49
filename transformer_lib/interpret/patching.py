"""Change one thing while a model runs, to see what depends on it.

All of it works inside a `with` only, and leaves nothing behind.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from torch import Tensor

from transformer_lib.interpret.recording import Hook, Inputs, hooked, hooked_parts
from transformer_lib.model.attention import Attention
from transformer_lib.model.interface import Parts

Edit = Callable[[Tensor], Tensor]  # what was computed -> what is used in its place


@contextmanager
def patch_attention(model: Parts, edits: Mapping[str, Edit]) -> Iterator[None]:
    """Inside, the layers named in `edits` use other attention weights than they computed.

    edits: name of a layer -> a function from its weights (b, h, q, k) to those used; KeyError for
    an unknown layer. `record_attention` records the weights as they were before the edit.

        def without_head_2(weights):
            weights[:, 2] = 0.0
            return weights

        with patch_attention(model, {"encoder.layers.1.self_attn": without_head_2}):
            model(src, tgt_in)
    """

    def editor(edit: Edit) -> Hook:
        def hook(attention: Attention, args: Inputs, output: Tensor) -> Tensor:
            query, key, value, mask = args
            weights = edit(attention.weights(query, key, mask))
            shared = weights.size(1) // value.size(1)  # heads that share a value: 1, unless grouped
            return weights @ value.repeat_interleave(shared, dim=1)

        return hook

    with hooked(model, {name: editor(edit) for name, edit in edits.items()}):
        yield


@contextmanager
def patch_outputs(model: Parts, edits: Mapping[str, Edit]) -> Iterator[None]:
    """Inside, the outputs of the parts named in `edits` are replaced for all that reads them.

    edits: name of a part -> a function from its output to a new one; KeyError for an unknown part.

        def from_another_sentence(x):           # (b, s, d_model), activation patching
            x = x.clone()
            x[:, 2] = recorded["encoder.layers.0"][:, 2]
            return x

        with patch_outputs(model, {"encoder.layers.0": from_another_sentence}):
            model(src, tgt_in)
    """

    def editor(edit: Edit) -> Hook:
        return lambda part, args, output: edit(output)

    with hooked_parts(model, {name: editor(edit) for name, edit in edits.items()}):
        yield


def ablate_head(head: int) -> Edit:
    """Sets all weights of a head to zero, so that it contributes nothing."""

    def edit(weights: Tensor) -> Tensor:
        weights = weights.clone()
        weights[:, head] = 0.0
        return weights

    return edit


def block_attention(rows: Tensor, queries: Tensor, keys: Sequence[Tensor]) -> Edit:
    """Hides these keys from these queries in all heads; their weights go to the other keys.

    rows (n,), queries (n,), each of keys (n,): in row rows[i] of the batch, query queries[i] does
    not see key[i]. The other weights are scaled to sum to 1 again.
    """

    def edit(weights: Tensor) -> Tensor:
        weights = weights.clone()
        for key in keys:
            weights[rows, :, queries, key] = 0.0
        return weights / weights.sum(dim=-1, keepdim=True).clamp(min=1e-9)

    return edit


def swap_attention(
    rows: Tensor, head: int | slice, queries: Tensor, one: Tensor, another: Tensor
) -> Edit:
    """Swaps two weights of a query in one head, or in each head of a slice.

    rows, queries, one, another (n,): in row rows[i] of the batch, query queries[i] gets the weight
    of key another[i] for key one[i], and the other way round.
    """

    def edit(weights: Tensor) -> Tensor:
        swapped = weights.clone()
        swapped[rows, head, queries, one] = weights[rows, head, queries, another]
        swapped[rows, head, queries, another] = weights[rows, head, queries, one]
        return swapped

    return edit
