"""Changes each field of each structure of docs/FORMAT.md, with the checksums put right.

Nothing crashes, hangs, or takes more than 500 MB. Libxtf and the Python reader agree whether the rows of a sound file can be read, and on the rows.
`xtf check` and the Python checker agree whether the file is damaged. If it is, rows may differ: readers need not check all promises.

A row is a structure of xtf_patch.py. A case is a file, a structure in it, a field and a new value. All cases of a row have numbers.
The quick run takes a sample of them.
"""
import pathlib
import resource
import signal
import struct
import subprocess
import sys

from torture import Torture, scratch_folder

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(PROJECT / "tests" / name) for name in ("format", "reader", "roundtrip")]
# pylint: disable=wrong-import-position
import test_format_files
import xtf_patch
from xtf_check import check
from xtf_patch import COMPANION, FILES, INDEX, LEAF, Layout
from xtf_reader import Trace
from xtf_schema import Damaged
import xtf_totals
from xtfrun import Failure, Xtf, is_sanitized

MEMORY = 500_000_000
SECONDS = 20  # processor time of one command
FILE_NAMES = ["plain", "compact", "totals", "growing", "merged", "anchor", "companion", "anchored", "volumes", "removed", "runs"]
QUICK = 33  # cases of a row
CHECKSUMS = {"crc", "leaf_crc", "catalog_crc"}
OF_HIGH = {"index-page", "companion-page", "directory", "batch", "batch-table", "batch-row", "entry", "leaf-lists", "leaf-list"}  # structures that other files lack


# ---- The structures. Each function returns the structures of one kind in a file.

def parts_of(f, number):
    """Returns the fields or aggregates of all schemas that are records of schema()."""
    return [part for _, name in f.schemas() for part in f.schema(name)[number]]


def references(f):
    """Returns the references of schemas, strings, limits and chunks of tables."""
    kinds = (xtf_patch.SCHEMAS, xtf_patch.STRINGS, xtf_patch.LIMITS)
    return [reference for kind in kinds for reference in f.references(kind)] + [chunk for _, chunks in f.tables() for chunk in chunks]


def limits(f):
    return [f.limits(name, field) for number, (schema, name) in enumerate(f.schemas()) if f.references(xtf_patch.LIMITS)[number].length for field in range(schema.fields)]


def optional(kind, text):
    """Returns a function for the structures of a section that a file may lack."""
    return lambda f: f.bodies(kind, text) if kind in f.sections else []


