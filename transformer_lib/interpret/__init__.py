"""Looking inside a model while it runs, and changing one thing to see what depends on it.

recording.py   attention weights, and the output of any module
patching.py    other weights or outputs in their place: a head switched off, two weights swapped
pronouns.py    which head finds the noun that a pronoun means, and what depends on it
"""
