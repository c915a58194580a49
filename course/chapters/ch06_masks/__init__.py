"""Notebook 06: what must not be seen."""
