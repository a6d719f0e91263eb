#!/usr/bin/env python3
"""Questions about call sites. The table `sites`, site/ and by/site/ of windows and processes agree with a loop over the records.
Waits are shown at the line that waits, and at the line that ends the wait.

usage: test_asked.py ELF

ELF: 1 if this build finds names of functions.
"""

import collections
import csv
import pathlib
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from recorded_trace import Recorded  # noqa: E402
from recording import Case, main, mpis  # noqa: E402

ELF = sys.argv.pop(1) == "1"

# Two processes: each line of a call ends with a comment that names it.
PROGRAM = """
#include <mpi.h>
#include <unistd.h>
static char data[64];
static int rank;
static void give(int bytes, int tag)
{
    MPI_Send(data, bytes, MPI_CHAR, 1, tag, MPI_COMM_WORLD); /* send */
}
static void take(int bytes, int tag)
{
    MPI_Recv(data, bytes, MPI_CHAR, 0, tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE); /* receive */
}
static void take_later(void)
{
    MPI_Request request;
    MPI_Irecv(data, 64, MPI_CHAR, 0, 3, MPI_COMM_WORLD, &request); /* post */
    MPI_Wait(&request, MPI_STATUS_IGNORE); /* wait */
}
int main(int argc, char **argv)
{
    MPI_Init(&argc, &argv); /* init */
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    for (int i = 0; i < 40; i++) {
        if (rank == 0 && i % 10 == 5)
            usleep(20000);
        if (rank == 0)
            give(i, 1), give(8, 2);
        else
            take(64, 1), take(8, 2);
    }
    if (rank == 0)
        give(5, 3);
    else
        take_later();
    MPI_Barrier(MPI_COMM_WORLD); /* barrier */
    MPI_Finalize(); /* finalize */
}
"""


def line_of(mark):
    """Returns the line of the program that a comment marks."""
    return next(n for n, line in enumerate(PROGRAM.splitlines(), 1) if f"/* {mark} */" in line)


class Naive:
    """Totals of a window and some processes by row of `sites`, from a loop over the records."""

    def __init__(self, trace, processes, begin, end):
        self.calls, self.records, self.time, self.sent, self.received = (collections.Counter() for _ in range(5))
        self.window = begin, end
        for process in processes:
            for record in trace.records[process << 32]:
                if record.event in ("ENTER", "LEAVE") and record.site is not None and begin <= record.time < end:
                    self.records[record.site] += 1
                    self.calls[record.site] += record.event == "ENTER"
            for call in trace.calls(process):
                self.add(call)

    def add(self, call):
        begin, end = self.window
        site = call.enter.site
        self.time[site] += max(0, min(call.leave[0].time, end) - max(call.enter.time, begin))
        for record in call.records:
            if not begin <= record.time < end:
                continue
            if record.event.startswith(("MPI_SEND", "MPI_ISEND")) and hasattr(record, "peer"):
                self.sent[site] += record.bytes
            elif record.event.startswith(("MPI_RECV", "MPI_IRECV")) and hasattr(record, "peer") and hasattr(record, "bytes"):
                self.received[site] += record.bytes


