"""What the user selected: focus, inspected cell, axis window, view of a page."""
