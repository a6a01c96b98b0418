"""The compiled program: its inputs at capacity, the forward pass, what it needs of memory."""
