"""What all modules use: checks of arguments, read-only arrays, the type of arrays, progress of long computations, the
format of numbers, words that agree with them."""
