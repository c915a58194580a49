"""The recurrent translator: against cells and loops, and in the place of a Transformer."""

import pytest
import torch
import torch.nn.functional as F
from torch import nn

from course.experiments.long_training import cache_bytes
from tests.transformer_lib.torch_twins import randomize
from transformer_lib.checkpoints import load_model, save_model
from transformer_lib.decoding import DecoderState, beam_search, greedy_decode, sample_decode
from transformer_lib.files import CheckpointError
from transformer_lib.interpret.patching import patch_attention
from transformer_lib.interpret.recording import record_attention
from transformer_lib.model.config import SMALL
from transformer_lib.model.transformer import Transformer, count_parameters
from transformer_lib.text.batching import source_batch
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import Tokenizer, Vocabulary
from transformer_lib.training.config import TrainingConfig
from transformer_lib.training.trainer import train
from transformer_lib.translator import Translator
from transformer_lib.variants.recurrent import (
    ATTENTIONS,
    RECURRENT,
    AdditiveScore,
    RecurrentConfig,
    RecurrentTranslator,
    recurrent,
)

close = torch.testing.assert_close
EVERY_KIND = pytest.mark.parametrize("attention", ATTENTIONS)
SRC = torch.tensor([[5, 6, 7, 8, 9, 5, 2], [5, 6, 10, 2, 0, 0, 0], [7, 2, 0, 0, 0, 0, 0]])
TGT_IN = torch.tensor([[1, 5, 6, 0, 0], [1, 5, 6, 7, 8], [1, 9, 9, 9, 0]])
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


def test_gru_by_the_equations():
    # r, z, n as in Cho et al. 2014: what nn.GRU computes
    cell, x, h = nn.GRUCell(3, 2).double(), torch.randn(3).double(), torch.randn(2).double()
    (w_r, w_z, w_n), (u_r, u_z, u_n) = cell.weight_ih.chunk(3), cell.weight_hh.chunk(3)
    (b_r, b_z, b_n), (c_r, c_z, c_n) = cell.bias_ih.chunk(3), cell.bias_hh.chunk(3)
    r = torch.sigmoid(w_r @ x + b_r + u_r @ h + c_r)
    z = torch.sigmoid(w_z @ x + b_z + u_z @ h + c_z)
    n = torch.tanh(w_n @ x + b_n + r * (u_n @ h + c_n))
    close(cell(x[None], h[None])[0], (1 - z) * n + z * h)


def test_additive_scores_by_hand():
    part = AdditiveScore(1)
    for layer, value in ((part.w_state, 1.0), (part.w_memory, 2.0), (part.w_score, 3.0)):
        nn.init.constant_(layer.weight, value)
    states, memory = torch.tensor([[[0.5]]]), torch.tensor([[[0.0], [0.25]]])
    close(part(states, memory), 3 * torch.tensor([[[0.5, 1.0]]]).tanh())


@EVERY_KIND
def test_padding_changes_nothing(attention):
    model = small_model(attention).double()
    close(model(F.pad(SRC, (0, 3)), TGT_IN), model(SRC, TGT_IN))
    close(model(SRC[1:2, :4], TGT_IN[1:2]), model(SRC, TGT_IN)[1:2])


@EVERY_KIND
def test_no_state_sees_the_future_and_each_sees_the_past(attention):
    model = small_model(attention).double()
    later = TGT_IN.clone()
    later[1, 2] = 11
    before, after = model(SRC, TGT_IN)[1], model(SRC, later)[1]
    close(before[:2], after[:2])
    assert ((before[2:] - after[2:]).abs().amax(dim=-1) > 1e-5).all()


@EVERY_KIND
def test_it_is_as_large_as_the_small_transformer(attention):
    # without the embeddings, which are the same: what is compared is what differs
    transformer = Transformer(5, 5, SMALL)
    model = RecurrentTranslator(5, 5, RECURRENT[attention])
    size, paper = (count_parameters(one) - 3 * 5 * 128 for one in (model, transformer))
    assert size == pytest.approx(paper, rel=0.01)


def test_without_a_word_it_is_the_one_with_scores_by_products():
    assert RecurrentConfig() == RECURRENT["dot"]


@EVERY_KIND
def test_only_attention_reads_more_than_the_last_states(attention):
    model = small_model(attention).double()
    memory = model.encode(SRC)
    moved = memory.clone()
    moved[:, N:] += 0.1 * torch.randn_like(moved[:, N:])
    difference = (model.decode(TGT_IN, moved, SRC) - model.decode(TGT_IN, memory, SRC)).abs().max()
    assert (difference > 1e-4) == (attention != "none")


# --- in the place of a Transformer


