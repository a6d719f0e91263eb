#!/usr/bin/env python3
"""Compares imports of OTF1 archives with otfprint: every record and every definition. The archives are written by OTF's own library; the
shared real trace is compared if it is there.

usage: test_import.py XTF OTF1-ARCHIVES
"""

import collections
import functools
import math
import pathlib
import shutil
import struct
import subprocess
import sys

from expected import Expected
from otfprint import read_archive
from xtf_reader import Trace
from xtfrun import Failure, Xtf, check, need_programs, run_test, shared_traces, temporary_folder

ARCHIVES = "short", "long", "compressed"
SIDES = "attributes", "metric_values"


class Imported:
    """A trace as the reader in Python sees it: records by location in the order of seq, and tables."""

    def __init__(self, path):
        self.trace = Trace(path)
        self.records = collections.defaultdict(dict)  # location -> seq -> record
        self.sides = collections.defaultdict(list)  # (schema, location, seq) -> rows
        for array in self.trace.arrays():
            schema = array.schema
            names = [field.name for field in schema.fields]
            for row in array.window(None, None):
                record = self.read_row(schema, row)
                if schema.name in SIDES:
                    self.sides[schema.name, array.location, record["raw"]["seq"]].append(record)
                elif "event" in names:
                    record["type"] = schema.name
                    self.records[array.location][record["raw"]["seq"]] = record

    def read_row(self, schema, row):
        """Returns the fields of a row as text, and below "raw" as numbers. References to metrics are shown by name."""
        names = [field.name for field in schema.fields]
        record = dict(zip(names, self.trace.texts(schema, row)), raw=dict(zip(names, schema.values(row))))
        if record["raw"].get("metric") is not None and schema.name != "metrics":
            record["metric"] = self.table("metrics")[record["raw"]["metric"]]["name"]
        return record

    @functools.cache
    def table(self, name):
        schema, rows = self.trace.tables.get(name, (None, []))
        return [self.read_row(schema, row) for row in rows]

    def value(self, row):
        """Returns a typed value of a side row."""
        raw, kind = row["raw"]["value"], row.get("type") or row["value_type"]
        if kind in ("FLOAT", "DOUBLE"):
            return struct.unpack("<d", struct.pack("<Q", raw))[0]
        if kind.startswith("INT"):
            return raw - (1 << 64 if raw >> 63 else 0)
        return self.trace.string(raw) if kind == "STRING" else raw

    def attributes(self, location, seq):
        names = self.table("attribute_definitions")
        return {names[row["raw"]["attribute"]]["name"]: self.value(row) for row in self.sides["attributes", location, seq]}


def is_alike(expected, found):
    """True if a value equals one that otfprint printed, which rounds numbers."""
    if isinstance(found, float):
        return math.isclose(float(expected), found, rel_tol=1e-6, abs_tol=1e-3)
    return str(expected) == str(found)


def compare_values(where, expected, found):
    for name, value in expected.items():
        check(name in found and is_alike(value, found[name]), f"{where}: {name} is {found.get(name)}, not {value}")


def compare_record(imported, location, seq, expected):
    record = imported.records[location].get(seq)
    where = f"location {location}, record {seq} ({expected})"
    check(record, f"{where}: missing")
    names = dict(record, time=record["raw"]["time"])
    compare_values(where, {"type": expected.type, "event": expected.event, "time": expected.time, **expected.fields}, names)
    attributes = imported.attributes(location, seq)
    compare_values(where, expected.attributes, attributes)
    check(set(attributes) == set(expected.attributes), f"{where}: the attributes are {attributes}")
    values = [imported.value(row) for row in imported.sides["metric_values", location, seq]]
    check(len(values) == len(expected.values) and all(map(is_alike, expected.values, values)), f"{where}: the values are {values}")


def compare_records(imported, expected):
    total = 0
    for location in sorted(set(imported.records) | set(expected.records)):
        wanted = expected.records.get(location, [])
        for seq, record in enumerate(wanted):
            compare_record(imported, location, seq, record)
        check(len(imported.records[location]) == len(wanted), f"location {location}: {len(imported.records[location])} records")
        total += len(wanted)
    return total


