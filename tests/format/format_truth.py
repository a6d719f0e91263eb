"""The contents of the test files, as JSON. README.md describes it.

make-files.c writes the rows that it gave to the writer. The functions here add global times, totals, and the rows of joined files. They
compute them naively from the rows, without a reader of XTF files.
"""
import json
import struct
from typing import NamedTuple

EXACT_MAX, U64_MAX = (1 << 53) - 1, (1 << 64) - 1
OPTIONAL, INSTANT, IDENTIFIES = 1, 1 << 4, 1 << 8
PART_ROWS = 100  # in arrays of frames with at least this number of rows, totals of a part are stored, too
GROUPS_MAX = 100  # totals of more groups are not stored: who needs them adds up the rows
NEVER_BEGAN = U64_MAX  # the key of frames that never began
UNSIGNED, SIGNED, REAL = "unsigned", "signed", "real"
WIDTHS = {"U8": 1, "U16": 2, "U32": 4, "U64": 8, "I32": 4, "I64": 8, "F64": 8, "STRING": 4}


def of_bits(bits):
    return struct.unpack("<d", struct.pack("<Q", bits))[0]


def to_bits(value):
    return struct.unpack("<Q", struct.pack("<d", value))[0]


def as_number(cell):
    """Returns the number of a cell of the JSON: an int or a float; None for none."""
    if isinstance(cell, dict) and "bits" in cell:
        return of_bits(int(cell["bits"], 16))
    return int(cell) if isinstance(cell, str) else cell


def as_cell(number):
    """Returns a number as the JSON has it."""
    if isinstance(number, float):
        finite = number - number == 0
        not_a_number = number != number
        return number if finite else {"bits": "7ff8000000000000" if not_a_number else f"{to_bits(number):016x}"}
    return number if -EXACT_MAX <= number <= EXACT_MAX else str(number)


# ---- Clock maps.

def to_global(knots, local):
    """Returns the global time of a local time; `knots` are [local, global, jump] each."""
    knots = [(as_number(l), as_number(g)) for l, g, _ in knots]
    if local < knots[0][0]:
        return max(knots[0][1] - (knots[0][0] - local), 0)
    for (l, g), (next_l, next_g) in zip(knots, knots[1:]):
        if local < next_l:
            return g + (local - l) * (next_g - g) // (next_l - l)
    return min(knots[-1][1] + local - knots[-1][0], U64_MAX)


def global_rows(schema, knots, rows):
    """Returns rows with global times in the first field and in instants."""
    instants = [i for i, field in enumerate(schema["fields"]) if i == 0 or field.get("flags", 0) & INSTANT]
    return [[as_cell(to_global(knots, as_number(cell))) if i in instants and cell is not None else cell for i, cell in enumerate(row)] for row in rows]


# ---- Totals of all rows of an array.

def value_kind(field, aggregate, key):
    """Returns how the values of a field are added; `key` has the numbers of the group's keys."""
    if field["type"] == "U64" and "typed_by" in aggregate:
        bit = 1 << key[aggregate["keys"].index(aggregate["typed_by"])]
        return REAL if aggregate["reals"] & bit else SIGNED if aggregate["signeds"] & bit else UNSIGNED
    return {"F64": REAL, "I32": SIGNED, "I64": SIGNED}.get(field["type"], UNSIGNED)


def wrap(number, kind):
    """Returns a number modulo 2^64, in the range of its kind."""
    number &= U64_MAX
    return number - (1 << 64) if kind == SIGNED and number >> 63 else number


def value_cells(values, kind, extremes):
    """Returns the cells of the values of a group that count."""
    total = 0.0 if kind == REAL else 0
    for value in values:
        total = total + value if kind == REAL else wrap(total + value, kind)
    if not extremes:
        return [total]
    nothing = {UNSIGNED: (U64_MAX, 0), SIGNED: ((1 << 63) - 1, -(1 << 63)), REAL: (float("inf"), float("-inf"))}[kind]
    values = [value for value in values if value == value]
    return [total, min(values, default=nothing[0]), max(values, default=nothing[1]), values[-1] if values else as_kind(0, kind)]


def as_kind(number, kind):
    """Returns a value of a field, or 64 bits, as a number of a kind."""
    if isinstance(number, float):
        return number
    return of_bits(number & U64_MAX) if kind == REAL else wrap(number, kind)


