"""What stands around each page: the frame, the notices."""
