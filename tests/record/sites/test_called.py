#!/usr/bin/env python3
"""Which line is to blame: programs in C and Fortran have a slow process, by plan. The findings name function, file and line of the
wait and of the call that ends it, with each MPI. The source has marks at both lines. `state` and tool tips name them, too.

usage: test_called.py ELF

ELF: 1 if this build finds names of functions.
"""

import collections
import csv
import io
import pathlib
import re
import sys
import unittest
from decimal import Decimal

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import fewer  # noqa: E402
from recording import Case, mpis  # noqa: E402

ELF = sys.argv.pop(1) == "1"
SIZE, SLOW = 3, 2
BINDINGS = {"mpif.h": 0, "mpi": 1, "mpi_f08": 2}
# For each way: the waiting call, the function around it, and the call that ends the wait. The slow process works after its call on the line
# with the last mark.
WAYS = {"sends": ("MPI_Waitall", "exchange", "MPI_Isend", "WAITS"), "receives": ("MPI_Ssend", "send_to_last", "MPI_Recv", "ENDS"),
        "barrier": ("MPI_Barrier", "meet", None, "WAITS")}


def marked(source, mark):
    """Returns the lines of a source that have a mark."""
    return [i for i, line in enumerate((HERE / source).read_text().splitlines(), 1) if re.search(rf"\b{mark}\b", line.partition("/*" if source.endswith(".c") else "!")[2])
            and not line.startswith(("/*", " *", "!"))]


def line_of(source, mark):
    [line] = marked(source, mark)
    return line


class Called(Case):
    def sentence(self, path, rule):
        """Returns a rule's sentence."""
        rows = csv.DictReader(io.StringIO(self.xtf("cat", path, "findings.csv"), newline=""))
        return {row["rule"]: row["finding"] for row in rows}.get(rule, "no sentence")

    def waits(self, path):
        """Returns the lines of the waits for the slow process."""
        return list(csv.DictReader(io.StringIO(self.xtf("cat", path, f"waits/culprit/{SLOW}/records.csv"), newline="")))

    def check_wait(self, path, site, until):
        """Checks what `state` and the tool tips say of the longest wait at a site. On a busy machine MPI_Finalize waits longer."""
        wait = max((wait for wait in self.waits(path) if wait["site"] == site[1]), key=lambda wait: Decimal(wait["amount"]))
        end, amount = Decimal(wait["time"]), Decimal(wait["amount"]) / 10**9
        [state] = csv.DictReader(io.StringIO(self.xtf("cat", path, f"proc/{wait['proc']}/time/-{end - amount / 2:.9f}/state.csv"), newline=""))
        self.assertEqual((state["region"], state["site"]), site)
        picture = self.xtf("cat", path, f"time/{end - amount / 2:.9f}-{end + amount / 100:.9f}/timeline.svg")
        titles = re.findall("<title>(.*?)</title>", picture, re.DOTALL)
        named = f"{site[0]}, called by {site[1]}"
        self.assertTrue(any(title.startswith(f"{named}, process {wait['proc']}\n") for title in titles), titles)
        self.assertTrue(any(f"waits {amount:.9f} s in {named}\nfor process {SLOW}{until}\n" in title for title in titles), titles)

    def check_lines(self, path, waiting, ending, before):
        """Checks the findings and the tables of a trace. `waiting`, `ending` and `before` are (call, site)."""
        self.assertEqual(self.sentence(path, "culprit"), "no sentence")
        self.xtf("analyze", path)
        named = ", called by ".join(waiting)
        until = f", until process {SLOW} " + ("calls it there, too" if ending == waiting else f"is in {', called by '.join(ending)}")
        found = self.sentence(path, "culprit")
        self.assertRegex(found, rf"^process {SLOW} causes ")
        self.assertIn(f"), in {named}{until}; before that, it computes after {', called by '.join(before)}", found)
        sites = list(csv.DictReader(io.StringIO(self.xtf("cat", path, "sites.csv"), newline="")))
        for column, place in ("suffered", waiting), ("caused", ending):
            most = max(sites, key=lambda site: Decimal(site[column]))
            self.assertEqual((most["region"], most["site"]), place, column)
        self.check_wait(path, waiting, f", until it is in {', called by '.join(ending)}")

    def record_way(self, mpi, way):
        self.run_in(f"mpicc.{mpi}", "-g", "-O1", "-w", "-fno-inline", "-o", "slow", HERE / "slow.c")
        return self.record(mpi, SIZE, self.folder / "slow", way, options=["--force"])[0]


