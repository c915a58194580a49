"""Notebook 14, and assignment 7: sentences that people write."""
