#!/usr/bin/env python3
"""Compensated traces of recorded programs: the recorder states what its probes cost, and `xtf copy --compensate` takes that out."""

import re

from recording import Case, main

P = 3
COSTS = re.compile(r"^ENTER=(\d+\.\d)ns,LEAVE=(\d+\.\d)ns,MPI=(\d+\.\d)ns,OTHER=(\d+\.\d)ns$")


class Compensate(Case):
    def lines(self, *arguments):
        return [line.split() for line in self.xtf("cat", *arguments).splitlines() if not line.startswith("#")]

    def test_own_figures(self):
        """Tests that a trace states the costs of its probes, and is compensated by them."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, _ = self.record(mpi, P, self.compile(mpi, "collectives"))
                rows = [row for row in self.lines(trace, "definitions/definition_properties") if row[-1] == "record.probes"]
                self.assertEqual([row[2] for row in rows], [str(rank) for rank in range(P)])
                for row in rows:
                    costs = [float(cost) for cost in COSTS.match(row[4]).groups()]
                    self.assertTrue(all(0 < cost < 5000 for cost in costs), row)
                copy = self.folder / f"{mpi}-copy.xtf"
                printed = self.xtf("copy", "--compensate", trace, copy)
                self.xtf("check", copy)
                self.assertIn("the recorder's own figures", printed)
                for rank in range(P):
                    before, after = (self.lines(path, f"proc/{rank}/records") for path in (trace, copy))
                    self.assertEqual([row[1:] for row in before], [row[1:] for row in after])
                    self.assertLess(float(after[-1][0]), float(before[-1][0]))
                self.assertGreater(len(self.lines(trace, "local/profile")), 3)


if __name__ == "__main__":
    main()
