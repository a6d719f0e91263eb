"""Rows of INVARIANTS in test_invariants.py: rules for schemas, their fields and their aggregates (section 3), and their bounds
(section 11)."""
from invariants_changes import add_schema, append_schemas, empty_chunk, encoded_schema
from xtf_patch import STRINGS, TABLES, set_fields

U8, U16, U32, U64, I32, I64, F64, STRING, UNKNOWN_TYPE = (*range(1, 9), 99)
RECORD, TABLE = 1, 3
GROUPS, FRAMES = 1, 2
DISTANCE, INSTANT, DURATION, IDENTIFIES, LIST = 8, 16, 32, 256, 512
TIME = (U64, "time", {"role": "time"})
CHOOSER = (U8, "type", {"labels": ("A", "B")})


def record(*fields, aggregates=(), **options):
    """Adds a schema of records: the time, and more fields."""
    return add_schema(RECORD, (TIME, *fields), aggregates, **options)


def table(*fields, **options):
    return add_schema(TABLE, fields, **options)


def frames(keys, values, key_type=U32, value_type=U8, **options):
    """Adds a schema with an aggregate of frames: the key, then the values, of which the second is a distance."""
    fields = (key_type, "key"), (value_type, "end"), (U64, "begin", {"flags": DISTANCE}), (U8, "outermost")
    return record(*fields, aggregates=[(FRAMES, keys, values, options)])


def many_schemas(f):
    append_schemas(f, [encoded_schema(TABLE, [(U32, "number")], (), f"s{i}") for i in range(4097 - len(list(f.schemas())))])


def empty_table_chunk(f):
    """Adds an empty chunk to a table."""
    parts = f.parts()
    part = next(part for part in parts if part[0] == TABLES)
    part[2] = part[2][:4] + (2).to_bytes(4, "little") + part[2][8:32] + bytes(16) + part[2][32:]
    f.store_catalog(parts)


def split_string(f):
    """Splits a string over two chunks."""
    (chunk, *other_chunks), data = f.references(STRINGS), f.item(f.references(STRINGS)[0])
    first, second = f.append(data[:11]), f.append(data[11:])
    parts = f.parts()
    part = next(part for part in parts if part[0] == STRINGS)
    part[2] = b"".join(at.to_bytes(8, "little") + length.to_bytes(8, "little") for at, length in ((first, 11), (second, len(data) - 11))) + b"".join(r.raw() for r in other_chunks)
    f.store_catalog(parts)


def repeated_strings(f):
    """Repeats all chunks of the heap until they have more bytes than the file."""
    times = len(f.data) // sum(chunk.length for chunk in f.references(STRINGS)) + 20
    parts = f.parts()
    part = next(part for part in parts if part[0] == STRINGS)
    part[2] *= times
    f.store_catalog(parts)


def two_unknown_tables(f):
    f.schema("names")[1].kind = 78
    parts = f.parts()
    part = next(part for part in parts if part[0] == TABLES)
    part[2] += part[2]
    f.store_catalog(parts)
    set_fields(f.count("names"), rows=lambda rows: 2 * rows)


