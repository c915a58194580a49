"""What notebook 05 says of one head and of several, where no output of a cell shows it."""

from transformer_lib import patch_attention
from transformer_lib.interpret.patching import ablate_head
from transformer_lib.text import english_spanish

RIDDLE = "The animal didn't cross the street because it was too "


def test_cansado_needs_no_head_of_the_encoder_but_ancha_does(translator):
    """So the text may ask whether a head is the reason for the -o, and not say that one is."""
    off = {f"encoder.layers.{i}.self_attn": lambda weights: 0 * weights for i in (0, 1)}
    with patch_attention(translator.model, off):
        written = [translator.translate(RIDDLE + one).text for one in ("tired", "wide")]
    assert [text.split()[-1] for text in written] == ["cansado", "ancho"]


def test_what_changes_without_a_head(translator):
    """Without one person and number go wrong, without another the gender; others hardly matter."""
    sentences = [english for english, _ in english_spanish.load("test")[:200]]
    whole = [one.text for one in translator.translate(sentences)]

    def changed(layer: int, head: int) -> list[tuple[str, str]]:
        off = {f"encoder.layers.{layer}.self_attn": ablate_head(head)}
        with patch_attention(translator.model, off):
            without = [one.text for one in translator.translate(sentences)]
        return [(a, b) for a, b in zip(whole, without, strict=True) if a != b]

    def only_gender(a: str, b: str) -> bool:
        return a.replace("o", "a") == b.replace("o", "a")

    assert [len(changed(0, 2)), len(changed(0, 3))] == [1, 1]
    number, gender = changed(1, 1), changed(1, 2)
    assert (len(number), len(gender)) == (29, 49)
    fallen = [pair for pair in gender if only_gender(*pair)]
    assert len(fallen) == 41
    assert sum(all(x == "a" for x, y in zip(a, b, strict=True) if x != y) for a, b in fallen) == 36
    words = [(a.split(), b.split()) for a, b in number if not only_gender(a, b)]
    assert sum(len(a) == len(b) for a, b in words) == 28, "the 29th is another sentence"
