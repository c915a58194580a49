"""The paper's model, a file for each of its parts, in the order data flows.

    config.py       sizes (Table 3)
    masks.py        who may attend to whom
    embedding.py    ids -> vectors: which word, and where (sections 3.4, 3.5)
    attention.py    scaled dot-product attention, multi-head attention (section 3.2)
    layers.py       feed-forward network, sub-layer connection, first weights (sections 3.3, 3.1)
    encoder.py      N encoder layers
    decoder.py      N decoder layers
    transformer.py  all of it (Figure 1)

Read from top to bottom, it takes half an hour. Beside it, interface.py says what training and
decoding ask of any model.
"""