def group_totals(schema, aggregate, rows):
    """Returns {key: cells} of an aggregate of groups."""
    at = {field["name"]: i for i, field in enumerate(schema["fields"])}
    groups = {}
    for row in rows:
        groups.setdefault(tuple(as_number(row[at[key]]) & U64_MAX for key in aggregate.get("keys", [])), []).append(row)
    totals = {}
    for key, own in groups.items():
        totals[key] = [len(own)]
        for name in aggregate.get("values", []):
            kind = value_kind(schema["fields"][at[name]], aggregate, key)
            values = [as_kind(as_number(row[at[name]]), kind) for row in own if row[at[name]] is not None]
            totals[key] += value_cells(values, kind, aggregate.get("extremes"))
    return totals


class Step(NamedTuple):
    """A row of an array, and its effects on the frames."""
    time: int
    key: int
    ends: bool
    never_began: bool
    charged: int | None  # the key that gets the ticks since the row before
    ticks: int
    ended: list  # frames: (key, row, time, outermost)


def walk_frames(schema, aggregate, rows):
    """Returns a step for each row, and the frames that no row ends."""
    at = {field["name"]: i for i, field in enumerate(schema["fields"])}
    names = aggregate["keys"] + aggregate["values"]
    steps, stack = [], []
    for n, row in enumerate(rows):
        time, (key, ends, distance, outermost) = as_number(row[0]), (as_number(row[at[name]]) for name in names)
        found = [i for i, frame in enumerate(stack) if distance and frame[1] == n - distance]
        never_began = bool(ends and not found)
        charged = stack[-1][0] if stack else NEVER_BEGAN if never_began else None
        kept = len(stack) if never_began else found[0] if ends else found[0] + 1 if found else 0
        steps.append(Step(time, key, bool(ends), never_began, charged, time - steps[-1].time if steps else 0, stack[kept:]))
        del stack[kept:]
        if not ends:
            stack.append((key, n, time, outermost))
    return steps, stack


def frame_totals(schema, aggregate, rows, first=0, end=None):
    """Returns {key: cells} of rows [first, end): frames begun, frames ended, inclusive, exclusive and longest time."""
    totals = {}

    def cells(key):
        return totals.setdefault((key,), [0] * 5)

    for step in walk_frames(schema, aggregate, rows)[0][first:end]:
        cells(step.key)[1 if step.ends else 0] += 1
        if step.never_began:
            cells(NEVER_BEGAN)[0] += 1
        if step.charged is not None:
            cells(step.charged)[3] += step.ticks
        if step.charged == NEVER_BEGAN:
            cells(NEVER_BEGAN)[2] += step.ticks
        for key, _, begin, outermost in step.ended:
            cells(key)[2] += step.time - begin if outermost else 0
            cells(key)[4] = max(cells(key)[4], step.time - begin)
    return totals


def time_by_key(schema, aggregate, rows, a, b):
    """Returns {key: [inclusive, exclusive]} of the window [a, b), in ticks. The location has no other records."""
    steps, open_frames = walk_frames(schema, aggregate, rows)
    totals = {}

    def add(key, cell, begin, end):
        totals.setdefault(key, [0, 0])[cell] += max(min(b, end) - max(a, begin), 0)

    for step in steps:
        if step.charged is not None:
            add(step.charged, 1, step.time - step.ticks, step.time)
        if step.charged == NEVER_BEGAN:
            add(NEVER_BEGAN, 0, step.time - step.ticks, step.time)
    ended = [(frame, step.time) for step in steps for frame in step.ended] + [(frame, steps[-1].time) for frame in open_frames]
    for (key, _, begin, outermost), end in ended:
        add(key, 0, begin, end if outermost else begin)
    return {key: times for key, times in totals.items() if any(times)}


def part_of(schema, rows):
    """Returns totals of some rows in the middle of an array, and the time by key of a window."""
    first, end = len(rows) // 5, 4 * len(rows) // 5
    a, b = as_number(rows[first][0]) + 1, as_number(rows[end][0]) + 1
    (frames,) = (aggregate for aggregate in schema["aggregates"] if aggregate["kind"] == "frames")
    return {"rows": [first, end], "totals": totals_of(schema, rows, first, end), "window": [a, b],
            "time_by_key": [[as_cell(key), *times] for key, times in sorted(time_by_key(schema, frames, rows, a, b).items())]}


