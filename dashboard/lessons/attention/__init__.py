"""Sections of the pages on attention, from queries, keys and values to the heads."""
