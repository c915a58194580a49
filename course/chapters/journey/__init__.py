"""One word's journey through all chapters: the strip at the top of each notebook, the poster."""
