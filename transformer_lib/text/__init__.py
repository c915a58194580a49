"""Text -> ids, in padded batches.

tokens.py             Tokenizer, Vocabulary: words, with contractions written out
subwords.py           the same interface for any text
languages.py          one side of a translator: tokenizer and vocabulary together
user_input.py         what somebody types: one sentence, or the reason why it isn't one
normalizing.py        spaces, quotes, invisible signs: read by a table that a model keeps
stand_ins.py          links, numbers, emoji and the like, which are copied instead of translated
batching.py           sentences of similar length -> padded batches
data.py               where the data are, and tables in them
english_spanish.py    the grammar's sentences; everyday.py: sentences with all translations;
                      digit_tasks.py: copying, reversing and sorting digits
phrasebook.py         what people say to a stranger; augmentation.py: as they would type it
parallel.py           a user's own sentence pairs
tokenized_dataset.py  pairs as ids on disk, read through a memory map
downloads.py          public corpora, fetched on request; moses.py: as published scores need them
"""
