"""What is saved is what is loaded, or it is refused, before anything is written."""

import types

import pytest
import torch
from torch import nn

from tests.transformer_lib.small_inputs import SRC
from tests.transformer_lib.variants.changed_models import CHANGES, D_MODEL, H, changed
from transformer_lib import (
    TOY,
    ModelConfig,
    TrainingConfig,
    Transformer,
    Translator,
    load_model,
    make_model,
    save_model,
    tensor2tensor_encoding,
    train,
)
from transformer_lib.files import CheckpointError
from transformer_lib.variants import GELUFeedForward, ModernAttention, Rotary, replace_modules
from transformer_lib.variants.language_model import LanguageModel, language_model
from transformer_lib.variants.recurrent import RECURRENT, RecurrentTranslator, recurrent

# PyTorch's own warnings, where it compiles
pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")
TGT_IN = torch.tensor([[1, 5, 6], [1, 9, 10], [1, 4, 4]])


def builder(name):
    def build(**settings):
        model = make_model(**settings)
        CHANGES[name](model)
        return model

    return build


@pytest.mark.parametrize("name", sorted(CHANGES.keys() - {"paper"}))
def test_exchanged_parts_need_the_function_that_makes_them(tmp_path, name):
    model = changed(name).float()
    with pytest.raises(CheckpointError, match=r"^the model isn't saved.* is .*build=\.\.\.\)$"):
        save_model(tmp_path, model)
    assert list(tmp_path.iterdir()) == []
    save_model(tmp_path, model, build=builder(name))
    loaded = load_model(tmp_path, build=builder(name))
    assert torch.equal(loaded(SRC, TGT_IN), model(SRC, TGT_IN))
    with pytest.raises(CheckpointError, match="model.safetensors was made for another model"):
        load_model(tmp_path)
    with pytest.raises(CheckpointError, match="is"):
        save_model(tmp_path, model, build=builder("paper"))


def set_to(path, value):
    """A change: what stands at this path in the model gets this value."""

    def change(model):
        owner, _, name = path.rpartition(".")
        setattr(model.get_submodule(owner), name, value)

    return change


def tie(model):
    model.src_embed.table.weight = model.tgt_embed.table.weight


def share_a_layer(model):
    model.encoder.layers[1] = model.encoder.layers[0]


def add_a_buffer(model):
    model.encoder.register_buffer("seen", torch.ones(2))


def override(model):
    model.encode = types.MethodType(lambda self, src: Transformer.encode(self, src) / 2, model)


# what somebody changed by hand -> what the sentence names
CHANGED_BY_HAND = {
    "dropout": (set_to("encoder.layers.0.residual_self_attn.dropout.p", 0.5), "dropout has .* p;"),
    "encoding": (set_to("src_positions.encoding", tensor2tensor_encoding), "another encoding;"),
    "a table": (set_to("src_positions.table", tensor2tensor_encoding(300, D_MODEL)), "table;"),
    "tied": (tie, "tgt_embed.table.weight is .* named src_embed.table.weight"),
    "untied": (
        set_to("generator.proj.weight", nn.Parameter(torch.zeros(11, D_MODEL))),
        "generator.proj.weight is .*, not .* named tgt_embed.table.weight",
    ),
    "one layer twice": (share_a_layer, "encoder.layers.1 is missing, not EncoderLayer"),
    "wider": (set_to("encoder.layers.0.feed_forward.w_1", nn.Linear(D_MODEL, 9)), "w_1 has"),
    "no part": (set_to("encoder.layers.0.self_attn.attention", nn.Identity()), "is Identity, not"),
    "a buffer": (add_a_buffer, "encoder.seen is more than there should be|encoder has"),
    "a method": (override, "it has another encode"),
    "a hook": (
        lambda m: m.encoder.register_forward_hook(lambda *a: a[-1] / 2),
        "encoder has a hook",
    ),
    "compiled": (lambda m: setattr(m, "encoder", torch.compile(m.encoder)), "OptimizedModule"),
    "in 64 bits": (lambda m: m.double(), "dtype=torch.float64"),
    "an impossible config": (lambda m: setattr(m, "config", TOY), "another scale;"),
    "no config": (lambda m: delattr(m, "config"), "can't be built again .*config"),
}


