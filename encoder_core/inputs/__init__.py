"""From the text to the input of the first layer: tokens, masks, positions, embeddings, dropout."""
