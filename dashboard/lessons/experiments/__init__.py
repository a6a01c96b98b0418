"""The sections of the experiments page: choice, controls, prediction and result."""
