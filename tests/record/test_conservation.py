#!/usr/bin/env python3
"""Conservation in recorded traces: all sent messages are received, each request ends once, and xtf and OTF2's own tool find the
trace whole."""

import collections
import re
import shutil

import recording

# Requests of programs/requests.c that never end, as rank 0 frees one while it is active.
FREED = {"requests": {0: 1}}


class Conservation(recording.Case):
    def assert_messages_conserved(self, trace):
        """Checks that equal numbers of messages and bytes are sent and received in MPI_COMM_WORLD, by sender, receiver and tag.
        Returns the number of messages."""
        sides = {"SEND": collections.Counter(), "RECV": collections.Counter()}
        for location, records in trace.records.items():
            process = location >> 32
            for record in records:
                if record.event in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV") and trace.comm_name(record.comm) == "MPI_COMM_WORLD":
                    side = record.event[-4:]
                    ends = (process, record.peer) if side == "SEND" else (record.peer, process)
                    sides[side][(*ends, record.tag, "messages")] += 1
                    sides[side][(*ends, record.tag, "bytes")] += record.bytes
        self.assertEqual(sides["SEND"], sides["RECV"])
        return sum(n for key, n in sides["SEND"].items() if key[-1] == "messages")

    def assert_requests_end(self, trace, freed):
        """Checks that each request of a process ends once, in any thread, and not before its begin; `freed` says how many never
        end."""
        for process in trace.processes():
            begun, ended = {}, {}
            for location in trace.locations(process):
                for record in trace.records[location]:
                    request = getattr(record, "request", None)
                    if record.event in ("MPI_ISEND", "MPI_IRECV_REQUEST", "NON_BLOCKING_COLLECTIVE_REQUEST"):
                        self.assertNotIn(request, begun)
                        begun[request] = record
                    elif record.event in ("MPI_ISEND_COMPLETE", "MPI_IRECV", "MPI_REQUEST_CANCELLED", "NON_BLOCKING_COLLECTIVE_COMPLETE"):
                        self.assertNotIn(request, ended)
                        ended[request] = record
            self.assertLessEqual(set(ended), set(begun))
            self.assertEqual(len(begun) - len(ended), freed.get(process, 0), f"process {process}")
            for request, end in ended.items():
                self.assertLessEqual(begun[request].time, end.time)
                kinds = (begun[request].event, end.event)
                self.assertIn(kinds[1], {"MPI_ISEND": ("MPI_ISEND_COMPLETE", "MPI_REQUEST_CANCELLED"), "MPI_IRECV_REQUEST": ("MPI_IRECV", "MPI_REQUEST_CANCELLED"),
                                         "NON_BLOCKING_COLLECTIVE_REQUEST": ("NON_BLOCKING_COLLECTIVE_COMPLETE",)}[kinds[0]])

    def assert_frames(self, trace):
        for process in trace.processes():
            for location in trace.locations(process):
                trace.calls(process, location & 0xffffffff)  # raises ValueError if they are not balanced

    def assert_exported(self, path, trace):
        """Checks that otf2-print reads the export without complaints, and finds the same number of records of each kind."""
        if not shutil.which("otf2-print"):
            return
        shutil.rmtree(self.folder / "archive", ignore_errors=True)
        self.xtf("export", "otf2", "-o", self.folder / "archive", path)
        anchor, = (self.folder / "archive").glob("*.otf2")
        printed = self.run_both("otf2-print", anchor)
        complaints = [line for line in printed.splitlines() if re.search("warning|error|duplicate", line, re.IGNORECASE)]
        self.assertEqual(complaints, [])
        counts = collections.Counter(line.split()[0] for line in printed.splitlines() if re.match(r"[A-Z_]+ +\d+ +\d+ ", line))
        kept = collections.Counter(record.event for records in trace.records.values() for record in records)
        for event in ("ENTER", "LEAVE", "MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV", "MPI_ISEND_COMPLETE", "MPI_IRECV_REQUEST", "MPI_REQUEST_CANCELLED",
                      "MPI_COLLECTIVE_BEGIN", "MPI_COLLECTIVE_END"):
            self.assertEqual(counts[event], kept[event], event)

    def run_both(self, *command):
        """Returns the standard output and error of a command."""
        return self.run_in("sh", "-c", '"$@" 2>&1', "sh", *command)

    def assert_analyzed(self, path, unmatched):
        """Checks that the analyses accept the trace, and the number of unmatched messages."""
        self.xtf("analyze", "--force", "-o", self.folder / "analysis.xtf", path)
        self.xtf("check", self.folder / "analysis.xtf")
        # The first line sums all groups of messages with different numbers.
        total = next(line for line in self.xtf("cat", path, "unmatched").splitlines() if not line.startswith("#"))
        self.assertEqual(int(total.split()[0]), unmatched, total)
        for name in ("messages", "matrix", "profile", "bytes", "findings"):
            self.assertTrue(self.xtf("cat", path, name))

    def assert_program(self, mpi, program, n, *options, unmatched=0):
        path, output = self.record(mpi, n, self.compile(mpi, program, *options))
        if "no threads" in output:
            self.skipTest(f"{mpi} is without MPI_THREAD_MULTIPLE")
        trace = recording.Recorded(path)
        self.addCleanup(trace.close)
        self.assert_frames(trace)
        self.assert_requests_end(trace, FREED.get(program, {}))
        self.assert_exported(path, trace)
        self.assert_analyzed(path, unmatched)
        return trace, output

    def test_threads(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, output = self.assert_program(mpi, "threads", 2, "-pthread")
                n = self.assert_messages_conserved(trace)
                sent = [record for location, records in trace.records.items() for record in records if record.event == "MPI_ISEND"]
                self.assertEqual(n, len(sent))
                printed = re.findall(r"\d (\d+) messages (\d+) bytes", output)
                self.assertEqual((len(sent), sum(record.bytes for record in sent)), (sum(int(m) for m, _ in printed), sum(int(b) for _, b in printed)))

    def test_requests(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                # MPI truncates the message that is longer than its receive; the receive does not count.
                self.assert_program(mpi, "requests", 2, unmatched=1)

    def test_collectives(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, _ = self.assert_program(mpi, "collectives", 3)
                self.assert_messages_conserved(trace)


if __name__ == "__main__":
    recording.main()
