#!/usr/bin/env python3
"""Checks the reference at the end of docs/VOCABULARY.md against the declarations of src/model, and against files.

The program `print-vocabulary` prints the declarations as JSON. With --xtf, two independent readers must agree on all fields, labels and
aggregates of traces (sample_traces.py). One is the second reader (tests/reader), the other is a parser of the reference in the page.

usage: test_vocabulary.py PRINT-VOCABULARY VOCABULARY.md [--write | --xtf XTF [--networks] [--archives OTF2-ARCHIVES]]
"""

import argparse
import json
import pathlib
import re
import subprocess
import sys
import tempfile
import textwrap

import sample_traces
import xtf_reader  # found by the path that sample_traces sets

MARK = "<!-- made by: tests/docs/test_vocabulary.py PRINT-VOCABULARY docs/VOCABULARY.md --write -->\n"
COLUMNS = 100
HEADS = {"record": 4, "side": 2, "table": 0, "derived": 3}
FLAGS = {1: "names", 2: "rises", 3: "distance", 4: "instant", 5: "duration", 8: "identifies", 9: "list", 10: "orders"}

PARTS = [
    ("record", "### 11.1 Record types\n\nAll record types begin with these fields. The tables below have the fields behind them.\n"
     "The labels of `event` are in the list of section 11.6 that names `TYPE.event`."),
    ("side", "### 11.2 Side arrays\n\nAll side arrays begin with these fields."),
    ("table", "### 11.3 Definition tables"),
    ("derived", "### 11.4 Derived types\n\nAll derived types begin with these fields."),
]
REFERENCES = """### 11.5 References that depend on a label

The field *refers_to* of these fields names several tables, each with a label of another field. With
a label that is not in the list, the value refers to nothing. With a label whose table is empty, the
value is a STRING."""
LISTS = """### 11.6 Lists of labels

Each list has its name, the fields that have it, and its labels with their values. The label of a
value that is not listed is its number."""
AGGREGATES = """### 11.7 Aggregates

The name of an aggregate is its type and its number in the schema, from 1. Keys and values have the
order of this table."""
KINDS = """### 11.8 Kinds of waits

*Record* is the type of the record at which the location waits. The culprit's record is the one that
ended the wait. Section 9 explains the last column."""


def cell(text):
    return f"`{text}`" if text else ""


def codes(names):
    return " ".join(map(cell, names))


def table(heads, rows):
    return ["| " + " | ".join(row) + " |" for row in [heads, ["---"] * len(heads), *rows]]


class Names:
    """The names of the lists of labels, and the fields that have each list."""

    def __init__(self, declared):
        self.lists = {name: labels for name, labels in declared["lists"].items() if labels}
        self.of = {tuple(labels): name for name, labels in self.lists.items()}
        self.uses = {name: [] for name in self.lists}
        assert len(self.of) == len(self.lists), "two lists have the same labels"
        for schema in declared["schemas"]:
            for field in schema["fields"]:
                if field["labels"]:
                    name = self.of.setdefault(tuple(field["labels"]), f"{schema['name']}.{field['name']}")
                    self.lists.setdefault(name, field["labels"])
                    self.uses.setdefault(name, []).append(f"{schema['name']}.{field['name']}")


def type_of(field):
    return field["type"] + (" or none" if field["flags"] & 1 else "") + (f", {field['unit']}" if field["unit"] else "")


def rows_of_fields(fields, names, is_head=False):
    for field in fields:
        flags = ", ".join(name for bit, name in FLAGS.items() if field["flags"] >> bit & 1)
        assert field["flags"] & ~sum(1 << bit for bit in FLAGS) in (0, 1), "a flag has no name here"
        by, colon, _ = field["refers_to"].partition(":")
        labels = names.of.get(tuple(field["labels"])) if field["labels"] and not is_head else None
        refers_to = f"by `{by}`" if colon else cell(field["refers_to"])
        yield [cell(field["name"]), type_of(field), cell(field["role"]), refers_to, cell(labels), flags]


def heads_of(schemas, n):
    """Returns the first n fields, which are the same in all schemas but for flags and labels of events."""
    first = [[{**field, "labels": [], "flags": field["flags"] & ~2} for field in schema["fields"][:n]] for schema in schemas]
    assert all(fields == first[0] for fields in first), "types of one kind begin otherwise"
    return schemas[0]["fields"][:n]


def write_schemas(declared, names):
    lines = []
    for kind, text in PARTS:
        schemas, n = [schema for schema in declared["schemas"] if schema["kind"] == kind], HEADS[kind]
        lines += [text, ""]
        columns = ["field", "type", "role", "row of", "labels", "flags"]
        head = heads_of(schemas, n)
        if n:
            lines += [*table(columns, rows_of_fields(head, names, True)), ""]
        for schema in schemas:
            rows = list(rows_of_fields(schema["fields"][n:], names))
            unnamed = [field["name"] for field, first in zip(schema["fields"], head) if field["flags"] != first["flags"]]
            also = f": `{unnamed[0]}` has no flag *names* here" if unnamed else ""
            lines += [f"**`{schema['name']}`**{also or ('' if rows else ': no further fields')}", ""]
            lines += [*table(columns, rows), ""] if rows else []
    return lines


