"""Reading and writing: the only place that opens files."""
