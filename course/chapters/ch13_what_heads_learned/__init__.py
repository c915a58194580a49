"""Notebook 13: what the heads learned, and what depends on them."""
