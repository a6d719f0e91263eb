"""Changes of a file (xtf_patch.File) for the rows of INVARIANTS."""
import struct

from xtf_patch import COUNTS, LIMITS, SCHEMAS, set_fields


# ---- Sections of the catalog.

def change_sections(change, **options):
    def patch(f):
        parts = f.parts()
        change(parts)
        f.store_catalog(parts, **options)
    return patch


def swap(kind, second_kind):
    def change(parts):
        kinds = [part[0] for part in parts]
        i, j = kinds.index(kind), kinds.index(second_kind)
        parts[i], parts[j] = parts[j], parts[i]
    return change_sections(change)


def drop(kind):
    return change_sections(lambda parts: parts.remove(next(part for part in parts if part[0] == kind)))


def longer(kind, more_bytes):
    def change(parts):
        part = next(part for part in parts if part[0] == kind)
        part[2] += more_bytes
    return change_sections(change)


def shorter(kind, n):
    def change(parts):
        part = next(part for part in parts if part[0] == kind)
        part[2] = part[2][:-n]
    return change_sections(change)


def empty_chunk(kind):
    def change(parts):
        part = next(part for part in parts if part[0] == kind)
        part[2] += bytes(16)
    return change_sections(change)


# ---- Schemas.

def schema(name, **fields):
    return lambda f: set_fields(f.schema(name)[1], **fields)


def field(name, number, **fields):
    return lambda f: set_fields(f.schema(name)[2][number], **fields)


def aggregate(name, **fields):
    return lambda f: set_fields(f.schema(name)[3][0], **fields)



def add_schema(kind, fields=(), aggregates=(), name="new", row_size=None):
    """Appends a schema without rows. A field is (type, name), and a dict of its other values. An aggregate is (kind, keys,
    values), and such a dict."""
    return lambda f: append_schemas(f, [encoded_schema(kind, fields, aggregates, name, row_size)])


def append_schemas(f, schemas):
    f.move(f.references(SCHEMAS)[-1], f.item(f.references(SCHEMAS)[-1]) + b"".join(schemas))
    parts = f.parts()
    for part in parts:
        part[2] += {COUNTS: bytes(8), LIMITS: bytes(16)}.get(part[0], b"") * len(schemas)
    f.store_catalog(parts)


def encoded_schema(kind, fields, aggregates, name, row_size=None):
    body, offset = [], 0
    for type_number, field_name, *others in fields:
        spec = {"flags": 0, "role": "", "refers_to": "", "labels": ()} | (others[0] if others else {})
        body.append(with_length(struct.pack("<BBHHH", type_number, 0, spec["flags"], offset, len(spec["labels"]))
                                + b"".join(map(encoded_string, (field_name, spec["role"], "", spec["refers_to"], *spec["labels"])))))
        offset += {1: 1, 2: 2, 4: 8, 6: 8, 7: 8, 99: 8}.get(type_number, 4)
    for aggregate_kind, keys, values, *others in aggregates:
        spec = {"flags": 0, "typed_by": 0, "reals": 0, "signeds": 0} | (others[0] if others else {})
        body.append(with_length(struct.pack("<BBBBBBQQ", aggregate_kind, spec["flags"], len(keys), len(values), spec["typed_by"], 0, spec["reals"], spec["signeds"])
                                + bytes(keys) + bytes(values)))
    head = struct.pack("<BBHHH", kind, 0, offset if row_size is None else row_size, len(fields), len(aggregates)) + encoded_string(name)
    return struct.pack("<I", len(head + b"".join(body))) + head + b"".join(body)


def encoded_string(text):
    return struct.pack("<H", len(text)) + text.encode()


def with_length(data):
    return struct.pack("<H", len(data)) + data
