"""The evidence model: what other groups' runs say about a hole, learned from unique contributions to the pool."""
