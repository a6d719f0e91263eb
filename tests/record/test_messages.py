#!/usr/bin/env python3
"""Messages and requests between two processes: their records, call by call."""

import decimal
import re

import expected_messages as expected
import recording

# Functions in the lists of expected calls.
FUNCTIONS = re.compile(r"MPI_([IBSR]*send(_init|_c)?|I?m?recv|Recv_init|I?m?probe|I?sendrecv(_replace)?|Wait.*|Test(all|any|some)?|Start(all)?|Request_free|Cancel"
                       r"|Buffer_(at|de)tach|Grequest_.*|P(send|recv)_init|Pready)$", re.IGNORECASE)
WHAT = {"MPI_SEND": "SEND", "MPI_ISEND": "ISEND", "MPI_RECV": "RECV", "MPI_IRECV": "IRECV", "MPI_IRECV_REQUEST": "POST",
        "MPI_ISEND_COMPLETE": "DONE", "MPI_REQUEST_CANCELLED": "CANCELLED", "MPI_REQUEST_TEST": "TEST"}

# Names of other communicators, by the tag of the message.
COMMS = {7: "duplicate"}


class Names:
    """The ids of requests by their names in the lists: each name is one id, and no id has two names."""

    def __init__(self):
        self.ids = {}

    def fits(self, name, request):
        if name not in self.ids:
            if request is None or request in self.ids.values():
                return False
            self.ids[name] = request
        return self.ids[name] == request


def shown(record):
    return (WHAT[record.event], record.request, *((record.peer, record.tag, record.bytes) if record.event in ("MPI_SEND", "MPI_ISEND", "MPI_RECV", "MPI_IRECV") else ()))


def messages_of(call):
    """Returns the records of a call as in the lists, with ids. The lists lack tests that found nothing."""
    return [shown(record) for record in call.records if record.event in WHAT and record.event != "MPI_REQUEST_TEST"]


def join_polls(calls):
    """Returns calls (name, records), with a row of equal polls joined to one call, and its records sorted by tag."""
    joined = []
    for name, records in calls:
        if name in expected.POLLS and joined and joined[-1][0] == name:
            joined[-1] = (name, sorted(joined[-1][1] + records, key=lambda record: record[3]))
        else:
            joined.append((name, records))
    return joined


OTHER_TESTS = 301  # calls of MPI_Test on generalized, null and inactive requests


