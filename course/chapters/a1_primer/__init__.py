"""The PyTorch primer, a1."""
