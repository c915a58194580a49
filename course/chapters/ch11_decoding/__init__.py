"""Notebook 11: choosing among many translations."""
