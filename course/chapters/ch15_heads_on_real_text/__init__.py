"""Notebook 15: who decides a gender, in a model of real text."""
