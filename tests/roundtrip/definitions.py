"""Definitions and the rows of side arrays, as otf2-print prints them and as XTF shows them."""

import re

import otf2print
from otf2events import CONTEXT_CALLS
from shown import plain, shows

# For each kind: the table, and for each key that otf2-print prints, in its order, the column and the kind of its value. See otf2events.py;
# two more kinds are region (by its key) and location.
NAME = ("Name", "name", "text")
DEFINITIONS = {
    "SYSTEM_TREE_NODE": ("system_tree", [NAME, ("Class", "class_name", "text"), ("Parent", "parent", "system_tree")]),
    "LOCATION_GROUP": ("processes", [NAME, ("Type", "type", "label"), ("Parent", "system_tree_node", "system_tree"),
                                     ("Creator", "creator", "processes")]),
    "LOCATION": ("locations", [NAME, ("Type", "type", "label"), ("# Events", "n_events", "number"),
                               ("Group", "process", "processes")]),
    "REGION": ("region_definitions", [
        ("Name", "name", "region name"), ("Role", "role", "label"), ("Paradigm", "paradigm", "label"),
        ("Flags", "flags", "region_flags"), ("File", "file", "text"), ("Begin", "line", "line"),
        ("End", "end_line", "line")]),
    "SOURCE_CODE_LOCATION": ("source_locations", [("File", "file", "text"), ("Line Number", "line", "number")]),
    "CALLSITE": ("callsites", [("File", "file", "text"), ("Line Number", "line", "number"),
                               ("Entered Region", "entered_region", "region"),
                               ("Left Region", "left_region", "region")]),
    "CALLPATH": ("callpaths", [("Parent", "parent", "callpaths"), ("Region", "region", "region")]),
    "CALLING_CONTEXT": ("calling_contexts", [("Region", "region", "region"),
                                             ("Source code location", "source_location", "source_locations"),
                                             ("Parent", "parent", "calling_contexts")]),
    "INTERRUPT_GENERATOR": ("interrupt_generators", [NAME, ("Mode", "mode", "label"), ("Base", "base", "label"),
                                                     ("Exponent", "exponent", "number"),
                                                     ("Period", "period", "number")]),
    "GROUP": ("groups", [NAME, ("Type", "type", "label"), ("Paradigm", "paradigm", "label"),
                         ("Flags", "flags", "group_flags"), ("Members", "members", "members")]),
    "COMM": ("communicators", [NAME, ("Group", "group", "own group"), ("Parent", "parent", "communicators"),
                               ("Flags", "flags", "comm_flags")]),
    "INTER_COMM": ("communicators", [("name", "name", "text"), ("Group A", "group", "groups"),
                                     ("Group B", "remote_group", "groups"),
                                     ("Common Communicator", "parent", "communicators"),
                                     ("Flags", "flags", "comm_flags")]),
    "RMA_WIN": ("rma_windows", [NAME, ("Communicator", "comm", "communicators"), ("Flags", "flags", "comm_flags")]),
    "METRIC_MEMBER": ("metrics", [NAME, ("Descr.", "description", "text"), ("Type", "type", "label"),
                                  ("Mode", "mode", "label"), ("Value Type", "value_type", "label"),
                                  ("Base", "base", "label"), ("Exponent", "exponent", "number"),
                                  ("Unit", "unit", "text")]),
    "METRIC_CLASS": ("metric_classes", [("Occurrence", "occurrence", "label"), ("Kind", "recorder_kind", "label"),
                                        ("Members", "members", "metric members")]),
    "METRIC_INSTANCE": ("metric_classes", [("Class", "class", "metric_classes"), ("Recorder", "recorder", "location"),
                                           ("Scope", "scope_kind", "first word")]),
    "PARAMETER": ("parameter_definitions", [NAME, ("Type", "type", "label")]),
    "ATTRIBUTE": ("attribute_definitions", [NAME, ("Description", "description", "text"), ("Type", "type", "label")]),
    "IO_REGULAR_FILE": ("io_files", [NAME, ("Scope", "scope", "system_tree")]),
    "IO_DIRECTORY": ("io_files", [NAME, ("Scope", "scope", "system_tree")]),
    "IO_HANDLE": ("io_handles", [NAME, ("File", "file", "io_files"), ("I/O Paradigm", "io_paradigm", "io_paradigms"),
                                 ("Flags", "flags", "handle_flags"), ("Communicator", "comm", "communicators"),
                                 ("Parent", "parent", "io_handles")]),
    "CART_DIMENSION": ("cart_dimensions", [NAME, ("Size", "size", "number"), ("Periodicity", "periodic", "truth")]),
}
TABLES = {table for table, _ in DEFINITIONS.values()} | {"io_paradigms"}

