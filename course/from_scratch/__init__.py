"""The path from an empty file: what a reader's own my_transformer.py is checked with."""
