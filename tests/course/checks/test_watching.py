"""Borrowed work is found by what ran; own work is own under whatever name."""

import functools

import pytest
import torch
from torch import nn

import transformer_lib
from course.chapters.ch04_attention import checks as attention
from course.chapters.ch06_masks import checks as masks
from course.chapters.ch07_encoder import checks as encoder
from course.checks import Hint, graded, implement, own_work
from course.checks.watching import Borrowed, Watch, on_guard, watched
from tests.course.checks.attempts import told
from tests.course.grading.hostile import BORROWED, OWN, SETUP


def attempt(code: str):
    names: dict = {}
    exec(SETUP + code, names)
    return names["my_weights"]


@pytest.mark.parametrize("way", BORROWED)
def test_borrowed_work_is_found(way):
    code, whose = BORROWED[way]
    hint = f"`{whose}` does the whole exercise for you: write its steps yourself."
    assert told(attention.my_weights, attempt(code)) == (hint, 0.0)


@pytest.mark.parametrize("way", OWN)
def test_own_work_under_any_name_is_right(way):
    assert told(attention.my_weights, attempt(OWN[way])) == ("", 1.0)


def test_own_class_of_a_known_name():
    class LayerNorm(nn.Module):
        def forward(self, x, scale, shift, eps):
            centered = x - x.mean(-1, keepdim=True)
            variance = centered.square().mean(-1, keepdim=True)
            return centered / (variance + eps).sqrt() * scale + shift

    layer_norm = LayerNorm()
    assert told(encoder.layer_norm, lambda *inputs: layer_norm(*inputs)) == ("", 1.0)
    # And PyTorch's, however it is reached.
    for theirs in (
        lambda x, scale, shift, eps: nn.LayerNorm(x.shape[-1], eps)(x) * scale + shift,
        lambda x, scale, shift, eps: torch.native_layer_norm(x, x.shape[-1:], scale, shift, eps)[0],
        functools.partial(
            lambda f, x, scale, *rest: f(x, x.shape[-1:], scale, *rest), nn.functional.layer_norm
        ),
    ):
        assert "does the whole exercise" in told(encoder.layer_norm, theirs)[0]


def test_own_variable_of_a_known_name():
    names: dict = {"torch": torch}
    exec(
        """
causal_mask = torch.ones(50, 50, dtype=torch.bool).tril()
def my_decoder_mask(ids):
    n = ids.shape[-1]
    return (ids != 0)[:, None, None, :] & causal_mask[:n, :n]
""",
        names,
    )
    assert told(masks.my_decoder_mask, names["my_decoder_mask"]) == ("", 1.0)


def test_borrowing_costs_all_points_whatever_comes_back():
    @implement(lambda: ())
    def check(function):
        own_work(function, "causal_mask")
        function(3)

    def memory(n, kept=[]):  # noqa: B006
        kept.append(transformer_lib.causal_mask(n))
        raise ValueError

    for function in (transformer_lib.causal_mask, memory):
        with graded(), pytest.raises(Hint, match="`causal_mask` does the whole") as caught:
            check(function)
        assert caught.value.keeps == 0
    with graded():
        check(lambda n: None)


def test_what_the_function_is_not_watched_for_is_free():
    assert watched(transformer_lib.causal_mask, ["padding_mask"], (2,), {}).sum() == 3
    with pytest.raises(Borrowed, match="causal_mask"):
        watched(transformer_lib.causal_mask, ["causal_mask"], (2,), {})


@pytest.mark.parametrize(
    "part, deaf",
    [
        ("on_call", lambda *anything: None),
        ("__torch_function__", lambda self, f, types, inputs=(), options=None: f(*inputs)),
    ],
)
def test_a_watch_that_is_taken_away_is_missed(monkeypatch, part, deaf):
    assert on_guard()
    monkeypatch.setattr(Watch, part, deaf)
    assert not on_guard()