def files(f):
    """Returns the entries of FILES."""
    found, section = [], f.sections.get(FILES)
    at = section.end if section else 0
    while section and at < section.end + section.length:
        found.append(f.at(at, xtf_patch.FILE))
        at = found[-1].end + -(-found[-1].length // 8) * 8
    return found


def own_arrays(f):
    """Returns the arrays whose segments are in the file itself."""
    return [array for array in f.arrays() if f.start <= f.base(array) + array.at and f.base(array) + array.at + array.length <= len(f.data)]


def heads(f):
    return [head for array in own_arrays(f) for head, _ in f.edge(array)]


def plain_tables(f):
    """Returns (schema, table) of the totals of arrays of codec plain. Short arrays have none."""
    names = [name for _, name in f.schemas()]
    found = []
    for array in (array for array in own_arrays(f) if array.codec == 0 and array.length > 8 + 32 * array.height):
        found += [(names[array.schema], table) for level in range(1, array.height + 1) for table in f.edge_tables(array, level)]
    return found


def totals_rows(kind):
    return lambda f: [row for name, table in plain_tables(f) if table.kind == kind for row in f.totals_rows(name, table)]


def sections(f):
    """Returns the sections of companions in batches: first byte, entry of the directory."""
    return [section for _, page in f.pages(kind=COMPANION) for section in f.batches(page)[1]]


def batch_tables(f):
    """Returns the tables in sections of batches. The codec is plain."""
    return [table for at, entry in sections(f) for table in f.tables_at(at, at + entry.length)]


def batch_rows(f):
    """Returns rows of tables in batches: the first and the last one of each table."""
    return [row for table in batch_tables(f) for row in f.totals_rows("wide", table)[::max(table.rows - 1, 1)]]


def entries(f):
    return [f.entry(page, i) for _, page in f.pages(kind=INDEX) for i in range(page.rows)]


STRUCTURES = {
    "superblock": lambda f: [f.superblock],
    "catalog": lambda f: [f.catalog],
    "section": lambda f: list(f.sections.values()),
    "clock": lambda f: [f.clock],
    "segment": lambda f: f.bodies(xtf_patch.SEGMENTS, xtf_patch.SEGMENT),
    "schema": lambda f: [schema for schema, _ in f.schemas()],
    "field": lambda f: parts_of(f, 2),
    "aggregate": lambda f: parts_of(f, 3),
    "p-index": lambda f: [f.root()],
    "node": lambda f: [node for _, node, _ in f.nodes()],
    "array": lambda f: f.arrays(),
    "table": lambda f: [table for table, _ in f.tables()],
    "reference": references,
    "limit": limits,
    "count": lambda f: f.bodies(xtf_patch.COUNTS, "rows:Q"),
    "free": optional(xtf_patch.FREE_KIND, xtf_patch.FREE),
    "file": files,
    "edge": lambda f: [f.at(f.base(array) + array.at, xtf_patch.EDGE) for array in own_arrays(f)],
    "open-page": heads,
    "leaf": lambda f: [page for _, page in f.pages(kind=LEAF)],
    "index-page": lambda f: [page for _, page in f.pages(kind=INDEX)],
    "companion-page": lambda f: [page for _, page in f.pages(kind=COMPANION)],
    "directory": lambda f: [f.batches(page)[0] for _, page in f.pages(kind=COMPANION) if f.batches(page)[0]],
    "batch": lambda f: [entry for _, entry in sections(f)],
    "batch-table": batch_tables,
    "batch-row": batch_rows,
    "entry": entries,
    "totals": lambda f: [table for _, table in plain_tables(f)],
    "group": totals_rows(1),
    "border": totals_rows(2),
    "snapshot": totals_rows(3),
    "filter": totals_rows(4),
    "clock-maps": lambda f: [f.body(xtf_patch.CLOCK_MAPS_KIND, xtf_patch.CLOCK_MAPS)] if xtf_patch.CLOCK_MAPS_KIND in f.sections else [],
    "knots": lambda f: [head for head, _ in f.clock_maps()] if xtf_patch.CLOCK_MAPS_KIND in f.sections else [],
    "knot": lambda f: [knot for _, knots in f.clock_maps() for knot in knots] if xtf_patch.CLOCK_MAPS_KIND in f.sections else [],
    "leaf-lists": lambda f: [f.leaf_lists()[0]] if xtf_patch.LEAF_LISTS_KIND in f.sections else [],
    "leaf-list": lambda f: f.leaf_lists()[1] if xtf_patch.LEAF_LISTS_KIND in f.sections else [],
    "segment-map": lambda f: [head for head, _ in f.segment_maps()],
    "table-map": lambda f: [table for _, tables in f.segment_maps() for table in tables],
}


def sample(cases, random, n):
    """Returns the numbers of some cases: one of each field and kind of value, and `n` of all."""
    by_kind = {}
    for number in random.sample(range(len(cases)), len(cases)):
        by_kind.setdefault(cases[number][2:], number)
    kinds = sorted(by_kind.values())
    return sorted({*random.sample(kinds, min(n, len(kinds))), *random.sample(range(len(cases)), min(n, len(cases)))})


def with_one_superblock(data):
    """Returns the file without the second superblock, whose catalog would differ from a changed one."""
    f = xtf_patch.File(data).one_superblock()
    f.seal()
    return f.stored()


def high_file(torture, folder):
    """Returns a file whose array has three levels, and so a leaf list, a sealed index page, and batches."""
    path = folder / "high.xtf"
    subprocess.run([torture.program("tests/reader/dump-trace"), "write", path, "plain", "7", "4096", "1", "1800"], check=True)
    return path.read_bytes()


# Made values of a field; the last is random.
VALUES = ["0", "1", "greatest", "one more", "one less", "random"]


def changed(old, kind, random):
    """Returns a new value of a field. Numbers that are too large keep their low bits."""
    if isinstance(old, bytes):
        new = {"0": bytes(len(old)), "1": b"\1" + bytes(len(old) - 1), "greatest": b"\xff" * len(old), "random": random.randbytes(len(old))}
        return new.get(kind, bytes([(old[0] + (1 if kind == "one more" else 255)) % 256]) + old[1:])
    return {"0": 0, "1": 1, "greatest": (1 << 64) - 1, "one more": old + 1, "one less": old - 1, "random": random.getrandbits(64) >> random.randrange(64)}[kind]


def cases_of(row, originals):
    """Returns all cases of a row: (file, number of the structure, field, kind of value)."""
    found = []
    for name, data in originals.items():
        for i, at in enumerate(STRUCTURES[row](xtf_patch.File(data))):
            fields = [field for field, (_, code) in at.layout.fields.items() if field not in CHECKSUMS and struct.calcsize(code) and not code.endswith("x")]
            found += [(name, i, field, kind) for field in fields for kind in VALUES]
    return found


def seal(f, row):
    """Puts the checksums right; a value that leads out of the file may leave some wrong."""
    if row == "superblock":
        f.seal_superblock()
        return
    try:
        f.seal()
    except (struct.error, IndexError, ZeroDivisionError, ValueError, MemoryError, OverflowError):
        f.seal_superblock()


def change(data, row, case, random):
    """Returns the bytes of a changed file; None if the value was the same."""
    _, number, field, kind = case
    f = xtf_patch.File(data)
    at = STRUCTURES[row](f)[number]
    old = getattr(at, field)
    setattr(at, field, changed(old, kind, random))
    if getattr(at, field) == old:
        return None
    seal(f, row)
    return f.stored()


# ---- The readers.

class Hang(Exception):
    """The Python reader took too long."""


def stop(*_):
    raise Hang(f"no end after {SECONDS} s")


def python_opinion(path):
    """Returns the rows, None if some are refused, and the message of the checker, None if it finds nothing."""
    lines = fault = None
    signal.setitimer(signal.ITIMER_PROF, SECONDS)
    try:
        trace = Trace(path)
        try:
            try:
                lines = sorted(test_format_files.python_lines(trace))
            except Damaged:
                pass
            check(trace)
        finally:
            trace.close()
    except Damaged as error:
        fault = str(error) or "damaged"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    return lines, fault


class Readers:
    def __init__(self, torture):
        self.torture = torture
        self.read_file = torture.program("tests/format/read-file")
        self.xtf = Xtf(torture.program("src/cli/xtf"))
        if self.xtf.memory:
            self.xtf.memory = MEMORY

    def limit(self):
        """Bounds memory and time of a child process."""
        if self.xtf.memory:
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (SECONDS, SECONDS))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))

    def rows(self, path):
        """Returns the rows that libxtf reads; None if it refuses some. Fails if it crashes."""
        done = subprocess.run([self.read_file, path, "rows"], capture_output=True, preexec_fn=self.limit, check=False, timeout=10 * SECONDS)
        if done.returncode not in (0, 1) or done.returncode and b"error: " not in done.stdout:
            raise Failure(f"read-file ended with {done.returncode}: {done.stderr.decode(errors='replace')[-1000:]}")
        lines = done.stdout.decode(errors="surrogateescape").splitlines()
        return sorted(line.rstrip() for line in lines) if done.returncode == 0 else None

    def fault(self, path):
        """Returns the message of `xtf check`; None if it finds nothing."""
        done = self.xtf.run("check", "--quiet", path, timeout=10 * SECONDS)
        return (done.output + done.errors).decode(errors="replace") if done.status else None