def compare_tables(imported, expected):
    """Compares each table's rows with the expected ones, in their order or by their keys."""
    for name, wanted in expected.tables.items():
        found = imported.table(name)
        check(len(found) == len(wanted), f"table {name}: {len(found)} rows, not {len(wanted)}")
        for number, (row, fields) in enumerate(zip(found, wanted)):
            compare_values(f"table {name}, row {number}", fields, row)
    members = imported.table("members")
    for group, wanted in zip(imported.table("groups"), expected.members):
        found = [members[group["raw"]["first"] + i]["proc"] for i in range(group["raw"]["count"])]
        check(found == [str(proc) for proc in wanted], f"group {group}: its members are the processes {found}, not {wanted}")
    check(imported.trace.resolution_num == expected.resolution, f"resolution {imported.trace.resolution_num}")
    properties = {row["name"]: row["value"] for row in imported.table("properties")}
    compare_values("properties", expected.properties, properties)


def print_archive(archive):
    """Returns the lines of otfprint, which finds no events in some compressed files. So it gets them decompressed."""
    with temporary_folder() as folder:
        for path in archive.parent.glob(f"{archive.stem}.*"):
            copy = shutil.copy(path, folder)
            if path.suffix == ".z":
                subprocess.run(["otfdecompress", copy], check=True, stdout=subprocess.DEVNULL)
        return read_archive(pathlib.Path(folder) / archive.name)


def compare_archive(xtf, archive, folder):
    trace = folder / "trace.xtf"
    output = xtf.expect("import", "--force", "-o", trace, archive).decode()
    check("format: OTF1" in output, "the import does not say which format it saw")
    xtf.expect("check", trace)
    expected, imported = Expected(print_archive(archive)), Imported(trace)
    compare_tables(imported, expected)
    total = compare_records(imported, expected)
    for text in expected.left_out:
        check(f"left out: {text}\n" in output, f"the report does not have 'left out: {text}': {output}")
    check(all(text in {row["text"] for row in imported.table("remarks")} for text in expected.remarks),
          f"the remarks lack one of {expected.remarks}: {imported.table('remarks')}")
    print(f"{archive.name}: {total} records, {len(expected.tables)} tables")


# ---- Damage.

def import_damaged(xtf, stem, trace, *options):
    return xtf.run("import", "--quiet", "--force", *options, "-o", trace, stem.with_suffix(".otf"))


def expect_refusal(xtf, stem, trace, *texts):
    done = import_damaged(xtf, stem, trace)
    errors = done.errors.decode()
    check(done.status == 1 and all(text in errors for text in texts), f"not refused with {texts}: {done}")
    check(not trace.exists(), "a refused import left a file")


def expect_warning(xtf, stem, trace, *texts, options=("--keep-going",)):
    done = import_damaged(xtf, stem, trace, *options)
    warnings = done.errors.decode()
    check(done.status == 0 and all(text in warnings for text in texts), f"no warning of {texts}: {done}")
    xtf.expect("check", trace)
    records = int(xtf.expect("cat", trace, "count"))
    trace.unlink()
    return records


