"""A small collection with known truth, and a walk through the commands on it."""
