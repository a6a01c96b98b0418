"""The sections of the recipes page: sizes, figures, notes, dropout, and two examples worked by hand."""
