"""Views of the attention weights: of all heads, their averages, rollout, roles and pairs of heads, ablation."""