class Asked(Case):
    def build(self, mpi):
        (self.folder / "places.c").write_text(PROGRAM)
        self.run_in(f"mpicc.{mpi}", "-g", "-O1", "-fno-inline", "-o", "places", "places.c")
        return self.record(mpi, 2, self.folder / "places", options=["--force"])[0]

    def table(self, path, name):
        return list(csv.DictReader(self.xtf("cat", "--csv", path, name).splitlines()))

    def rows(self, trace, site):
        """Returns the rows of `sites` of a marked line."""
        return {row for row, values in enumerate(trace.tables["sites"]) if values["line"] == line_of(site)}

    def check_window(self, path, trace, processes, begin, end):
        """Compares a window, in ticks since the first record, with the records."""
        first = min(records[0].time for records in trace.records.values())
        naive = Naive(trace, processes, first + begin, first + end)
        where = f"proc/{','.join(map(str, processes))}/time/{begin}ns-{end}ns"
        for row in self.table(path, f"{where}/sites"):
            site = int(row["row"])
            found = int(row["calls"]), round(float(row["time"]) * 1e9), int(row["sent"]), int(row["received"])
            self.assertEqual(found, (naive.calls[site], naive.time[site], naive.sent[site], naive.received[site]), (where, row))
        counts = {int(row["row"]): int(row["count"]) for row in self.table(path, f"{where}/by/site/count")}
        self.assertEqual(counts, {site: naive.records[site] for site in range(len(trace.tables["sites"]))}, where)
        return naive, where

    def check_selections(self, path, trace, naive, where):
        """Compares the directories below site/ with the records."""
        for mark in ("send", "receive", "wait", "barrier"):
            sites, place = self.rows(trace, mark), f"{where}/site/places.c:{line_of(mark)}"
            calls = sum(naive.calls[site] for site in sites)
            self.assertEqual(int(self.xtf("cat", path, f"{place}/calls/count")), calls, place)
            self.assertEqual(len(self.table(path, f"{place}/calls/records")), calls, place)
            profile = self.table(path, f"{place}/profile")
            self.assertEqual([(row["calls"], round(float(row["inclusive"]) * 1e9)) for row in profile],
                             [(str(calls), sum(naive.time[site] for site in sites))], place)
            longest = [row for row in self.table(path, f"{place}/longest") if row["start"]]
            self.assertEqual(len(longest), min(calls, 100), place)
            for missing in (f"{place}/sends/count", f"{where}/sends/site/places.c/count", f"{place}/efficiency"):
                self.xtf("cat", path, missing, status=1)
            for table in ("totals", "histogram"):
                self.assertEqual(sum(int(row["calls"]) for row in self.table(path, f"{place}/{table}")), calls, (place, table))
            for name in ("findings", "timeline.svg", "profile.svg", "index.html", "info"):
                self.xtf("cat", path, f"{place}/{name}")
        total = sum(naive.records.values())
        self.assertEqual(int(self.xtf("cat", path, f"{where}/site/places.c/count")), total)
        both = f"{where}/site/places.c/region/MPI_Send/count", f"{where}/region/MPI_Send/site/places.c:{line_of('send')}/count"
        self.assertEqual({int(self.xtf("cat", path, name)) for name in both}, {sum(naive.records[site] for site in self.rows(trace, "send"))})
        self.assertEqual(int(self.xtf("cat", path, f"{where}/region/MPI_Recv/site/places.c:{line_of('send')}/count")), 0)

    def test_windows(self):
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                path = self.build(mpi)
                trace = Recorded(path)
                self.addCleanup(trace.close)
                ends = [records[i].time for records in trace.records.values() for i in (0, -1)]
                length = max(ends) - min(ends)
                for processes in ([0, 1], [0], [1]):
                    for begin, end in ((0, length + 1), (length // 4, length // 2), (length // 3, length // 3 + 1000)):
                        naive, where = self.check_window(path, trace, processes, begin, end)
                        if ELF and begin == 0:
                            self.check_selections(path, trace, naive, where)

    def test_waits(self):
        """Checks that the receive suffers the whole wait, and that the late send causes it."""
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                path = self.build(mpi)
                self.assertNotIn("suffered", self.table(path, "sites")[0])
                self.xtf("analyze", "-q", path)
                trace = Recorded(path)
                self.addCleanup(trace.close)
                rows = {int(row["row"]): row for row in self.table(path, "sites")}
                kinds = {row["kind"]: round(float(row["amount"]) * 1e9) for row in self.table(path, "waits/profile")
                         if row["kind"] in ("late_sender", "late_receiver")}
                sums = {mark: {name: sum(round(float(rows[site][name]) * 1e9) for site in self.rows(trace, mark)) for name in ("suffered", "caused")}
                        for mark in ("send", "receive", "post", "wait")}
                self.assertGreater(kinds["late_sender"], 0)
                self.assertEqual(sums["receive"]["suffered"] + sums["wait"]["suffered"], kinds["late_sender"])
                self.assertEqual(sums["send"]["caused"], kinds["late_sender"])
                late_receiver = kinds.get("late_receiver", 0)  # of sends that the library makes wait
                self.assertEqual(sums["send"]["suffered"], late_receiver)
                self.assertEqual(sums["receive"]["caused"] + sums["post"]["caused"] + sums["wait"]["caused"], late_receiver)
                self.assertEqual(sums["post"]["suffered"], 0)
                nobody = {int(row["row"]): row for row in self.table(path, "proc/1/sites")}
                self.assertEqual({nobody[site]["caused"] for site in self.rows(trace, "send")}, {"0.000000000"})

    def test_no_sites(self):
        mpi = mpis()[0]
        self.build(mpi)
        path, _ = self.record(mpi, 2, self.folder / "places", options=["--force", "--sites=0"])
        names = self.xtf("ls", path).split()
        self.assertNotIn("sites", names)
        for name in ("sites", "site", "by/site/count"):
            self.xtf("cat", path, name, status=1)


class Names(Case):
    def test_files_of_one_base_name(self):
        """Checks that files of one base name have the shortest parts of their paths that differ as names."""
        mpi = mpis()[0]
        text = "#include <mpi.h>\nvoid {}(void)\n{{\n    MPI_Barrier(MPI_COMM_WORLD);\n}}\n"
        for folder, function in (("left/in", "f"), ("right/in", "g"), ("far", "h")):
            (self.folder / folder).mkdir(parents=True)
            (self.folder / folder / "same.c").write_text(text.format(function))
        (self.folder / "one.c").write_text("#include <mpi.h>\nvoid f(void), g(void), h(void);\nint main(int c, char **v)\n{\nMPI_Init(&c, &v);\n"
                                           "f();\ng();\ng();\nh();\nMPI_Finalize();\n}\n")
        self.run_in(f"mpicc.{mpi}", "-g", "-O0", "-o", "one", "one.c", "left/in/same.c", "right/in/same.c", "far/same.c")
        path, _ = self.record(mpi, 1, self.folder / "one")
        names = self.xtf("ls", path, "site").split()
        self.assertLessEqual({"left:in:same.c:4", "right:in:same.c:4", "far:same.c:4", "left:in:same.c", "one.c", "one.c:5", "one.c:10"}, set(names))
        self.assertEqual(len(names), len(set(names)))
        for name, calls in (("right:in:same.c:4", 2), ("left:in:same.c", 1), ("*same.c", 4), ("far:same.c,right:in:same.c", 3), ("one.c", 2)):
            self.assertEqual(self.xtf("cat", path, f"site/{name}/calls/count").strip(), str(calls), name)
        error = self.xtf("cat", path, "site/one.c:3/count", status=1)
        self.assertEqual(error, "")


if __name__ == "__main__":
    if not ELF:
        del Names, Asked.test_waits
    main()