def write_references(declared):
    lines, uses = [REFERENCES, ""], {}
    for schema in declared["schemas"]:
        for field in schema["fields"]:
            if ":" in field["refers_to"]:
                uses.setdefault(field["refers_to"].partition(":")[2], []).append(f"{schema['name']}.{field['name']}")
    for tables, fields in uses.items():
        wrapped = textwrap.wrap(tables.replace(",", ", "), COLUMNS, break_on_hyphens=False)
        lines += [f"Of {codes(fields)}:", "", "```", *(line.replace(", ", ",") for line in wrapped), "```", ""]
    return lines


def write_lists(names):
    lines = [LISTS, ""]
    for name, labels in sorted(names.lists.items()):
        cells = [f"{value} {label}" for value, label in enumerate(labels) if label != str(value)]
        width = max(map(len, cells)) + 2
        lines += [*textwrap.wrap(f"**`{name}`**: {codes(names.uses[name])}", COLUMNS, break_on_hyphens=False), "", "```"]
        n = COLUMNS // width
        lines += ["".join(f"{text:{width}}" for text in cells[i:i + n]).rstrip() for i in range(0, len(cells), n)]
        lines += ["```", ""]
    return lines


def write_aggregates(declared):
    def row(schema, number, aggregate):
        name = [field["name"] for field in schema["fields"]]
        flags = [flag for flag in ("extremes", "filters") if aggregate[flag]]
        if aggregate["typed_by"]:
            by = name[aggregate["keys"][aggregate["typed_by"] - 1]]
            flags.append(f"typed by `{by}`: reals {aggregate['reals']:#x}, signeds {aggregate['signeds']:#x}")
        return [cell(f"{schema['name']}.{number}"), "frames" if aggregate["frames"] else "groups", codes(name[key] for key in aggregate["keys"]),
                codes(name[value] for value in aggregate["values"]), ", ".join(flags)]

    rows = [row(schema, i + 1, aggregate) for schema in declared["schemas"] for i, aggregate in enumerate(schema["aggregates"])]
    return [AGGREGATES, "", *table(["aggregate", "kind", "keys", "values", "flags"], rows), ""]


def write_kinds(declared):
    rows = [[cell(kind["name"]), kind["sentence"], kind["waiter"], kind["culprit"], kind["seq"], kind["match"],
             kind["rule"] + (", limited" if kind["limited"] else "")] for kind in declared["kinds"]]
    return [KINDS, "", *table(["kind", "meaning", "who waits", "culprit", "record", "record of the culprit", "charged"], rows)]


def write(declared):
    names = Names(declared)
    unused = [name for name, fields in names.uses.items() if not fields]
    assert not unused, f"no field has the labels {unused}"
    return "\n" + "\n".join([*write_schemas(declared, names), *write_references(declared), *write_lists(names), *write_aggregates(declared),
                      *write_kinds(declared)]) + "\n"


# ---- The schemas of the page, and of files, as {schema: (kind, fields, aggregates)}.

def cells_of(line):
    return [part.strip() for part in line.strip().strip("|").split("|")]


def unquote(text):
    return text.replace("`", "").split()


def parse_blocks(part):
    """Yields names in front of fenced blocks, and the words of the blocks."""
    for match in re.finditer(r"^(?:\*\*|Of )(.*?)\n\n```\n(.*?)```", part, re.MULTILINE | re.DOTALL):
        yield match[1].replace("`", "").replace("*", "").replace(":", " ").split(), match[2]


def parse_lists(part):
    lists = {}
    for (name, *_), block in parse_blocks(part):
        pairs = {int(value): label for value, label in re.findall(r"(\d+) (\S+)", block)}
        lists[name] = [pairs.get(value, str(value)) for value in range(max(pairs) + 1)]
    return lists


def parse_field(schema, cells, lists, references):
    name, kind, role, refers_to, labels, flags = cells
    name, (kind, _, unit) = name.strip("`"), kind.partition(", ")
    number = sum(1 << bit for bit, flag in FLAGS.items() if flag in flags.split(", ")) | ("or none" in kind)
    if refers_to.startswith("by "):
        refers_to = refers_to[3:].strip("`") + ":" + references[f"{schema}.{name}"]
    labels = lists[labels.strip("`")] if labels else []
    return name, kind.split()[0], role.strip("`"), unit, refers_to.strip("`"), number, labels


def parse_schemas(part, kind, lists, references):
    schemas, head, name = {}, [], None
    for line in part.splitlines():
        if line.startswith("**"):
            name, unnamed = re.match(r"\*\*`(\w+)`\*\*(.*no flag)?", line).groups()
            event = lists.get(f"{name}.event") or lists.get({"task_moves": "task_states", "delays": "waits"}.get(name, "") + ".event")
            schemas[name] = [(*field[:5], field[5] & ~2 if unnamed and field[0] == "region" else field[5],
                              event if field[0] == "event" else field[6]) for field in head]
        elif line.startswith("| `"):
            (schemas[name] if name else head).append(parse_field(name, cells_of(line), lists, references))
    return {name: (kind, fields, []) for name, fields in schemas.items()}


