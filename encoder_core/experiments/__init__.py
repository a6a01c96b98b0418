"""Experiments: each module tests one claim about encoders with forward passes."""
