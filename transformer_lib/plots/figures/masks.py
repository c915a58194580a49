"""The figures of notebook 06: what must not be seen."""
