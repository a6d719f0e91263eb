#!/usr/bin/env python3
"""The same program recorded by eztrace. Both recordings must have the same number of calls of functions that both record.
Blocking sends and collective operations must be equal, one by one.

eztrace records no receives, and no sends inside MPI_Sendrecv.
"""

import collections
import shutil

import recording

FUNCTIONS = ("MPI_Send", "MPI_Ssend", "MPI_Bsend", "MPI_Rsend", "MPI_Recv", "MPI_Isend", "MPI_Irecv", "MPI_Wait", "MPI_Waitall", "MPI_Sendrecv",
             "MPI_Sendrecv_replace", "MPI_Probe", "MPI_Barrier", "MPI_Bcast", "MPI_Gather", "MPI_Scatter", "MPI_Allgather", "MPI_Alltoall", "MPI_Allreduce",
             "MPI_Reduce", "MPI_Scan")


def calls_of(trace, location):
    return collections.Counter(record.region for record in trace.records[location] if record.event == "ENTER" and record.region in FUNCTIONS)


def sends_of(trace, location):
    return [(record.region, record.peer, record.tag, record.bytes) for record in trace.records[location] if record.event == "MPI_SEND"]


def collectives_of(trace, location):
    return [record.region for record in trace.records[location] if record.event == "MPI_COLLECTIVE_END" and record.region in FUNCTIONS]


class Eztrace(recording.Case):
    def import_of(self, n, program):
        """Returns eztrace's recording of the program."""
        self.run_in(*self.launch("openmpi", n, "eztrace", "-t", "openmpi", "-o", self.folder / "ez", program))
        anchor, = (self.folder / "ez").rglob("*.otf2")
        path = self.folder / "ez.xtf"
        self.xtf("import", "-q", "-k", "-o", path, anchor)
        trace = recording.Recorded(path)
        self.addCleanup(trace.close)
        return trace

    def assert_equal(self, n, name):
        program = self.compile("openmpi", name)
        eztrace_trace = self.import_of(n, program)
        xtf_trace, _ = self.recorded("openmpi", n, program)
        locations = sorted(location for location in list(eztrace_trace.records) if calls_of(eztrace_trace, location))
        self.assertEqual(len(locations), n)
        for process, location in enumerate(locations):
            for listing in (calls_of, sends_of, collectives_of):
                values = listing(xtf_trace, process << 32)
                self.assertEqual(values, listing(eztrace_trace, location), f"{listing.__name__}, process {process}")
                self.assertTrue(values)

    def test_equal(self):
        if not shutil.which("eztrace") or "openmpi" not in recording.mpis():
            self.skipTest("eztrace for Open MPI is not installed")
        self.assert_equal(3, "plain")


if __name__ == "__main__":
    recording.main()
