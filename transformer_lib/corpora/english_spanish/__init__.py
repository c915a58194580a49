"""A synchronous grammar of English and Spanish: each rule writes both languages together.

lexicon.py     nouns, names and adjectives, and which of them go together
morphology.py  plurals, agreement, conjugation
verbs.py       verbs and the nouns they take
phrases.py     noun phrases, subjects, verb forms: English and Spanish side by side
frames.py      sentences: "I like trees" / "Me gustan los árboles"
pronouns.py    sentences in which "it" has to be understood
splits.py      training and test files, and what is held out of training
recognition.py could the grammar have written this sentence?
surprise.py    how surprising the sentences are, from the probabilities of the choices
"""

from .splits import SPLITS, PronounItem, load, load_pronoun, write

__all__ = ["SPLITS", "PronounItem", "load", "load_pronoun", "write"]
