"""Reads traces of parallel programs, by the command xtf or through a mount.

    import xtf
    trace = xtf.open("run.xtf")
    trace.table("time/0-1/profile")       # a DataFrame with pandas, else a list of dicts
    for record in trace.records("proc/0/sends"): ...
    trace.svg("timeline.svg")             # a notebook shows the picture

docs/TREE.md explains the paths, which are as in a mount.
"""

from .errors import XtfError, XtfWarning
from .trace import Svg, Trace, open

__all__ = ["Svg", "Trace", "XtfError", "XtfWarning", "open"]
__version__ = "0.1.0"
