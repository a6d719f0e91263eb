"""Exceptions and warnings of the package."""

from __future__ import annotations


class XtfError(Exception):
    """A path that does not exist, a damaged file, or a missing command. The text is that of the command xtf."""


class XtfWarning(UserWarning):
    """A warning of the command xtf, such as a window after the end of the trace."""
