"""Notebook 20: sparse autoencoders, judged by a grammar that knows the truth."""
