"""Two sentences with "it", and a translator of random weights that knows their words."""

from transformer_lib.model.transformer import make_model
from transformer_lib.text.english_spanish import PronounItem
from transformer_lib.text.languages import Language
from transformer_lib.text.tokens import Tokenizer, Vocabulary
from transformer_lib.translator import Translator

ENGLISH = "the animal did not cross street because it was too tired wide , road".split()


SPANISH = "el animal no cruzó la calle porque como estaba era cansado cansada ancho ancha ,".split()


def small_translator():
    src = Language(Tokenizer("en"), Vocabulary(ENGLISH))
    tgt = Language(Tokenizer("es"), Vocabulary(SPANISH))
    model = make_model(len(src.vocab), len(tgt.vocab), N=2, d_model=12, d_ff=14, h=3)
    return Translator(model, src, tgt)


def item(adjective="tired", right="cansado", wrong="cansada", pair=1, copula="estaba"):
    antecedent, other = (1, 6) if adjective == "tired" else (6, 1)
    return PronounItem(
        english=f"The animal didn't cross the street because it was too {adjective}",
        spanish=f"El animal no cruzó la calle porque {copula} {right}",
        pair=pair,
        pronoun=8,
        adjective=11,
        antecedent=antecedent,
        other=other,
        right=right,
        wrong=wrong,
    )


def pair(number):
    return [item(pair=number), item("wide", "ancha", "ancho", number, copula="era")]
