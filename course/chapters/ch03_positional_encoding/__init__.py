"""Notebook 03: where a word stands."""