class Messages(recording.Case):
    def assert_records(self, names, wanted, found, where):
        """Checks records against a list."""
        self.assertEqual([record[0] for record in wanted], [record[0] for record in found], where)
        for expected_record, found_record in zip(wanted, found):
            with_request = expected_record[0] not in ("SEND", "RECV")
            self.assertEqual(expected_record[2 if with_request else 1:], found_record[2:], where)
            if with_request:
                self.assertTrue(names.fits(expected_record[1], found_record[1]), f"{where}: {expected_record[1]} is not {found_record[1]}, but {names.ids.get(expected_record[1])}")
            else:
                self.assertIsNone(found_record[1], where)

    def assert_calls(self, wanted, found, rank):
        """Checks the calls of a rank against a list."""
        names, at = Names(), 0
        for number, entry in enumerate(wanted):
            function, records, where = entry[0], entry[-1], f"rank {rank}, call {number}: {entry}"
            if not function.endswith("..."):
                self.assertLess(at, len(found), where)
                self.assertEqual(function, found[at][0], f"{where}, after {found[max(0, at - 3):at]}")
                self.assert_records(names, records, found[at][1], f"{where}, found {found[at]}")
                at += 1
                continue
            # Several calls, whose records are in any order: n calls, or all that follow.
            several = []
            for i in range(entry[1] or len(found)):
                if at == len(found) or not found[at][0].startswith("MPI_Wait"):
                    break
                self.assertTrue(entry[1] is None or len(found[at][1]) <= 1, where)
                several += found[at][1]
                at += 1
            def order(record):
                return (record[0], names.ids.get(record[1], 0) if isinstance(record[1], str) else record[1])
            self.assert_records(names, sorted(records, key=order), sorted(several, key=order), f"{where}, found {several}")
        self.assertEqual(found[at:], [], f"rank {rank}: calls after the last expected one")

    def assert_program(self, mpi, program, lists):
        trace, output = self.recorded(mpi, 2, self.compile(mpi, program))
        self.assertEqual(trace.processes(), [0, 1])
        for rank in (0, 1):
            calls = [call for call in trace.calls(rank) if FUNCTIONS.match(call.name)]
            for call in calls:
                for record in call.records:
                    if "comm" in record.__dict__ and record.event in WHAT:
                        self.assertEqual(trace.comm_name(record.comm), COMMS.get(record.tag, "MPI_COMM_WORLD"))
            self.assert_calls(list(lists(rank)), join_polls([(call.name, messages_of(call)) for call in calls]), rank)
        return trace, output

    def test_blocking(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, output = self.assert_program(mpi, "blocking", expected.blocking)
                self.assertEqual(output, "")
                # The trace has the first of three probes that found nothing; the next successful probe has their number.
                probes = [call for call in trace.calls(0) if call.name == "MPI_Iprobe"]
                self.assertEqual([call.enter.attributes for call in probes], [{}, {"found nothing": 3}])

    def test_requests(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, output = self.assert_program(mpi, "requests", lambda rank: expected.requests(rank, mpi == "mpich"))
                failed = int(re.fullmatch(r"(\d+) tests found nothing\n", output)[1])
                tests = [record for call in trace.calls(0) for record in call.records if record.event == "MPI_REQUEST_TEST" and call.name == "MPI_Test"]
                self.assertEqual([record.attributes for record in tests], [{}, {"found nothing": failed}])
                self.assertEqual(len({record.request for record in tests}), 1)
                # The trace has the first and the last test of a receive, and the test that completes a generalized request.
                self.assertEqual(sum(call.name == "MPI_Test" for call in trace.calls(0)), 3)

    def test_all_calls(self):
        """Checks that with --all-calls each test is a record, so none has a number of tests."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, output = self.recorded(mpi, 2, self.compile(mpi, "requests"), options=["--all-calls"])
                failed = int(re.fullmatch(r"(\d+) tests found nothing\n", output)[1])
                calls = [call for call in trace.calls(0) if call.name == "MPI_Test"]
                tests = [record for call in calls for record in call.records if record.event == "MPI_REQUEST_TEST"]
                self.assertEqual([record.attributes for record in tests], [{}] * failed)
                self.assertEqual(len(calls), failed + 1 + OTHER_TESTS)

    def test_switched(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, _ = self.assert_program(mpi, "switched", expected.switched)
                properties = self.xtf("cat", trace.trace.path, "definitions/definition_properties")
                for rank in (0, 1):
                    tests = [record for call in trace.calls(rank) for record in call.records if record.event == "MPI_REQUEST_TEST"]
                    self.assertEqual([record.attributes for record in tests], [{}, {"found nothing": 2}])
                for name in ("MPI_Test", "MPI_Get_count"):
                    self.assertEqual(re.findall(rf"(\d+) record\.unrecorded\.{name} *$", properties, re.MULTILINE), ["1", "1"], properties)

    def test_probes(self):
        """Checks that each message is matched with the program's receive, with certainty, and that the analysis leaves none out."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, output = self.recorded(mpi, 2, self.compile(mpi, "probes"))
                order = output.split()
                path = self.folder / f"probes-{mpi}.xtf"
                lines = [line.split() for line in self.xtf("cat", path, "messages").splitlines() if not line.startswith("#")]
                self.assertEqual(len(lines), len(order))
                self.assertEqual({line[8] for line in lines}, {"certain"})
                # The lines are in the order of sends, which is that of numbers.
                received = sorted(range(len(lines)), key=lambda number: float(lines[number][1]))
                self.assertEqual(received, [int(number.rstrip("p")) for number in order])
                self.assertNotEqual(received, sorted(received))
                found = [record for call in trace.calls(1) for record in call.records if record.event == "MPI_IRECV_REQUEST"
                         and call.name in ("MPI_Mprobe", "MPI_Improbe")]
                self.assertEqual(len(found), sum(number.endswith("p") for number in order))
                self.assertRegex(self.xtf("analyze", path), rf"messages +{len(order)}  matched; left out 0 sends, 0 receives")

    def calls_of(self, trace, process, region):
        """Returns (ENTER, LEAVE) of each call of a region, in seconds."""
        lines = self.xtf("cat", trace, f"proc/{process}/region/{region}/enters_leaves/records").splitlines()
        times = [decimal.Decimal(line.split()[0]) for line in lines]
        return list(zip(times[::2], times[1::2]))

    def late_probes(self, mpi):
        """Records until both probes wait. Returns the trace, the probes, and how long each waited. On a busy machine a process
        may begin its probe later than the late send."""
        for _ in range(10):
            trace, _ = self.record(mpi, 2, self.compile(mpi, "late_probe"), options=("--force",))
            probes, sends = self.calls_of(trace, 1, "MPI_Mprobe"), self.calls_of(trace, 0, "MPI_Send")
            wanted = [min(send[0], probe[1]) - probe[0] for probe, send in zip(probes, sends)]
            self.assertEqual(len(wanted), 2)
            if min(wanted) > 0:
                break
        self.assertGreater(min(wanted), 0)
        return trace, probes, wanted

    def test_late_probe(self):
        """Checks that a blocking probe waits for its sender, up to its send, and that MPI_Improbe does not wait."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, probes, wanted = self.late_probes(mpi)
                self.xtf("analyze", trace)
                rows = [line.split() for line in self.xtf("cat", trace, "waits/late_sender/proc/1/records").splitlines()]
                self.assertEqual([(row[-1], decimal.Decimal(row[6]).scaleb(-9)) for row in rows], [("MPI_Mprobe", wait) for wait in wanted])
                lines = [line.split() for line in self.xtf("cat", trace, "messages").splitlines()]
                *late, asked = [(line[10], line[9]) for line in lines if line[3] == "0"]
                self.assertEqual(late, [("late_sender", str(wait)) for wait in wanted])
                # Its sender may wait for the call of MPI_Improbe that finds the message.
                self.assertIn(asked[0], ("-", "late_receiver"))
                # Meanwhile the critical path was at the sender.
                on_path = sum(decimal.Decimal(line.split()[1]) for line in self.xtf("cat", trace, "critical/profile").splitlines()
                              if line.endswith("MPI_Mprobe") or " MPI_Mprobe " in line)
                self.assertLessEqual(on_path, sum(probe[1] - probe[0] for probe in probes) - sum(wanted))


if __name__ == "__main__":
    recording.main()
