"""Notebook 00: the whole machine from outside."""
