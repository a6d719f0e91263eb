"""Schemas, their fields and aggregates, and clock maps for the independent reader of XTF files (xtf_reader.py); and the decoding
of bytes."""
import struct
from bisect import bisect_left, bisect_right

import xtf_unpack

JUMPS, INSTANT, DURATION = 1, 1 << 4, 1 << 5
GREATEST = (1 << 64) - 1
RECORD, SIDE, TABLE_KIND, DERIVED = 1, 2, 3, 4
TYPES = {1: ("U8", "B"), 2: ("U16", "H"), 3: ("U32", "I"), 4: ("U64", "Q"), 5: ("I32", "i"), 6: ("I64", "q"), 7: ("F64", "d"), 8: ("STRING", "I")}


class Damaged(Exception):
    """An error: the file violates docs/FORMAT.md, or is of a kind that this reader must refuse."""


class Unknown(Damaged):
    """An error: an array has a schema or codec of a later version."""


def expect(condition, message):
    if not condition:
        raise Damaged(message)


class Bytes:
    """Decodes bytes from their beginning on."""

    def __init__(self, data, label):
        self.data, self.at, self.label = data, 0, label

    def __bool__(self):
        return self.at < len(self.data)

    def take(self, length):
        expect(length <= len(self.data) - self.at, f"{self.label}: ends too early")
        self.at += length
        return self.data[self.at - length:self.at]

    def unpack(self, layout):
        layout = struct.Struct(layout) if isinstance(layout, str) else layout
        return layout.unpack(self.take(layout.size))

    def sub(self, length):
        return Bytes(self.take(length), self.label)

    def string(self):
        (length,) = self.unpack("<H")
        return self.take(length).decode("utf-8", "surrogateescape")

    def all_of(self, layout):
        expect((len(self.data) - self.at) % layout.size == 0, f"{self.label}: no whole number of entries")
        while self:
            yield self.unpack(layout)


class Field:
    def __init__(self, data):
        kind, self.flags, self.offset, labels = data.unpack("<BxHHH")
        self.type, self.code = TYPES.get(kind, (f"type {kind}", ""))
        self.name, self.role, self.unit, self.refers_to = (data.string() for _ in range(4))
        self.labels = [data.string() for _ in range(labels)]
        self.optional, self.known = bool(self.flags & 1), kind in TYPES
        if not self.known:  # plain bytes: its other properties may have another meaning
            self.role = self.unit = self.refers_to = ""
            self.flags, self.labels = self.flags & 1, []

    def end_before(self, offset):
        """Sets the size. A field of an unknown type extends to the next field."""
        if not self.known:
            expect(offset > self.offset, f"field {self.name}: it has no bytes")
            self.code = f"{offset - self.offset}s"
        self.size = struct.calcsize("<" + self.code)
        self.none = b"\xff" * self.size


class Aggregate:
    """The declaration of totals in the index: of groups, or of frames."""

    def __init__(self, data):
        expect(len(data.data) >= 2, "an aggregate: ends too early")
        self.kind, self.known, flags = data.data[0], False, data.data[1]
        self.keys, self.values, self.cells, self.frames, self.filters = [], [], 0, False, False
        if self.kind not in (1, 2) or flags & ~3:
            return
        kind, flags, keys, values, self.typed_by, self.reals, self.signeds = data.unpack("<BBBBBxQQ")
        self.known = True
        self.frames, self.extremes, self.filters = kind == 2, bool(flags & 1), bool(flags & 2)
        self.keys, self.values = list(data.take(keys)), list(data.take(values))
        self.cells = 5 if self.frames else 1 + values * (4 if self.extremes else 1)


class ClockMap:
    """A broken line from the ticks of a location's clock to the ticks of the trace."""

    def __init__(self, knots):
        self.knots = knots
        self.locals, self.globals = [knot[0] for knot in knots], [knot[1] for knot in knots]

    def fault(self):
        for (l, g, flags), (next_l, next_g, _) in zip(self.knots, self.knots[1:]):
            run, rise = next_l - l, next_g - g
            if run <= 0 or rise < 0:
                return "a time does not rise"
            if rise < run if flags & JUMPS else abs(rise - run) > run // 1000 + 1:
                return "a slope is invalid"
        return None if self.knots else "it has no knots"

    def to_global(self, local):
        i = bisect_right(self.locals, local) - 1
        if i < 0:
            return max(self.globals[0] - (self.locals[0] - local), 0)
        l, g, _ = self.knots[i]
        if i + 1 == len(self.knots):
            return min(g + local - l, GREATEST)
        return g + (local - l) * (self.globals[i + 1] - g) // (self.locals[i + 1] - l)

    def to_local(self, time):
        """Returns the least local time that is mapped to *time* or later; None if there is none."""
        if time <= 0:
            return 0
        i = bisect_left(self.globals, time) - 1
        if i < 0:
            return max(self.locals[0] - (self.globals[0] - time), 0)
        l, g, _ = self.knots[i]
        if i + 1 == len(self.knots):
            return l + time - g if l + time - g <= GREATEST else None
        run, rise = self.locals[i + 1] - l, self.globals[i + 1] - g
        return l - -(time - g) * run // rise


