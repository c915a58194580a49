"""Notebook 07: how a sentence is read."""
