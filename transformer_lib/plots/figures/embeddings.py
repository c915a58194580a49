"""The figures of notebook 02: words as places on a map."""