def totals_of(schema, rows, first=0, end=None):
    """Returns the totals of rows [first, end): for each aggregate a list of [keys, cells], by keys."""
    result = []
    for aggregate in schema.get("aggregates", []):
        groups = frame_totals(schema, aggregate, rows, first, end) if aggregate["kind"] == "frames" else group_totals(schema, aggregate, rows[first:end])
        result.append([[list(map(as_cell, key)), list(map(as_cell, cells))] for key, cells in sorted(groups.items())])
    return result


# ---- Files that are made of others.

class Joined:
    """The tables of several files as one: rows that agree in the fields that identify them are one row."""

    def __init__(self, truths):
        self.schemas = {}
        for truth in truths:
            for schema in truth["schemas"]:
                self.schemas.setdefault(schema["name"], schema)
        self.tables, self.keys = {}, {}
        self.numbers = [{name: [self.add(truth, name, n) for n in range(len(rows))] for name, rows in truth["tables"].items()} for truth in truths]
        for truth, numbers in zip(truths, self.numbers):
            for name, rows in truth["tables"].items():
                for n, row in zip(numbers[name], rows):
                    self.tables[name][n] = self.mapped(self.schemas[name], row, numbers)

    def key_of(self, truth, name, number):
        """Returns what identifies a row: texts as text, and references by the rows that they lead to."""
        key = []
        for field, cell in zip(self.schemas[name]["fields"], truth["tables"][name][number]):
            if field.get("flags", 0) & IDENTIFIES:
                follows = cell is not None and field.get("refers_to")
                key.append(self.key_of(truth, field["refers_to"], cell) if follows else json.dumps(cell))
        return tuple(key)

    def add(self, truth, name, number):
        """Returns the number that a row gets."""
        numbers = self.keys.setdefault(name, {})
        number = numbers.setdefault(self.key_of(truth, name, number), len(numbers))
        rows = self.tables.setdefault(name, [])
        rows += [None] * (number + 1 - len(rows))
        return number

    def number(self, name, r, numbers):
        """Returns the number of the row that a reference leads to."""
        own, n = numbers[name], len(self.tables[name])
        return own[r] if r < len(own) else r - len(own) + n if r < n else r

    def mapped(self, schema, row, numbers):
        """Returns a row with the numbers of the joined file."""
        row, fields = list(row), schema["fields"]
        for i, field in enumerate(fields):
            name, colon, choices = field.get("refers_to", "").partition(":")
            if colon:
                chooser = next(j for j, other in enumerate(fields) if other["name"] == name)
                name = dict(choice.split("=") for choice in choices.split(",")).get(fields[chooser]["labels"][row[chooser]])
            if name and row[i] is not None:
                row[i] = self.number(name, row[i], numbers)
        return row


def join(truths):
    """Returns the contents of a file that was merged from others."""
    joined = Joined(truths)
    arrays = []
    for truth, numbers in zip(truths, joined.numbers):
        for array in truth["arrays"]:
            schema = joined.schemas[array["schema"]]
            arrays.append({key: [joined.mapped(schema, row, numbers) for row in value] if key in ("rows", "global_rows") else value for key, value in array.items()})
    return ordered({"schemas": list(joined.schemas.values()), "tables": joined.tables, "arrays": arrays})


def ending_rows(schema, aggregate, rows, seq):
    """Returns the rows that end the frames which rows leave open, innermost first, at the time of the last row."""
    at = {field["name"]: i for i, field in enumerate(schema["fields"])}
    ends = []
    for _, begin, *_ in reversed(walk_frames(schema, aggregate, rows)[1]):
        row = list(rows[begin])
        row[0], row[at[aggregate["values"][0]]], row[at[aggregate["values"][1]]] = rows[-1][0], 1, len(rows) + len(ends) - begin
        row[at["seq"]] = seq + len(ends)
        ends.append(row)
    return ends


