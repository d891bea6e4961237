"""What is read before any run is scored: pools, texts, and where runs have documents."""
