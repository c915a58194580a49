"""The figures of notebook 13: what the heads learned, and what depends on them."""

from typing import Any

from matplotlib.figure import Figure

from transformer_lib.plots import causes, heads
from transformer_lib.plots.figures.heads import TIRED, looks_at_tired
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
            "nothing changed": measured["as trained"],
            "the one head off": measured["best head off"],
            "another head off (worst of 15)": min(others),
            "adjective can't see the nouns": measured["adjective can't see the nouns"],
            "“it” can't see the nouns": measured["pronoun can't see the nouns"],
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
    "wide'. From 'wide' on the left a thick line of head 2 leads to 'street' and one of head 1 to "
    "'was'; thin lines of heads 0 and 3 lead to most words.",
)
def draw_token_view() -> Any:
    from transformer_lib.translator import Translator

    return heads.token_view(Translator.load().looks(WIDE), word="wide")


@figure(
    "causes-head-table",
    notebook="13_what_the_heads_learned",
    caption="How often the largest weight of each head lies on the noun that is meant.",
    alt="Two maps of four layers by four heads. Where the adjective looks, one cell is dark: "
    "encoder, layer 1, head 2, with 99 %; all others have 6 % or less, and most of them are "
    "empty. Where 'it' looks, the largest is 27 %, in the same cell.",
)
def draw_head_table() -> Figure:
    from transformer_lib.corpora import english_spanish
    from transformer_lib.evaluation import PronounBatch, head_accuracy, measurable
    from transformer_lib.translator import Translator

    translator = Translator.load()
    items = measurable(translator, english_spanish.load_pronoun(), half=1)
    return causes.head_table(head_accuracy(translator, PronounBatch(translator, items)))


@figure(
    "causes-agreement",
    notebook="13_what_the_heads_learned",
    caption="Adjectives in the right gender after each change, for three training seeds.",
    alt="Six bars with three dots each. Nothing changed, another head off, and 'it' barred from "
    "the nouns: near 100 %. The head that finds the noun off, and the adjective barred from the "
    "nouns: 50 to 52 %, hardly above the line of chance at 50 %. The weights of the two nouns "
    "swapped: 1 %.",
)
def draw_agreement() -> Figure:
    measured = over_seeds()
    said = {"the one head off": "the head that finds\nthe noun is off",
            "another head off (worst of 15)": "one of the 15 others\nis off (the worst case)",
            "adjective can't see the nouns": "the adjective can't\nsee the nouns",
            "two numbers swapped": "the weights of the\ntwo nouns swapped"}  # fmt: skip
    shares = {said.get(change, change): list(by_seed.values())
              for change, by_seed in measured.items()}  # fmt: skip
    return causes.agreement_bars(shares, list(measured["nothing changed"]),
                                 "Three changes ruin the gender in Spanish, two don't")  # fmt: skip


@figure(
    "causes-swap",
    notebook="13_what_the_heads_learned",
    caption="Two numbers of one row of one head change places, and a letter of the translation "
    "with them.",
    alt="The sentence 'The animal didn't cross the street because it was too tired' twice. Above, "
    "as it is: a thick arrow from 'tired' to 'animal', attention weight 1.00, and a thin dashed "
    "one with 0.00 to 'street'; under 'tired' Spanish ends in 'cansado', masculine like el animal. "
    "Below, with the two numbers swapped, the thick arrow leads to 'street', and Spanish ends in "
    "'cansada', feminine like la calle.",
    hero=True,
)
def draw_swap() -> Figure:
    from transformer_lib.experiments.causes import swapped
    from transformer_lib.translator import Translator

    translator, looks = Translator.load(), looks_at_tired()
    pair = ("tired", "animal", "street")
    rows = causes.before_and_after(looks, *BEST, *pair)
    after = swapped(translator, TIRED, *BEST, *pair)
    endings = [text.split()[-1] for text in (translator.translate(TIRED)[0].text, after)]
    meanings = ("masculine, like el animal", "feminine, like la calle (street)")
    return causes.exchanged(looks.src[:-1], rows[:, :-1], "tired", pair[1:], endings, meanings)


@figure(
    "causes-crossing",
    notebook="13_what_the_heads_learned",
    caption="Which English words each Spanish word looks at, in the last layer, mean of its heads.",
    alt="Three pairs of word rows with lines. 'I like trees': no lines cross. 'My head hurts': the "
    "line from 'duele' to 'hurts' crosses those of 'la' and 'cabeza', two crossings. 'You have "
    "five balls left': a line from 'quedan' to 'left' crosses those of 'cinco' and 'pelotas'.",
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


@figure(
    "attention-animal",
    notebook="13_what_the_heads_learned",
    caption="What 'tired' and 'wide' look at, and what 'it' looks at, in the encoder head that "
    "finds the right noun most often.",
    alt="The sentence 'The animal didn't cross the street because it was too tired', and below it "
    "the same sentence with 'wide'. An arrow leads from 'tired' to 'animal', but from 'wide' to "
    "'street', each with 100 % of the attention. Under both sentences the same arrow leads from "
    "'it' to 'animal', with 98 %, so it doesn't tell which noun is meant.",
)
def draw_attention_animal() -> Figure:
    from transformer_lib.corpora import english_spanish
    from transformer_lib.evaluation import best_head
    from transformer_lib.translator import Translator

    translator = Translator.load()
    layer, head = best_head(translator, english_spanish.load_pronoun())
    several = [translator.looks(sentence) for sentence in (TIRED, WIDE)]
    return causes.same_and_other([(looks.src, looks.weights[layer][head]) for looks in several],
                                 ("tired", "wide"), "it")  # fmt: skip
