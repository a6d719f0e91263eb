#!/usr/bin/env python3
"""Compares tables by blocks, by/KEY/VIEW, with a shell's loop over the same blocks, and with SQLite's GROUP BY.

usage: by.py [--build BUILD] [--dir DIR] [--times N] [--slices N] TRACE.xtf

The methods are measured by turns. A figure is the median of processor time, which other programs change least; the elapsed time
follows. SQLite has the time and process of each record in a table in memory; filling it is not counted. It is only
compared where it counts the same.
"""

import sqlite3
import subprocess
import time

import common


def fill_database(trace, xtf):
    """Returns a SQLite table in memory with each record's time, in ticks of the last digit, and its process."""
    database = sqlite3.connect(":memory:")
    database.execute("create table records (t integer, proc integer)")
    process = subprocess.Popen([xtf, "cat", trace, "records"], stdout=subprocess.PIPE)
    rows = (line.split(None, 2) for line in process.stdout)
    database.executemany("insert into records values (?, ?)", ((int(t.replace(b".", b"")), int(proc)) for t, proc, _ in rows))
    process.wait()
    return database


def time_action(action):
    before, used = time.monotonic(), time.process_time()
    result = action()
    return time.process_time() - used, time.monotonic() - before, result


class Bench:
    def __init__(self, arguments):
        self.arguments = arguments
        self.xtf = arguments.xtf

    def cat(self, path):
        run = subprocess.run([self.xtf, "cat", self.arguments.trace, path], check=True, stdout=subprocess.PIPE)
        return run.stdout.decode().splitlines()[1:]

    def run(self, command):
        run = common.Run(command)
        return run.cpu, run.seconds

    def blocks(self, key, view):
        """Returns the paths of the blocks, which the first columns of the table name."""
        cells = [line.split() for line in self.cat(f"by/{key}/count")]
        if key.startswith("time:"):
            return [f"time/{line[0]}-{line[1]}/{view}" for line in cells]
        return [f"{key}/{line[0]}/{view}" for line in cells]

    def row(self, figure, methods):
        """Prints the times of each method: its name, and a function that returns its processor time and its elapsed time."""
        times = {name: [] for name, _ in methods}
        for _ in range(self.arguments.times):
            for name, method in methods:
                times[name].append(method())
        shown = [f"{name} {common.duration(common.median(used for used, _ in values))} "
                 f"({common.duration(common.median(elapsed for _, elapsed in values))})" for name, values in times.items()]
        common.row(figure, shown[0], "", "; ".join(shown[1:]))

    def beside_loop(self, key, view):
        path, blocks = f"by/{key}/{view}", self.blocks(key, view)
        loop = "\n".join(f"'{self.xtf}' cat '{self.arguments.trace}' '{block}'" for block in blocks)
        self.row(f"{path}, {len(blocks)} blocks",
                 [("xtf cat", lambda: self.run([self.xtf, "cat", self.arguments.trace, path])),
                  ("a loop of xtf cat", lambda: self.run(["sh", "-c", loop]))])

    def beside_sqlite(self, database, key, query):
        path = f"by/{key}/count"
        expected = [int(line.split()[-1]) for line in self.cat(path)]
        counts = dict(database.execute(query).fetchall())
        assert [counts.get(i, 0) for i in range(len(expected))] == expected, "SQLite counts other records"
        self.row(path, [("xtf cat", lambda: self.run([self.xtf, "cat", self.arguments.trace, path])),
                        ("SQLite", lambda: time_action(lambda: database.execute(query).fetchall())[:2])])


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--slices", type=int, default=1000)
    parser.add_argument("trace")
    arguments = parser.parse_args()
    common.start(arguments)
    bench = Bench(arguments)
    slices = arguments.slices
    bench.beside_loop(f"time:{slices}", "profile")
    bench.beside_loop("proc", "profile")
    bench.beside_loop("proc", "bytes")
    database = fill_database(arguments.trace, arguments.xtf)
    # Slice i begins at the tick end * i / slices, rounded down.
    bench.beside_sqlite(database, f"time:{slices}", "with trace as (select max(t) + 1 as end from records) "
                        f"select ((t + 1) * {slices} - 1) / end, count(*) from records, trace group by 1")
    bench.beside_sqlite(database, "proc", "select proc, count(*) from records group by proc")


if __name__ == "__main__":
    main()
