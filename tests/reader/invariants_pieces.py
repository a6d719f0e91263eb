"""Rows of INVARIANTS in test_invariants.py: joined arrays (section 9). The base "joined" is `runs.xtf` of tests/format."""
from xtf_patch import ARRAY, ENTRY, LENGTH, Layout, plus, set_fields

PIECES, PIECE, BODY, SHIFT = "pieces:I _:I", "first:Q at:I bytes:I", "kind:I shifts:I", "field:I _:I by:Q"
JOINED_FEATURE = 8


def pieces(f, array):
    """Returns the head of the pieces of an array, and (head, body) of each."""
    levels = f.edge(array)
    at = f.base(array) + array.at + 8 + 32 * array.height + sum(head.bytes for head, _ in levels[1:])
    for _ in range(array.height):
        at = f.at(at, LENGTH).end + f.at(at, LENGTH).bytes
    start = f.at(at, PIECES)
    heads = [f.at(start.end + i * Layout.of(PIECE).size, PIECE) for i in range(start.pieces)]
    return start, [(head, f.at(at + head.at, BODY)) for head in heads]


def piece(number, location=1):
    """Returns a function that finds the head and the body of a piece."""
    return lambda f: pieces(f, f.array("calls", location))[1][number]


def head(number, **fields):
    return lambda f: set_fields(piece(number)(f)[0], **fields)


def body(number, **fields):
    return lambda f: set_fields(piece(number)(f)[1], **fields)


def source(number, of=1, **fields):
    """Changes the entry of the other array in a piece."""
    return lambda f: set_fields(f.at(piece(number, of)(f)[1].end, ARRAY), **fields)


def shift(number, index, **fields):
    return lambda f: set_fields(f.at(piece(number)(f)[1].end + Layout.of(ARRAY).size + index * Layout.of(SHIFT).size, SHIFT), **fields)


def own_time(f):
    """Makes the second row of a piece of rows earlier than the first."""
    set_fields(f.at(piece(1)(f)[1].end + f.schema("calls")[1].row_size, "time:Q"), time=1)


def leaf_place(f):
    level, at = f.edge(f.array("calls", 1))[1]
    set_fields(f.at(at, ENTRY), place=plus(1))
    assert level.rows > 1


def shifted_type(f):
    """Gives the first field that a piece shifts an unknown type."""
    field = f.at(piece(2)(f)[1].end + Layout.of(ARRAY).size, SHIFT).field
    set_fields(f.schema("calls")[2][field], type=99)


PIECE_ROWS = [
    # FORMAT W4
    ("9", "joined-bit", "Bit 3 of the incompatible features is set if an array is joined", "joined", lambda f: set_fields(f.superblock, incompatible=lambda bits: bits & ~JOINED_FEATURE),
     "it is the file's own segment, but the others are from parts", "the file's own one is among those of parts"),
    ("9", "joined-leaf", "A joined array has no open leaf of its own", "joined", lambda f: set_fields(f.edge(f.array("calls", 1))[0][0], bytes=8), "or has an item", "with an open leaf of its own"),
    # FORMAT C13
    ("9", "joined-place", "Entries of a joined array lead to leaves of its pieces", "joined", leaf_place, "page 3", "page 3"),
    ("9", "pieces-none", "A joined array has a piece at least", "joined", lambda f: set_fields(pieces(f, f.array("calls", 1))[0], pieces=0), "its pieces are cut short", "its pieces are out of order"),
    ("9", "piece-first", "The first piece begins with row 0", "joined", head(0, first=1), "its pieces do not have all of its rows", "its pieces are out of order"),
    ("9", "piece-bytes", "Bodies of pieces have the length that their heads say", "joined", head(0, bytes=plus(8)), "is cut short, or longer than its parts", "piece"),
    ("9", "piece-outside", "Pieces lie in the right edge", "joined", head(0, at=1 << 20), "a piece lies outside of the edge", "does not follow the one before"),
    ("9", "pieces-end", "Pieces fill the right edge", "joined", lambda f: set_fields(f.array("calls", 3), length=plus(1)), "is not as long as its parts", "bytes left over"),
    ("9", "piece-kind", "Pieces are of kind 1 or 2", "joined", body(0, kind=3), "a piece is of an unknown kind", "of unknown kind 3"),
    ("9", "piece-rows", "A piece has all rows of its array", "joined", source(0, rows=plus(-1)), "a piece has not all rows", "it has not all rows"),
    ("9", "piece-location", "A piece is an array of the same location", "joined", source(0, location=plus(1)), "a piece is an array of another kind", "an array of another kind"),
    ("9", "piece-joined", "A piece is not joined itself", "joined", source(0, flags=1), "a piece is an array of another kind", "an array of another kind"),
    ("9", "piece-segment", "The array of a piece is in a segment of the file", "joined", source(0, segment=99), "a segment that does not exist", "there is no segment 99"),
    ("9", "piece-clock", "The clock map of a piece exists", "joined", source(2, 3, clock_map=9), "its clock map 9 does not exist", "there is no clock map 9"),
    ("9", "piece-edge", "The right edge of a piece's array is the one that its entry names", "joined", source(2, crc=plus(1)), "its checksum is wrong", "wrong checksum"),
    ("9", "piece-time", "Times never fall in a piece of rows", "joined", own_time, "time goes backwards", "times decrease"),
    ("9", "piece-shifts", "A piece has as many shifts as it says", "joined", body(2, shifts=plus(1)), "is cut short, or longer than its parts", "ends too early"),
    ("9", "piece-shift-field", "Shifts name fields of the schema", "joined", shift(2, 0, field=63), "shifts a field that does not exist", "its shifts"),
    ("9", "piece-shift-type", "A field with a shift is an integer", "joined", shifted_type, "shifts a field that is no integer", "shifts a field that is no integer"),
    ("9", "piece-shift-time", "No shift changes a time", "joined", shift(2, 0, field=0), "shifts a field that does not exist", "its shifts"),
]
