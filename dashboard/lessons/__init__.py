"""Sections: parts of a page that have controls or words of their own, one module for each page that is made of them."""
