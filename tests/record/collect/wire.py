"""A made-up traced process as its collector sees it: memory laid out as in src/record/wire.h, and records in it.

The recorder does not write this memory. Tests compare the collector's results with the records that they put in.
"""

import mmap
import os
import pathlib
import re
import socket
import struct
import subprocess
import time

HEADER = (pathlib.Path(__file__).parents[3] / "src/record/wire.h").read_text()
HEADER_SIZE = 19 * 4096
RING_BYTES = 192
CHOICES = 1 << 17
MAGIC = 0x3165726977667478
VERSION = int(re.search(r"XTF_WIRE_VERSION = (\d+)", HEADER)[1])
NONE = 2**32 - 1
OWN = 4096  # number of the first region that a process defines

DEFINITIONS = {name: number for number, name in enumerate(re.findall(r"^    XTF_DEFINE_(\w+),", HEADER, re.M))}
STARTING, RUNNING, FINALIZED = range(3)

# Offsets in XtfWireProcess and XtfWireRing.
PHASE, RANK, WORLD, CLAIMED, DRAIN, DRAINED, WAKE, NESTED, WITHOUT_RING, READY, EXITED, STATUS = 36, 40, 44, 48, 52, 56, 60, 64, 72, 80, 84, 88
STATE, TAIL, SHOWN = 24, 64, 128

def numbers_of_kinds():
    """Returns {kind: number}. The kinds are in lists, which XTF_WIRE_KINDS names at its end."""
    lists = dict(re.findall(r"#define (XTF_WIRE_\w*KINDS)\(KIND\)(.*?)(?=\n\n|\n#define|\n/\* )", HEADER, re.S))
    names = re.findall(r"KIND\((\w+), \d+\)", lists["XTF_WIRE_KINDS"])
    for name in re.findall(r"(XTF_WIRE_\w+_KINDS)\(KIND\)", HEADER[HEADER.index("#define XTF_WIRE_KINDS"):HEADER.index("#define XTF_WIRE_MESSAGE_KINDS")]):
        names += re.findall(r"KIND\((\w+), \d+\)", lists[name])
    return {name: number for number, name in enumerate(names)}


KINDS = numbers_of_kinds()


def function_number(name):
    """Returns the number of an MPI function: its place among the lines of the table."""
    lines = (pathlib.Path(__file__).parents[3] / "src/record/mpi/functions.tbl").read_text().splitlines()
    return [line.split()[0] for line in lines if line.strip() and not line.startswith("#")].index(name) + 1


class Memory:
    def __init__(self, folder, pid, *, n_rings=4, ring_size=1 << 16, clock=(1, 0, 0, 10**18, 1), source=1, rank=NONE, world=0, phase=STARTING):
        self.folder, self.n_rings, self.ring_size = folder, n_rings, ring_size
        self.fd = os.memfd_create("xtf-record")
        self.data_at = (HEADER_SIZE + RING_BYTES * n_rings + CHOICES + mmap.PAGESIZE - 1) // mmap.PAGESIZE * mmap.PAGESIZE
        os.ftruncate(self.fd, self.data_at + n_rings * ring_size)
        self.map = mmap.mmap(self.fd, 0)
        struct.pack_into("<QIIQiIIIII", self.map, 0, MAGIC, VERSION, n_rings, ring_size, pid, 0, source, phase, rank, world)
        # The node's clock, which the first collector of a job measures and stores.
        pathlib.Path(folder).mkdir(parents=True, exist_ok=True)
        (pathlib.Path(folder) / f"clock-{os.uname().nodename}").write_bytes(struct.pack("<QIIQQQ", MAGIC, *clock))

    def number(self, at, type, value):
        """Returns the number at an offset, of type "I" or "Q" of the module struct. First stores `value` there unless it is None."""
        with memoryview(self.map)[at:at + struct.calcsize(type)].cast(type) as view:
            if value is not None:
                view[0] = value  # struct.pack_into() stores 0 first, which the collector may see
            return view[0]

    def u32(self, at, value=None):
        return self.number(at, "I", value)

    def u64(self, at, value=None):
        return self.number(at, "Q", value)

    def ring_at(self, ring):
        return HEADER_SIZE + RING_BYTES * ring

    def append(self, ring, data):
        """Appends bytes to a ring, and publishes them together; waits for space."""
        head = self.u64(self.ring_at(ring))
        while head + len(data) - self.u64(self.ring_at(ring) + TAIL) > self.ring_size:
            time.sleep(0.001)
        at = head % self.ring_size
        first, begin = data[:self.ring_size - at], self.data_at + ring * self.ring_size
        self.map[begin + at:begin + at + len(first)] = first
        self.map[begin:begin + len(data) - len(first)] = data[len(first):]
        self.u64(self.ring_at(ring), head + len(data))
        if self.u32(CLAIMED) <= ring:
            self.u32(CLAIMED, ring + 1)

    def wait_until_taken(self, seconds=60):
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            if all(self.u64(self.ring_at(i)) == self.u64(self.ring_at(i) + TAIL) for i in range(self.u32(CLAIMED))):
                return
            time.sleep(0.005)
        raise AssertionError("the collector does not consume all records")

    def drain(self, seconds=60):
        wanted = self.u32(DRAIN) + 1
        self.u32(DRAIN, wanted)
        end = time.monotonic() + seconds
        while self.u32(DRAINED) != wanted:
            assert time.monotonic() < end, "the collector does not answer a drain"
            time.sleep(0.002)

    def set_rank(self, rank, world):
        self.u32(RANK, rank)
        self.u32(WORLD, world)
        self.u32(PHASE, RUNNING)