def parse(page):
    """Returns {schema: (kind, fields, aggregates)} by the reference of a page."""
    parts = dict(re.findall(r"^### 11\.(\d) .*?\n(.*?)(?=^### |\Z)", page, re.MULTILINE | re.DOTALL))
    references = {field: "".join(block.split()) for fields, block in parse_blocks(parts["5"]) for field in fields}
    lists, schemas = parse_lists(parts["6"]), {}
    for number, (kind, _) in zip("1234", PARTS):
        schemas |= parse_schemas(parts[number], kind, lists, references)
    for line in parts["7"].splitlines():
        if line.startswith("| `"):
            name, kind, keys, values, flags = cells_of(line)
            typed = re.search(r"typed by `(\w+)`: reals (\w+), signeds (\w+)", flags)
            by = (typed[1], int(typed[2], 16), int(typed[3], 16)) if typed else (None, 0, 0)
            schemas[name.strip("`").partition(".")[0]][2].append((kind, unquote(keys), unquote(values), "extremes" in flags, "filters" in flags, *by))
    return schemas


def read(file):
    """Returns the same of a trace, as the second reader reads it."""
    def aggregate_of(schema, aggregate):
        names = [field.name for field in schema.fields]
        by = names[aggregate.keys[aggregate.typed_by - 1]] if aggregate.typed_by else None
        return ("frames" if aggregate.frames else "groups", [names[key] for key in aggregate.keys], [names[value] for value in aggregate.values],
                not aggregate.frames and aggregate.extremes, aggregate.filters, by, aggregate.reals, aggregate.signeds)

    kinds = {1: "record", 2: "side", 3: "table", 4: "derived"}
    return {schema.name: (kinds[schema.kind], [(field.name, field.type, field.role, field.unit, field.refers_to, field.flags, field.labels)
                                               for field in schema.fields], [aggregate_of(schema, aggregate) for aggregate in schema.aggregates])
            for schema in xtf_reader.Trace(str(file)).schemas}


def without_sites(types):
    """Returns a type without its field `site`, which sources leave out that know no call sites."""
    kind, fields, aggregates = types
    return kind, [field for field in fields if field[0] != "site"], [aggregate for aggregate in aggregates if aggregate[1] != ["site"]]


def compare(reference, name, file):
    """Returns complaints of types of a file that the reference lacks, and prints a summary."""
    found, faults = read(file), []
    for schema, is_so in found.items():
        if schema not in reference:
            faults.append(f"{name}: {schema}: the reference has no such schema")
        elif is_so not in (reference[schema], without_sites(reference[schema])):
            faults.append(f"{name}: {schema}: it has\n    {is_so}\nthe reference has\n    {reference[schema]}")
    labels = {label for _, fields, _ in found.values() for field in fields for label in field[6]}
    print(f"{name}: {len(found)} schemas, {sum(len(schema[2]) for schema in found.values())} aggregates, {len(labels)} labels")
    return set(found), faults


def compare_traces(reference, arguments):
    seen, faults = set(), []
    with tempfile.TemporaryDirectory() as folder:
        for name, file in sample_traces.make_traces(arguments.xtf, pathlib.Path(folder), arguments.archives, arguments.networks):
            schemas, complaints = compare(reference, name, file)
            seen |= schemas
            faults += complaints
    print(f"{len(seen)} of {len(reference)} schemas; not in these traces: {' '.join(sorted(set(reference) - seen))}")
    return faults


def main():
    parser = argparse.ArgumentParser(usage=__doc__.rpartition("usage: ")[2])
    parser.add_argument("program")
    parser.add_argument("page", type=pathlib.Path)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--xtf")
    parser.add_argument("--networks", action="store_true")
    parser.add_argument("--archives", default="")
    arguments = parser.parse_args()
    declared = json.loads(subprocess.run([arguments.program], check=True, capture_output=True, text=True, timeout=60).stdout)
    made = write(declared)
    before, mark, reference = arguments.page.read_text().partition(MARK)
    if not mark:
        sys.exit(f"FAILED: {arguments.page} has no line {MARK}")
    if arguments.write:
        arguments.page.write_text(before + mark + made)
        return 0
    if made != reference:
        sys.exit(f"FAILED: {arguments.page} has another reference: run {sys.argv[0]} {arguments.program} {arguments.page} --write")
    parsed = parse(reference)
    if len(parsed) != len(declared["schemas"]):
        sys.exit(f"FAILED: {len(parsed)} schemas are in the reference, {len(declared['schemas'])} are declared")
    if arguments.xtf:
        faults = compare_traces(parsed, arguments)
        if faults:
            sys.exit("\n".join(["FAILED:", *faults]))
    return 0


sys.exit(main())
