"""Scenes of attention, from queries, keys and values to the heads of all layers."""
