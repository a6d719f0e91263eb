"""Runs the deterministic fuzzer, and reads crafted hostile files.

    fuzz.py mutated DUMP-TRACE FUZZ-DRIVER ROUNDS
    fuzz.py joined DUMP-TRACE FUZZ-DRIVER ROUNDS XTF     merged files, and anchors beside their parts
    fuzz.py views SPLIT-TRACE FUZZ-VIEWS ROUNDS XTF ARCHIVE...     views that combine several structures, of recorded programs
    fuzz.py wrong WRONG-BYTE ROUNDS XTF ARCHIVE...           one wrong byte, its checksum unchanged: no answer changes without an error
    fuzz.py crafted DUMP-TRACE FUZZ-DRIVER

The driver must read each crafted file to its end. The first file once led a search past the end of the file.
The next two kept the check busy forever. The two after them made readers allocate more arrays or rows than any file holds.
The rest have wrong packed rows: more than a leaf may hold, more than fit into the pages, and the same rows in two arrays.
"""
import os
import pathlib
import shutil
import struct
import subprocess
import sys
import tempfile
import zlib

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "reader"))
from xtf_files import Superblock  # noqa: E402
from xtf_format import ARRAY, ARRAYS, BRANCH, CLOCK_MAPS, ENTRY, KNOT, NODE, OPEN_PAGE, PAGE, REFERENCE, SEGMENTS, SUPERBLOCK  # noqa: E402
from xtf_patch import File  # noqa: E402

PAGE_SIZE = 4096
# codec, seed, page size, locations, rows: a small file; a P index of two levels; a tree of three; large pages
CORPUS = [("plain", 5, PAGE_SIZE, 1, 6), ("plain", 6, PAGE_SIZE, 40, 6), ("plain", 7, PAGE_SIZE, 1, 1800), ("plain", 8, 65536, 1, 60),
          ("compact", 15, PAGE_SIZE, 1, 6), ("compact", 16, PAGE_SIZE, 40, 6), ("compact", 17, PAGE_SIZE, 1, 3600), ("compact", 18, 65536, 1, 600)]
SANITIZERS = {"ASAN_OPTIONS": "max_allocation_size_mb=256:allocator_may_return_null=0:handle_sigill=1", "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1"}


# Parts of the same page size: codec, seed, page size, locations, rows, first location.
PARTS = {"small": [("plain", 5, PAGE_SIZE, 1, 6, 0), ("compact", 15, PAGE_SIZE, 2, 12, 1000)],
         "many": [("compact", 16, PAGE_SIZE, 40, 6, 0), ("plain", 8, PAGE_SIZE, 3, 120, 1000), ("plain", 9, PAGE_SIZE, 1, 6, 2000)],
         "high": [("plain", 7, PAGE_SIZE, 1, 1800, 0), ("compact", 17, PAGE_SIZE, 1, 3600, 1000)]}


def make_trace(dump_trace, folder, codec, seed, *sizes):
    path = folder / f"{seed}.xtf"
    subprocess.run([dump_trace, "write", path, codec, *map(str, (seed, *sizes))], check=True)
    return path


