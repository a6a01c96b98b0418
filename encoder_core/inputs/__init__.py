"""From the text to the input of the first block: tokens, masks, positions, embeddings, dropout."""