# Kinds without ids; the test compares only their number.
COUNTED = {
    "SYSTEM_TREE_NODE_DOMAIN": "system_tree_domains",
    "CALLPATH_PARAMETER": "callpath_parameters",
    "METRIC_CLASS_RECORDER": "metric_class_recorders",
    "IO_PRE_CREATED_HANDLE_STATE": "io_pre_created_handles",
    "IO_PARADIGM": "io_paradigms",
    "CART_TOPOLOGY": "cart_topologies",
    "PARADIGM": "paradigms",
}

FLAGS = {
    "region_flags": ["DYNAMIC", "PHASE"],
    "group_flags": ["GLOBAL_MEMBERS"],
    "comm_flags": ["CREATE_DESTROY_EVENTS"],
    "handle_flags": ["PRE_CREATED", "ALL_PROXY"],
}
# Tables that values of a type refer to.
VALUE_TABLES = {"ATTRIBUTE": "attribute_definitions", "GROUP": "groups", "METRIC": "metric_classes",
                "COMM": "communicators", "PARAMETER": "parameter_definitions", "RMA_WIN": "rma_windows",
                "SOURCE_CODE_LOCATION": "source_locations", "CALLING_CONTEXT": "calling_contexts",
                "INTERRUPT_GENERATOR": "interrupt_generators", "IO_FILE": "io_files", "IO_HANDLE": "io_handles",
                "LOCATION_GROUP": "processes"}


def region_key(row):
    """Returns the key of a row of `regions`."""
    return plain(row["name"]), plain(row["file"]), 0 if row["line"] == "-" else int(row["line"])


def pattern(kind, fields):
    if kind == "REGION":
        keys = [r"Name: (.*) \(Aka\. .*\), Descr\.: .*", *(rf"{key}: (.*)" for key, _, _ in fields[1:])]
    else:
        keys = [rf"\d+ {key}?:? ?(.*)" if key == "Members" else re.escape(key) + ": (.*)" for key, _, _ in fields]
    return re.compile(", ".join(keys) + "$", re.S)


PATTERNS = {kind: pattern(kind, fields) for kind, (_, fields) in DEFINITIONS.items()}


# Definitions with typed values: the table, and the value of its column `of`.
TYPED_VALUES = {
    "CALLPATH_PARAMETER": ("callpath_parameters", None),
    **{kind + "_PROPERTY": ("definition_properties", kind)
       for kind in ("SYSTEM_TREE_NODE", "LOCATION_GROUP", "LOCATION", "CALLING_CONTEXT", "IO_FILE", "PARADIGM")},
}
TYPED = re.compile(r".*, Type: ([A-Z_0-9]+), Value: (.*)$", re.S)


def compare(comparison):
    for kind, found in comparison.expected.definitions.items():
        if kind in DEFINITIONS:
            compare_kind(comparison, kind, found)
        elif kind in COUNTED:
            table = comparison.shown.table(COUNTED[kind])
            distinct = len(set(found)) if found[0][0] is None else len({number for number, _ in found})
            comparison.check(f"rows of {COUNTED[kind]}", len(table), distinct)
        if kind in TYPED_VALUES:
            compare_values(comparison, kind, found)
    compare_regions(comparison)


def compare_values(comparison, kind, found):
    table, of = TYPED_VALUES[kind]
    rows = [row for row in comparison.shown.table(table) if of is None or row["of"] == of]
    comparison.check(f"rows of {kind}", len(rows), len(found))
    for row, (_, text) in zip(rows, found):
        match = TYPED.match(text)
        comparison.checks += 1
        if not match or row["type"] != match[1] or not value_shows(comparison, match[1], row["value"], match[2]):
            comparison.problem(f"{kind}: {row}, should be {text!r}")


def compare_regions(comparison):
    """Compares regions: XTF shows one region for each name, file and line."""
    wanted = set(comparison.expected.regions.values())
    shown = [region_key(row) for row in comparison.shown.table("regions")]
    comparison.check("regions, each once", len(shown), len(set(shown)))
    named = {key for key in wanted if key[0] is not None}
    cut = [key for key in shown if "~" in key[0]]
    if not cut:
        comparison.check("regions that are not shown", sorted(named - set(shown)), [])


def compare_kind(comparison, kind, found):
    table, fields = DEFINITIONS[kind]
    rows = {}
    for row in comparison.shown.table(table):
        rows.setdefault(int(row["id"]), row)
    seen = set()
    for number, text in found:
        if number in seen: # the first definition counts
            continue
        seen.add(number)
        place = f"{kind} {number}"
        match = PATTERNS[kind].match(text)
        if number not in rows or not match:
            comparison.problem(f"{place}: " + ("otf2-print has other fields than expected: " + text if not match else
                                              f"is not in definitions/{table}"))
            continue
        for (_, column, value_kind), value in zip(fields, match.groups()):
            comparison.checks += 1
            if not cell_shows(comparison, rows[number], column, value_kind, value):
                comparison.problem(f"{place}: {column} is {rows[number].get(column)!r}, should be {value!r}")


