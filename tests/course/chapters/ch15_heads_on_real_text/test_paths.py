"""A head at its mean, and one path patched: on the small model, where the way is known."""

import pytest
import torch

from course.chapters.ch15_heads_on_real_text import corpus, paths, probes
from course.chapters.ch15_heads_on_real_text.corpus import AgreementBatch
from transformer_lib.interpret.recording import record_outputs

AGREES = ("encoder.layers.1.self_attn", 2)  # the head of notebook 13


@pytest.fixture(scope="module")
def batch(translator):
    return AgreementBatch(translator, corpus.template_items(["after is"], adjectives=1))


def test_a_head_at_its_mean_is_the_same_in_all_sentences_of_a_template(translator):
    both = AgreementBatch(
        translator, corpus.template_items(["after is", "another noun between"], adjectives=1)
    )
    layer, head = AGREES
    with record_outputs(translator.model) as plain:
        probes.margins(translator, both)
    with paths.averaged(translator, both, [AGREES]), record_outputs(translator.model) as outputs:
        probes.margins(translator, both)
    found, kinds = outputs[f"{layer}.attention"], paths.of_one_kind(both)
    for kind in (0, 1):
        mine, own = found[kinds == kind], plain[f"{layer}.attention"][kinds == kind]
        torch.testing.assert_close(mine[0, head], own[:, head].mean(dim=0))
        torch.testing.assert_close(mine[:, head], mine[:1, head].expand_as(mine[:, head]))
        assert (mine[:, head - 1] != mine[:1, head - 1]).any()


def test_the_head_of_13_is_needed_at_its_mean_as_well(translator, batch):
    right = {
        head: probes.share(paths.without(translator, batch, [head]) > 0)
        for head in paths.every_head(translator)
    }
    assert right[AGREES] == min(right.values()) < 0.75 < 0.95 < sorted(right.values())[1]


def test_the_small_model_reads_nothing_over_the_path_from_its_article(translator, batch):
    """It reads English: the article carries a fiftieth at most, over any path (notebook 15)."""
    article = paths.first_of(batch.noun_out)
    assert (article.sum(dim=1) == 1).all() and (article & ~batch.noun_out).sum() == 0
    assert abs(paths.directly(translator, batch, article)) < 0.05


def test_only_the_place_of_the_ending_reads_the_partner(translator, batch, monkeypatch):
    """Where all it may see is the partner's, it ends with what the partner's path brings."""
    nowhere = torch.zeros_like(batch.writing)
    assert paths.directly(translator, batch, nowhere) == 0
    article = paths.first_of(batch.noun_out)
    seen, own = [], probes.margins

    def watched(*inputs):
        with record_outputs(translator.model) as outputs:
            found = own(*inputs)
        seen.append(outputs["decoder.layers.0.self_attn.attention"])
        return found

    monkeypatch.setattr(paths, "margins", watched)
    paths.directly(translator, batch, article)
    plain, patched = seen
    changed = (plain != patched).any(dim=-1).any(dim=1)  # (b, t)
    assert not (changed & ~batch.writing).any() and changed.any()
    batch_alone = AgreementBatch(translator, batch.kept[:1])
    with pytest.raises(ValueError, match="its partner"):
        paths.directly(translator, batch_alone, batch_alone.noun_out)
