"""Views of what the model predicts: output tokens, the logit lens, logit attribution."""
