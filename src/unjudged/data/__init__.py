"""Columns: ids, judgments, runs, and views of one through the other. No files, no measures."""
