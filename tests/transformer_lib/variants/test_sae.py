"""The sparse autoencoder: few features, directions of length 1, and planted ones found again."""

import torch
import torch.nn.functional as F

from transformer_lib.variants.sae import SparseAutoencoder, train_sae

close = torch.testing.assert_close


def test_of_each_vector_the_k_largest_fire_and_none_is_below_zero():
    sae = SparseAutoencoder(6, 20, k=3)
    f = sae.encode(torch.randn(50, 6))
    assert (f >= 0).all() and ((f > 0).sum(dim=1) <= 3).all() and ((f > 0).sum(dim=1) == 3).any()
    z = sae.scaled(x := torch.randn(4, 6)) @ sae.encoder.T
    close(sae.encode(x).amax(dim=1), z.amax(dim=1).relu())


def test_without_k_all_that_is_above_zero_fires():
    sae = SparseAutoencoder(6, 20, l1=1.0)
    x = torch.randn(50, 6)
    close(sae.encode(x), (x @ sae.encoder.T).relu())


def test_center_and_scale_are_taken_off_and_put_back():
    x = 5 * torch.randn(1000, 6) + 3
    sae = SparseAutoencoder(6, 20, k=3)
    sae.fit_scale(x)
    close(sae.scaled(x).mean(dim=0), torch.zeros(6), atol=1e-5, rtol=0)
    close(sae.scaled(x).pow(2).mean(), torch.ones(()))
    with torch.no_grad():
        sae.decoder_bias.fill_(0.5)
    none = sae.decode(torch.zeros(1, 20))[0]
    close(none, 0.5 * sae.scale + sae.center)


def test_the_loss_is_the_error_and_the_price():
    sae = SparseAutoencoder(4, 8, l1=2.0)
    x = torch.randn(5, 4)
    f = sae.encode(x)
    expected = ((sae(x) - x) ** 2).sum(dim=1).mean() + 2 * f.sum(dim=1).mean()
    close(sae.loss(x), expected)


def planted() -> tuple[torch.Tensor, torch.Tensor]:
    """Twenty directions in twelve dimensions, two at a time."""
    draw = torch.Generator().manual_seed(0)
    directions = F.normalize(torch.randn(20, 12, generator=draw), dim=1)
    chosen = torch.stack([torch.randperm(20, generator=draw)[:2] for _ in range(4000)])
    sizes = 1 + torch.rand(4000, 2, generator=draw)
    return directions, torch.einsum("nk,nkd->nd", sizes, directions[chosen])


def test_planted_directions_are_found_again():
    directions, x = planted()
    sae = train_sae(x, 40, k=2, steps=600, seed=0)
    alike = (F.normalize(sae.decoder, dim=1) @ directions.T).max(dim=0).values
    assert (alike > 0.95).sum() >= 15
    close(sae.decoder.norm(dim=1), torch.ones(40))


def test_a_seed_gives_the_same_dictionary_and_leaves_the_generator_alone():
    x = torch.randn(200, 6)
    torch.manual_seed(5)
    one = train_sae(x, 12, k=2, steps=5, seed=1)
    after = torch.rand(1)
    torch.manual_seed(5)
    assert torch.rand(1) == after
    two, other = (train_sae(x, 12, k=2, steps=5, seed=seed) for seed in (1, 2))
    assert torch.equal(one.decoder, two.decoder) and not torch.equal(one.decoder, other.decoder)
