"""The figures of notebook 04: who looks at whom."""