@EVERY_KIND
def test_with_its_state_it_writes_as_from_the_beginning(attention):
    model = small_model(attention).double()
    with torch.no_grad():
        for parameter in model.parameters():
            parameter.mul_(2)
    src = source_batch([[5, 6, 7], [8], [9, 10, 5, 6, 7, 8], [4, 4]])
    for write in (greedy_decode, beam_search, sample_decode):
        found = []
        for cache in (True, False):
            torch.manual_seed(0)
            found.append(write(model, src, max_length=9, cache=cache))
        if write is greedy_decode:
            assert found[0] == found[1]
        elif write is sample_decode:
            assert [one.ids for one in found[0]] == [one.ids for one in found[1]]
            assert len({tuple(one.ids) for one in found[0]}) == 4
        else:
            assert [each[0].ids for each in found[0]] == [each[0].ids for each in found[1]]
    kept, again = (DecoderState(model, src, 9, cache=cache) for cache in (True, False))
    for _ in range(5):
        with torch.no_grad():
            close(kept.next_logits(), again.next_logits())
        words, rows = torch.randint(3, 13, (4,)), torch.randperm(4)
        for state in (kept, again):
            state.append(words)
            state.select(rows)


@EVERY_KIND
def test_what_it_keeps_does_not_grow(attention):
    # N layers, hidden numbers of 4 bytes; a Transformer keeps keys and values of every word
    model = small_model(attention)
    assert {cache_bytes(model, words) for words in (1, 5, 40)} == {N * HIDDEN * 4}


@pytest.mark.parametrize("attention", ["dot", "additive"])
def test_its_attention_can_be_recorded_and_changed(attention):
    model = small_model(attention).double()
    with record_attention(model) as weights:
        plain = model(SRC, TGT_IN)
    (name,) = weights
    assert name == "readout.cross_attn" and weights[name].shape == (3, 1, 5, 7)
    close(weights[name].sum(dim=-1), torch.ones(3, 1, 5, dtype=torch.float64))
    assert (weights[name][1, :, :, 4:] == 0).all()
    with patch_attention(model, {name: lambda computed: computed}):
        close(model(SRC, TGT_IN), plain)
    with patch_attention(model, {name: lambda computed: computed.flip(-1)}):
        assert (model(SRC, TGT_IN) - plain).abs().max() > 1e-5


@EVERY_KIND
@pytest.mark.slow
def test_it_learns_and_translates(attention):
    words = "uno dos tres".split()
    src = Language(Tokenizer("en"), Vocabulary("one two three".split()))
    tgt = Language(Tokenizer("es"), Vocabulary(words))
    texts = [
        ("one", "uno"),
        ("two", "dos"),
        ("three", "tres"),
        ("two one", "dos uno"),
        ("one three", "uno tres"),
        ("three two", "tres dos"),
    ]
    pairs = [(src.encode(a), tgt.encode(b)) for a, b in texts]
    config = RecurrentConfig(
        N=1, d_model=16, hidden=16, attention=attention, dropout=0.1, tie_weights="target"
    )
    model = RecurrentTranslator(len(src.vocab), len(tgt.vocab), config)
    how = TrainingConfig(
        steps=60, max_tokens=64, schedule="linear", max_lr=2e-2, warmup=10, validate_every=60
    )
    train(model, pairs, pairs, how)
    translator = Translator(model, src, tgt)
    written = [one.text.lower() for one in translator.translate([a for a, _ in texts])]
    assert written == [b for _, b in texts]


def test_it_is_saved_and_loaded_again(tmp_path):
    model = small_model("additive").eval()
    save_model(tmp_path, model)
    again = load_model(tmp_path, build=recurrent)
    assert again.config == model.config and not again.training
    close(again(SRC, TGT_IN), model(SRC, TGT_IN), rtol=0, atol=0)
    with pytest.raises(CheckpointError, match=r"config\.json doesn't fit: .*hidden"):
        load_model(tmp_path)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"N": 0}, "N=0 must be 1 or more"),
        ({"hidden": 7}, "hidden=7 must be even"),
        ({"dropout": 1.0}, "dropout=1.0 must be at least 0"),
        ({"attention": "luong"}, "attention='luong' must be one of none, dot, additive"),
        ({"tie_weights": "both"}, "tie_weights='both' must be one of"),
    ],
)
def test_wrong_sizes_are_refused(settings, message):
    with pytest.raises(ValueError, match=message):
        RecurrentConfig(**settings)


def test_tying():
    model = small_model(tie_weights="target")
    assert model.generator.proj.weight is model.tgt_embed.table.weight
    with pytest.raises(ValueError, match="the source has 11 words and the target 13"):
        small_model(tie_weights="all")
