"""Notebook 12: how good a translation is."""
