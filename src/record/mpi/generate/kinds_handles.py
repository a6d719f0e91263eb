"""The snippets of functions that make, use or end communicators, windows and files, and of the begin and end (kinds.py says what they are)."""

KINDS = {}
