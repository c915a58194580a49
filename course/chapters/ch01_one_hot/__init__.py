"""Notebook 01: a word as a row with a single 1."""
