"""The models in use: computed once for all sessions, kept in memory while they fit, loaded and compiled ahead."""
