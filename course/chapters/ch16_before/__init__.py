"""Notebook 16: what the Transformer replaced."""
