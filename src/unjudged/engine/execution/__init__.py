"""Plans of independent blocks, where they are executed, and the store that survives a kill."""
