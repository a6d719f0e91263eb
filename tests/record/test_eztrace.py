#!/usr/bin/env python3
"""The same program under eztrace: as many calls of functions that both record, blocking sends and collective operations, message by message.

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
        """What eztrace records of the program."""
        self.run_in(*self.launch("openmpi", n, "eztrace", "-t", "openmpi", "-o", self.folder / "ez", program))
        anchor, = (self.folder / "ez").rglob("*.otf2")
        path = self.folder / "ez.xtf"
        self.xtf("import", "-q", "-k", "-o", path, anchor)
        trace = recording.Recorded(path)
        self.addCleanup(trace.close)
        return trace

    def assert_equal(self, n, name):
        program = self.compile("openmpi", name)
        theirs = self.import_of(n, program)
        ours, _ = self.recorded("openmpi", n, program)
        locations = sorted(location for location in list(theirs.records) if calls_of(theirs, location))
        self.assertEqual(len(locations), n)
        for process, location in enumerate(locations):
            for what in (calls_of, sends_of, collectives_of):
                own = what(ours, process << 32)
                self.assertEqual(own, what(theirs, location), f"{what.__name__}, process {process}")
                self.assertTrue(own)

    def test_equal(self):
        if not shutil.which("eztrace") or "openmpi" not in recording.mpis():
            self.skipTest("no eztrace for Open MPI here")
        self.assert_equal(3, "plain")


if __name__ == "__main__":
    recording.main()
