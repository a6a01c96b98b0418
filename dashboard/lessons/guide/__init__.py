"""The guide for the facilitator: the plan as data, its measurements, the page and docs/workshop.md."""