def join_runs(truths, numbers):
    """Returns the contents of runs of a job, one after another. Each run gives out the numbers in fields of the given names by itself.
    All rows of a location are of one type."""
    joined = Joined(truths)
    own = {name: [0] for name in numbers}  # what is added to the numbers of each run
    for truth in truths:
        for name, bases in own.items():
            values = [row[[field["name"] for field in joined.schemas[array["schema"]]["fields"]].index(name)] for array in truth["arrays"] for row in array["rows"]]
            bases.append(bases[-1] + max((value + 1 for value in values if value is not None), default=0))
    arrays = {}
    for number, (truth, maps) in enumerate(zip(truths, joined.numbers)):
        for array in truth["arrays"]:
            schema = joined.schemas[array["schema"]]
            names = [field["name"] for field in schema["fields"]]
            rows = arrays.setdefault((array["location"], array["schema"]), [])
            added = {names.index("seq"): len(rows), **{names.index(name): bases[number] for name, bases in own.items()}}
            run = [joined.mapped(schema, row, maps) for row in array.get("global_rows", array["rows"])]
            run = [[cell + added.get(i, 0) if cell is not None and i in added else cell for i, cell in enumerate(row)] for row in run]
            rows += run + (ending_rows(schema, schema["aggregates"][0], run, len(rows) + len(run)) if number + 1 < len(truths) else [])
    arrays = [{"location": location, "schema": schema, "rows": rows} for (location, schema), rows in arrays.items()]
    return complete({"schemas": list(joined.schemas.values()), "tables": joined.tables, "arrays": arrays, "clock_maps": {}})


def with_companion(base, own):
    """Returns the contents of a companion file and its base."""
    kinds = {schema["name"]: schema["kind"] for schema in base["schemas"]}
    clocks = {array["location"]: array["clock_map"] for array in base["arrays"] if "clock_map" in array}
    arrays = [array for array in base["arrays"] if kinds[array["schema"]] != "derived"]
    own = complete({**own, "clock_maps": {str(location): knots for location, knots in clocks.items()}})
    return ordered({"schemas": base["schemas"] + own["schemas"], "tables": {**base["tables"], **own["tables"]}, "arrays": arrays + own["arrays"]})


def without(truth, removed):
    """Returns what is left of a trace whose first rows were removed: `removed` has their number by location."""
    arrays = []
    for array in truth["arrays"]:
        n = removed.get(array["location"], 0)
        left = {**array, "rows": array["rows"][n:], "removed_rows": n}
        left.pop("totals")
        arrays.append(left if n else array)
    return {**truth, "arrays": arrays}


def ordered(truth):
    return {**truth, "arrays": sorted(truth["arrays"], key=lambda array: (int(array["location"]), array["schema"]))}


def complete(made):
    """Completes the JSON of make-files.c."""
    schemas = {schema["name"]: schema for schema in made["schemas"]}
    arrays = []
    for array in made["arrays"]:
        schema, knots = schemas[array["schema"]], made["clock_maps"].get(str(array["location"]))
        array = {"location": array["location"], "schema": array["schema"], "rows": array["rows"]}
        if knots:
            array |= {"clock_map": knots, "global_rows": global_rows(schema, knots, array["rows"])}
        if "aggregates" in schema:
            array["totals"] = totals_of(schema, array["rows"])
            if schema["aggregates"][0]["kind"] == "frames" and len(array["rows"]) >= PART_ROWS:
                array["part"] = part_of(schema, array["rows"])
        arrays.append(array)
    return ordered({"schemas": made["schemas"], "tables": made["tables"], "arrays": arrays})


def line(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def lines(values):
    return "[\n" + ",\n".join(map(line, values)) + "]"


def groups_text(groups):
    return lines(groups) if len(groups) <= GROUPS_MAX else "null"


def write_json(truth):
    """Returns the JSON of a truth, with a line for each schema, row and group."""
    arrays = []
    for array in truth["arrays"]:
        members = {"totals": "[" + ",\n".join(map(groups_text, array["totals"])) + "]"} if "totals" in array else {}
        members |= {key: lines(array[key]) for key in ("rows", "global_rows") if key in array}
        arrays.append("{" + ",\n".join(f'"{key}":{members.get(key, line(value))}' for key, value in array.items()) + "}")
    tables = ",\n".join(f'"{name}":{lines(rows)}' for name, rows in truth["tables"].items())
    return f'{{"schemas":{lines(truth["schemas"])},\n"tables":{{{tables}}},\n"arrays":[\n' + ",\n".join(arrays) + "]}\n"
