"""Showing what a study returned: text, tables for papers, reference pages."""
