"""Other libraries' encoder-decoders with the sizes of ours, for training_step.py; none is needed.

pip install transformers
"""

from torch import Tensor, nn

from transformer_lib.tokens import BOS, EOS, PAD


class Marian(nn.Module):
    """Hugging Face's MarianMTModel: (b, s), (b, t) ids -> logits (b, t, vocab)."""

    def __init__(self, vocab: int, N: int, d_model: int, d_ff: int, h: int, dropout: float):
        super().__init__()
        from transformers import MarianConfig, MarianMTModel

        both = {"layers": N, "ffn_dim": d_ff, "attention_heads": h}
        halves = {
            f"{half}_{name}": n for half in ("encoder", "decoder") for name, n in both.items()
        }
        config = MarianConfig(
            vocab_size=vocab, d_model=d_model, dropout=dropout, activation_function="relu",
            max_position_embeddings=256, scale_embedding=True, use_cache=False,
            pad_token_id=PAD, eos_token_id=EOS, decoder_start_token_id=BOS, **halves,
        )  # fmt: skip
        self.model = MarianMTModel(config)

    def forward(self, src: Tensor, tgt_in: Tensor) -> Tensor:
        return self.model(
            input_ids=src, attention_mask=(src != PAD).long(), decoder_input_ids=tgt_in
        ).logits


PEERS = {"Hugging Face Marian": Marian}


def installed(vocab: int, **shape) -> dict[str, nn.Module]:
    """Those whose package is there; the others are named."""
    models = {}
    for name, build in PEERS.items():
        try:
            models[name] = build(vocab, **shape)
        except ImportError as error:
            print(f"{name} is left out: {error}")
    return models
