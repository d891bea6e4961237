"""Filling holes: drawing grades, handing them out, and scoring rankings with them."""
