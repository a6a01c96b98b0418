"""What all pages share: the sidebar, the model in use, the plot component, the frame of a stage page."""
