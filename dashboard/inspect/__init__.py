"""The parts of a page below the plot: numbers, formula, code, question and edits."""
