"""The collector as a process: its handling of rings, of processes that end in all ways, and of a full disk."""

import contextlib
import os
import pathlib
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import time
import unittest

from wire import (CLAIMED, EXITED, FINALIZED, NONE, OWN, PHASE, READY, RUNNING, SHOWN, STATE, STATUS, Traced, define_region, define_site, function_number,
                  record)

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "reader"))
from xtf_reader import Trace  # noqa: E402

XTF = os.environ["XTF"]


def xtf(*arguments):
    done = subprocess.run([XTF, *map(str, arguments)], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.returncode == 0, f"xtf {arguments}: {done.stderr}"
    return done.stdout


def calls(first, n, region=OWN):
    return b"".join(record("ENTER", first + 2 * i, region) + record("LEAVE", first + 2 * i + 1, region) for i in range(n))


def named_values(part):
    """Returns the properties of the process."""
    lines = xtf("cat", part, "definitions/definition_properties").splitlines()[1:]
    return {line.split()[5]: line.split()[4].replace(r"\x20", " ") for line in lines}


def events(part):
    return [line.split()[4] for line in xtf("cat", part, "records").splitlines()]


def files_in(folder):
    """Returns the names of the files except the node's clock."""
    return sorted(name for name in os.listdir(folder) if not name.startswith("clock-"))


def counted_syncs(syncs, seconds):
    """Returns the environment of a collector that syncs each `seconds`, and counts its syncs in a file."""
    # AddressSanitizer ends a program before which another library is loaded, unless this option is set.
    asan = os.environ.get("ASAN_OPTIONS", "") + ":verify_asan_link_order=0"
    return {"XTF_RECORD_FSYNC": seconds, "LD_PRELOAD": os.environ["COUNT_SYNCS"], "XTF_TEST_SYNCS": str(syncs), "ASAN_OPTIONS": asan}


def stored_commits(part):
    """Returns the commits of both superblocks."""
    data = part.read_bytes()
    return [struct.unpack_from("<Q", data, slot + 56)[0] for slot in (0, 4096)]


@contextlib.contextmanager
def full_disk(test):
    """Makes a folder with little space."""
    folder = test.folder / "full"
    folder.mkdir()
    done = subprocess.run(["mount", "-t", "tmpfs", "-o", "size=600k,mode=700", "xtf-test", folder], stderr=subprocess.PIPE, text=True)
    if done.returncode != 0:
        test.skipTest(f"mount: {done.stderr}")
    try:
        yield folder
    finally:
        subprocess.run(["umount", folder], check=True)


def fill(traced):
    """Appends more sends than the disk holds."""
    traced.memory.append(0, record("OWNER", 1, 0, 0, 1))
    traced.memory.drain()
    value = 1
    for step in range(200):
        values = []
        for i in range(500):
            value = value * 6364136223846793005 % 2**64
            values.append(record("SEND", 1000 * step + i, 0, value >> 40, (value & 0xffffffff) << 32 | 1, value >> 20))
        traced.memory.append(0, b"".join(values))
    traced.memory.drain()


class Collector(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory(prefix="xtf-collect-")
        self.folder = pathlib.Path(self.temporary.name)
        self.addCleanup(self.temporary.cleanup)

    def part(self, number=0):
        path = self.folder / (number if isinstance(number, str) else f"{number:06}.xtf")
        self.assertIn("0 problems", xtf("check", path))
        return path

    def test_killed(self):
        """Checks that the part has all records that were published before the process was killed."""
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + define_region(1, OWN, "work"))
            traced.memory.append(0, calls(10, 1000))
            self.assertEqual(traced.end(), (0, ""))
        self.assertEqual(events(self.part()), ["PROGRAM_BEGIN"] + ["ENTER", "LEAVE"] * 1000 + ["PROGRAM_END"])
        self.assertEqual(files_in(self.folder), ["000000.xtf"])

    def test_more_than_a_ring(self):
        """Checks rings of threads that wrap around many times. After a drain all records must be readable."""
        with Traced(XTF, self.folder, rank=5, world=6, phase=RUNNING, ring_size=4096, program=("cat",), pipes=subprocess.PIPE) as traced:
            for ring in range(3):
                traced.memory.append(ring, record("OWNER", 1, 0, ring, 100 + ring) + define_region(1, OWN, "work"))
            for step in range(40):
                for ring in range(3):
                    traced.memory.append(ring, calls(10 + 200 * step, 100))
            traced.memory.drain()
            path = self.folder / "000005.xtf"
            self.assertEqual(sum(name == "ENTER" for name in events(path)), 3 * 4000)
            traced.memory.u32(PHASE, FINALIZED)
            traced.process.communicate()  # the process ends by itself
            self.assertEqual(traced.finish(), (0, ""))
        part = self.part(5)
        self.assertEqual([line.split()[1:4] + [" ".join(line.split()[7:])] for line in xtf("cat", part, "definitions/locations").splitlines()[1:]],
                         [[str((5 << 32) + thread), "5", str(thread), name] for thread, name in
                          ((0, "Master thread"), (1, "Thread 1"), (2, "Thread 2"))])
        self.assertEqual(named_values(part)["record.end"], "finalized")
        self.assertEqual(int(named_values(part)["record.events"]), 3 * (8000 + 2))

    def test_begun_operations(self):
        """Checks that a commit shows the operation that a call has begun, while the call waits. If the call fails, no operation
        has begun; a send that was shown is cancelled."""
        def send(time, size):
            return record("ENTER", time, OWN) + record("SEND", time, 0, 3, 7 << 32, size)

        with Traced(XTF, self.folder, rank=0, world=4, phase=RUNNING) as traced:
            part = self.folder / "000000.xtf"
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + define_region(1, OWN, "work"))
            traced.memory.append(0, send(10, 1) + record("FAILED", 11) + record("LEAVE", 12, OWN) + send(20, 2) + record("LEAVE", 21, OWN) + record("FAILED", 22))
            traced.memory.append(0, record("COLLECTIVE_BEGIN", 23) + record("FAILED", 24) + send(30, 3))
            traced.memory.drain()
            self.assertEqual(events(part), "PROGRAM_BEGIN ENTER LEAVE ENTER MPI_SEND LEAVE ENTER MPI_SEND".split())
            traced.memory.append(0, record("FAILED", 31) + record("LEAVE", 32, OWN) + record("COLLECTIVE_BEGIN", 40))
            traced.memory.drain()
            traced.memory.append(0, record("FAILED", 41) + send(50, 4))  # the process dies in that call
            self.assertEqual(traced.end(), (0, ""))
        part = self.part()
        self.assertEqual(events(part), "PROGRAM_BEGIN ENTER LEAVE ENTER MPI_SEND LEAVE ENTER MPI_SEND LEAVE MPI_COLLECTIVE_BEGIN ENTER MPI_SEND PROGRAM_END".split())
        arrays = {array.schema.name: [array.schema.values(row) for row in array.read()] for array in Trace(part).arrays()}
        sends = arrays["sends"]
        self.assertEqual([row[:2] for row in arrays["cancelled"]], [sends[1][:2]])
        self.assertEqual(arrays["cancelled"][0][-2:], [3, 1])  # bytes, and row of sends

    def pending_of(self, phase, called, ring_state=1):
        """Returns the time of the ENTER and the rows of `pending`, of a process that is killed in MPI_Recv. `called` is the time
        of the call whose arguments the ring shows."""
        number = function_number("MPI_Recv")
        with Traced(XTF, self.folder, rank=0, world=4, phase=RUNNING) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + record("ENTER", 50, number))
            at = traced.memory.ring_at(0)
            traced.memory.u32(at + STATE, ring_state)
            traced.memory.u32(at + SHOWN, number)
            traced.memory.u64(at + SHOWN + 8, 50)
            for place, value in enumerate((3, 7, NONE)):  # peer, tag, communicator
                traced.memory.u32(at + SHOWN + 16 + 4 * place, value)
            traced.memory.u64(at + SHOWN + 32, called)
            traced.memory.u32(PHASE, phase)
            self.assertEqual(traced.end(), (0, ""))
        arrays = {array.schema.name: array for array in Trace(self.part()).arrays()}
        enter = list(arrays["enters_leaves"].read())
        pending = arrays.get("pending")
        names = [field.name for field in pending.schema.fields] if pending else []
        rows = [dict(zip(names, pending.schema.values(row))) for row in pending.read()] if pending else []
        return arrays["enters_leaves"].schema.values(enter[0])[0], [{name: row[name] for name in ("since", "peer", "tag", "comm")} for row in rows]

    def test_pending(self):
        """Checks that the MPI call in which a process is killed is a row. The row must have the call's arguments, unless the ring
        shows arguments of an earlier call."""
        since, rows = self.pending_of(RUNNING, called=50)
        self.assertEqual(rows, [{"since": since, "peer": 3, "tag": 7, "comm": None}])

    def test_pending_of_an_earlier_call(self):
        since, rows = self.pending_of(RUNNING, called=49)
        self.assertEqual(rows, [{"since": since, "peer": None, "tag": None, "comm": None}])

    def test_pending_none(self):
        """Checks that there is no row for a thread that has ended, nor after MPI_Finalize."""
        self.assertEqual(self.pending_of(RUNNING, called=50, ring_state=2)[1], [])
        (self.folder / "000000.xtf").unlink()
        self.assertEqual(self.pending_of(FINALIZED, called=50)[1], [])

    def show(self, memory, number, since, values, requests=0, request=0, both=(0, 0)):
        """Shows a call in a ring. `values`: peer, tag and communicator; `both`: the other side of MPI_Sendrecv."""
        at = memory.ring_at(0)
        memory.u32(at + STATE, 1)
        memory.u32(at + SHOWN, number)
        memory.u64(at + SHOWN + 8, since)
        for place, value in enumerate((*values, requests)):
            memory.u32(at + SHOWN + 16 + 4 * place, value)
        memory.u64(at + SHOWN + 32, since)
        memory.u64(at + SHOWN + 40, request)
        for place, value in enumerate(both):
            memory.u32(at + SHOWN + 48 + 4 * place, value)

    def open_rows(self, path):
        """Returns the rows of `pending` without times: event, order, peer, tag, requests."""
        for array in Trace(path).arrays():
            if array.schema.name == "pending":
                fields = array.schema.fields
                rows = [dict(zip((field.name for field in fields), array.schema.values(row))) for row in array.read()]
                labels = next(field.labels for field in fields if field.name == "event")
                return [(labels[row["event"]], row["seq"], row["peer"], row["tag"], row["requests"]) for row in rows]
        return []

    def test_open_calls(self):
        """Checks the rows of calls that take longer than a second, while the process runs: once for each call. The clock is real,
        so that calls have the age that the test gives them."""
        second, part = 10**9, self.folder / "000000.xtf"
        wait = function_number("MPI_Waitall")
        with Traced(XTF, self.folder, rank=0, world=4, phase=RUNNING) as traced:
            memory, now = traced.memory, time.monotonic_ns()
            begin = now - 60 * second
            posted = record("IRECV_REQUEST", begin + 1, 0, 3, 1, 7 << 32) + record("ISEND", begin + 2, 0, 2, 8 << 32, 100, 2)
            posted += record("ICOLLECTIVE_REQUEST", begin + 3, 0, 0, 3) + record("IRECV_REQUEST", begin + 4, 1, NONE, 4, NONE << 32)
            posted += record("IRECV_REQUEST", begin + 5, 0, NONE, 5, 9 << 32) + record("IRECV", begin + 6, 0, 1, 9 << 32, 4, 5)
            memory.append(0, record("OWNER", begin, 0, 0, 1) + posted + record("ENTER", now - 3 * second, wait))
            self.show(memory, wait, now - 3 * second, (NONE, NONE, NONE), requests=3)
            for _ in range(3):
                memory.drain()
            rows = [("PENDING", 8, None, None, 3), ("PENDING_RECEIVE", 9, 3, 7, None), ("PENDING_SEND", 10, 2, 8, None),
                    ("PENDING_COLLECTIVE", 11, None, None, None)]
            self.assertEqual(self.open_rows(part), rows)
            # A call that has begun in less than a second has none, unless this test is very slow.
            now = time.monotonic_ns()
            memory.append(0, record("LEAVE", now, wait) + record("ENTER", now + 1, wait))
            self.show(memory, wait, now + 1, (NONE, NONE, NONE), requests=3)
            memory.drain()
            if time.monotonic_ns() - now < second:
                self.assertEqual(self.open_rows(part), rows)
            self.assertEqual(self.open_rows(part), rows)
            self.assertEqual(traced.end(), (0, ""))
        self.assertEqual([row[::2] for row in self.open_rows(self.part())[4:]], [row[::2] for row in rows])  # it died in the second call

    def pending_rows(self, number, posted, **shown):
        """Returns the rows of a process that dies in a function, after some records."""
        path = self.folder / "000000.xtf"
        path.unlink(missing_ok=True)
        with Traced(XTF, self.folder, rank=0, world=4, phase=RUNNING, ring_size=1 << 18) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + posted + record("ENTER", 50, number))
            self.show(traced.memory, number, 50, **shown)
            self.assertEqual(traced.end(), (0, ""))
        return [(event, *row) for event, _, *row in self.open_rows(self.part())]

    @staticmethod
    def posted_rows(awaited=None):
        """Returns the rows of the receives 2 to 5000, without one: 1000 of them, and a row that says that there are more."""
        tags = [tag for tag in range(2, 5001) if tag != awaited][:1000]
        return [("PENDING_POSTED", 3, tag, None) for tag in tags] + [("PENDING_POSTED", None, None, None)]

    def test_requests_of_open_calls(self):
        """Checks the rows behind that of a call: the request of MPI_Wait, the other side of MPI_Sendrecv, and at most 1000."""
        posted = b"".join(record("IRECV_REQUEST", 10, 0, 3, i, i << 32) for i in range(1, 5001)) + record("IRECV", 11, 0, 3, 1 << 32, 4, 1)
        wait, all_of, both, null = function_number("MPI_Wait"), function_number("MPI_Waitall"), function_number("MPI_Sendrecv"), NONE - 1
        for request in 2, 3000:
            self.assertEqual(self.pending_rows(wait, posted, values=(3, request, NONE), requests=1, request=request),
                             [("PENDING", 3, request, 1), ("PENDING_RECEIVE", 3, request, None)] + self.posted_rows(request))
        for requests, shown in (4999, 1000), (1000, 999):
            rows = self.pending_rows(all_of, posted, values=(NONE, NONE, NONE), requests=requests)
            self.assertEqual(rows, [("PENDING", None, None, requests)] + [("PENDING_RECEIVE", 3, tag, None) for tag in range(2, 2 + shown)])
        self.assertEqual(self.pending_rows(both, posted, values=(null, 7, 0), requests=NONE, both=(2, 8)),
                         [("PENDING", None, None, None), ("PENDING_SEND", 2, 8, None)] + self.posted_rows())
        self.assertEqual(self.pending_rows(both, posted, values=(3, 7, 0), requests=NONE, both=(null, 8)), [("PENDING", 3, 7, None)] + self.posted_rows())

    def test_begun_operations_and_full_ring(self):
        """Checks a failed call whose record had to wait for space, so that the record of the wait is in between."""
        waited = record("WAITED", 11, 0, 0, 12)
        with Traced(XTF, self.folder, rank=0, world=4, phase=RUNNING) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + define_region(1, OWN, "work"))
            traced.memory.append(0, record("ENTER", 10, OWN) + record("SEND", 10, 0, 3, 7 << 32, 1) + waited + record("FAILED", 13) + record("LEAVE", 14, OWN))
            traced.memory.append(0, record("ENTER", 20, OWN) + record("SEND", 20, 0, 3, 7 << 32, 2) + waited + record("LEAVE", 24, OWN) + record("FAILED", 25))
            self.assertEqual(traced.end(), (0, ""))
        arrays = {array.schema.name: [array.schema.values(row) for row in array.read()] for array in Trace(self.part()).arrays()}
        self.assertEqual(len(arrays["sends"]), 2)
        self.assertEqual([row[:2] for row in arrays["cancelled"]], [arrays["sends"][0][:2]])

    def test_before_the_rank(self):
        """Checks that records wait until the process has its number, however many they are."""
        with Traced(XTF, self.folder, program=("cat", "/dev/zero"), ring_size=4096, environment={"PMI_RANK": "9"}) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + define_region(1, OWN, "early"))
            for step in range(20):
                traced.memory.append(0, calls(10 + 200 * step, 100))
            self.assertEqual([name for name in os.listdir(self.folder) if name.endswith(".xtf")], [])
            self.assertEqual(len([name for name in os.listdir(self.folder) if name.endswith(".starting")]), 1)
            traced.memory.set_rank(2, 4)
            traced.memory.append(0, calls(10**6, 1))
            traced.end()
        self.assertEqual(sum(name == "ENTER" for name in events(self.part(2))), 2001)

    def test_numbers(self):
        """Checks that processes without a rank get the next free number, and that two processes of one rank are two processes."""
        (self.folder / "000000.xtf").write_bytes(b"")
        for rank in NONE, 1, 1:
            with Traced(XTF, self.folder, rank=rank, world=0 if rank == NONE else 2, phase=RUNNING) as traced:
                traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 1))
                traced.end()
        self.assertEqual(files_in(self.folder), [f"{n:06}.xtf" for n in range(4)])

    def test_clock(self):
        """Checks that a clock stored by another collector is used, and that an invalid one is measured again and stored."""
        kept = 1, 1, 0, 10**18, 3
        for clock in kept, (1, 0, 0, 10**18, 0), (1, 0, 2**63, 10**18, 1), (0, 1, 0, 10**18, 3):
            (self.folder / "000000.xtf").unlink(missing_ok=True)
            with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING, clock=clock, source=1) as traced:
                traced.memory.append(0, record("OWNER", 10, 0, 0, 1) + calls(1000, 1))
                self.assertEqual(traced.end(), (0, ""))
            self.part()
            _, *found = struct.unpack("<QIIQQQ", (self.folder / f"clock-{socket.gethostname()}").read_bytes())
            if clock == kept:
                self.assertEqual(tuple(found), kept)
                self.assertIn("0.000001485", xtf("cat", self.part(), "records"))  # (1000 - 10) * 3 / 2
            else:
                self.assertEqual((found[0], found[4]), (1, 1))
                self.assertAlmostEqual(found[3], time.time_ns(), delta=60 * 10**9)

    def test_exits(self):
        """Checks the recorded end of the process."""
        for number, (set_up, expected) in enumerate([
                (lambda memory: memory.u32(PHASE, FINALIZED), "finalized"),
                (lambda memory: memory.u32(EXITED, 1), "exited without MPI_Finalize"),
                (lambda memory: (memory.u32(STATUS, 3), memory.u32(EXITED, 1)), "status 3")]):
            with Traced(XTF, self.folder, rank=number, world=9, phase=RUNNING, program=("cat",), pipes=subprocess.PIPE) as traced:
                set_up(traced.memory)
                traced.process.communicate()  # the process ends by itself
                traced.finish()
            self.assertEqual(named_values(self.part(number))["record.end"], expected)

    def test_killed_by_signal(self):
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING) as traced:
            traced.process.send_signal(signal.SIGSEGV)
            traced.finish()  # before the test waits for the process
        self.assertEqual(named_values(self.part())["record.end"], "killed by signal 11")

    def test_collector_terminated(self):
        """Checks SIGTERM to the collector, while the process continues."""
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 5))
            traced.memory.drain()
            traced.collector.terminate()
            self.assertEqual(traced.finish(), (0, ""))
            self.assertIsNone(traced.process.poll())
        self.assertEqual(events(self.part()).count("LEAVE"), 5)

    def test_without_pidfd(self):
        """Checks that the socket alone shows the process's end, and that closing it does not end a living process."""
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING, pidfd=False) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 5))
            self.assertEqual(traced.end(), (0, ""))
        self.assertEqual(events(self.part()).count("LEAVE"), 5)

    def test_without_pidfd_and_socket(self):
        """Checks a program that closed its end of the socket, as some programs close all descriptors. It must be followed until
        it ends."""
        script = "import mmap, os, sys, time\nfor line in sys.stdin:\n m = mmap.mmap(os.open(line.strip(), os.O_RDWR), 0)\n print(flush=True)\n"
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING, pidfd=False, program=(sys.executable, "-c", script), pipes=subprocess.PIPE) as traced:
            traced.process.stdin.write(f"/proc/{os.getpid()}/fd/{traced.memory.fd}\n".encode())
            traced.process.stdin.flush()
            traced.process.stdout.readline()  # the program has mapped the memory
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 5))
            traced.process_end.close()
            for rounds in range(3):  # the collector notices the closed socket
                traced.memory.drain()
            self.assertIsNone(traced.collector.poll())
            traced.memory.append(0, calls(100, 5))
            self.assertEqual(traced.end(), (0, ""))
            traced.process.stdin.close()
            traced.process.stdout.close()
        self.assertEqual(events(self.part()).count("LEAVE"), 10)

    def test_invalid_records(self):
        """Checks that an invalid record ends the reading of its ring. Earlier records and other rings must be in the part, and
        the process must not wait."""
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING, ring_size=4096, n_rings=5) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 10) + struct.pack("<QQ", 100, 250))
            traced.memory.append(1, record("OWNER", 1, 0, 1, 2))
            traced.memory.append(2, record("OWNER", 1, 0, 2, 3))
            traced.memory.wait_until_taken()
            traced.memory.append(2, bytes(16))  # in a separate round
            traced.memory.append(3, define_region(1, OWN, "work") + calls(10, 5))  # records without an owner
            traced.memory.append(4, record("OWNER", 1, 0, 3, 4))
            traced.memory.wait_until_taken()
            traced.memory.u64(traced.memory.ring_at(4), 10**9)  # an impossible head
            for step in range(10):
                traced.memory.append(0, bytes(4000))
                traced.memory.append(1, calls(10 + 100 * step, 50))
            self.assertEqual(traced.end(), (0, ""))
        part = self.part()
        self.assertEqual(events(part).count("ENTER"), 10 + 500)
        remarks = xtf("cat", part, "definitions/remarks")
        self.assertIn("thread 0 end too early: ring 0, byte 344: kind 250 does not exist", remarks)
        self.assertIn("thread 2 end too early: ring 2, byte 24: it was never written", remarks)
        self.assertIn("end too early: ring 3, byte 56: ENTER has no thread", remarks)
        self.assertIn("thread 3 end too early: ring 4, byte 24: its positions are impossible", remarks)

    def test_sites(self):
        """Checks call sites: records before their definition, in another ring; two numbers of one place; numbers without a
        definition, impossible ones, and impossible definitions."""
        barrier, wait = function_number("MPI_Barrier"), function_number("MPI_Wait")

        def calls_from(site, region, time):
            return record("ENTER", time, region, site) + record("LEAVE", time + 5, region)
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls_from(5, barrier, 10) + calls_from(2**15 + wait, wait, 20))
            traced.memory.wait_until_taken()
            place = (0x5234, 0x1000, "/nowhere/app")
            traced.memory.append(1, record("OWNER", 1, 0, 1, 2) + define_site(2, 5, barrier, *place) + calls_from(5, barrier, 30) +
                                 define_site(40, 6, wait, *place) + calls_from(6, wait, 50) + define_site(60, 7, wait, *place) + calls_from(7, wait, 70))
            traced.memory.append(0, calls_from(0, wait, 80) + calls_from(2**30, wait, 90))
            traced.memory.append(2, record("OWNER", 1, 0, 2, 3) + define_site(2, 0, barrier, *place))
            self.assertEqual(traced.end(), (0, ""))
        part = self.part()
        sites = [line.split(maxsplit=9) for line in xtf("cat", part, "definitions/sites").splitlines()[1:]]
        regions = [line.split()[-1] for line in xtf("cat", part, "definitions/regions").splitlines()[1:]]
        self.assertEqual([(regions[int(site[1])], site[3], site[9].strip()) for site in sites],
                         [("MPI_Barrier", str(0x4234), "0x4234@app"), ("MPI_Wait", "-", "other sites"), ("MPI_Wait", str(0x4234), "0x4234@app")])
        lines = [xtf("cat", part, f"proc/0/thread/{thread}/enters_leaves/records").splitlines() for thread in (0, 1)]
        self.assertEqual([[line.split()[9] for line in thread] for thread in lines], [2 * ["0x4234@app"] + 2 * [r"other\x20sites"] + 4 * ["-"], 6 * ["0x4234@app"]])
        remarks = xtf("cat", part, "definitions/remarks")
        self.assertIn(f"site 0 of region {barrier} cannot be defined", remarks)
        self.assertIn("calls MPI from more than 28672 places", remarks)

    def test_sizes_of_worlds(self):
        """Checks that an impossible world size counts as unknown, and takes no memory. Ranks of spawned worlds may exceed their
        size."""
        for rank, world, known in ((0, 2**24 + 1, "0"), (0, NONE, "0"), (7, 2, "2")):
            with Traced(XTF, self.folder, rank=rank, world=world, phase=RUNNING, ring_size=4096) as traced:
                traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 5))
                self.assertEqual(traced.end(), (0, ""))
            part = self.part(rank)
            self.assertEqual(named_values(part)["record.world_size"], known)
            if known == "0":
                self.assertIn(f"it claims {world} processes in MPI_COMM_WORLD", xtf("cat", part, "definitions/remarks"))
            part.unlink()

    def test_fewer_rings_than_before(self):
        """Checks that the collector keeps its first values if the process's memory later has fewer rings, or other sizes."""
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING, ring_size=4096) as traced:
            for ring in range(3):
                traced.memory.append(ring, record("OWNER", 1, 0, ring, 1 + ring) + calls(10, 5))
            traced.memory.wait_until_taken()
            traced.memory.u32(CLAIMED, 1)
            traced.memory.u32(12, 10**9)
            traced.memory.u64(16, 1 << 60)
            traced.memory.drain()
            self.assertEqual(traced.end(), (0, ""))
        part = self.part()
        self.assertEqual(int(named_values(part)["record.events"]), 3 * 11)
        self.assertEqual(events(part).count("LEAVE"), 15)

    def test_invalid_memory(self):
        for change in (0, b"????????"), (8, struct.pack("<I", 77)), (12, struct.pack("<I", 0)), (16, struct.pack("<Q", 12345)), (32, b"\xff"):
            fd = os.memfd_create("bad")
            with Traced(XTF, self.folder) as good:
                data = bytearray(good.memory.map[:good.memory.data_at])
                good.end()
            data[change[0]:change[0] + len(change[1])] = change[1]
            os.write(fd, data)
            os.ftruncate(fd, 1 << 20)
            done = subprocess.run([XTF, "collect", "--folder", self.folder, "--memory", str(fd), "--socket", str(fd)], pass_fds=[fd], stderr=subprocess.PIPE, text=True, timeout=20)
            self.assertEqual(done.returncode, 1, done.stderr)
            self.assertRegex(done.stderr, "^xtf: .+\n$")
            os.close(fd)

    def test_full_disk(self):
        """Checks a full disk: the process continues, and the committed records are a whole part that reports the fault."""
        with full_disk(self) as full:
            with Traced(XTF, full, rank=0, world=1, phase=RUNNING, ring_size=1 << 20) as traced:
                fill(traced)
                self.assertEqual(traced.memory.u32(READY), 2)
                status, printed = traced.end()
            self.assertEqual(status, 1)
            self.assertIn("No space left on device", printed)
            part = self.part("full/000000.xtf")
            values = named_values(part)
            self.assertGreater(int(values["record.lost"]), 0)
            self.assertEqual((values["record.host"], values["record.world_size"], values["record.pid"], values["record.command"]),
                             (socket.gethostname(), "1", str(traced.process.pid), "sleep 1000"))
            self.assertIn("No space left", xtf("cat", part, "definitions/remarks"))

    def test_kept_and_lost(self):
        """Checks a disk that others have filled: every record is kept or counted as lost, and the part and its log still report
        it."""
        with full_disk(self) as full:
            with open(full / "collect-77.log", "a") as log, Traced(XTF, full, rank=0, world=1, phase=RUNNING, ring_size=1 << 20, log=log) as traced:
                traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + define_region(1, OWN, "work") + calls(10, 50))
                traced.memory.drain()
                with open(full / "others", "wb", buffering=0) as others, contextlib.suppress(OSError):
                    while others.write(bytes(4096)):
                        pass
                for step in range(20):
                    traced.memory.append(0, calls(1000 + 10000 * step, 5000))
                traced.memory.drain()
                self.assertEqual(traced.memory.u32(READY), 2)
                traced.memory.append(0, calls(10**6, 10))
                status, _ = traced.end()
            self.assertEqual(status, 1)
            part = self.part("full/000000.xtf")
            values, kinds = named_values(part), events(part)
            kept = kinds.count("ENTER") + kinds.count("LEAVE")
            self.assertGreaterEqual(kept, 100)
            self.assertEqual(kept + int(values["record.lost"]), 2 * (50 + 20 * 5000 + 10))
            self.assertRegex(values["record.ended_early"], r"^\d+-\d+-\d+ \d+:\d+:\d+ UTC: .*/000000\.xtf: .*No space left on device$")
            self.assertRegex(xtf("cat", part, "definitions/remarks"), r"process.0.ends.early: .*No.space.left".replace(".", r"(?:\\x20|.)"))
            self.assertIn("No space left on device", (full / "000000.log").read_text())
            self.assertRegex(" ".join(xtf("cat", part, "findings").split()), r"early the records of process 0 end early, .*No space left")

    def test_syncs(self):
        """Checks that a part is synced with its first commit and when it is closed; with an interval of 0 only at the end."""
        for number, seconds in enumerate(("5", "0")):
            syncs = self.folder / f"syncs{number}"
            with Traced(XTF, self.folder, rank=number, world=2, phase=RUNNING, environment=counted_syncs(syncs, seconds)) as traced:
                traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 50))
                for rounds in range(20):
                    traced.memory.drain()
                if seconds == "5":
                    while not syncs.exists() or "d" not in syncs.read_text():
                        time.sleep(0.005)
                else:
                    self.assertFalse(syncs.exists())
                traced.end()
            self.assertEqual(syncs.read_text().count("f"), 1, "its folder")
            self.assertGreaterEqual(syncs.read_text().count("d"), 3)

    def test_commits_during_syncs(self):
        """Checks that a commit is declared durable, and so kept, though the process asks for commits during each sync."""
        syncs, part = self.folder / "syncs", self.folder / "000000.xtf"
        with Traced(XTF, self.folder, rank=0, world=1, phase=RUNNING, environment=counted_syncs(syncs, "1") | {"XTF_TEST_SYNC_MS": "200"}) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1))
            traced.memory.drain()
            first, step = min(stored_commits(part)), 0
            while not syncs.exists() or syncs.read_text().count("d") < 6:
                traced.memory.append(0, calls(1000 + 1000 * step, 50))
                traced.memory.drain()
                step += 1
            self.assertGreater(min(stored_commits(part)), first + 1)
            traced.end()
        self.assertEqual(events(part).count("ENTER"), 50 * step)

    def test_watched_folder(self):
        """Checks that a collector commits more often while the time of access of its folder is in the future."""
        folders = {name: self.folder / name for name in ("watched", "alone")}
        for folder in folders.values():
            folder.mkdir(mode=0o700)
        with contextlib.ExitStack() as stack:
            for folder in folders.values():
                traced = stack.enter_context(Traced(XTF, folder, rank=0, world=1, phase=RUNNING))
                traced.memory.append(0, record("OWNER", 1, 0, 0, 1))
                traced.memory.drain()
            commits = {name: lambda part=folder / "000000.xtf": max(stored_commits(part)) for name, folder in folders.items()}
            first = {name: commits[name]() for name in folders}
            while commits["alone"]() < first["alone"] + 4:
                os.utime(folders["watched"], (time.time() + 3, folders["watched"].stat().st_mtime))
                time.sleep(0.02)
            self.assertGreater(commits["watched"]() - first["watched"], 6)

    def test_gathering(self):
        """Checks that a part of another node goes to the common folder, and gets its name there when it is whole."""
        gathered = self.folder / "all"
        with Traced(XTF, self.folder / "own", rank=3, world=4, phase=RUNNING,
                    environment={"XTF_RECORD_GATHER": str(gathered), "XTF_RECORD_HOST": "elsewhere"}) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 5))
            traced.memory.drain()
            self.assertEqual(os.listdir(gathered), [])  # processes that merge the parts wait for it
            for name in "clock-here", "worlds", "accept-7":
                (self.folder / "own" / name).touch()
            self.assertEqual(traced.end(), (0, ""))
        self.assertEqual(os.listdir(gathered), ["000003.xtf"])
        self.assertEqual(os.listdir(self.folder), ["all"])
        self.assertIn("0 problems", xtf("check", gathered / "000003.xtf"))

    def test_gathering_leaves_others(self):
        """Checks that a folder with other files is not removed, and that an existing part is not replaced."""
        for folder, kept_file in (("one", "000009.xtf"), ("two", "collect-9.log"), ("three", "h-9.starting"), ("four", "notes")):
            gathered, own = self.folder / "all" / folder, self.folder / folder
            own.mkdir()
            (own / kept_file).touch()
            (own / "clock-here").touch()
            self.collect_elsewhere(own, gathered)
            self.assertEqual(os.listdir(gathered), ["000003.xtf"])
            self.assertEqual(files_in(own), [kept_file])
        before = (gathered / "000003.xtf").read_bytes()
        self.collect_elsewhere(own, gathered)
        self.assertEqual((gathered / "000003.xtf").read_bytes(), before)
        self.assertEqual(files_in(own), ["000003.xtf", "collect-77.log", "notes"])
        self.assertRegex((gathered / "000003.log").read_text(), "^xtf: .*File exists\n$")
        self.assertEqual(sorted(os.listdir(gathered)), ["000003.log", "000003.xtf"])

    def test_part_stays(self):
        """Checks that a part stays on the host of `xtf record`. It also stays if the common folder is the folder of parts, under
        any name."""
        same = self.folder / "same"
        same.symlink_to("own")
        for number, (gather, host) in enumerate(((self.folder / "all", socket.gethostname()), (same, "elsewhere"))):
            (self.folder / "own").mkdir(exist_ok=True)
            self.collect_elsewhere(self.folder / "own", gather, host, rank=number)
            self.assertFalse((self.folder / "all").exists())
            self.part(f"own/{number:06}.xtf")

    def collect_elsewhere(self, own, gathered, host="elsewhere", rank=3, **traced):
        with open(own / "collect-77.log", "a") as log, \
                Traced(XTF, own, rank=rank, world=4, phase=RUNNING, environment={"XTF_RECORD_GATHER": str(gathered), "XTF_RECORD_HOST": host}, log=log, **traced) as traced:
            traced.memory.append(0, record("OWNER", 1, 0, 0, 1) + calls(10, 5))
            traced.memory.drain()
            return traced.end()

    def test_gathering_of_a_failure(self):
        """Checks that a part that ends too early is gathered with the log that gives the reason."""
        with full_disk(self) as full, tempfile.TemporaryDirectory(prefix="xtf-collect-") as gathered:
            (full / "collect-77.log").write_text("before\n")  # so that the file has space for more
            with open(full / "collect-77.log", "a") as log, \
                    Traced(XTF, full, rank=3, world=4, phase=RUNNING, ring_size=1 << 20, log=log, environment={"XTF_RECORD_GATHER": gathered, "XTF_RECORD_HOST": "elsewhere"}) as traced:
                fill(traced)
                self.assertEqual(traced.end(), (1, None))
            self.assertEqual(sorted(os.listdir(gathered)), ["000003.log", "000003.xtf"])
            self.assertIn("No space left on device", pathlib.Path(gathered, "000003.log").read_text())
            self.assertIn("0 problems", xtf("check", pathlib.Path(gathered, "000003.xtf")))
            self.assertEqual(os.listdir(full), [])  # only the folder is left, on which a file system is mounted

    def test_usage(self):
        self.assertIn("xtf record", xtf("collect", "--help"))
        self.assertNotIn("collect", xtf("--help"))
        done = subprocess.run([XTF, "collect"], stderr=subprocess.PIPE, text=True)
        self.assertEqual(done.returncode, 2)


if __name__ == "__main__":
    unittest.main(argv=sys.argv[:1] + ["-v"] + sys.argv[1:])
