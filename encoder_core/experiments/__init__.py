"""Experiments: claims about encoders, each tested by running one. One claim per module."""
