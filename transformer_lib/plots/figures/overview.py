"""The whole architecture, and where in it each notebook is."""
