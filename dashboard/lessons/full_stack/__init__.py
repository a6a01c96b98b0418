"""The views of the full stack page, one module each (the two views of tiles share one), in folders by subject."""
