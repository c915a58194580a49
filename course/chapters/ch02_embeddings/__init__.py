"""Notebook 02: words as places on a map."""
