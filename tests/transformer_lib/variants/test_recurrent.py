"""The recurrent translator: against cells and loops, and in the place of a Transformer."""

import pytest
import torch
from torch import nn

from tests.transformer_lib.small_inputs import SRC, TGT_IN
from tests.transformer_lib.torch_twins import randomize
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.interpret.recording import record_attention
from transformer_lib.variants.recurrent import ATTENTIONS, RecurrentConfig, RecurrentTranslator

close = torch.testing.assert_close
EVERY_KIND = pytest.mark.parametrize("attention", ATTENTIONS)
LENGTHS, N, D_MODEL, HIDDEN = (7, 4, 2), 2, 6, 10


def small_model(attention="dot", **settings):
    sizes = {"N": N, "d_model": D_MODEL, "hidden": HIDDEN, "dropout": 0.0}
    return RecurrentTranslator(11, 13, RecurrentConfig(attention=attention, **sizes | settings))


def cell_of(layer: nn.GRU, number: int, suffix: str = "") -> nn.GRUCell:
    """One layer and direction of PyTorch's GRU as its cell, with the same weights."""
    weights = {
        name: getattr(layer, f"{name}_l{number}{suffix}")
        for name in ("weight_ih", "weight_hh", "bias_ih", "bias_hh")
    }
    hidden, width = weights["weight_hh"].shape[1], weights["weight_ih"].shape[1]
    cell = nn.GRUCell(width, hidden).double()
    cell.load_state_dict(weights)
    return cell


def run(cell: nn.GRUCell, words: list, state: torch.Tensor) -> list:
    """The states of a cell that reads words one after the other."""
    states = []
    for word in words:
        state = cell(word[None], state[None])[0]
        states.append(state)
    return states


def read_slowly(model, ids):
    """One sentence, word by word, without padding -> the last state of each layer, the words."""
    words, last = list(model.src_embed(ids)), []
    nothing = torch.zeros(HIDDEN // 2, dtype=torch.float64)
    for number in range(N):
        forward = run(cell_of(model.encoder, number), words, nothing)
        backward = run(cell_of(model.encoder, number, "_reverse"), words[::-1], nothing)
        last.append(torch.cat([forward[-1], backward[-1]]))
        words = [torch.cat(both) for both in zip(forward, backward[::-1], strict=True)]
    return last, words


def score(model, state, word):
    if model.config.attention == "dot":
        return sum(state * word)
    part = model.readout.cross_attn.score
    inner = torch.tanh(part.w_state.weight @ state + part.w_memory.weight @ word)
    return (part.w_score.weight @ inner)[0]


def write_slowly(model, ids, last, memory):
    """One sentence, word by word -> a d_model vector for each."""
    words = list(model.tgt_embed(ids))
    for number in range(N):
        words = run(cell_of(model.decoder, number), words, last[number])
    written = []
    for state in words:
        seen = [state]
        if model.config.attention != "none":
            weights = torch.stack([score(model, state, word) for word in memory]).exp()
            weights = weights / weights.sum()
            seen = [sum(w * word for w, word in zip(weights, memory, strict=True)), state]
        written.append(torch.tanh(model.readout.w_c.weight @ torch.cat(seen)))
    return torch.stack(written)


@EVERY_KIND
def test_it_is_what_cells_and_loops_compute(attention):
    model = randomize(small_model(attention))
    memory = model.encode(SRC)
    out = model.decode(TGT_IN, memory, SRC)
    assert memory.shape == (3, N + 7, HIDDEN) and out.shape == (3, 5, D_MODEL)
    for row, length in enumerate(LENGTHS):
        last, words = read_slowly(model, SRC[row, :length])
        close(memory[row, :N], torch.stack(last))
        close(memory[row, N : N + length], torch.stack(words))
        close(out[row], write_slowly(model, TGT_IN[row], last, words))


# --- in the place of a Transformer


@pytest.mark.parametrize("attention", ["dot", "additive"])
def test_its_attention_can_be_recorded_and_changed(attention):
    model = small_model(attention).double()
    with record_attention(model) as weights:
        plain = model(SRC, TGT_IN)
    ((name, seen),) = weights.items()
    assert name == "readout.cross_attn" and seen.shape == (3, 1, 5, 7)
    close(seen.sum(dim=-1), torch.ones(3, 1, 5, dtype=torch.float64))
    assert (seen[1, :, :, 4:] == 0).all()
    with patch_attention(model, {name: lambda computed: computed.flip(-1)}):
        assert (model(SRC, TGT_IN) - plain).abs().max() > 1e-5
