"""The recurrent translator, word by word; its attention can be looked into."""

import pytest
import torch

from tests.transformer_lib.small_inputs import SRC, TGT_IN
from tests.transformer_lib.torch_twins import randomize
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.interpret.recording import record_attention
from transformer_lib.variants.recurrent import ATTENTIONS, RecurrentConfig, RecurrentTranslator

close = torch.testing.assert_close
LENGTHS, N, D_MODEL, HIDDEN = (7, 4, 2), 2, 6, 10


def small_model(attention):
    return RecurrentTranslator(11, 13, RecurrentConfig(N, D_MODEL, HIDDEN, attention, dropout=0.0))


def read_alone(model, ids):
    """One sentence, without padding -> the last state of each layer, the words."""
    words, last = model.encoder(model.src_embed(ids)[None])
    return last.view(N, HIDDEN), words[0]  # of each layer there and back


def score(model, state, word):
    if model.config.attention == "dot":
        return sum(state * word)
    part = model.readout.cross_attn.score
    inner = torch.tanh(part.w_state.weight @ state + part.w_memory.weight @ word)
    return (part.w_score.weight @ inner)[0]


def write_slowly(model, ids, last, memory):
    """One sentence, word by word -> a d_model vector for each."""
    written = []
    for state in model.decoder(model.tgt_embed(ids)[None], last[:, None])[0][0]:
        seen = [state]
        if model.config.attention != "none":
            weights = torch.stack([score(model, state, word) for word in memory]).exp()
            seen = [(weights / weights.sum()) @ memory, state]
        written.append(torch.tanh(model.readout.w_c.weight @ torch.cat(seen)))
    return torch.stack(written)


@pytest.mark.parametrize("attention", ATTENTIONS)
def test_it_is_what_a_loop_computes_for_each_sentence_alone(attention):
    model = randomize(small_model(attention))
    memory = model.encode(SRC)
    out = model.decode(TGT_IN, memory, SRC)
    assert memory.shape == (3, N + 7, HIDDEN) and out.shape == (3, 5, D_MODEL)
    for row, length in enumerate(LENGTHS):
        last, words = read_alone(model, SRC[row, :length])
        close(memory[row, : N + length], torch.cat([last, words]))
        close(out[row], write_slowly(model, TGT_IN[row], last, words))


@pytest.mark.parametrize("attention", ["dot", "additive"])
def test_its_attention_can_be_recorded_and_changed(attention):
    model = small_model(attention).double()
    with record_attention(model) as weights:
        plain = model(SRC, TGT_IN)
    ((name, seen),) = weights.items()
    assert name == "readout.cross_attn" and seen.shape == (3, 1, 5, 7)
    with patch_attention(model, {name: lambda computed: computed.flip(-1)}):
        assert (model(SRC, TGT_IN) - plain).abs().max() > 1e-5