@unittest.skipUnless(ELF, "this build does not read object files (Meson feature elf)")
class Lines(Called):
    def test_lines(self):
        for mpi in self.mpis():
            for way, (call, function, ending, last) in WAYS.items():
                with self.subTest(mpi=mpi, way=way):
                    path = self.record_way(mpi, way)
                    waiting = call, f"{function} (slow.c:{line_of('slow.c', f'WAITS {way}')})"
                    ending = (ending, f"{function} (slow.c:{line_of('slow.c', f'ENDS {way}')})") if ending else waiting
                    self.check_lines(path, waiting, ending, waiting if last == "WAITS" else ending)

    def record_alike(self, mpi, way, most):
        """Records a program whose lines wait alike. Repeats it while the machine is so busy that one line has more than `most` of
        the waiting."""
        for _ in range(8):
            path = self.record_way(mpi, way)
            self.xtf("analyze", path)
            sums = collections.Counter()
            for wait in self.waits(path):
                sums[wait["site"]] += Decimal(wait["amount"])
            if max(sums.values()) <= sum(sums.values()) * Decimal(most):
                return path
        self.fail(f"one line of {way} has more than {most} of the waiting in each of 8 recordings: {sums}")

    def test_several(self):
        """Checks the words where waits are on two lines alike, and on four."""
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                path = self.record_alike(mpi, "two", "0.57")
                one, other = (rf"meet_in_two \(slow\.c:{line}\)" for line in marked("slow.c", "WAITS two"))
                self.assertRegex(self.sentence(path, "culprit"), rf"\), in MPI_Barrier, called by ({one} and {other}|{other} and {one}), until process {SLOW} ")
                path = self.record_alike(mpi, "four", "0.31")
                self.assertIn("), in MPI_Barrier, called from 4 sites", self.sentence(path, "culprit"))

    def test_fortran(self):
        for mpi in self.mpis("mpif90"):
            for binding, number in BINDINGS.items():
                with self.subTest(mpi=mpi, binding=binding):
                    self.run_in(f"mpif90.{mpi}", "-g", "-O1", "-w", "-fno-inline", "-fallow-argument-mismatch", "-ffree-line-length-none", f"-DBINDING={number}",
                                "-o", "slow", HERE / "slow.F90")
                    path, _ = self.record(mpi, SIZE, self.folder / "slow", options=["--force"])
                    waiting, ending = ((call, f"stencil::exchange (slow.F90:{line_of('slow.F90', mark)})") for call, mark in (("MPI_Waitall", "WAITS"), ("MPI_Isend", "ENDS")))
                    self.check_lines(path, waiting, ending, waiting)


class Without(Called):
    def test_without(self):
        """Checks that sentences name no site of a trace without them."""
        mpi = mpis()[0]
        self.run_in(f"mpicc.{mpi}", "-g", "-O1", "-w", "-o", "slow", HERE / "slow.c")
        path, _ = self.record(mpi, SIZE, self.folder / "slow", "sends", options=["--sites=0"])
        self.xtf("analyze", path)
        self.assertRegex(self.sentence(path, "culprit"), rf"^process {SLOW} causes .* \(late_sender\)(;|$)")
        self.assertNotIn("called", self.xtf("cat", path, "findings"))
        self.assertNotIn("site", self.xtf("cat", path, "state").splitlines()[0].split())


if __name__ == "__main__":
    if not mpis():
        print("skipped: no installed MPI can compile and run programs")
        sys.exit(77)
    fewer.main()
