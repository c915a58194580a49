"""Notebook 09: the paper's figure, assembled."""