def test_damage(xtf, folder):
    """Damages each kind of file. Nothing is lost in silence."""
    stem, trace = folder / "short", folder / "damaged.xtf"
    events = folder / "short.1.events"
    whole = events.read_bytes()
    lines = whole.split(b"\n")
    total = expect_warning(xtf, stem, trace)

    number = next(i for i in range(len(lines) // 2, len(lines)) if lines[i].startswith(b"E"))
    place = len(b"\n".join(lines[:number])) + 1
    events.write_bytes(b"\n".join([*lines[:number], b"E1Z", *lines[number + 1:]]))
    expect_refusal(xtf, stem, trace, "short.1.events: damaged at byte ", str(place)[:-1], "--keep-going")
    fewer = expect_warning(xtf, stem, trace, "short.1.events: damaged at byte ")
    check(0 < fewer < total, f"{fewer} of {total} records remain")

    events.write_bytes(b"\n".join([*lines[:number], b"?what", *lines[number + 1:]]))
    kept = expect_warning(xtf, stem, trace, "records that OTF's library does not know, such as '?what'", options=())
    check(kept in (total - 1, total - 2), f"{kept} of {total} records remain")

    events.write_bytes(whole[:whole.rindex(b"\nE") + 2])
    expect_refusal(xtf, stem, trace, "short.1.events: ends within a record")
    check(expect_warning(xtf, stem, trace, "short.1.events: ends within a record") < total, "the cut record is there")

    events.unlink()
    expect_warning(xtf, stem, trace, "streams without a file of events: 1", options=())
    events.write_bytes(b"\n".join(line for line in lines if line[:1] != b"*"))
    expect_warning(xtf, stem, trace, "events of processes that are not defined, which are left out: ", options=())
    output = xtf.expect("import", "-o", trace, stem.with_suffix(".otf")).decode()
    check("left out: events, for the reasons that the warnings give: " in output, f"the report hides that events are missing: {output}")
    trace.unlink()
    events.write_bytes(whole)

    definitions = folder / "short.0.def"
    text = definitions.read_bytes()
    definitions.unlink()
    expect_refusal(xtf, stem, trace, "short.0.def: there is no such file")
    definitions.write_bytes(b"\n".join(line for line in text.split(b"\n") if not line.startswith(b"DTR")) )
    expect_warning(xtf, stem, trace, "does not give the resolution of its clock", options=())
    definitions.write_bytes(text)
    master = folder / "short.otf"
    text = master.read_bytes()
    master.write_bytes(text + b"7:9\n")
    expect_warning(xtf, stem, trace, "processes in the master file that are not defined: 1", options=())
    master.write_bytes(text + b"7:x\n")
    done = xtf.run("import", "--quiet", "--format", "otf1", "-o", trace, master)
    check(done.status == 1 and b": line 4 is not STREAM:PROCESS" in done.errors, f"the master file's line is not named: {done}")
    master.write_bytes(text)


def test_compressed_damage(xtf, folder):
    stem, trace = folder / "compressed", folder / "damaged.xtf"
    events = folder / "compressed.1.events.z"
    whole = events.read_bytes()
    total = expect_warning(xtf, stem, trace)
    events.write_bytes(whole[:len(whole) // 2])
    expect_refusal(xtf, stem, trace, "compressed.1.events.z: ends within a record")
    check(expect_warning(xtf, stem, trace, "ends within a record") < total, "nothing is missing")
    events.write_bytes(whole[:len(whole) // 2] + b"\xff" * 100 + whole[len(whole) // 2:])
    expect_refusal(xtf, stem, trace, "compressed.1.events.z: damaged at or before byte ")
    events.write_bytes(whole)


def test_unsorted(xtf, folder):
    """An event dated before its predecessor gets the predecessor's time, and its own stays in a side array."""
    events, trace = folder / "long.1.events", folder / "unsorted.xtf"
    whole = events.read_bytes()
    lines = whole.split(b"\n")
    times = [i for i, line in enumerate(lines) if line and all(c in b"0123456789abcdef" for c in line)]
    chosen = times[len(times) // 2]
    lines[chosen] = b"1"
    events.write_bytes(b"\n".join(lines))
    expect_warning(xtf, folder / "long", trace, options=())
    output = xtf.expect("import", "-o", trace, folder / "long.otf").decode()
    events.write_bytes(whole)
    reader = Trace(trace)
    backward = [row for array in reader.arrays() if array.schema.name == "backward_times" for row in map(array.schema.values, array.window(None, None))]
    check(backward and all(row[2] == 1 for row in backward), f"the original times are {backward}")
    check("hardly matter" in output, "the report is silent")


def test_naming(xtf, folder):
    """Users may name the folder, or by mistake another file of the archive."""
    done = xtf.run("import", "-o", folder / "out.xtf", folder / "short.1.events")
    check(done.status == 1 and b"it is a file of the archive with the master file" in done.errors, f"no advice: {done}")


def main():
    xtf = Xtf(sys.argv[1])
    need_programs("otfprint", "otfdecompress")
    with temporary_folder() as temporary:
        folder = pathlib.Path(temporary)
        subprocess.run([sys.argv[2], folder], check=True)
        for name in ARCHIVES:
            compare_archive(xtf, folder / f"{name}.otf", folder)
        real = (shared_traces() or folder) / "otf1-hello-2" / "hello_world.otf"
        if real.exists():
            compare_archive(xtf, real, folder)
        test_damage(xtf, folder)
        test_compressed_damage(xtf, folder)
        test_unsorted(xtf, folder)
        test_naming(xtf, folder)
    return 0


if __name__ == "__main__":
    run_test(main)
