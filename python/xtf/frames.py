"""Tables and records as pandas DataFrames."""

from __future__ import annotations

import itertools
from typing import Any, Dict, Iterable, List

from .values import Row

ROWS = 100_000  # rows that are Python objects at once


def load_pandas() -> Any:
    """Returns the module pandas; None if it is not installed."""
    try:
        import pandas
    except ImportError:
        return None
    return pandas


def kind_of(values: List[Any]) -> str:
    """Returns the kind of a column: none, int, float, text or any."""
    types = {type(value) for value in values} - {type(None)}
    if not types:
        return "none"
    if types == {int}:
        return "int"
    if types <= {int, float}:
        return "float"
    return "text" if types == {str} else "any"


def make_series(pandas: Any, values: List[Any], kind: str) -> Any:
    """Returns a column with the dtype of its kind: int64, Int64 if values are missing, float64 or object."""
    if kind == "float":
        return pandas.Series(values, dtype="float64")
    if kind != "int":
        return pandas.Series(values, dtype="object")
    present = [value for value in values if value is not None]
    wide = max(present, default=0) >= 1 << 63
    if wide and min(present) < 0:
        return pandas.Series(values, dtype="object")
    dtype = "uint64" if wide else "int64"
    return pandas.Series(values, dtype=dtype if len(present) == len(values) else dtype.replace("u", "U").replace("i", "I", 1))


def make_frame(pandas: Any, rows: List[Row]) -> Any:
    """Returns the DataFrame of a table."""
    names = list(rows[0]) if rows else []
    columns = {name: [row[name] for row in rows] for name in names}
    return pandas.DataFrame({name: make_series(pandas, values, kind_of(values)) for name, values in columns.items()}, columns=names)


def join_pieces(pandas: Any, pieces: List[Any], kinds: List[str]) -> Any:
    """Joins the parts of a column. A part without values takes the kind of the others."""
    known = {kind for kind in kinds if kind != "none"}
    if len(known) == 1 and "none" in kinds:
        [kind] = known
        pieces = [make_series(pandas, [None] * len(piece), kind) if of == "none" else piece for piece, of in zip(pieces, kinds)]
    return pandas.concat(pieces, ignore_index=True)


def collect_frame(pandas: Any, rows: Iterable[Row], names: List[str]) -> Any:
    """Returns the DataFrame of many rows, of which only some are Python objects at a time."""
    pieces: Dict[str, List[Any]] = {name: [] for name in names}
    kinds: Dict[str, List[str]] = {name: [] for name in names}
    iterator = iter(rows)
    while True:
        batch = list(itertools.islice(iterator, ROWS))
        if not batch and pieces and next(iter(pieces.values())):
            break
        for name in names:
            values = [row[name] for row in batch]
            kinds[name].append(kind_of(values))
            pieces[name].append(make_series(pandas, values, kinds[name][-1]))
        if not batch:
            break
    return pandas.DataFrame({name: join_pieces(pandas, pieces[name], kinds[name]) for name in names}, columns=names)