def record(kind, time, region=0, arg=0, *words):
    return struct.pack("<QQ", time, KINDS[kind] | region << 8 | arg << 32) + struct.pack(f"<{len(words)}Q", *words)


def define(kind, time, id, data, piece=4000):
    """Returns the records of a definition."""
    records = b""
    for at in range(0, max(len(data), 1), piece):
        part = data[at:at + piece]
        records += struct.pack("<QQQQ", time, KINDS["DEFINE"] | DEFINITIONS[kind] << 8 | len(part) << 32, id, at | len(data) << 32)
        records += part + bytes(-len(part) % 8)
    return records


def define_region(time, id, name, file="", line=0, role=1, paradigm=1):
    name, file = name.encode(), file.encode()
    return define("REGION", time, id, struct.pack("<5I", line, role, paradigm, len(name), len(file)) + name + file)


def define_site(time, id, region, address, base, path):
    return define("SITE", time, id, struct.pack("<II", region, 1) + struct.pack("<QQII", address, base, 1, len(path)) + path.encode())


class Traced:
    """An idle process, its memory, and its collector."""

    def __init__(self, xtf, folder, *, environment=None, program=("sleep", "1000"), pidfd=True, log=None, pipes=subprocess.DEVNULL, **memory):
        self.process = subprocess.Popen(program, stdin=pipes, stdout=pipes)
        self.memory = Memory(folder, self.process.pid, **memory)
        self.process_end, collector_end = socket.socketpair()
        fds = [self.memory.fd, collector_end.fileno()] + ([os.pidfd_open(self.process.pid)] if pidfd else [])
        options = ["--memory", str(fds[0]), "--socket", str(fds[1])] + (["--process", str(fds[2])] if pidfd else [])
        self.collector = subprocess.Popen([xtf, "collect", "--folder", str(folder), *options], pass_fds=fds, stderr=log or subprocess.PIPE, text=True,
                                          env={**os.environ, **(environment or {})})
        collector_end.close()
        if pidfd:
            os.close(fds[2])

    def end(self, seconds=60):
        """Kills the process. Returns the collector's exit status and messages."""
        self.process.kill()
        self.process.wait()
        self.process_end.close()
        return self.finish(seconds)

    def finish(self, seconds=60):
        _, printed = self.collector.communicate(timeout=seconds)
        return self.collector.returncode, printed

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        for process in self.process, self.collector:
            if process.poll() is None:
                process.kill()
            process.wait()
        self.process_end.close()
        self.memory.map.close()
        os.close(self.memory.fd)
