"""The snippets of messages, requests and collective operations (kinds.py says what they are)."""

KINDS = {}