def members(row, text):
    """Returns ranks if the group is of ranks, else ids."""
    expression = r"(?:^|, )(\d+) \(" if row["type"] == "COMM_GROUP" else r'(?:^|, )(?:".*?"|INVALID) <(\d+)>'
    return [int(n) for n in re.findall(expression, text, re.S)]


def rows_of(comparison, table, row):
    first, count = int(row["first"]), int(row["count"])
    return comparison.shown.table(table)[first:first + count]


def cell_shows(comparison, row, column, kind, text):
    if kind == "members":
        return [int(r["member"]) for r in rows_of(comparison, "members", row)] == members(row, text)
    if kind == "metric members":
        shown = [comparison.id_of_row("metrics", int(member["metric"]))
                 for member in rows_of(comparison, "metric_class_members", row)]
        return shown == [int(n) for n in re.findall(r"<(\d+)>(?:, |$)", text, re.S)]
    cell = row[column]
    if kind in ("text", "region name"):
        match = otf2print.NAMED.match(text)
        return not match or shows(cell, match[1])
    if kind in FLAGS:
        bits = 0 if text == "NONE" else sum(1 << FLAGS[kind].index(flag) for flag in text.strip("{}").split(", "))
        return int(cell) == bits
    if kind == "label":
        return cell == otf2print.parse_label(text)
    if kind == "first word":
        return cell == text.split()[0]
    if kind == "truth":
        return int(cell) == (text == "TRUE")
    if kind == "number":
        return cell == text
    if kind == "line":
        return cell == text or (cell == "-" and text == "0")
    wanted = otf2print.parse_reference(text)
    if cell == "-" or wanted is None:
        # A "self" communicator has no group in XTF.
        return kind == "own group" or (cell == "-" and wanted is None)
    if kind == "location":
        return int(cell) == wanted
    if kind == "region":
        key = comparison.expected.region(wanted)
        return comparison.region_of_row(int(cell)) == (
            (f"(undefined regions {key})", "", 0) if isinstance(key, int) else key)
    return comparison.id_of_row("groups" if kind == "own group" else kind, int(cell)) == wanted


def value_shows(comparison, value_type, cell, text):
    """True if a typed value's cell shows the text that otf2-print printed."""
    if value_type in ("FLOAT", "DOUBLE"): # otf2-print shows six digits
        return abs(float(cell) - float(text)) <= 1e-5 * abs(float(text))
    if value_type == "STRING":
        match = otf2print.NAMED.match(text)
        return not match or shows(cell, match[1])
    wanted = otf2print.parse_reference(text)
    if value_type == "REGION":
        return comparison.region_of_row(int(cell)) == comparison.expected.region(wanted)
    if value_type in VALUE_TABLES:
        return comparison.id_of_row(VALUE_TABLES[value_type], int(cell)) == wanted
    return int(cell) == (wanted if value_type == "LOCATION" else int(text))


# Rows that each side array has for a record: (id of the definition, type, text of the value).
SIDE_ARRAYS = {
    "attributes": lambda record: record.event.attributes(),
    "metric_values": lambda record: record.event.values()["values"] if record.event.name == "METRIC" else [],
    "arguments": lambda record: record.event.values()["arguments"] if record.event.name == "PROGRAM_BEGIN" else [],
    "call_contexts": lambda record: [record.event.values()] if record.event.name in CONTEXT_CALLS else [],
}
SIDE_COLUMNS = {"attributes": 3, "metric_values": 5, "arguments": 1, "call_contexts": 2}
NAMES_OF = {"attributes": "attribute_definitions", "metric_values": "metrics"}


def compare_items(comparison, place, array, lines, items):
    """Compares the lines of a side array, which are in the order of otf2-print."""
    comparison.check(f"lines of {place}/{array}", len(lines), len(items))
    for cells, item in zip(lines, items):
        comparison.checks += 1
        if array == "arguments":
            good = shows(" ".join(cells), item)
        elif array == "call_contexts":
            good = all(comparison.cell_shows(cell, kind, item.get(column)) for cell, (column, kind) in zip(
                cells, (("calling_context", "calling_contexts"), ("unwind_distance", "number"))))
        else:
            number, value_type, text = item
            name = comparison.expected.names[NAMES_OF[array]].get(number)
            good = ((name is None or shows(cells[0], name)) and cells[1] == value_type and
                    value_shows(comparison, value_type, cells[2], text))
        if not good:
            comparison.problem(f"{place}/{array}: {cells}, should be {item}")
