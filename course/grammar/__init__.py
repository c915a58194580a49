"""A synchronous grammar of English and Spanish: each rule writes both languages together.

    lexicon.py      nouns, names and adjectives, and which of them go together
    morphology.py   plurals, agreement, conjugation
    verbs.py        verbs and the nouns they take
    words.py        phrases in both languages at once, and how they become text
    phrases.py      noun phrases, subjects, verb forms: English and Spanish side by side
    random_choices.py  who does what to what, where and when, drawn by chance
    statements.py, likes.py, clitics.py, questions.py, larger.py
                    sentences: "I like trees" / "Me gustan los árboles"
    antecedents.py, situations.py
                    sentences in which one has to work out what "it" means
    splits.py       training and test files, and what is held out of training
    recognition.py  could the grammar have written this sentence?
    surprise.py     how surprising the sentences are, from the probabilities of the choices
    classes.py      part of speech, gender and number of a word

A function that draws a sentence of one kind is a *frame*; its docstring shows what it writes.
What they wrote is in data/en-es, and `transformer_lib.text.english_spanish` reads it.
"""
