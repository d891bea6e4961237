"""What studies return: tables of numbers with where they come from."""
