"""Run the walkthrough for many people: several processes behind nginx. See deploy/README.md."""
