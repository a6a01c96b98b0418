"""What all modules use: checks of arguments, read-only arrays, progress of long computations."""
