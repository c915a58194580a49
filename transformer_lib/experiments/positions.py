"""Experiment: how well positions are learned."""