@pytest.mark.parametrize("name", CHANGED_BY_HAND)
def test_what_was_changed_by_hand_is_named(tmp_path, name):
    ties = {"tied": "none", "untied": "target"}.get(name, "none")
    model = changed("paper", tie_weights=ties).float()
    change, named = CHANGED_BY_HAND[name]
    save_model(tmp_path / "before", model)
    change(model)
    with pytest.raises(CheckpointError, match=named) as error:
        save_model(tmp_path / "after", model)
    assert "\n" not in str(error.value) and not (tmp_path / "after").exists()


def test_parts_with_other_settings_are_other_parts(tmp_path):
    def build(part):
        made = lambda old: ModernAttention(D_MODEL, H, qk_transforms=[part])  # noqa: E731
        return lambda **sizes: replace_modules(make_model(**sizes), "self_attn", made)

    one, another = Rotary(6), Rotary(6, base=100.0)
    model = build(one)(src_vocab_size=11, tgt_vocab_size=11, N=1, d_model=D_MODEL, d_ff=9, h=H)
    with pytest.raises(CheckpointError, match="self_attn.attention"):
        save_model(tmp_path, model, build=build(another))
    save_model(tmp_path, model, build=build(one))
    with pytest.raises(CheckpointError, match="made for another model"):
        load_model(tmp_path, build=build(another))


class Halved(Transformer):
    """A subclass with the same parts that computes something else."""

    def encode(self, src):
        return super().encode(src) / 2


def halved(src_vocab_size, tgt_vocab_size, **settings):
    return Halved(src_vocab_size, tgt_vocab_size, ModelConfig(**settings))


@pytest.mark.parametrize(
    ("model", "build"),
    [
        (lambda: Halved(11, 11, TOY), halved),
        (lambda: LanguageModel(11, TOY), language_model),
        (lambda: RecurrentTranslator(11, 11, RECURRENT["additive"]), recurrent),
    ],
    ids=["a subclass", "a language model", "a recurrent translator"],
)
def test_another_model_is_loaded_by_its_own_function_only(tmp_path, model, build):
    model = model().eval()
    save_model(tmp_path, model)
    with pytest.raises(CheckpointError, match="another model|doesn't fit"):
        load_model(tmp_path)
    loaded = load_model(tmp_path, build=build)
    src = torch.tensor([[4, 5, 2]])
    computed = [each.decode(src, each.encode(src), src) for each in (model, loaded)]
    assert type(loaded) is type(model) and torch.equal(*computed)


@pytest.mark.parametrize(
    "wrap", [torch.compile, nn.DataParallel, lambda model: torch.compile(nn.DataParallel(model))]
)
def test_of_a_model_that_is_wrapped_the_model_is_saved(tmp_path, wrap):
    model = changed("paper").float()
    save_model(tmp_path, wrap(model))
    assert torch.equal(load_model(tmp_path)(SRC, TGT_IN), model(SRC, TGT_IN))


def test_a_model_that_has_read_long_texts_is_saved_and_stays_as_it_was(tmp_path):
    model = changed("paper").float().train()
    with torch.inference_mode():
        model(torch.full((1, 300), 5), TGT_IN[:1])
    before = torch.get_rng_state()
    save_model(tmp_path, model)
    assert torch.equal(torch.get_rng_state(), before)
    assert all(part.training for part in model.modules())


def test_a_translator_is_saved_as_its_model(tmp_path, translator):
    def changed(model):
        return replace_modules(model, "feed_forward", lambda old: GELUFeedForward(6, 7))

    def build(**sizes):
        return changed(make_model(**sizes))

    changed(translator.model)
    with pytest.raises(CheckpointError, match="feed_forward"):
        translator.save(tmp_path)
    assert list(tmp_path.iterdir()) == []
    translator.save(tmp_path, build=build)
    loaded = Translator.load(tmp_path, build=build)
    assert loaded.translate("I like trees") == translator.translate("I like trees")


def test_a_run_goes_on_with_the_model_that_began_it(tmp_path):
    config, pairs = TrainingConfig(steps=1), [([4, 5], [6]), ([7], [8, 9])]
    sizes = {"N": 1, "d_model": 8, "d_ff": 16, "h": 4, "dropout": 0.0}

    def run(resume=True, change=lambda model: model, **other):
        model = change(make_model(11, 11, **sizes | other))
        return train(model, pairs, pairs, config, folder=tmp_path, resume=resume)

    def gelu(model):
        return replace_modules(model, "feed_forward", lambda old: GELUFeedForward(8, 16))

    assert run(resume=False) == run()
    for other in ({"h": 2}, {"change": gelu}):
        with pytest.raises(CheckpointError, match="training_state.* was made for another model"):
            run(**other)
