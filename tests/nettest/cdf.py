"""Reads and writes netCDF's classic formats, CDF-1 and CDF-2, with Python's standard library.

Source: "The NetCDF Classic Format Specification" (Unidata). Values of a variable are one flat array, records one after another.
"""

import array
import struct
import sys

TYPES = {1: ("byte", "b"), 2: ("char", "b"), 3: ("short", "h"), 4: ("int", "i"), 5: ("float", "f"), 6: ("double", "d")}
CODES = {name: (number, code) for number, (name, code) in TYPES.items()}


class Variable:
    def __init__(self, type, dimensions, values, attributes=None):
        self.type, self.dimensions, self.values, self.attributes = type, list(dimensions), values, attributes or {}

    def text(self):
        return bytes(self.values).split(b"\0")[0].decode()


class File:
    """A file. dimensions: {name: length, None for the unlimited one}; n_records: the length of the unlimited one."""

    def __init__(self, dimensions=None, variables=None, attributes=None, n_records=0):
        self.dimensions, self.variables = dimensions or {}, variables or {}
        self.attributes, self.n_records = attributes or {}, n_records


def to_big_endian(code, values):
    values = array.array(code, values)
    if sys.byteorder == "little":
        values.byteswap()
    return values.tobytes()


def from_big_endian(code, data):
    values = array.array(code)
    values.frombytes(data)
    if sys.byteorder == "little":
        values.byteswap()
    return values


def padded(data):
    return data + bytes(-len(data) % 4)


# ---- Reading.

class Reader:
    def __init__(self, data):
        self.data, self.at = data, 4

    def number(self, code=">i"):
        value, = struct.unpack_from(code, self.data, self.at)
        self.at += struct.calcsize(code)
        return value

    def bytes(self, n):
        self.at += (n + 3) // 4 * 4
        return self.data[self.at - (n + 3) // 4 * 4:][:n]

    def count(self):
        self.number()  # the tag of the list
        return self.number()

    def attributes(self):
        found = {}
        for _ in range(self.count()):
            name = self.bytes(self.number()).decode()
            kind, code = TYPES[self.number()]
            n = self.number()
            data = self.bytes(n * struct.calcsize(code))
            found[name] = data.decode() if kind == "char" else list(from_big_endian(code, data))
        return found


def read_file(path):
    with open(path, "rb") as file:
        data = file.read()
    assert data[:3] == b"CDF" and data[3] in (1, 2), data[:4]
    reader, file = Reader(data), File()
    file.n_records = reader.number()
    lengths = []
    for _ in range(reader.count()):
        name = reader.bytes(reader.number()).decode()
        lengths.append(reader.number())
        file.dimensions[name] = lengths[-1] or None
    file.attributes = reader.attributes()
    names, found = list(file.dimensions), []
    for _ in range(reader.count()):
        name = reader.bytes(reader.number()).decode()
        ids = [reader.number() for _ in range(reader.number())]
        attributes = reader.attributes()
        kind, code = TYPES[reader.number()]
        reader.number()  # vsize, which is redundant
        begin = reader.number(">q" if data[3] == 2 else ">i")
        found.append((name, ids, attributes, kind, code, begin))

    def size(ids, code):
        n = struct.calcsize(code)
        for i in ids:
            n *= lengths[i] or 1
        return n

    of_records = [v for v in found if v[1] and not lengths[v[1][0]]]
    sizes = [size(ids, code) for _, ids, _, _, code, _ in of_records]
    stride = sizes[0] if len(sizes) == 1 else sum((s + 3) // 4 * 4 for s in sizes)
    for name, ids, attributes, kind, code, begin in found:
        n = size(ids, code)
        if ids and not lengths[ids[0]]:
            raw = b"".join(data[begin + i * stride:][:n] for i in range(file.n_records))
        else:
            raw = data[begin:begin + n]
        file.variables[name] = Variable(kind, [names[i] for i in ids], from_big_endian(code, raw), attributes)
    return file


# ---- Writing.

def name_bytes(name):
    return struct.pack(">i", len(name)) + padded(name.encode())


def attribute_bytes(attributes):
    parts = [struct.pack(">ii", 12 if attributes else 0, len(attributes))]
    for name, value in attributes.items():
        if isinstance(value, str):
            number, n, data = 2, len(value), value.encode()
        else:
            kind = "double" if isinstance(value[0], float) else "int"
            number, n, data = CODES[kind][0], len(value), to_big_endian(CODES[kind][1], value)
        parts += [name_bytes(name), struct.pack(">ii", number, n), padded(data)]
    return b"".join(parts)


def write_file(path, file, version=2):
    """Writes a file. Values are lists or arrays; values of type char may be text, which is padded."""
    names = list(file.dimensions)
    raw, record_sizes = {}, {}
    for name, variable in file.variables.items():
        code, n = CODES[variable.type][1], 1
        values = variable.values.encode() if isinstance(variable.values, str) else variable.values
        for dimension in variable.dimensions:
            n *= file.n_records if file.dimensions[dimension] is None else file.dimensions[dimension]
        data = to_big_endian(code, values)
        if isinstance(variable.values, str):
            data = data.ljust(n, b"\0")
        assert len(data) == n * struct.calcsize(code), (name, len(data), n)
        raw[name] = data
        if variable.dimensions and file.dimensions[variable.dimensions[0]] is None:
            record_sizes[name] = len(data) // max(file.n_records, 1)

    def header(begins):
        parts = [b"CDF" + bytes([version]), struct.pack(">i", file.n_records)]
        parts.append(struct.pack(">ii", 10 if names else 0, len(names)))
        parts += [name_bytes(name) + struct.pack(">i", file.dimensions[name] or 0) for name in names]
        parts.append(attribute_bytes(file.attributes))
        parts.append(struct.pack(">ii", 11 if raw else 0, len(raw)))
        for name, variable in file.variables.items():
            size = record_sizes.get(name, len(raw[name]))
            parts += [name_bytes(name), struct.pack(">i", len(variable.dimensions))]
            parts += [struct.pack(">i", names.index(d)) for d in variable.dimensions]
            parts += [attribute_bytes(variable.attributes), struct.pack(">i", CODES[variable.type][0])]
            parts += [struct.pack(">I", min(size + -size % 4, 2**32 - 1)), struct.pack(">q" if version == 2 else ">i", begins[name])]
        return b"".join(parts)

    at, begins = len(header(dict.fromkeys(raw, 0))), {}
    for name in raw:
        if name not in record_sizes:
            begins[name] = at
            at += len(padded(raw[name]))
    for name, size in record_sizes.items():
        begins[name] = at
        at += size if len(record_sizes) == 1 else size + -size % 4
    with open(path, "wb") as out:
        out.write(header(begins))
        for name in raw:
            if name not in record_sizes:
                out.write(padded(raw[name]))
        for i in range(file.n_records):
            for name, size in record_sizes.items():
                record = raw[name][i * size:(i + 1) * size]
                out.write(record if len(record_sizes) == 1 else padded(record))
