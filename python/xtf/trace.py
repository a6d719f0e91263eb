"""A trace, or a part of one that a path selects."""

from __future__ import annotations

import os
import pathlib
from typing import Any, Dict, Iterator, List, Optional, Union

from .command import CommandSource, find_command
from .errors import XtfError
from .frames import collect_frame, load_pandas, make_frame
from .mounted import MountedSource, is_mounted
from .pipit import make_pipit_frame
from .values import Row, convert_rows

PathLike = Union[str, "os.PathLike[str]"]


class Svg(str):
    """A picture as text. A notebook shows the picture."""

    def _repr_svg_(self) -> str:
        return str(self)

    def save(self, path: PathLike) -> None:
        """Writes the picture to a file."""
        pathlib.Path(path).write_text(self, encoding="utf-8")


class Trace:
    """A trace. Paths are as in a mount, such as time/0-1/profile."""

    def __init__(self, source: Union[CommandSource, MountedSource], prefix: str = "") -> None:
        self._source = source
        self._prefix = prefix

    def __repr__(self) -> str:
        return f"xtf.open({str(self._source)!r})" + (f".select({self._prefix!r})" if self._prefix else "")

    def _path(self, path: str) -> str:
        return "/".join(part for part in (self._prefix, path.strip("/")) if part)

    def select(self, path: str) -> Trace:
        """Returns the part of the trace below a path, such as proc/0-3 or time/10%-20%. Paths of its methods begin there."""
        part = Trace(self._source, self._path(path))
        part.count()
        return part

    def ls(self, path: str = "") -> List[str]:
        """Returns the names that a directory lists, sorted."""
        return sorted(self._source.names(self._path(path)))

    def text(self, path: str) -> str:
        """Returns a file as text."""
        return self._source.read(self._path(path)).decode("utf-8", "surrogateescape")

    def count(self, path: str = "") -> int:
        """Returns the number of records of a directory."""
        return int(self.text(f"{path}/count"))

    def rows(self, path: str) -> List[Row]:
        """Returns a table as a list of dicts. Numbers and times, in seconds, are int and float; a missing value is None."""
        return convert_rows(list(self._source.objects(self._path(path))))

    def table(self, path: str) -> Any:
        """Returns a table as a DataFrame, or as rows() does if pandas is not installed."""
        pandas = load_pandas()
        rows = self.rows(path)
        return make_frame(pandas, rows) if pandas else rows

    def columns(self, path: str = "") -> Dict[str, Optional[str]]:
        """Returns the names and units of the columns of a directory's records."""
        return {row["column"]: row["unit"] for row in self.rows(f"{path}/columns")}

    def records(self, path: str = "") -> Iterator[Row]:
        """Yields the records of a directory as dicts, by time. Memory does not grow with their number."""
        seconds = [name for name, unit in self.columns(path).items() if unit == "s"]
        for record in self._source.objects(self._path(f"{path}/records")):
            for name in seconds:
                if record[name] is not None:
                    record[name] = float(record[name])
            yield record

    def records_frame(self, path: str = "") -> Any:
        """Returns the records of a directory as a DataFrame."""
        return collect_frame(self._need_pandas(), self.records(path), list(self.columns(path)))

    def svg(self, path: str = "timeline.svg") -> Svg:
        """Returns a picture, which a notebook shows."""
        return Svg(self.text(path))

    def to_pipit(self, path: str = "") -> Any:
        """Returns the records of a directory as a DataFrame with Pipit's columns: pipit.trace.Trace(None, frame) takes it."""
        return make_pipit_frame(self._need_pandas(), self._source.objects(self._path(f"{path}/records")))

    @staticmethod
    def _need_pandas() -> Any:
        pandas = load_pandas()
        if pandas is None:
            raise XtfError("a DataFrame needs pandas, which is not installed; records() needs nothing")
        return pandas


def open(source: PathLike, command: Optional[str] = None) -> Trace:
    """Opens a trace: an .xtf file, a folder of a recording, an archive that xtf imports, or a directory in a mount.

    `command` is the command xtf, by default the one in PATH. A mount does not need it. Raises XtfError if the trace cannot be read.
    """
    path, found = os.fspath(source), find_command(command)
    if command and not found:
        raise XtfError(f"{command}: there is no such command")
    if is_mounted(path):
        return Trace(MountedSource(found, path))
    if not found:
        raise XtfError("the command xtf is not in PATH: install it, or open a mount")
    trace = Trace(CommandSource(found, path))
    trace.count()
    return trace
