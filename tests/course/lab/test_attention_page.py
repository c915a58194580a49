"""Recorded attention of any model as a page, and what the page shows."""

import base64
import html
import io
import json
import re

import nbformat
import numpy as np
import pytest
import torch
from nbformat.v4 import new_output
from PIL import Image
from playwright.sync_api import expect

from course.lab import AttentionView, Layer, attention_map_layers, huggingface_layers
from course.lab.attention_page import MIME, unpacked
from tests.course.site.visits import Visit, serious, sideways
from transformer_lib import Translator

CROSS = "decoder.layers.1.cross_attn"


@pytest.fixture(scope="module")
def maps():
    return Translator.load().attention_maps("I like trees")


def given(page: str) -> list:
    """The layers that a page draws."""
    return json.loads(re.search(r"^const given = (.*);$", page, re.MULTILINE)[1])["layers"]


def test_a_page_holds_what_was_recorded(maps):
    layers = given(AttentionView(attention_map_layers(maps)).page())
    assert [layer["name"] for layer in layers] == list(maps.weights)
    for layer in layers:
        expected = maps.weights[layer["name"]].numpy()
        np.testing.assert_allclose(layer["weights"], expected, atol=5e-5)
    words = {layer["name"]: (layer["queries"], layer["keys"]) for layer in layers}
    assert words["encoder.layers.0.self_attn"] == (maps.src, maps.src)
    assert words["decoder.layers.1.self_attn"] == (maps.tgt_out, maps.tgt_in)
    assert words["decoder.layers.1.cross_attn"] == (maps.tgt_out, maps.src)


def test_words_that_could_end_the_script_stay_words():
    word = "</script><b>&\\"
    page = AttentionView([Layer("any", [[[1.0]]], [word], [word])]).page(title="a < b")
    assert page.count("</script>") == 1 and "<title>a &lt; b</title>" in page
    assert given(page)[0]["keys"] == [word]


# --- in a notebook ---


@pytest.fixture(scope="module")
def output(maps) -> nbformat.NotebookNode:
    """What a notebook stores of a view."""
    data, notes = AttentionView(
        attention_map_layers(maps), layer=CROSS, query=1
    )._repr_mimebundle_()
    return new_output("execute_result", data, metadata=notes, execution_count=1)


def test_a_notebook_stores_the_page_its_data_a_picture_and_words(maps, output):
    view = AttentionView(attention_map_layers(maps), layer=CROSS, query=1)
    picture = Image.open(io.BytesIO(base64.b64decode(output.data["image/png"])))
    note = output.metadata["image/png"]
    assert [size // 2 for size in picture.size] == [note["width"], note["height"]]
    assert (
        "“gustan” attends most in head 0 to “trees” with 1.00, in head 1 to “like”" in note["alt"]
    )
    assert "Rows are the positions that write me gustan" in note["alt"]
    assert output.data["text/plain"].startswith(f"Figure:\n{note['alt']}\npanel | head 0\n")
    assert unpacked(output.data[MIME]) == view.data()
    # Where frames aren't let through the picture is seen, and said; the frame lies over it.
    frame = output.data["text/html"]
    shown = re.search(r'<img alt="([^"]*)" .*? src="data:image/png;base64,(.*?)">', frame)
    assert (html.unescape(shown[1]), shown[2]) == (note["alt"], output.data["image/png"])
    page = html.unescape(re.search(r'srcdoc="([^"]*)"', frame)[1])
    assert page == view.page(heading=False) and "<h1>" not in page


# --- other models ---


def test_a_model_of_hugging_face():
    from transformers import MarianConfig, MarianMTModel

    config = MarianConfig(
        vocab_size=11,
        d_model=8,
        pad_token_id=0,
        decoder_start_token_id=0,
        attn_implementation="eager",
        encoder_layers=2,
        decoder_layers=2,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
    )
    model = MarianMTModel(config).eval()
    src, tgt = ["_I", "_like", "_trees", "</s>"], ["<pad>", "_me", "_gustan"]
    ids = torch.tensor([[3, 4, 5, 1], [6, 7, 8, 1]])
    decoder_ids = torch.tensor([[0, 6, 7], [0, 8, 9]])
    output = model(ids, decoder_input_ids=decoder_ids, output_attentions=True)
    layers = huggingface_layers(output, src, tgt, sentence=1)
    assert [layer.name for layer in layers] == [
        "encoder.layers.0.self_attn",
        "encoder.layers.1.self_attn",
        "decoder.layers.0.self_attn",
        "decoder.layers.1.self_attn",
        "decoder.layers.0.cross_attn",
        "decoder.layers.1.cross_attn",
    ]
    cross = layers[-1]
    assert (cross.queries, cross.keys) == (tgt, src)
    torch.testing.assert_close(cross.weights, output.cross_attentions[1][1].detach())
    with pytest.raises(ValueError, match="output_attentions=True"):
        huggingface_layers(model(ids, decoder_input_ids=decoder_ids), src, tgt)


def test_layer_head_and_word_are_chosen_by_mouse_and_keyboard(maps, browser, tmp_path):
    AttentionView(attention_map_layers(maps)).save(tmp_path / "view.html", title="I like trees")
    with Visit(browser, tmp_path, viewport={"width": 390, "height": 800}) as visit:
        page = visit.open("view.html")
        says = page.locator(".av-says")
        expect(says).to_have_text("encoder, layer 0, head 0: choose a word to see its numbers.")
        page.get_by_label("Layer").select_option(CROSS)
        page.locator(".av-queries").get_by_text("gustan").click()
        expect(says).to_contain_text("head 0: “gustan” attends most to “trees”, with 1.00.")
        page.get_by_label("head 0").focus()
        page.keyboard.press("ArrowRight")
        expect(says).to_contain_text("head 1: “gustan” attends most to “like”, with 1.00.")
        numbers = page.locator(".av-number").all_inner_texts()
        assert numbers == [f"{weight:.2f}" for weight in maps.weights[CROSS][1, 1]]
        page.get_by_role("radio", name="Map").check()
        cell = page.locator(".av-map tbody tr").nth(3).locator("td").nth(2)
        cell.click()
        expect(says).to_contain_text("“árboles” attends most to “trees”")
        assert cell.get_attribute("title").startswith("árboles → trees: 1.00")
        assert sideways(page) == []
        for scheme in ("light", "dark"):
            page.emulate_media(color_scheme=scheme)
            assert serious(page) == []
        assert len(visit.asked) == 1
