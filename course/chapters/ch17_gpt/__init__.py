"""Notebook 17, and assignment 9: from here to GPT."""
