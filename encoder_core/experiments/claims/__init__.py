"""One module for each claim that learners are told, with its EXPERIMENT."""
