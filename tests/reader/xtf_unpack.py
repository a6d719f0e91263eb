#!/usr/bin/env python3
"""Unpacks packed rows. Written from docs/FORMAT.md, section 6, alone.

unpack(packed, widths, signed, count) returns the rows as bytes. It trusts nothing: it raises Damaged if the bytes violate that
section.

usage: xtf_unpack.py DUMP-PACKED: runs this program, which packs rows, and unpacks them
"""

import subprocess
import sys
import tempfile
import zlib

STORED, DEFLATED, REPEATED = range(3)
VALUE, STEP, DISTANCE, COLUMN, STEPS, PLANES = range(6)
# (first head, base, bytes of tail)
CLASSES = [(0, 0, 0), (192, 192, 1), (240, 12480, 2), (248, 536768, 3), (252, 67645632, 4), (253, 0, 5), (254, 0, 6), (255, 0, 8)]
CLASS_OF = [max(c for c in CLASSES if c[0] <= head) for head in range(256)]
TEMPLATES_MAX = 256
VARINT_MAX = 10


class Damaged(Exception):
    """An error: the bytes are no valid packed rows."""


def expect(condition, message):
    if not condition:
        raise Damaged(message)


def unzigzag(code):
    return code >> 1 if code % 2 == 0 else -(code >> 1) - 1


class Bytes:
    def __init__(self, data):
        self.data, self.at = data, 0

    def take(self, length):
        expect(length <= len(self.data) - self.at, "ends too early")
        self.at += length
        return self.data[self.at - length:self.at]

    def byte(self):
        return self.take(1)[0]

    def varint(self):
        value = 0
        for i in range(VARINT_MAX):
            byte = self.byte()
            value |= (byte & 0x7f) << 7 * i
            if byte < 0x80:
                expect(value < 1 << 64, "a number of more than 64 bits")
                return value
        raise Damaged("a number that does not end")

    def zigzag(self):
        return unzigzag(self.varint())

    def stream(self, least, most):
        code = self.varint()
        length, kind = code >> 2, code & 3
        expect(kind <= REPEATED, "a stream of an unknown kind")
        expect(least <= length <= most, "a stream of a wrong length")
        if kind == STORED:
            return self.take(length)
        if kind == REPEATED:
            return self.take(1) * length
        stored = self.take(self.varint())
        inflater = zlib.decompressobj(wbits=-15)
        try:
            data = inflater.decompress(stored, length + 1)
        except zlib.error as error:
            raise Damaged("a stream that does not inflate") from error
        expect(inflater.eof and not inflater.unused_data and len(data) == length, "a stream that inflates to another length")
        return data

    def numbers(self, count):
        heads = self.stream(count, count)
        needed = sum(CLASS_OF[head][2] for head in heads)
        tails = Bytes(self.stream(needed, needed))
        for head in heads:
            first, base, tail = CLASS_OF[head]
            yield base + (head - first) * 256**tail + int.from_bytes(tails.take(tail), "little") if tail else base + head - first

    def end(self):
        expect(self.at == len(self.data), "bytes after the end")


def read_times(source, count):
    times, time = [], 0
    for step in source.numbers(count):
        time += step
        times.append(time)
    expect(time < 1 << 64, "times decrease")
    return times


def chained(column, row):
    """Returns the chained distance of a row. The row before refers to a middle row, and the row refers to the same row as the
    middle row."""
    expect(row > 0, "the first row is chained")
    middle = row - 1 - column[row - 1]
    expect(middle >= 0, "a row that is chained to a row outside")
    return row - middle + column[middle]


def templated(mode, before, entries, templates, mask):
    column, value = [], before
    for row, template in enumerate(templates):
        entry = entries[template]
        if mode == VALUE:
            value = entry
        elif mode == STEP:
            value += entry
        else:
            value = chained(column, row) if entry is None else entry
        column.append(value & mask)
    return column


def read_entry(source, mode):
    if mode != DISTANCE:
        return source.zigzag()
    is_chained = source.byte()
    expect(is_chained <= 1, "a distance of an unknown kind")
    return None if is_chained else source.varint()


def read_templates(source, widths, count):
    """Returns the modes of the fields, and the columns of the fields in the templates."""
    most = (len(widths) * (TEMPLATES_MAX + 1)) * (1 + VARINT_MAX) + 1 + count
    stream = Bytes(source.stream(2, most))
    modes, befores = [], []
    for width in widths:
        modes.append(stream.byte())
        expect(modes[-1] <= PLANES, "a field with an unknown mode")
        expect(width <= 8 or modes[-1] == PLANES, "numbers of more than 8 bytes")
        befores.append(stream.zigzag() if modes[-1] == STEP else 0)
    n = stream.byte() + 1
    entries = [[read_entry(stream, mode) for _ in range(n)] if mode <= DISTANCE else None for mode in modes]
    templates = stream.take(count) if n > 1 else bytes(count)
    stream.end()
    expect(max(templates) < n, "a template that does not exist")
    columns = [templated(mode, before, entry, templates, (1 << 8 * width) - 1) if mode <= DISTANCE else None
               for mode, before, entry, width in zip(modes, befores, entries, widths)]
    return modes, columns


def read_column(source, mode, width, signed, count):
    mask = (1 << 8 * width) - 1
    if mode == PLANES:
        planes = [source.stream(count, count) for _ in range(width)]
        return [int.from_bytes(row, "little") for row in zip(*planes)]
    column, value = [], 0
    for number in source.numbers(count):
        if mode == STEPS:
            value += unzigzag(number)
        else:
            value = unzigzag(number) if signed else number
        column.append(value & mask)
    return column


def unpack_times(packed, count):
    return read_times(Bytes(packed), count)


def unpack(packed, widths, signed, count):
    """Returns the unpacked rows. `widths` are the widths of all fields, with the time's 8 first; `signed`: true for I32 and I64."""
    source = Bytes(packed)
    columns = [read_times(source, count)]
    if len(widths) > 1:
        modes, columns_of_templates = read_templates(source, widths[1:], count)
        for f, mode in enumerate(modes):
            columns.append(columns_of_templates[f] if mode <= DISTANCE else read_column(source, mode, widths[f + 1], signed[f + 1], count))
    source.end()
    return b"".join(value.to_bytes(width, "little") for row in zip(*columns) for value, width in zip(row, widths))


def check_cases(data):
    """Unpacks the cases of dump-packed.c, which describes their layout. Returns the number of cases."""
    cases, n = Bytes(data), 0
    while cases.at < len(data):
        count, length, n_fields = (int.from_bytes(cases.take(4), "little") for _ in range(3))
        widths, signed = list(cases.take(n_fields)), list(cases.take(n_fields))
        packed, row_size = cases.take(length), sum(widths)
        rows = cases.take(count * row_size)
        times = [int.from_bytes(rows[i:i + 8], "little") for i in range(0, len(rows), row_size)]
        expect(unpack(packed, widths, signed, count) == rows, f"case {n} gives other rows")
        expect(unpack_times(packed, count) == times, f"case {n} gives other times")
        n += 1
    return n


def main():
    with tempfile.NamedTemporaryFile() as file:
        subprocess.run([sys.argv[1], file.name], check=True)
        n = check_cases(file.read())
    print(f"{n} cases unpacked")
    return 0 if n else 1


if __name__ == "__main__":
    sys.exit(main())
