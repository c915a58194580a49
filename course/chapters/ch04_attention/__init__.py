"""Notebook 04: who attends to whom."""
