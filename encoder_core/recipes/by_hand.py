"""The small examples of NanoLM in plain Python numbers, with every product and every sum."""

import math
from collections.abc import Sequence
from typing import NamedTuple

Row = Sequence[float]


class WorkedAttention(NamedTuple):
    """Attention of one query over a few keys, where queries, keys and values are the embedding rows.

    products      for each key, the products whose sum is its dot product with the query
    dot_products  their sums
    scores        divided by sqrt(width)
    exponentials  exp(score - the largest score)
    weights       exp(score) / sum of exponentials
    weighted      for each key, its weight times its row
    output        the column sums of those
    """

    products: list[list[float]]
    dot_products: list[float]
    scores: list[float]
    exponentials: list[float]
    weights: list[float]
    weighted: list[list[float]]
    output: list[float]


def worked_attention(query: Row, keys: Sequence[Row]) -> WorkedAttention:
    """softmax(q K^T / sqrt(d)) K for one query row (Vaswani et al. 2017, equation 1), number by number."""
    products = [[q * k for q, k in zip(query, key, strict=True)] for key in keys]
    dots = [math.fsum(row) for row in products]
    scores = [dot / math.sqrt(len(query)) for dot in dots]
    largest = max(scores)
    exponentials = [math.exp(score - largest) for score in scores]  # minus the largest, so that none overflows
    total = math.fsum(exponentials)
    weights = [exponential / total for exponential in exponentials]
    weighted = [[weight * number for number in key] for weight, key in zip(weights, keys, strict=True)]
    output = [math.fsum(column) for column in zip(*weighted, strict=True)]
    return WorkedAttention(products, dots, scores, exponentials, weights, weighted, output)


def worked_lookup(token: int, table: Sequence[Row]) -> tuple[list[list[float]], list[float]]:
    """One-hot times the table: for each dimension the products, and their sums, which are the token's row."""
    one_hot = [float(index == token) for index in range(len(table))]
    products = [[hot * row[d] for hot, row in zip(one_hot, table, strict=True)] for d in range(len(table[0]))]
    return products, [math.fsum(row) for row in products]
