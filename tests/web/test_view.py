"""Recorded attention of any model as a page, and what the page shows."""

import json
import re
import shutil

import numpy as np
import pytest
import torch
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import expect, sync_playwright

from transformer_lib import Translator
from transformer_lib.web import AttentionView, Layer, huggingface_layers, looks_layers

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
BROWSER = next(filter(None, map(shutil.which, NAMES)), None)


@pytest.fixture(scope="module")
def looks():
    return Translator.load().looks("I like trees")


def given(page: str) -> list:
    """The layers that a page draws."""
    return json.loads(re.search(r"\.\.\.(\[.*\])\);</script>", page)[1])[0]["layers"]


def test_a_page_holds_what_was_recorded(looks):
    layers = given(AttentionView(looks_layers(looks)).page())
    assert [layer["name"] for layer in layers] == list(looks.weights)
    for layer in layers:
        expected = looks.weights[layer["name"]].numpy()
        np.testing.assert_allclose(layer["weights"], expected, atol=5e-5)
    words = {layer["name"]: (layer["queries"], layer["keys"]) for layer in layers}
    assert words["encoder.layers.0.self_attn"] == (looks.src, looks.src)
    assert words["decoder.layers.1.self_attn"] == (looks.tgt_out, looks.tgt_in)
    assert words["decoder.layers.1.cross_attn"] == (looks.tgt_out, looks.src)


def test_words_that_could_end_the_script_stay_words():
    word = "</script><b>&\\"
    page = AttentionView([Layer("any", [[[1.0]]], [word], [word])]).page(title="a < b")
    assert page.count("</script>") == 1 and "<title>a &lt; b</title>" in page
    assert given(page)[0]["keys"] == [word]


@pytest.mark.parametrize("shape", [(2, 3), (1, 3, 2), (1, 2, 2), (0, 2, 3)])
def test_words_must_fit_the_weights(shape):
    with pytest.raises(ValueError, match=r"first: 2 words that look and 3 .* \(heads, 2, 3\), not"):
        Layer("first", torch.zeros(shape), ["a", "b"], ["a", "b", "c"])


def test_a_layer_that_is_not_there_is_named(looks):
    with pytest.raises(ValueError, match=r"no layer 'encoder'; there are encoder\.layers\.0"):
        AttentionView(looks_layers(looks), layer="encoder")


def test_a_model_of_hugging_face():
    from transformers import MarianConfig, MarianMTModel

    sizes = {f"{side}_{what}": 2 for side in ("encoder", "decoder")
             for what in ("layers", "attention_heads")}  # fmt: skip
    config = MarianConfig(
        vocab_size=11, d_model=8, encoder_ffn_dim=8, decoder_ffn_dim=8, pad_token_id=0,
        decoder_start_token_id=0, attn_implementation="eager", **sizes,
    )  # fmt: skip
    model = MarianMTModel(config).eval()
    src, tgt = ["_I", "_like", "_trees", "</s>"], ["<pad>", "_me", "_gustan"]
    ids = torch.tensor([[3, 4, 5, 1], [6, 7, 8, 1]])
    decoder_ids = torch.tensor([[0, 6, 7], [0, 8, 9]])
    output = model(ids, decoder_input_ids=decoder_ids, output_attentions=True)
    layers = huggingface_layers(output, src, tgt, sentence=1)
    assert [layer.name for layer in layers] == [
        "encoder.layers.0.self_attn", "encoder.layers.1.self_attn",
        "decoder.layers.0.self_attn", "decoder.layers.1.self_attn",
        "decoder.layers.0.cross_attn", "decoder.layers.1.cross_attn",
    ]  # fmt: skip
    cross = layers[-1]
    assert (cross.queries, cross.keys) == (tgt, src)
    torch.testing.assert_close(cross.weights, output.cross_attentions[1][1].detach())
    np.testing.assert_allclose(
        np.sum(given(AttentionView(layers).page())[-1]["weights"], -1), 1, atol=1e-3
    )
    with pytest.raises(ValueError, match="output_attentions=True"):
        huggingface_layers(model(ids, decoder_input_ids=decoder_ids), src, tgt)


@pytest.mark.skipif(BROWSER is None, reason="no browser: install Chromium or Chrome")
def test_layer_head_and_word_are_chosen_by_mouse_and_keyboard(looks, tmp_path):
    AttentionView(looks_layers(looks)).save(tmp_path / "view.html", title="I like trees")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=BROWSER)
        page = browser.new_page(viewport={"width": 390, "height": 800})
        asked, failed = [], []
        page.on("request", lambda request: asked.append(request.url))
        page.on("pageerror", lambda error: failed.append(str(error)))
        page.goto((tmp_path / "view.html").as_uri())
        says = page.locator(".av-says")
        expect(says).to_have_text("encoder, layer 0, head 0: choose a word to see its numbers.")
        page.get_by_label("Layer").select_option("decoder.layers.1.cross_attn")
        page.locator(".av-queries").get_by_text("gustan").click()
        expect(says).to_contain_text("head 0: “gustan” looks most at “trees”, with 1.00.")
        page.get_by_label("head 0").focus()
        page.keyboard.press("ArrowRight")
        expect(says).to_contain_text("head 1: “gustan” looks most at “like”, with 1.00.")
        numbers = page.locator(".av-number").all_inner_texts()
        row = looks.weights["decoder.layers.1.cross_attn"][1, 1]
        assert numbers == [f"{weight:.2f}" for weight in row]
        page.get_by_role("radio", name="Map").check()
        cell = page.locator(".av-map tbody tr").nth(3).locator("td").nth(2)
        cell.click()
        expect(says).to_contain_text("“árboles” looks most at “trees”")
        assert cell.get_attribute("title").startswith("árboles → trees: 1.00")
        assert page.evaluate("document.scrollingElement.scrollWidth") <= 390
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            found = Axe().run(page, options={"resultTypes": ["violations"], "preload": False})
            assert [one["id"] for one in found.response["violations"]] == []
        assert len(asked) == 1 and failed == []
        browser.close()
