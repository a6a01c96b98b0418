"""The compiled program: its inputs at capacity, the forward pass, cropping to the active sizes, memory."""
