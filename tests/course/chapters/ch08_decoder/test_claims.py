"""What notebook 08 says of our translator, where no output of a cell shows it."""

import torch

from transformer_lib import patch_attention
from transformer_lib.text import english_spanish

CROSS = "decoder.layers.1.cross_attn"


def test_one_head_reads_trees_while_gustan_is_written(translator):
    maps = translator.attention_maps("I like trees")
    gustan = maps.weights[CROSS][:, maps.tgt_out.index("gustan")]
    assert (gustan > 0.98).nonzero().tolist() == [[0, 2], [1, 1], [2, 1], [3, 1]]
    los = maps.weights[CROSS][:, maps.tgt_out.index("los"), 2]
    assert (los > 0.9).sum() == 2 and (los > 0.5).sum() == 2
    noun = maps.weights[CROSS][:, maps.tgt_out.index("árboles"), 2]
    torch.testing.assert_close(noun, torch.ones(4), atol=0.02, rtol=0)


def test_what_the_training_text_says_of_the_mistakes(translator):
    spanish = [
        " ".join(translator.tgt.tokenizer(text)) for _, text in english_spanish.load("train")
    ]
    questions = [text for text in spanish if "?" in text]
    assert len(questions) > 5000 and all(text.find("?") == len(text) - 1 for text in questions)
    whole = "\n".join(f" {text} " for text in spanish)
    assert " el dientes " not in whole and " a el " not in whole
    assert " los dientes " in whole and " al niño " in whole


def test_without_self_attention_no_question_ends_in_time(translator):
    pairs = [pair for pair in english_spanish.load("test")[:100] if "?" in pair[1]]
    assert len(pairs) == 8
    edits = {f"decoder.layers.{layer}.self_attn": lambda weights: 0 * weights for layer in (0, 1)}
    with patch_attention(translator.model, edits):
        found = translator.translate([english for english, _ in pairs])
    assert not any(one.text.find("?") == len(one.text) - 1 for one in found)
