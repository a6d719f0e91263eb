"""Compares the independent reader with libxtf and with xtf: both must give the same rows, counts and errors.

    test_reader.py library DUMP-TRACE      reads random traces of libxtf by both readers
    test_reader.py damage DUMP-TRACE       does the same with flipped bytes: no wrong rows, no exception but Damaged
    test_reader.py command XTF ARCHIVE     compares an imported trace with `xtf cat`
    test_reader.py clocks XTF ARCHIVE DUMP-TRACE    does the same with other clocks; computes stacks and profiles from the rows
    test_reader.py copy XTF DUMP-TRACE     compares the contents of copies, of either codec
"""
import pathlib
import random
import subprocess
import sys
import tempfile

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
# pylint: disable=wrong-import-position
from xtf_check import check
from xtf_format import BATCHES_FEATURE
from xtf_reader import Trace, escape, merged
from xtf_schema import Damaged
from xtf_totals import same
from xtf_windows import Window
from xtfrun import Xtf, tests_all

# codec, seed, page size, locations, rows of a record array. The third trace of each codec has trees of three levels: a
# leaf has 10 plain rows, and an index page 168 leaves. The last plain trace also has a sealed index page with filters.
TRACES = [("plain", 1, 4096, 3, 600), ("plain", 2, 4096, 150, 12), ("plain", 3, 4096, 1, 2400), ("plain", 4, 8192, 2, 500),
          ("plain", 5, 65536, 2, 300), ("plain", 6, 1 << 20, 1, 600), ("plain", 7, 4096, 1, 6), ("plain", 9, 4096, 1, 9600),
          ("compact", 11, 4096, 3, 600), ("compact", 12, 4096, 150, 12), ("compact", 13, 4096, 1, 4800), ("compact", 14, 16384, 2, 1500),
          ("compact", 15, 1 << 20, 1, 600), ("compact", 16, 4096, 1, 6)]
WINDOWS = 300 if tests_all() else 75
TOTALS = 60 if tests_all() else 15
FLIPS = 150
CALLS = 20 if tests_all() else 5  # windows of each array


def expect(condition, *words):
    if not condition:
        sys.exit("FAILED: " + " ".join(map(str, words)))


def run(program, *arguments):
    if isinstance(program, Xtf):
        done = program.completed(*arguments, text=False)
    else:
        done = subprocess.run([program, *map(str, arguments)], stdout=subprocess.PIPE, timeout=120, check=False)
    expect(done.returncode == 0, program, *arguments, "ended with status", done.returncode)
    return done.stdout.decode("utf-8", "surrogateescape")


def text_of(trace):
    """Returns all rows as dump-trace prints them."""
    lines = []
    for array in trace.arrays():
        for row in array.read():
            lines.append("\t".join([str(array.location), array.schema.name, *map(escape, trace.texts(array.schema, row))]))
    for schema, rows in trace.tables.values():
        lines += ["\t".join(map(escape, trace.texts(schema, row))) for row in rows]
    return lines


