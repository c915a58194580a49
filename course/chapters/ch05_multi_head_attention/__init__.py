"""Notebook 05: several heads at once."""
