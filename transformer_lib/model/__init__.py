"""The paper's model, a file for each of its parts, in the order data flows.

    config.py       sizes (Table 3)
    masks.py        which positions may attend to which
    embedding.py    ids -> vectors: which word, and where (sections 3.4, 3.5)
    attention.py    scaled dot-product attention, multi-head attention (section 3.2)
    layers.py       feed-forward network, sub-layer connection, first weights (sections 3.3, 3.1)
    encoder.py      N encoder layers
    decoder.py      N decoder layers
    transformer.py  all of it (Figure 1)

Reading it from top to bottom takes half an hour. Besides the paper there is interface.py: what
training and decoding ask of any model.
"""
