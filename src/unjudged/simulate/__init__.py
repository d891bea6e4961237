"""Taking judgments away, so that methods can be tried against a known truth."""
