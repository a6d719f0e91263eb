"""Readers of a trace that grow.c writes: each answer of the mount is compared with the records that the writer computes."""

import bisect
import os
import random
import re
import time
import traceback

PROCS, STEP = 12, 10
PROCS_AT_BEGIN = 4  # processes in the first commit
COMMITS = 250


def begin_of(proc):
    return 0 if proc < PROCS_AT_BEGIN else 400 * (proc - PROCS_AT_BEGIN + 1)


def time_of(proc, n):
    return 10000 * (n + 1) + 7 * proc


def bytes_of(proc, n):
    return (n * 31 + proc) * 2654435761 % 1000000007


# All records in order, as (time, process, seq, bytes). Then the times alone, and the number of records at each commit.
EXPECTED = [(time_of(proc, n), proc, n - begin_of(proc), bytes_of(proc, n))
            for n in range(STEP * COMMITS + 9) for proc in range(PROCS)
            if begin_of(proc) <= n < STEP * COMMITS + proc % 3 * 3 and STEP * COMMITS + proc % 3 * 3 > begin_of(proc)]
TIMES = [record[0] for record in EXPECTED]
AT_COMMITS = {bisect.bisect_left(TIMES, time_of(0, STEP * i)) for i in range(COMMITS)} | {len(EXPECTED)}


def region_of(row):
    return f"region-{row}-{'x' * (row % 60)}"


def read_sized(path):
    """Returns the content of a file and its size at opening, which the content reaches at least."""
    with open(path, "rb", buffering=0) as file:
        size = os.fstat(file.fileno()).st_size
        content = b""
        while part := file.read(1 << 20):
            content += part
    assert b"\0" not in content, f"{path}: NUL bytes"
    assert len(content) >= size, f"{path}: {len(content)} bytes of {size}"
    return content, size


def parse_records(content):
    lines = content.split(b"\n")
    assert lines.pop() == b"", "a line is cut off"
    found = []
    for line in lines:
        time_text, proc, _, seq, event, _, moved, *_ = line.split()
        assert event == b"MPI_SEND", line
        found.append((int(time_text.replace(b".", b"")), int(proc), int(seq), int(moved)))
    return found


class Reader:
    """A process that reads files at random, and remembers contents that must not change."""

    def __init__(self, folder, seed, parts):
        self.folder, self.random, self.seen, self.exact, self.past = folder, random.Random(seed), 0, 0, {}
        self.parts = parts

    def path(self, name):
        return os.path.join(self.folder, name)

    def records(self):
        content, size = read_sized(self.path("records"))
        found = parse_records(content)
        assert found == EXPECTED[:len(found)], "records differ"
        assert len(found) in AT_COMMITS, f"{len(found)} records at no commit"
        assert len(found) >= self.seen, "records disappeared"
        self.exact += len(content) == size
        self.seen = len(found)

    def one_process(self):
        proc = self.random.randrange(PROCS_AT_BEGIN)
        found = parse_records(read_sized(self.path(f"proc/{proc}/thread/0/records"))[0])
        own = [record for record in EXPECTED if record[1] == proc]
        assert found == own[:len(found)], f"records of process {proc} differ"

    def count(self):
        content, size = read_sized(self.path("count"))
        assert len(content) == size and int(content) in AT_COMMITS, f"count {content}"
        assert int(content) >= self.seen
        self.seen = int(content)

    def window(self):
        """Compares windows of the past."""
        if not self.seen:
            return
        last = TIMES[self.seen - 1]
        begin = self.random.randrange(last)
        end = self.random.randrange(begin, last) + 1
        name = self.path(f"time/{begin}ns-{end}ns")
        low, high = bisect.bisect_left(TIMES, begin), bisect.bisect_left(TIMES, end)
        content, size = read_sized(name + "/count")
        assert int(content) == high - low and len(content) == size, f"{name}: {content}, not {high - low}"
        content, size = read_sized(name + "/records")
        assert len(content) == size, f"{name}: {len(content)} bytes, not {size}"
        assert parse_records(content) == EXPECTED[low:high], name
        self.past[name] = content
        if len(self.past) > 20:
            self.past.pop(next(iter(self.past)))

    def past_again(self):
        if self.past:
            name, content = self.random.choice(list(self.past.items()))
            assert read_sized(name + "/records")[0] == content, f"{name} has changed"

    def per_cent(self):
        """Compares the first half of the time, of any commit."""
        content, _ = read_sized(self.path("time/0%-50%/records"))
        found = parse_records(content)
        assert found == EXPECTED[:len(found)] and len(found) <= len(EXPECTED) // 2 + PROCS

    def views(self):
        for name in "info", "histogram", "matrix":
            content, size = read_sized(self.path(name))
            assert len(content) == size, f"{name}: {len(content)} bytes, not {size}"
            lines = content.decode().splitlines()
            assert len({len(line) for line in lines}) == 1, f"{name} is torn"
            if name == "histogram":
                assert sum(int(line.split()[2]) for line in lines[1:]) in AT_COMMITS, name
            if name == "info":
                records = int(re.search(r"^records +(\d+)", content.decode(), re.M).group(1))
                assert records in AT_COMMITS, name

    def definitions(self):
        content, size = read_sized(self.path("definitions/regions"))
        assert len(content) == size
        names = [line.split()[-1] for line in content.decode().splitlines()[1:]]
        rows = [next((word for word in line.split() if word.startswith("region-")), None)
                for line in content.decode().splitlines()[1:]]
        assert rows == [region_of(row) for row in range(len(rows))], f"definitions are others: {rows[:3]} {names[:3]}"

    def listing(self):
        procs = sorted(map(int, os.listdir(self.path("proc"))))
        assert set(range(PROCS_AT_BEGIN)) <= set(procs) <= set(range(PROCS)), procs
        assert self.parts or procs == list(range(len(procs))), procs  # one part may be ahead of the others

    def run(self, until):
        checks = [self.records, self.one_process, self.count, self.window, self.window, self.past_again, self.per_cent,
                  self.views, self.definitions, self.listing]
        n = 0
        while time.monotonic() < until:
            self.random.choice(checks)()
            n += 1
        return n


def read_until(folder, seed, parts, until, results):
    reader = Reader(folder, seed, parts)
    try:
        results.put((reader.run(until), reader.exact, None))
    except BaseException:
        results.put((0, 0, traceback.format_exc()))
