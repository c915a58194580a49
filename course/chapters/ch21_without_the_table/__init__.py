"""Notebook 21: a state of fixed size in place of self-attention, and what it costs."""
