"""Types of the columns of tables and records. JSON has numbers, but times and other exact decimals are strings."""

from __future__ import annotations

import re
from typing import Any, Dict, Iterable, List, Set

# Columns that are texts in each table that has them, as `xtf help` declares. A region may be called 0.5.
TEXTS = frozenset("""
    alike callpath class colour column culprit_site ending figure finding first_site from_site how kind last_region last_site loop metric
    missing name needs point proc_set reason recv_site region remote_procs rule run send_site site stack state table term to_site unit used
    verdict wait_kind what
    """.split())
DECIMAL = re.compile(r"-?\d+\.\d+([eE][-+]?\d+)?|-?inf|-?nan")  # whole numbers are numbers in JSON
WHOLE = re.compile(r"-?\d+")

Row = Dict[str, Any]


def parse_cell(cell: str, is_text: bool) -> Any:
    """Returns the value of a cell of a text table, as JSON has it. A dash is no value."""
    if cell == "-":
        return None
    if is_text:
        return cell
    if WHOLE.fullmatch(cell):
        return int(cell)
    return None if cell == "?" else cell


def time_columns(rows: Iterable[Row]) -> Set[str]:
    """Returns the columns in which each string is a decimal number."""
    decimals: Set[str] = set()
    others: Set[str] = set(TEXTS)
    for row in rows:
        for name, value in row.items():
            if isinstance(value, str) and name not in others:
                (decimals if DECIMAL.fullmatch(value) else others).add(name)
    return decimals - others


def convert_rows(rows: List[Row]) -> List[Row]:
    """Turns the decimals of a table into floating-point numbers, in place."""
    columns = time_columns(rows)
    for row in rows:
        for name in columns:
            if isinstance(row[name], str):
                row[name] = float(row[name])
    return rows
