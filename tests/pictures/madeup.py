"""Made-up traces of tests, with any number of rows and with shapes that are hard to draw."""

import pathlib
import random
import subprocess

HOSTILE = [b"main", b"\"<&>]]>'--></svg><script>alert(1)</script>", b"&" * 255, "\u202eright to left \u05d0\u05d1\u05d2".encode(),
           b"invalid \xff\xfe\x80 bytes", b"c0 \x01\x02\x1b[31m controls", b"", b"W" * 200, "\u4e2d\u6587".encode() * 40,
           "\uffff\ufffe".encode(), b"i" * 255]


class Maker:
    """Writes traces into a folder by the tests' programs. Each method returns the path of one trace."""

    def __init__(self, generate, make_run, folder):
        self.generate, self.make_run, self.folder = generate, make_run, pathlib.Path(folder)

    def rows(self, processes, records):
        """Writes a solver on a ring of processes."""
        path = self.folder / f"rows-{processes}-{records}.xtf"
        subprocess.run([self.generate, "-n", str(records), "-l", str(processes), path], check=True, capture_output=True)
        return path

    def run(self, name, processes, regions, events):
        """Writes a run from events (proc, time, event, number, ...) of all processes, in order for each process."""
        path = self.folder / f"{name}.xtf"
        text = "".join(" ".join(map(str, event)) + "\n" for event in sorted(events, key=lambda event: event[0]))
        subprocess.run([self.make_run, path, str(processes), *regions], input=text.encode(), check=True, capture_output=True)
        return path

    def empty(self):
        return self.run("empty", 2, ["main"], [])

    def one_event(self):
        return self.run("one", 1, ["main"], [(0, 1000, "enter", 0)])

    def one_long_call(self):
        return self.run("long", 2, ["main", "MPI_Init"],
                        [(0, 0, "enter", 0), (0, 10, "enter", 1), (0, 10**9, "leave", 1), (0, 10**9 + 1, "leave", 0),
                         (1, 0, "enter", 0), (1, 10**9 - 1000, "leave", 0)])

    def hostile(self):
        """Writes names with characters that are hard for XML, URLs, terminals and narrow boxes."""
        events = []
        for proc in range(3):
            time = 10 * proc
            events.append((proc, time, "enter", 0))
            for region in range(1, len(HOSTILE)):
                events += [(proc, time + 1000, "enter", region), (proc, time + 1000 + 9000 * (region % 5 + 1), "leave", region)]
                time = events[-1][1]
            events.append((proc, time + 500, "leave", 0))
        return self.run("hostile", 3, HOSTILE, events)

    def deep(self):
        """Writes calls deeper than pictures draw, with messages to other processes, to the same one, and to a rank that does not exist."""
        events = []
        for proc in range(4):
            time = 100 * proc
            for depth in range(30):
                events.append((proc, time, "enter", depth % 5))
                time += 500
            for after, what, peer, size in (200, "send", (proc + 1) % 4, 100), (3000, "recv", (proc - 1) % 4, 100), \
                                           (3100, "send", proc, 7), (3900, "recv", proc, 7), (3950, "send", (proc + 2) % 4, 9):
                events.append((proc, time + after, what, peer, size))
            for depth in reversed(range(30)):
                time += 600
                events.append((proc, time + 4000, "leave", depth % 5))
        return self.run("deep", 4, ["main", "solve", "MPI_Send", "MPI_Recv", "inner"], events)

    def halves(self, processes, width):
        """Writes a run in which each process computes up to its own time and then waits in a barrier. Returns the path and the times."""
        times, events = [], []
        for proc in range(processes):
            times.append(random.randrange(width // 10, width * 9 // 10))
            events += [(proc, 0, "enter", 0), (proc, times[-1], "leave", 0), (proc, times[-1], "enter", 1), (proc, width, "leave", 1)]
        return self.run(f"halves-{processes}", processes, ["compute", "MPI_Barrier"], events), times
