"""Notebook 08: how a sentence is written."""
