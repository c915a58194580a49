"""Notebook 19, Taught by a judge: figures, checks, experiments."""
