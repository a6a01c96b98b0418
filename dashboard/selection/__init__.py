"""What part of the model is looked at: position, inspected cell, window of an axis, view."""