def compare_totals(trace, lines, path):
    """Compares totals of rows, and times by key in windows, with the results of libxtf. FORMAT.md says how they are computed. A
    group of zeros counts as absent."""
    arrays = {(array.location, array.schema.id): array for array in trace.arrays()}
    kinds = set()
    for line in lines:
        kind, location, schema, index, begin, end, *groups = line.split("\t")
        array, index, begin, end = arrays[int(location), int(schema)], int(index), int(begin), int(end)
        window = Window(array, index)
        computed = window.totals(begin, end) if kind == "rows" else window.profile(begin, end, array.local_first // 2, array.local_last + 1000)
        expect(window.coarse or len(window.leaves_read) <= 2, path, line, "took", len(window.leaves_read), "leaves")
        printed = {}
        for key, cells in (group.split("=") for group in groups if group):
            printed[tuple(int(word) for word in key.split(","))] = [int(word) for word in cells.split(",")]
        for key in computed.keys() | printed.keys():
            expected_cells, right = computed.get(key, [0] * window.aggregate.cells), printed.get(key, [0] * window.aggregate.cells)
            expect(all(map(same, expected_cells, right)), path, line, "key", key, "has", expected_cells)
        kinds.add((kind, window.aggregate.frames))
    return kinds


# FORMAT W19, R34
def test_library(dump_trace, folder):
    heights, kinds, batches = set(), set(), set()
    for codec, seed, page_size, locations, rows in TRACES:
        path = folder / f"{seed}.xtf"
        run(dump_trace, "write", path, codec, seed, page_size, locations, rows)
        trace = Trace(path)
        expect(all(array.codec == (codec == "compact") for array in trace.arrays()), path, "is not", codec)
        expect(trace.clock_maps, path, "has no clock maps")
        expect(trace.page_size == page_size and trace.epoch == 2, path, "has another page size or epoch than requested")
        check(trace)
        batches |= {codec} if trace.features & BATCHES_FEATURE else set()
        own_rows, printed = text_of(trace), run(dump_trace, "rows", path).split("\n")[:-1]
        expect(own_rows == printed, path, next((pair for pair in zip(own_rows, printed) if pair[0] != pair[1]), (len(own_rows), len(printed))))
        for line in run(dump_trace, "counts", path, seed, WINDOWS).split("\n")[:-1]:
            location, schema, begin, end, size = map(int, line.split("\t"))
            (array,) = trace.arrays(location, schema)
            array.visits = 0
            count = array.count(begin, end)
            expect(count == size, path, "counts", count, "not", line)
            expect(array.visits <= 2 * array.height, path, "took", array.visits, "visits to count")
            naive = sum(begin <= array.schema.values(row)[0] < end for row in array.read()) if array.rows < 200 else size
            expect(naive == size, path, "has", naive, "rows, not", line)
        kinds |= compare_totals(trace, run(dump_trace, "totals", path, seed, TOTALS).split("\n")[:-1], path)
        for array in trace.arrays():
            heights.add((codec, array.height))
            for n in random.Random(seed).sample(range(array.rows), min(array.rows, 5)):
                leaf = array.leaf_of(n)
                expect(leaf.first <= n < leaf.first + leaf.rows, path, "row", n, "is not in its leaf")
        trace.close()
    expect(batches == {"plain", "compact"}, "only traces of", batches, "have batches")
    expect(kinds == {("rows", False), ("rows", True), ("time", True)}, "only", kinds, "were compared")
    expect({(codec, height) for codec in ("plain", "compact") for height in (1, 2, 3)} <= heights, "no tree was high enough:", heights)


def test_damage(dump_trace, folder):
    for codec in ("plain", "compact"):
        flip_bytes(dump_trace, folder / f"{codec}.xtf", codec)


# FORMAT R3, R75
def flip_bytes(dump_trace, path, codec):
    """Checks that a flipped byte is detected, or is in bytes that no reader uses."""
    run(dump_trace, "write", path, codec, 8, 4096, 3, 60)
    good = path.read_bytes()
    whole = text_of(Trace(path))
    n_detected, dice = 0, random.Random(8)
    for _ in range(FLIPS):
        at = dice.randrange(len(good))
        path.write_bytes(good[:at] + bytes([good[at] ^ 1 << dice.randrange(8)]) + good[at + 1:])
        try:
            trace = Trace(path)
            check(trace)
            expect(text_of(trace) == whole, "byte", at, "changed rows, and no check detected it")
            trace.close()
        except Damaged:
            n_detected += 1
    for length in (0, 100, 5000, len(good) // 2, len(good) - 1):
        path.write_bytes(good[:length])
        try:
            check(Trace(path))
            expect(False, "a file cut to", length, "bytes is accepted")
        except Damaged:
            pass
    expect(n_detected > FLIPS // 4, "only", n_detected, "of", FLIPS, "flips were detected")


def columns_of(xtf, path, folder):
    """Returns the columns of `records` by name: their positions in a line."""
    lines = run(xtf, "cat", path, f"{folder}/columns").splitlines()
    return {words[0]: slice(int(words[1]) - 1, int(words[2])) for words in (line.split() for line in lines if not line.startswith("#"))}


def shown_value(trace, field, value):
    """Returns a value as xtf prints it: labels by name, but rows of tables by number."""
    if value is None:
        return "-"
    if field.role == "time":
        return f"{(value - trace.origin) // 10**9}.{(value - trace.origin) % 10**9:09}"
    return field.labels[value] if 0 <= value < len(field.labels) else str(value)


def compare_records(xtf, path, trace, folder, array):
    columns = columns_of(xtf, path, folder)
    lines = run(xtf, "cat", path, f"{folder}/records").splitlines()
    expect(len(lines) == array.rows, folder, "has", len(lines), "lines for", array.rows, "rows")
    fields = [(i, field) for i, field in enumerate(array.schema.fields) if field.name in columns and field.type not in ("STRING", "F64")]
    expect(len(fields) >= 4, folder, "shows too few fields")
    named = next((i for i, field in enumerate(array.schema.fields) if field.flags & 2), None)
    for line, row in zip(lines, array.read()):
        values = array.schema.values(row)
        for i, field in fields:
            text = line[columns[field.name]].strip()
            expect(text in (shown_value(trace, field, values[i]), "?"), folder, field.name, text, values)
        if named is not None and values[named] is not None:
            name = line[columns["name"]].strip()
            expect(name == trace.texts(array.schema, row)[named], folder, "is named", name, values)


def test_command(xtf, archive, folder):
    path = folder / "imported.xtf"
    run(xtf, "import", "--quiet", "--force", "-o", path, archive)
    compare_command(xtf, path)
    check_codecs(xtf, path, folder)


def check_codecs(xtf, path, folder):
    """Checks that `xtf info` names the codec of all arrays, or, if there are several codecs, the number of arrays of each."""
    mixed = folder / "mixed.xtf"
    run(xtf, "copy", "--quiet", "--force", "--codec", "plain", path, mixed)
    for file, several in ((path, False), (mixed, False), (mixed, True)):
        if several:
            run(xtf, "analyze", "--quiet", mixed)  # the arrays that it adds are packed
        codecs = [("plain", "compact")[array.codec] for array in Trace(file).arrays()]
        expect((len(set(codecs)) > 1) == several, file, "has arrays of the codecs", set(codecs))
        shown = next(line.split(None, 1)[1] for line in run(xtf, "info", file).splitlines() if line.startswith("codec "))
        expected = ", ".join(f"{name} of {codecs.count(name)}" for name in ("compact", "plain")) + " arrays" if several else codecs[0]
        expect(shown == expected, "xtf info prints the codecs", shown, "not", expected)
    mixed.unlink()


def compare_command(xtf, path):
    trace = Trace(path)
    expect((trace.resolution_num, trace.resolution_den) == (10**9, 1), "the comparison below is for nanoseconds")
    check(trace)
    rows = sum(array.rows for array in trace.arrays() if array.schema.kind == 1)
    expect(int(run(xtf, "cat", path, "count")) == rows, "xtf does not count the records as", rows)
    schema, locations = trace.tables["locations"]
    names = [field.name for field in schema.fields]
    paths = {values["id"]: f"proc/{values['proc']}/thread/{values['thread']}"
             for values in (dict(zip(names, schema.values(row))) for row in locations)}
    dice = random.Random(1)
    for array in trace.arrays():
        if array.schema.kind != 1:
            continue
        folder = f"{paths[array.location]}/{array.schema.name}"
        expect(int(run(xtf, "cat", path, f"{folder}/count")) == array.rows, folder, "does not have the rows of the array:", array.rows)
        for _ in range(10):
            begin, end = sorted(dice.randrange(trace.first, trace.last + 2) for _ in range(2))
            window = f"{folder}/time/{begin - trace.origin}ns-{end + 1 - trace.origin}ns/count"
            expect(int(run(xtf, "cat", path, window)) == array.count(begin, end + 1), window, "is not", array.count(begin, end + 1))
        compare_records(xtf, path, trace, folder, array)
    compare_merged(xtf, path, trace, paths)
    return trace, paths


def compare_merged(xtf, path, trace, paths):
    """Compares the records of all locations, which are in one order."""
    columns = columns_of(xtf, path, ".")
    arrays = [array for array in trace.arrays() if array.schema.kind == 1]
    lines = run(xtf, "cat", path, "records").splitlines()
    rows = list(merged(trace, arrays, None, None))
    expect(len(lines) == len(rows), path, "has", len(lines), "lines for", len(rows), "records")
    for line, (array, row) in zip(lines, rows):
        time = shown_value(trace, array.schema.fields[0], array.schema.values(row)[0])
        location = f"proc/{line[columns['proc']].strip()}/thread/{line[columns['thread']].strip()}"
        expect((line[columns["time"]].strip(), location) == (time, paths[array.location]), path, "shows", line, "for a record of", time, paths[array.location])


class Calls:
    """The calls of a location, in local time: the interval of each call, and the call on top between two rows."""

    def __init__(self, array, last):
        at = {field.role: i for i, field in enumerate(array.schema.fields)}
        self.frames, self.turns, stack, before = [], [], [], None
        for row in array.read_local():
            values = array.schema.layout.unpack(row)
            if stack:
                self.turns.append((before, values[0], stack[-1][2]))
            before = values[0]
            if values[at["event"]] == 0:
                stack.append([before, None, values[at["region"]], values[at["outermost"]]])
                self.frames.append(stack[-1])
            elif stack:
                stack.pop()[1] = before
        if stack:
            self.turns.append((before, last, stack[-1][2]))
        for frame in stack:
            frame[1] = last

    def profile(self, begin, end):
        """Returns the inclusive and exclusive ticks of each region in a window of local time."""
        ticks = {}
        for at, intervals in enumerate(([frame[:3] for frame in self.frames if frame[3]], self.turns)):
            for first, last, region in intervals:
                part = min(last, end) - max(first, begin)
                if part > 0:
                    ticks.setdefault(region, [0, 0])[at] += part
        return ticks

    def stack(self, time):
        """Returns the frames that rows before a local time leave open."""
        return [frame for frame in self.frames if frame[0] < time <= frame[1]]


def seconds(text):
    whole, part = text.split(".")
    expect(len(part) == 9, text, "does not have nine digits")
    return int(whole) * 10**9 + int(part)


def compare_calls(xtf, path, trace, folder, calls, array, window):
    """Compares the profile and the stack of a window of one location."""
    begin, end = (array.clock.to_local(time) if array.clock else time for time in window)
    inside = f"{folder}/time/{window[0] - trace.origin}ns-{window[1] - trace.origin}ns"
    table = [line.split(maxsplit=6) for line in run(xtf, "cat", path, f"{inside}/profile").splitlines()[1:]]
    computed = {region: ticks for region, ticks in calls.profile(begin, end).items() if any(ticks)}
    printed = {int(line[0]): [seconds(line[2]), seconds(line[3])] for line in table if seconds(line[2]) or seconds(line[3])}
    expect(computed == printed, path, inside, "has the profile", printed, "not", computed)
    lines = [line.split(maxsplit=5) for line in run(xtf, "cat", path, f"{inside}/stack").splitlines()[1:]]
    printed = [(seconds(line[3]), seconds(line[4])) for line in lines if line[3] != "-"]
    computed = [((array.clock.to_global(frame[0]) if array.clock else frame[0]) - trace.origin, begin - frame[0]) for frame in calls.stack(begin)]
    expect(computed == printed, path, inside, "has the stack", printed, "not", computed)


def test_clocks(xtf, archive, dump_trace, folder):
    path, dice = folder / "aligned.xtf", random.Random(5)
    run(xtf, "import", "--quiet", "--force", "-o", path, archive)
    for seed in range(2 if tests_all() else 1):
        run(dump_trace, "align", path, seed)
        trace, paths = compare_command(xtf, path)
        expect(trace.clock_maps and "clock maps" in run(xtf, "info", path), path, "has no clock maps")
        run(xtf, "check", "--quiet", path)
        lasts = {}
        for array in trace.arrays():
            lasts[array.location] = max(lasts.get(array.location, 0), array.local_last if array.schema.kind == 1 else 0)
        for array in trace.arrays():
            if array.schema.name != "enters_leaves":
                continue
            calls = Calls(array, lasts[array.location])
            knots = [knot[1] for knot in array.clock.knots if array.first < knot[1] < array.last] if array.clock else []
            for _ in range(CALLS):
                times = [dice.choice(knots) + dice.randrange(-1, 2) if knots and dice.random() < 0.5 else dice.randrange(array.first, array.last + 1)
                         for _ in range(2)]
                compare_calls(xtf, path, trace, paths[array.location], calls, array, (min(times), max(times) + 1))
        trace.close()


def contents_of(trace):
    """Returns the contents of a trace, independent of how it is stored."""
    schemas = [(schema.name, schema.kind, schema.rows, [vars(aggregate) for aggregate in schema.aggregates], [vars(field) for field in schema.fields])
               for schema in trace.schemas]
    clock = (trace.resolution_num, trace.resolution_den, trace.origin, trace.first, trace.last, trace.complete)
    maps = sorted((array.location, array.schema.name, array.clock and array.clock.knots) for array in trace.arrays())
    return schemas, clock, maps, sorted(text_of(trace))


def copy_trace(xtf, source, target, *options):
    run(xtf, "copy", "--quiet", "--force", *options, source, target)
    run(xtf, "check", "--quiet", target)
    trace = Trace(target)
    check(trace)
    return trace


def test_copy(xtf, dump_trace, folder):
    for seed, locations, rows in ((21, 3, 900), (22, 60, 12), (23, 1, 6)):
        first = folder / "first.xtf"
        run(dump_trace, "write", first, "plain", seed, 4096, locations, rows)
        whole = contents_of(Trace(first))
        packed = copy_trace(xtf, first, folder / "packed.xtf", "--page-size", "8K", "--level", "6")
        plain = copy_trace(xtf, folder / "packed.xtf", folder / "plain.xtf", "--codec", "plain", "--page-size", "4K")
        for trace, codec, page_size in ((packed, 1, 8192), (plain, 0, 4096)):
            expect(trace.page_size == page_size and all(array.codec == codec for array in trace.arrays()), "a copy has another codec or page size than requested")
            expect(contents_of(trace) == whole, "a copy of", seed, "of codec", codec, "has other contents")
    before = first.read_bytes()
    for arguments in ((first, first), (first, folder), (folder / "none.xtf", folder / "new.xtf"), (first, folder / "none" / "new.xtf")):
        done = xtf.completed("copy", "--force", *arguments)
        expect(done.returncode == 1 and done.stderr.startswith("xtf: "), "copy of", *arguments, "reports", done.stderr)
    expect(first.read_bytes() == before, "a refused copy changed its source")
    files = sorted(path.name for path in folder.iterdir())
    expect(files == ["first.xtf", "packed.xtf", "plain.xtf"], "after the copies the folder has the files", files)


def main():
    mode, *arguments = sys.argv[1:]
    if mode in ("command", "clocks", "copy"):
        arguments[0] = Xtf(arguments[0])
    with tempfile.TemporaryDirectory(prefix="xtf-reader-") as folder:
        {"library": test_library, "damage": test_damage, "command": test_command, "clocks": test_clocks, "copy": test_copy}[mode](*arguments, pathlib.Path(folder))


if __name__ == "__main__":
    main()