def judge(readers, row, number, case, path):
    """Reads a changed file by all readers."""
    torture, what = readers.torture, " ".join(map(str, case))
    try:
        rows, fault = readers.rows(path), readers.fault(path)
    except (Failure, subprocess.TimeoutExpired) as failure:
        torture.check(False, row, number, what, failure)
        return
    try:
        own, own_fault = python_opinion(path)
    except Exception as error:  # pylint: disable=broad-exception-caught
        torture.check(False, row, number, what, "the Python reader ended with", repr(error))
        return
    said = ("| xtf check:", fault and fault.strip(), "| xtf_check.py:", own_fault)
    if not fault and not own_fault:
        torture.check(rows == own, row, number, what, "libxtf", "refuses the rows," if rows is None else "reads rows,", "the Python reader",
                      "refuses them" if own is None else "reads rows" if rows is None else "reads other rows", *said)
    else:  # the rows of a damaged file may differ (FORMAT.md, section 12)
        torture.check(fault and own_fault, row, number, what, *said)


def run_row(readers, row, folder, originals):
    torture, cases = readers.torture, cases_of(row, originals)
    if torture.options.case is not None:
        numbers = [torture.options.case]
    else:
        numbers = range(len(cases)) if torture.long else sample(cases, torture.random(row, "sample"), torture.options.cases or QUICK)
    for number in numbers:
        name = cases[number][0]
        data = change(originals[name], row, cases[number], torture.random(row, number))
        if data is None:
            continue
        torture.count()
        path = folder / f"{name}.xtf"
        path.write_bytes(data)
        judge(readers, row, number, cases[number], path)
        path.write_bytes(originals[name])


def main():
    torture = Torture("Changes fields of all structures of the format, with right checksums.", STRUCTURES)
    signal.signal(signal.SIGPROF, stop)
    xtf_totals.ANY_SUM = True  # so does `xtf check`
    readers = Readers(torture)
    if not is_sanitized(readers.read_file):
        resource.setrlimit(resource.RLIMIT_AS, (2 * MEMORY, 2 * MEMORY))
    with scratch_folder("fields") as name:
        folder = pathlib.Path(name)
        test_format_files.expand(folder)
        closed = {name: (folder / f"{name}.xtf").read_bytes() for name in FILE_NAMES}
        single = {name: with_one_superblock(data) for name, data in closed.items()}
        high = {"high": with_one_superblock(high_file(torture, folder))}
        for row in torture.rows:
            run_row(readers, row, folder, closed if row == "superblock" else high if row in OF_HIGH else single)
    torture.finish()


if __name__ == "__main__":
    main()
