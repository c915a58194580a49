"""A sparse autoencoder: each vector as a sum of few directions out of many.

With the vectors centered and scaled, x in R^d and m features:

    z = W_enc (x - b_dec) + b_enc        f = relu(z), or relu of the k largest z, the rest 0
    x' = W_dec f + b_dec                 loss = |x - x'|^2 + l1 * sum of f  (top-k: l1 = 0)

Columns of W_dec have length 1: else f could be small, and its column long, at no cost. ReLU with
L1: Cunningham et al. 2023, Bricken et al. 2023. Top-k: Makhzani and Frey 2013, Gao et al. 2024.
"""

import torch
import torch.nn.functional as F
from torch import Tensor, nn
from tqdm import tqdm

BATCH, RATE, WARMUP = 512, 2e-3, 100  # vectors in a step; Adam's highest rate; steps up to it


class SparseAutoencoder(nn.Module):
    """x (n, d) -> x' (n, d), through activations f (n, features) that are mostly zero.

    k: how many features a vector may use (top-k); without it all with z > 0 fire, and `l1` is the
    price of an activation. `center` (d) and `scale` bring x to mean 0 and mean squared length d;
    what goes in and comes out is not scaled.
    """

    center: Tensor
    scale: Tensor

    def __init__(self, d: int, features: int, *, k: int | None = None, l1: float = 0.0):
        super().__init__()
        self.k, self.l1 = k, l1
        directions = F.normalize(torch.randn(features, d), dim=1)
        self.decoder = nn.Parameter(directions)  # (features, d): a row is a feature's direction
        self.encoder = nn.Parameter(directions.clone())
        self.encoder_bias = nn.Parameter(torch.zeros(features))
        self.decoder_bias = nn.Parameter(torch.zeros(d))
        self.register_buffer("center", torch.zeros(d))
        self.register_buffer("scale", torch.ones(()))

    def fit_scale(self, x: Tensor) -> None:
        """Take center and scale from these vectors (n, d)."""
        self.center.copy_(x.mean(dim=0))
        self.scale.copy_((x - self.center).pow(2).mean().sqrt())

    def encode(self, x: Tensor) -> Tensor:
        """x (n, d) -> f (n, features), none below 0."""
        z = self.scaled(x) - self.decoder_bias
        z = F.linear(z, self.encoder, self.encoder_bias)
        if self.k is not None:
            kept = z.topk(self.k, dim=-1)
            z = torch.zeros_like(z).scatter(-1, kept.indices, kept.values)
        return z.relu()

    def decode(self, f: Tensor) -> Tensor:
        """f (n, features) -> x' (n, d)."""
        return (f @ self.decoder + self.decoder_bias) * self.scale + self.center

    def forward(self, x: Tensor) -> Tensor:
        return self.decode(self.encode(x))

    def scaled(self, x: Tensor) -> Tensor:
        return (x - self.center) / self.scale

    def loss(self, x: Tensor) -> Tensor:
        """The mean over these vectors of the squared error, and of what the activations cost."""
        f = self.encode(x)
        error = (self.scaled(self.decode(f)) - self.scaled(x)).pow(2).sum(dim=-1)
        return (error + self.l1 * f.sum(dim=-1)).mean()

    @torch.no_grad()
    def normalize(self) -> None:
        """Give all directions length 1."""
        self.decoder.copy_(F.normalize(self.decoder, dim=1))


def train_sae(
    x: Tensor,
    features: int = 1024,
    *,
    k: int | None = None,
    l1: float = 0.0,
    steps: int = 1000,
    seed: int = 0,
    progress: bool = False,
) -> SparseAutoencoder:
    """Train on vectors x (n, d); the rate rises, stays, and falls to 0 over the last fifth.

    ValueError unless exactly one of k and l1 is given.
    """
    if (k is None) == (l1 == 0):
        raise ValueError("give either k, for top-k, or l1, for ReLU")
    generator = torch.Generator().manual_seed(seed)
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(seed)
        sae = SparseAutoencoder(x.size(1), features, k=k, l1=l1)
    sae.fit_scale(x)
    optimizer = torch.optim.Adam(sae.parameters(), lr=RATE)
    for step in tqdm(range(steps), unit="step", disable=not progress):
        rate = RATE * min(1.0, (step + 1) / WARMUP, (steps - step) / (0.2 * steps))
        optimizer.param_groups[0]["lr"] = rate
        loss = sae.loss(x[torch.randint(len(x), (BATCH,), generator=generator)])
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        sae.normalize()
    return sae.requires_grad_(False)
