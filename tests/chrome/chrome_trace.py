"""The records of an imported trace, as naive_chrome.py has them."""

import decimal
import struct
import subprocess

SECOND = decimal.Decimal(10**9)


def ns(text):
    return int(decimal.Decimal(text) * SECOND)


class Trace:
    """Reads a trace by the command and by dump-trace, which knows no importer."""

    def __init__(self, xtf, dump_trace, path):
        self.xtf, self.path = xtf, path
        self.rows = subprocess.run([dump_trace, "rows", path], capture_output=True, check=True, text=True, timeout=180).stdout.split("\n")

    def records(self, name, fields):
        """Returns the fields of each record; the last one may have spaces. An array that the trace lacks is empty."""
        result = self.xtf.run("cat", self.path, f"{name}/records")
        if result.status != 0:
            assert b"no \"" in result.errors, result
            return []
        return [line.split(None, fields - 1) for line in result.output.decode().split("\n") if line]

    def side(self, name):
        """Returns the rows of a side array, by place and time."""
        for row in self.rows:
            parts = row.split("\t")
            if len(parts) > 5 and parts[1] == name and parts[0].isdigit():
                yield (int(parts[0]) >> 32, int(parts[0]) & 0xffffffff), int(parts[2]), int(parts[3]), parts[5], parts[6]

    def calls(self):
        found = []
        for time, proc, thread, _seq, label, _region, _enter, _outermost, depth, duration, name in self.records("enters_leaves", 11):
            if label == "LEAVE" and duration != "-":
                found.append(((int(proc), int(thread)), ns(decimal.Decimal(time) - decimal.Decimal(duration)), ns(time), int(depth) - 1, name.rstrip()))
        return found

    def messages(self):
        """Returns sender, time and receiver, and the reverse, of each message: its ends, since only matching joins them."""
        ends = []
        for name, fields in ("sends", 12), ("recvs", 13):
            for time, proc, thread, _seq, _label, _region, peer, _comm, tag, size, *_ in self.records(name, fields):
                ends.append((name, (int(proc), int(thread)), ns(time), int(peer), int(tag), int(size)))
        return sorted(ends)

    def counters(self):
        values = {(place, seq): (kind, value) for place, _time, seq, kind, value in self.side("metric_values")}
        found = []
        for time, proc, thread, seq, _label, _region, _metric, _class, _n, name in self.records("counters", 10):
            place = int(proc), int(thread)
            kind, value = values[place, int(seq)]
            bits = struct.pack("<Q", int(value) % 2**64)
            found.append((place, ns(time), name.rstrip(), float(struct.unpack("<d" if kind == "DOUBLE" else "<q", bits)[0])))
        return found

    def values(self):
        """Returns the bits of all values of metrics, also of records with several."""
        return sorted(int(value) for *_place, value in self.side("metric_values"))

    def enters(self):
        return sorted(((int(proc), int(thread)), ns(time), name.rstrip())
                      for time, proc, thread, _seq, label, *_rest, name in self.records("enters_leaves", 11) if label == "ENTER")

    def texts(self, name, n):
        """Returns the rows of `markers` or `async`: place, time, and the last n fields from the event's label on."""
        found = []
        for row in self.rows:
            parts = row.split("\t")
            if len(parts) > n + 4 and parts[1] == name and parts[0].isdigit():
                found.append(((int(parts[0]) >> 32, int(parts[0]) & 0xffffffff), int(parts[2]), *parts[-n:]))
        return found
