"""The figures of notebook 13: what the heads learned, and what depends on them."""

from typing import Any

from matplotlib.figure import Figure

from transformer_lib.plots import causes, heads
from transformer_lib.plots.attention import attention_heatmap
from transformer_lib.plots.figures.registry import figure

BEST = ("encoder.layers.1.self_attn", 2)  # of the shipped model; the notebook finds it again
WIDE = "The animal didn't cross the street because it was too wide"
CROSSING = ("I like trees", "My head hurts", "You have five balls left")


def over_seeds() -> dict[str, dict[str, float]]:
    """Share of adjectives in the right gender after each change -> {change: {seed: share}}."""
    from transformer_lib.checkpoints import read_json
    from transformer_lib.translator import SHIPPED_MODEL

    found: dict[str, dict[str, float]] = {}
    for seed, report in read_json(SHIPPED_MODEL / "heads.json")["seeds"].items():
        measured = report["agreement"]
        best = f"{report['best_head']['layer']}.{report['best_head']['head']}"
        others = [share for name, share in report["each_head_off"].items() if name != best]
        changes = {
            "nothing": measured["as trained"],
            "that head off": measured["best head off"],
            "the worst of 15 others off": min(others),
            "adjective can't see the nouns": measured["adjective can't see the nouns"],
            "pronoun can't see the nouns": measured["pronoun can't see the nouns"],
            "two numbers swapped": measured["two numbers swapped in the best head"],
        }
        for change, share in changes.items():
            found.setdefault(change, {})[seed] = share
    return found


@figure(
    "causes-token-view",
    notebook="13_what_the_heads_learned",
    caption="The sentence with 'wide', to touch: choose a layer, heads and a word.",
    alt="Two columns with the words of 'The animal didn't cross the street because it was too "
    "wide'. From 'wide' on the left a thick line of head 3 leads to 'street' and one of head 2 to "
    "'was'; thin lines of heads 1 and 4 lead to most words.",
)
def draw_token_view() -> Any:
    from transformer_lib.translator import Translator

    return heads.token_view(Translator.load().looks(WIDE), word="wide")


@figure(
    "causes-head-table",
    notebook="13_what_the_heads_learned",
    caption="How often the largest weight of each head lies on the noun that is meant.",
    alt="Two maps of four layers by four heads. From the adjective, one cell is dark: encoder "
    "layer 2, head 3, with 1.00; all others are 0.09 or less. From the pronoun the largest is "
    "0.27, in the same cell.",
)
def draw_head_table() -> Figure:
    from transformer_lib.corpora import english_spanish
    from transformer_lib.evaluation import PronounBatch, head_accuracy, measurable
    from transformer_lib.translator import Translator

    translator = Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), parity=1)
    return causes.head_table(head_accuracy(translator, PronounBatch(translator, items)))


@figure(
    "causes-agreement",
    notebook="13_what_the_heads_learned",
    caption="Adjectives in the right gender after each change, for three training seeds.",
    alt="Six groups of three bars. Nothing changed, another head off, and the pronoun barred from "
    "the nouns: near 100 %. The one head off, and the adjective barred from the nouns: 43 to "
    "48 %, a little under the line of chance at 50 %. Two numbers swapped: 0 %.",
)
def draw_agreement() -> Figure:
    measured = over_seeds()
    shares = {change: list(by_seed.values()) for change, by_seed in measured.items()}
    return causes.agreement_bars(shares, list(measured["nothing"]))


@figure(
    "causes-swap",
    notebook="13_what_the_heads_learned",
    caption="One row of one head before and after two of its numbers change places.",
    alt="Two rows over the words of 'The animal didn't cross the street because it was too "
    "tired'. Before, all weight of 'tired' lies on 'animal'; after, all of it lies on 'street'.",
)
def draw_swap() -> Figure:
    from transformer_lib.plots.figures.heads import looks_at_tired

    looks = looks_at_tired()
    rows = causes.before_and_after(looks, *BEST, "tired", "animal", "street")
    return attention_heatmap(
        rows, ["before", "after"], looks.src, title="what tired looks at"
    ).figure


@figure(
    "causes-crossing",
    notebook="13_what_the_heads_learned",
    caption="Which English words each Spanish word looks at, in the last layer, head by head.",
    alt="Three pairs of word rows with lines. 'I like trees': the words stand in the same order, "
    "but one head's line leads from 'gustan' to 'trees'. 'My head hurts': the lines of 'duele' and "
    "'cabeza' cross. 'You have five balls left': lines from 'quedan' cross those of 'pelotas'.",
)
def draw_crossing() -> Figure:
    from transformer_lib.translator import Translator

    translator = Translator.load()
    return causes.crossing([translator.looks(sentence) for sentence in CROSSING])


@figure(
    "causes-sharp-heads",
    notebook="13_what_the_heads_learned",
    caption="How sharp each of the 24 heads looks, and how many translations change without it.",
    alt="24 points. The sharpest heads, all in the decoder, lie at every height from 0 to 19 %; "
    "most of them at the bottom. The highest point, 22 %, is the encoder head that finds the noun, "
    "and it is only moderately sharp.",
)
def draw_sharp_heads() -> Figure:
    from transformer_lib import experiments

    results = experiments.load("heads-off")["results"]
    return causes.sharp_heads(results, {
        "encoder.layers.1.self_attn.2": "finds the noun\nof the adjective",
        "decoder.layers.0.cross_attn.3": "points at the noun\nthat is being written",
        "decoder.layers.1.cross_attn.0": "decides the number\nof gustan",
    })  # fmt: skip