class Schema:
    def __init__(self, number, data, rows):
        self.id, self.rows = number, rows
        self.kind, self.row_size, fields, aggregates = data.unpack("<BxHHH")
        self.name = data.string()
        self.known = RECORD <= self.kind <= DERIVED
        self.fields = []
        for _ in range(fields):
            (length,) = data.unpack("<H")
            self.fields.append(Field(data.sub(length)))
        self.aggregates = []
        for _ in range(aggregates):
            (length,) = data.unpack("<H")
            self.aggregates.append(Aggregate(data.sub(length)))
        self.optional = []
        self.layout, self.instants, self.name_at, self.seq_at, self.readable = None, [], None, None, False
        if self.known:
            self.check_fields()

    def check_fields(self):
        for aggregate in self.aggregates:
            used = aggregate.keys + aggregate.values
            expect(max(used, default=0) < len(self.fields), f"schema {self.name}: an aggregate of a field that does not exist")
            aggregate.known = aggregate.known and all(self.fields[i].known for i in used)
        offset = 0
        for field, end in zip(self.fields, [field.offset for field in self.fields[1:]] + [self.row_size]):
            expect(field.offset == offset, f"schema {self.name}: a gap before field {field.name}")
            field.end_before(end)
            offset += field.size
        expect(offset == self.row_size and offset, f"schema {self.name}: the fields do not fill the row")
        if self.kind != TABLE_KIND and self.fields[0].known:
            expect((self.fields[0].role, self.fields[0].type) == ("time", "U64"), f"schema {self.name}: its first field is no time")
        self.readable = self.fields[0].known  # of arrays: the rows can be decoded
        self.layout = struct.Struct("<" + "".join(field.code for field in self.fields))
        self.optional = [(at, field.offset, field.offset + field.size, field.none) for at, field in enumerate(self.fields) if field.optional]
        self.instants = [0] + [i for i, field in enumerate(self.fields) if field.flags & INSTANT] if self.kind != TABLE_KIND else []
        expect(all(field.type == "U64" and self.kind != TABLE_KIND and not field.flags & DURATION for field in self.fields if field.flags & INSTANT),
               f"schema {self.name}: the flag INSTANT on an unsuitable field")
        self.name_at = next((i for i, field in enumerate(self.fields) if field.type == "STRING"), None)
        self.seq_at = next((i for i, field in enumerate(self.fields) if field.role == "seq"), None)

    def unknown(self):
        """Returns messages about the parts that a later version has added."""
        return ([] if self.known else [f"schema {self.name}: of unknown kind {self.kind}"]) + [
            f"schema {self.name}: field {field.name} of unknown {field.type}" for field in self.fields if not field.known] + [
            f"schema {self.name}: an aggregate of unknown kind {a.kind}, or with unknown flags or fields" for a in self.aggregates if not a.known]

    def unpack(self, packed, rows):
        """Unpacks packed rows. `rows` is their number."""
        return xtf_unpack.unpack(packed, [field.size for field in self.fields], [field.code in "iq" for field in self.fields], rows)

    def references(self):
        """Yields the references of fields: (field, table or None for a string, the field that chooses and its value, or None)."""
        for at, field in enumerate(self.fields):
            if at == 0 and self.kind != TABLE_KIND or field.type == "F64" or not field.known:
                continue
            name, colon, choices = field.refers_to.partition(":")
            if field.type == "STRING":
                yield at, None, None
            elif not colon:
                if name:
                    yield at, name, None
            else:
                chooser = next((i for i, candidate in enumerate(self.fields) if candidate.name == name and candidate is not field and candidate.type != "STRING" and not candidate.refers_to), None)
                for choice in choices.split(",") if chooser is not None else ():
                    label, equals, table = choice.partition("=")
                    if equals and label in self.fields[chooser].labels:
                        yield at, table or None, (chooser, self.fields[chooser].labels.index(label))

    def values(self, row):
        """Returns the values of a row by field, None for "none"."""
        values = list(self.layout.unpack(row))
        for at, begin, end, none in self.optional:
            if row[begin:end] == none:
                values[at] = None
        return values
