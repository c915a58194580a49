"""Notebook 10: how the numbers are found."""