def fuzz_joined(dump_trace, driver, rounds, xtf, folder):
    """Fuzzes merged files: their catalogs have segments and maps of their numbers. Fuzzes anchors, whose catalogs have files,
    too."""
    merged = []
    for name, parts in PARTS.items():
        beside = folder / name
        beside.mkdir()
        files = [make_trace(dump_trace, beside, *sizes) for sizes in parts]
        subprocess.run([xtf, "merge", "--quiet", "--output", folder / f"{name}.xtf", *files], check=True)
        subprocess.run([xtf, "merge", "--quiet", "--anchor", beside], check=True)
        merged.append(folder / f"{name}.xtf")
        run_driver(driver, beside, rounds // 4, beside / "anchor.xtf")
    run_driver(driver, folder, rounds, *merged)


def fuzz_views(split_trace, driver, rounds, xtf, archives, folder):
    """Fuzzes a recorded program: plain, aligned, analysed and merged; then an anchor, and companions of the anchor and of a file. All
    three have files beside them."""
    def run_command(*arguments):
        subprocess.run(list(map(str, arguments)), check=True)

    plain = []
    for number, archive in enumerate(archives):
        plain.append(folder / f"plain{number}.xtf")
        run_command(xtf, "import", "--quiet", "-o", plain[-1], archive)
    first = plain[0]
    run_command(xtf, "align", "--quiet", "--always", "-o", folder / "aligned.xtf", first)
    shutil.copy(first, folder / "analysed.xtf")
    run_command(xtf, "analyze", "--quiet", folder / "analysed.xtf")
    parts, base = folder / "parts", folder / "base"
    for beside in (parts, base):
        beside.mkdir()
    run_command(split_trace, first, parts / "part", 2, 7)
    run_command(xtf, "merge", "--quiet", "-o", folder / "merged.xtf", *sorted(parts.glob("*.xtf")))
    run_command(xtf, "merge", "--quiet", "--anchor", parts)
    shutil.copy(first, base / "trace.xtf")
    run_command(xtf, "analyze", "--quiet", "-o", base / "companion.xtf", base / "trace.xtf")
    run_driver(driver, folder, 0, *out_of_order(folder, first))
    run_driver(driver, folder, rounds, *plain, *(folder / f"{name}.xtf" for name in ("aligned", "analysed", "merged")))
    run_driver(driver, parts, rounds // 4, parts / "anchor.xtf")
    run_command(xtf, "analyze", "--quiet", parts)
    run_driver(driver, parts, rounds // 4, parts / "anchor.xtf.analysis")
    run_driver(driver, base, rounds // 4, base / "companion.xtf")


def check_wrong_bytes(driver, rounds, xtf, archives, folder):
    """Checks that a wrong byte changes no answer without an error, in imported archives and in the results of `xtf analyze`."""
    files = []
    for number, archive in enumerate(archives):
        files.append(folder / f"{number}.xtf")
        subprocess.run([xtf, "import", "--quiet", "-o", files[-1], archive], check=True)
        if archive.endswith(".otf2"):
            subprocess.run([xtf, "analyze", "--quiet", files[-1]], check=True)
    if subprocess.run([driver, rounds, "1", *files], env=os.environ | SANITIZERS, check=False).returncode:
        sys.exit("a wrong byte changed an answer without an error")


def out_of_order(folder, base):
    """Writes files in which one entry of the P index has the location of another entry, or a location without an entry. Returns
    their paths."""
    data, written = base.read_bytes(), []
    locations = sorted({entry.location for entry in File(data).arrays()})
    for number in range(len(File(data).arrays())):
        for location in (*locations, locations[-1] + 1, (1 << 64) - 1):
            changed = File(data)
            if changed.arrays()[number].location != location:
                changed.arrays()[number].location = location
                changed.seal()
                written.append(folder / f"order-{number}-{location}.xtf")
                written[-1].write_bytes(changed.data)
    return written


def run_driver(driver, folder, rounds, *files):
    keep = folder / "input"
    done = subprocess.run([driver, keep, str(rounds), "1", *files], env=os.environ | SANITIZERS, check=False)
    if done.returncode != 0:
        failed_input = pathlib.Path(tempfile.gettempdir()) / "xtf-fuzz-failed"
        shutil.copy(keep, failed_input)
        sys.exit(f"FAILED with status {done.returncode}: the input is in {failed_input}")


class Crafted:
    """A trace file whose catalog can be changed, and is written anew at the end of the file."""

    def __init__(self, path):
        self.data = bytearray(path.read_bytes())
        reference = Superblock(*SUPERBLOCK.unpack_from(self.data)).catalog
        offset, length, _ = REFERENCE.unpack(reference)
        self.catalog = self.data[offset:offset + length]
        self.bodies, at = {}, 8
        while at < length:
            kind, _, size = struct.unpack_from("<IIQ", self.catalog, at)
            self.bodies[kind] = at + 16
            at += 16 + size
        self.arrays, self.height, _, root = struct.unpack_from("<QII16s", self.catalog, self.bodies[ARRAYS])
        offset, length, _ = REFERENCE.unpack(root)
        self.root, self.root_bytes = root, self.data[offset:offset + length]

    def append(self, item):
        self.data += bytes(-len(self.data) % 8) + item
        return REFERENCE.pack(len(self.data) - len(item), len(item), zlib.crc32(item))

    def page(self, level, array, segment, first, payload, rows):
        self.data += bytes(-len(self.data) % PAGE_SIZE)
        place = len(self.data) // PAGE_SIZE
        head = PAGE.pack(b"XTFp", 2 if level else 1, 0, level, array, 1, segment, first, rows, len(payload), 0, 0, 0, 0)[:60]
        crc = zlib.crc32(struct.pack("<Q", place) + head + payload)
        self.data += (head + struct.pack("<I", crc) + payload).ljust(PAGE_SIZE, b"\0")
        return place

    def index(self, arrays, height, root):
        struct.pack_into("<QII16s", self.catalog, self.bodies[ARRAYS], arrays, height, 0, root)

    def write(self, path):
        struct.pack_into("<Q", self.catalog, self.bodies[SEGMENTS] + 16, len(self.data) // PAGE_SIZE + 100)
        catalog = self.append(bytes(self.catalog))
        for at in (0, 4096):
            self.data[at + 88:at + 104] = catalog
            struct.pack_into("<I", self.data, at + 252, zlib.crc32(self.data[at:at + 252]))
        path.write_bytes(self.data)


def branches(level, children):
    """Returns a node of the P index above the lowest level. Each child is (arrays below it, item reference)."""
    entries = (BRANCH.pack(0, 0, 0, arrays, 1, child) for arrays, child in children)
    return NODE.pack(b"XTFn", level, len(children), 0) + b"".join(entries)


def array_of(crafted, schema):
    """Returns the entry of a schema's first array as a list of its values."""
    for at in range(NODE.size, len(crafted.root_bytes), ARRAY.size):
        entry = list(ARRAY.unpack_from(crafted.root_bytes, at))
        if entry[1] == schema:
            return entry
    sys.exit("FAILED: the trace has no array of the schema")


# FORMAT R4
def page_as_item(crafted):
    """Adds a page with millions of rows to the P index, as a node. The reader meets it as a node before it meets it as a page."""
    wide = array_of(crafted, 2)
    place = next(place for place in range(2, len(crafted.data) // PAGE_SIZE)
                 if crafted.data[place * PAGE_SIZE:place * PAGE_SIZE + 5] == b"XTFp\1"
                 and struct.unpack_from("<I", crafted.data, place * PAGE_SIZE + 8)[0] == wide[2]
                 and struct.unpack_from("<Q", crafted.data, place * PAGE_SIZE + 24)[0] == 0)
    at = place * PAGE_SIZE
    rows, size = struct.unpack_from("<II", crafted.data, at + 32)
    struct.pack_into("<II", crafted.data, at + 32, 1 << 23, size // rows << 23)
    page = REFERENCE.pack(at, PAGE_SIZE, zlib.crc32(crafted.data[at:at + PAGE_SIZE]))
    node = branches(1, [(1, page), (crafted.arrays, crafted.root)])
    crafted.index(crafted.arrays + 1, 2, crafted.append(node))


# FORMAT R67
def nodes_without_end(crafted):
    """Builds a P index of 12 levels in which each node names one child 84 times: 84^11 paths."""
    child = crafted.root
    for level in range(1, 12):
        child = crafted.append(branches(level, [(1, child)] * 84))
    crafted.index(500, 12, child)


# FORMAT R44
def pages_without_end(crafted):
    """Builds the same in an array: index pages whose 168 entries name one child."""
    levels, row_size, rows = 12, 8, 400
    entry = array_of(crafted, 1)  # rows that have only a time
    segment = struct.unpack_from("<Q", crafted.data, 16)[0]
    place = crafted.page(0, entry[2], segment, 0, bytes(504 * row_size), 504)
    for level in range(1, levels - 1):
        place = crafted.page(level, entry[2], segment, 0, b"".join(ENTRY.pack(0, n, place) for n in range(168)), 168)
    first = 10000
    heads = OPEN_PAGE.pack(first, 100, 0, rows, rows * row_size)
    payloads = bytes(rows * row_size)
    for level in range(1, levels):
        is_root = level == levels - 1
        entries = (ENTRY.pack(0, 0, place) if is_root else b"") + ENTRY.pack(0, first, 99 + level)
        heads += OPEN_PAGE.pack(0 if is_root else first, 100 + level, 0, len(entries) // ENTRY.size, len(entries))
        payloads += entries
    entry[3:10] = [first + rows, 0, 0, crafted.append(heads + payloads), 0, levels, 0]
    crafted.index(1, 1, crafted.append(NODE.pack(b"XTFn", 0, 1, 0) + ARRAY.pack(*entry)))


# FORMAT R66
def too_many_arrays(crafted):
    crafted.index(1 << 60, crafted.height, crafted.root)


def too_many_rows(crafted):
    entry = array_of(crafted, 1)
    entry[3] = 1 << 50
    crafted.index(1, 1, crafted.append(NODE.pack(b"XTFn", 0, 1, 0) + ARRAY.pack(*entry)))


def first_leaf(crafted, array):
    """Returns the byte offset of an array's first leaf."""
    return next(at for at in range(2 * PAGE_SIZE, len(crafted.data) - PAGE_SIZE, PAGE_SIZE)
                if crafted.data[at:at + 5] == b"XTFp\1" and struct.unpack_from("<IxxxxQQ", crafted.data, at + 8)[::2] == (array, 0))


# FORMAT R66
def packed_rows_without_end(crafted):
    at = first_leaf(crafted, array_of(crafted, 2)[2])
    struct.pack_into("<I", crafted.data, at + 32, 0xffffffff)
    (size,) = struct.unpack_from("<I", crafted.data, at + 36)
    head = crafted.data[at:at + 60]
    payload = crafted.data[at + PAGE.size:at + PAGE.size + size]
    struct.pack_into("<I", crafted.data, at + 60, zlib.crc32(struct.pack("<Q", at // PAGE_SIZE) + head + payload))


def too_many_packed_rows(crafted):
    entry = array_of(crafted, 2)
    entry[3] = 1 << 50
    crafted.index(1, 1, crafted.append(NODE.pack(b"XTFn", 0, 1, 0) + ARRAY.pack(*entry)))


def packed_rows_of_two_arrays(crafted):
    wide = array_of(crafted, 2)
    narrow = [*wide[:1], 1, *wide[2:]]
    crafted.index(2, 1, crafted.append(NODE.pack(b"XTFn", 0, 2, 0) + ARRAY.pack(*narrow) + ARRAY.pack(*wide)))


def clock_maps_without_end(crafted):
    maps = crafted.append(struct.pack("<II", 1, 0) + KNOT.pack(0, 1, 0))
    struct.pack_into("<II16s", crafted.catalog, crafted.bodies[CLOCK_MAPS], 0xffffffff, 0, maps)


def clock_map_without_end(crafted):
    maps = crafted.append(struct.pack("<II", 0xffffffff, 0) + KNOT.pack(0, 1, 0))
    struct.pack_into("<II16s", crafted.catalog, crafted.bodies[CLOCK_MAPS], 1, 0, maps)


def clock_with_dense_knots(crafted):
    """Builds a clock map whose knots are as near as can be: rounding may lose a tick at each knot, and so all ticks."""
    knots = b"".join(KNOT.pack(local, 5, 0) for local in range(100000))
    maps = crafted.append(struct.pack("<II", 100000, 0) + knots)
    struct.pack_into("<II16s", crafted.catalog, crafted.bodies[CLOCK_MAPS], 1, 0, maps)


PLAIN = (page_as_item, nodes_without_end, pages_without_end, too_many_arrays, too_many_rows, clock_maps_without_end, clock_map_without_end, clock_with_dense_knots)
COMPACT = (packed_rows_without_end, too_many_packed_rows, packed_rows_of_two_arrays)


def main():
    mode, dump_trace, driver, *rounds = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="xtf-fuzz-") as name:
        folder = pathlib.Path(name)
        if mode == "joined":
            fuzz_joined(dump_trace, driver, int(rounds[0]), rounds[1], folder)
            return
        if mode == "wrong":
            check_wrong_bytes(dump_trace, driver, rounds[0], rounds[1:], folder)
            return
        if mode == "views":
            fuzz_views(dump_trace, driver, int(rounds[0]), rounds[1], rounds[2:], folder)
            return
        if mode == "mutated":
            run_driver(driver, folder, int(rounds[0]), *(make_trace(dump_trace, folder, *sizes) for sizes in CORPUS))
            return
        for number, craft in enumerate(PLAIN + COMPACT):
            codec = "plain" if craft in PLAIN else "compact"
            crafted = Crafted(make_trace(dump_trace, folder, codec, 100 + number, PAGE_SIZE, 1, 120))
            craft(crafted)
            crafted.write(folder / "crafted.xtf")
            print(craft.__name__, flush=True)
            run_driver(driver, folder, 0, folder / "crafted.xtf")


if __name__ == "__main__":
    main()
