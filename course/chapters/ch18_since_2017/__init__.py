"""Notebook 18, and assignment 8: what has changed since."""