SCHEMA_ROWS = [
    ("3", "schema-no-name", "A schema has a name", "small", table((U32, "a"), name=""), "it has no name", "it has no name"),
    ("3", "schema-table-aggregate", "Tables have no aggregates", "small", add_schema(TABLE, [(U32, "a")], [(GROUPS, [0], [])]), "not allowed in a table", "a table with aggregates"),
    ("3", "field-no-name", "A field has a name", "small", table((U32, "")), "a field has no name", "a field has no name"),
    ("3", "field-twice", "No two fields of a schema have one name", "small", table((U32, "a"), (U32, "a")), "more than one field is named", "two fields with the same name"),
    ("3", "field-instant", "An instant is a U64", "small", record((U32, "until", {"flags": INSTANT})), "the INSTANT flag is not allowed on field", "the flag INSTANT on an unsuitable field"),
    ("3", "field-instant-table", "No field of a table is an instant", "small", table((U64, "until", {"flags": INSTANT})), "the INSTANT flag is not allowed on field", "the flag INSTANT on an unsuitable field"),
    ("3", "field-instant-duration", "No instant is a duration", "small", record((U64, "until", {"flags": INSTANT | DURATION})), "the INSTANT flag is not allowed on field", "the flag INSTANT on an unsuitable field"),
    ("3", "field-table-flags", "Bits 8 to 10 are of tables", "small", record((U32, "a", {"flags": IDENTIFIES})), "flags that only fields of tables have", "flags of tables"),
    ("3", "field-list", "The field after a list's first row is the number of its rows", "small", table((U32, "first", {"flags": LIST, "refers_to": "names"})),
     "it has the LIST flag, but refers to no table, or no field", "a list without a number of rows"),
    ("3", "field-list-refers", "A list is of rows of a table", "small", table((U32, "first", {"flags": LIST}), (U32, "rows")),
     "it has the LIST flag, but refers to no table, or no field", "a list without a number of rows"),
    ("3", "field-choice", "What a value is depends on another field", "small", record(CHOOSER, (U64, "what", {"refers_to": "typ:A=names"})),
     "no other field chooses the table", "no other field selects the table"),
    ("3", "field-choice-itself", "What a value is depends on another field", "small", record((U64, "what", {"refers_to": "what:A=names", "labels": ("A",)})),
     "no other field chooses the table", "no other field selects the table"),
    ("3", "field-choice-string", "The other field is no STRING", "small", record((STRING, "type", {"labels": ("A",)}), (U64, "what", {"refers_to": "type:A=names"})),
     "no other field chooses the table", "no other field selects the table"),
    ("3", "field-choice-refers", "The other field refers to nothing", "small",
     record((U8, "type", {"labels": ("A",), "refers_to": "names"}), (U64, "what", {"refers_to": "type:A=names"})), "no other field chooses the table", "no other field selects the table"),
    ("3", "field-choice-labels", "The other field has labels", "small", record((U8, "type"), (U64, "what", {"refers_to": "type:A=names"})),
     "no other field chooses the table", "no other field selects the table"),
    ("3", "field-choice-list", "A choice is a list of LABEL=TABLE", "small", record(CHOOSER, (U64, "what", {"refers_to": "type:A=names,B"})),
     "is not of the form LABEL=TABLE", "is no LABEL=TABLE"),
    ("3", "aggregate-value-twice", "No field is a value twice", "small", record((U32, "a"), aggregates=[(GROUPS, [], [1, 1])]),
     "a key or value is not a field, or occurs twice", "an aggregate has a field twice"),
    ("3", "aggregate-key-choice", "No key refers to one of several tables", "small", record(CHOOSER, (U64, "what", {"refers_to": "type:A=names"}), aggregates=[(GROUPS, [2], [])]),
     "a key refers to one of several tables", "a key that refers to one of several tables"),
    ("3", "aggregate-filters", "Some key of filters is no STRING and refers to nothing", "small",
     record((U32, "name", {"refers_to": "names"}), (STRING, "text"), aggregates=[(GROUPS, [1, 2], [], {"flags": 2})]), "filters need a key that is no string and refers to no table", "filters without a key"),
    ("3", "aggregate-typed-values", "typed by gives the type of a U64", "small", record((U8, "key"), (U32, "a"), aggregates=[(GROUPS, [1], [2], {"typed_by": 1})]),
     "or no value is a U64", "is typed by a key, but has no U64"),
    ("3", "aggregate-frames-values", "An aggregate of frames has three values", "small", frames([1], [2, 3]), "frames have one key and three values", "of frames with other values"),
    ("3", "aggregate-frames-filters", "Filters are of kind groups only", "small", frames([1], [2, 3, 4], flags=2), "frames have one key and three values", "of frames with flags"),
    ("3", "aggregate-frames-extremes", "An aggregate of frames has no flags", "small", frames([1], [2, 3, 4], flags=1), "frames have one key and three values", "of frames with flags"),
    ("3", "aggregate-frames-masks", "An aggregate of frames has no masks", "small", frames([1], [2, 3, 4], reals=1), "frames have one key and three values", "masks, but no type"),
    ("3", "aggregate-frames-typed", "An aggregate of frames is not typed", "small", frames([1], [2, 3, 4], typed_by=1), "frames have one key and three values", "of frames with flags"),
    ("3", "aggregate-frames-key-type", "The key of frames is a U8, U16 or U32", "small", frames([1], [2, 3, 4], key_type=U64), "the key of frames must be a U", "of frames with other keys"),
    ("3", "aggregate-frames-value-type", "The values of frames are unsigned", "small", frames([1], [2, 3, 4], value_type=I32), "the values of frames must be unsigned", "of frames with other values"),
    ("3", "table-empty-chunk", "No chunk is empty", "small", empty_table_chunk, "catalog: a table is cut short", "a chunk ends within a row"),
    ("3", "table-unknown-twice", "A schema has one table, of whatever kind it is", "small", two_unknown_tables, "catalog: two tables have the same schema", "tables: two for schema names"),
    ("3", "string-empty-chunk", "No chunk is empty", "small", empty_chunk(STRINGS), "catalog: the references to the heap of strings are invalid", "strings: an empty chunk"),
    ("3", "string-split", "A string lies in one chunk", "small", split_string, "string 5:", "its chunk ends"),
    # FORMAT R66
    ("11", "bound-fields", "A schema has at most 64 fields", "small", table(*((U8, f"f{i}") for i in range(65))), "a schema is cut short or exceeds a limit", "of 65 fields"),
    ("11", "bound-row", "A row has at most 1024 bytes", "small", table((UNKNOWN_TYPE, "a"), row_size=1025), "its row size is wrong or too large", "rows of 1025 bytes"),
    ("11", "bound-aggregates", "A schema has at most 4 aggregates", "small", record((U32, "a"), aggregates=[(GROUPS, [1], [])] * 5), "a schema is cut short or exceeds a limit", "5 aggregates"),
    ("11", "bound-keys", "An aggregate has at most 6 keys", "small", record(*((U8, f"f{i}") for i in range(7)), aggregates=[(GROUPS, range(1, 8), [])]),
     "a schema is cut short or exceeds a limit", "of too many fields"),
    ("11", "bound-values", "An aggregate has at most 4 values", "small", record(*((U8, f"f{i}") for i in range(5)), aggregates=[(GROUPS, [], range(1, 6))]),
     "a schema is cut short or exceeds a limit", "of too many fields"),
    ("11", "bound-schemas", "There are at most 4096 schemas", "small", many_schemas, "catalog: too many schemas", "more than 4096 schemas"),
    ("11", "bound-heap", "The heap of strings has no more bytes than the file", "small", repeated_strings, "bytes of strings exceed the size of the file", "more than the file has"),
    ("11", "bound-table", "The rows of a table take at most 256 MiB", "small", lambda f: set_fields(next(f.tables())[0], rows=1 << 40), "or are too many", "rows"),
]
