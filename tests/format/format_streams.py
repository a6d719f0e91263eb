"""Checks that the test files have what they are for: each mode and kind of stream of packed rows, totals of each kind, several levels."""
import collections

import xtf_unpack
from xtf_format import COMPACT
from xtf_schema import Bytes, expect
from xtf_totals import tables

MODES = ["VALUE", "STEP", "DISTANCE", "COLUMN", "STEPS", "PLANES"]
KINDS = ["stored", "deflated", "repeated"]
TABLES = ["totals", "borders", "snapshots", "filters"]


class Watched(xtf_unpack.Bytes):
    """Packed rows that count the kinds of their streams."""
    kinds = collections.Counter()

    def stream(self, least, most):
        Watched.kinds[KINDS[xtf_unpack.Bytes(self.data[self.at:]).varint() & 3]] += 1
        return super().stream(least, most)


def packed_leaves(array):
    """Returns (packed rows, number of rows) of all leaves."""
    leaves, unpack = [], array.as_stored

    def record(level, rows, payload, what):
        if level == 0:
            leaves.append((payload, rows))
        return unpack(level, rows, payload, what)

    array.as_stored = record
    list(array.read_local())
    return leaves


def modes_of(array, packed, rows):
    """Returns the modes of packed rows, and counts their kinds of streams."""
    source, widths = Watched(packed), [field.size for field in array.schema.fields][1:]
    list(xtf_unpack.read_times(source, rows))
    modes = xtf_unpack.read_templates(source, widths, rows)[0] if widths else []
    for mode, field in zip(modes, array.schema.fields[1:]):
        if mode > xtf_unpack.DISTANCE:
            xtf_unpack.read_column(source, mode, field.size, field.code in "iq", rows)
    return {MODES[mode] for mode in modes}


def table_kinds(array):
    """Returns the kinds of tables of totals in the right edge of an array."""
    array.read_edge()
    found = {kind for totals in array.edge_totals for kind, _ in tables(Bytes(totals, array.label))}
    return {TABLES[kind - 1] for kind in found}


def check_variety(traces, deflated):
    """Checks the good files; `traces` has them by name. Only the files named in `deflated` have deflated streams."""
    modes, kinds, heights, totals, calls = set(), set(), set(), set(), [0]
    chained = xtf_unpack.chained

    def count(column, row):
        calls[0] += 1
        return chained(column, row)

    xtf_unpack.chained = count
    for name, trace in traces.items():
        Watched.kinds.clear()
        for array in trace.arrays():
            heights.add((array.codec, array.height))
            totals |= table_kinds(array)
            for packed, rows in packed_leaves(array) if array.codec == COMPACT else ():
                modes |= modes_of(array, packed, rows)
        expect(("deflated" in Watched.kinds) == (name in deflated), f"{name}: it has streams {Watched.kinds}")
        kinds |= set(Watched.kinds)
    xtf_unpack.chained = chained
    expect(modes == set(MODES), f"the modes are {modes}")
    expect(kinds == set(KINDS), f"the kinds of streams are {kinds}")
    expect(totals == set(TABLES), f"the tables of totals are {totals}")
    expect(calls[0] > 0, "no distance is chained")
    expect({(0, 1), (0, 2), (1, 1), (1, 2)} <= heights, f"codecs and heights are {heights}")
