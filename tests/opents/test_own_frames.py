#!/usr/bin/env python3
"""frames/own/ of OpenTS traces and the views of frames, recomputed from the file with Python's ElementTree.

usage: test_own_frames.py XTF ASK-TREE
"""

import bisect
import decimal
import itertools
import pathlib
import sys
import tempfile
import unittest
import xml.etree.ElementTree as ElementTree

import opents_gen
import oracle
from asking import Asker, Refused
from xtfrun import Xtf

ASK_TREE = sys.argv.pop(2)
XTF = sys.argv.pop(1)

# Unusual contents: gaps in numbers, a slice that goes back in time, two slices of one time, a rank that some slices lack, missing
# attributes.
ODD = """<trace ranks="3" cmd="odd" time="27.04.2006 15:58">
<slice num="4" time="0.5"><rank num="0"><resource mpi="0.1" idle="0.5"/><task type="S" count="1"/></rank>
 <rank num="1"><task type="S" count="2"/><message sbytes="7"/></rank></slice>
<slice num="5" time="1.25"><rank num="1"><task type="S" count="9"/><task type="P" count="3"/><message rcount="1"/></rank></slice>
<slice num="9" time="0.75"><rank num="0"><resource idle="0.625"/><task type="S" count="4"/></rank></slice>
<slice num="70" time="2"><rank num="2"><resource sched="0.25" mflops="8.5"/><task type="S" count="4"/></rank></slice>
<slice num="71" time="2"></slice>
<slice num="72" time="3"><rank num="0"><resource mpi="0.4" idle="0.75"/><task type="S" count="5"/></rank>
 <rank num="1"><message sbytes="20" rcount="5"/></rank></slice>
</trace>
"""


STATES = "SPXIAWF"
CURRENT = "PAW"  # states whose column is the current number of tasks, not a growth
TIMES = {"program": "tasks", "p2p": "mpi", "wait": "idle", "other": "sched"}
MESSAGES = {"sent_messages": "scount", "sent_bytes": "sbytes", "received_messages": "rcount", "received_bytes": "rbytes"}


class Trace:
    """A file, and questions about its import."""

    def __init__(self, folder, name, text=None, **options):
        self.xml, self.xtf = folder / f"{name}.xml", folder / f"{name}.xtf"
        if text is None:
            opents_gen.write(self.xml, **options)
        else:
            self.xml.write_text(text, encoding="utf-8")
        done = oracle.run(XTF, "import", "-q", "-o", self.xtf, self.xml)
        assert done.returncode == 0, done.stderr
        self.asker = Asker(Xtf(XTF), ASK_TREE, self.xtf)
        self.slices = ElementTree.parse(self.xml).getroot().findall("slice")
        times = [int(oracle.ticks(part.get("time"))) for part in self.slices]
        self.times = [max(times[:k + 1]) for k in range(len(times))]  # a slice that goes back gets the time of the one before

        self.parts = [{rank.get("num"): rank for rank in part.findall("rank")} for part in self.slices]
        self.ranks = ElementTree.parse(self.xml).getroot().get("ranks")
        self.cumulative = oracle.properties(XTF, self.xtf)["values"] == "cumulative"

    def elements(self, rank, k, path):
        """Returns the elements of slice k."""
        part = self.parts[k].get(str(rank))
        return [] if part is None else part.findall(path)

    def growth(self, rank, begin, end, path, name, read=int):
        """Returns the growth of a counter in slices [begin, end). `path` is the path of its element. A missing value is None."""
        def values(numbers):
            return (element.get(name) and read(element.get(name)) for k in numbers for element in self.elements(rank, k, path))
        if not self.cumulative:
            return sum(value or 0 for value in values(range(begin, end)))
        last = next(values(reversed(range(begin, end))), None)
        before = next(values(reversed(range(begin))), 0) if last is not None else None
        return max(0, last - before) if before is not None else 0

    def slices_in(self, begin, end):
        """Returns the first slice with a time in [begin, end) and the one after the last."""
        return bisect.bisect_left(self.times, begin), bisect.bisect_left(self.times, end)

    def state(self, rank, begin, end):
        """Returns the expected columns of `state` of a rank, for slices [begin, end)."""
        shown = {column: self.growth(rank, begin, end, "resource", name, lambda text: int(oracle.ticks(text)))
                 for column, name in TIMES.items()}
        shown["collective"] = 0
        busy, idle, library = shown["program"], shown["wait"], shown["p2p"] + shown["other"]
        shown["colour"] = "-" if busy == idle == library == 0 else "green" if busy >= max(idle, library) else \
            "yellow" if library >= idle else "red"
        for column, name in MESSAGES.items():
            shown[column] = self.growth(rank, begin, end, "message", name)
        shown["total_sent_bytes"] = self.growth(rank, 0, end, "message", "sbytes")
        for state in STATES:
            path = f"task[@type='{state}']"
            now = [int(element.get("count")) for k in range(end) for element in self.elements(rank, k, path)]
            shown[f"tasks_{state}"] = (now or [0])[-1] if state in CURRENT else self.growth(rank, begin, end, path, "count")
        return shown

    def text(self, path):
        return self.asker.ask(f"cat {path}").decode()

    def names(self, path):
        return self.asker.ask(f"ls {path}").decode().split()

    def table(self, path):
        head, *lines = self.text(path).splitlines()
        columns = head.lstrip("#").split()
        return [dict(zip(columns, line.split())) for line in lines]

    def window(self, path):
        facts = {line["what"]: line["value"] for line in self.table(f"{path}/info")}
        return tuple(seconds(facts[bound]) for bound in ("from", "to"))


def of_each(test):
    """Makes a test of one trace a test of each trace."""
    def test_all(self):
        for name, trace in self.traces.items():
            with self.subTest(name):
                test(self, trace)
    return test_all


def seconds(text):
    """Returns the ticks of a printed time."""
    return int(decimal.Decimal(text) * 10**9)


class OwnFrames(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory(prefix="xtf-opents-")
        cls.addClassCleanup(folder.cleanup)
        path = pathlib.Path(folder.name)
        cls.traces = {"cumulative": Trace(path, "cumulative", ranks=4, slices=40, seed=3),
                      "per-frame": Trace(path, "per-frame", ranks=5, slices=40, seed=4, per_frame=True),
                      "odd": Trace(path, "odd", ODD)}

    @of_each
    def test_windows(self, trace):
        n = len(trace.slices)
        self.assertEqual(trace.names("frames"), ["own"])
        self.assertEqual(trace.names("frames/own"), ["count", "first", "last"])
        self.assertEqual(trace.text("frames/own/count"), f"{n}\n")
        ends = [*trace.times[1:], trace.times[-1] + 1]  # a tick after the last record
        for k in range(n):
            self.assertEqual(trace.window(f"frames/own/{k}"), (trace.times[k], ends[k]))
        self.assertEqual(trace.window("frames/own/first"), trace.window("frames/own/0"))
        self.assertEqual(trace.window("frames/own/last"), trace.window(f"frames/own/{n - 1}"))
        for k in range(1, n):
            self.assertEqual(trace.window(f"frames/own/{k}/prev"), trace.window(f"frames/own/{k - 1}"))
            self.assertEqual(trace.window(f"frames/own/{k - 1}/next"), trace.window(f"frames/own/{k}"))
        for name in str(n), "-1", "x", "first/prev", "last/next":
            with self.assertRaises(Refused):
                trace.text(f"frames/own/{name}/count")

    @of_each
    def test_records(self, trace):
        """Tests that the elements of a slice are in its frame, and of slices of one time in the last one's frame."""
        n = len(trace.slices)
        self.assertEqual("".join(trace.text(f"frames/own/{k}/records") for k in range(n)), trace.text("records"))
        for k in range(n):
            own_slices = [] if k + 1 < n and trace.times[k] == trace.times[k + 1] else \
                [part for part, time in zip(trace.slices, trace.times) if time == trace.times[k]]
            elements = sum(len(list(part.iter())) - len(part.findall("rank")) for part in own_slices)
            self.assertEqual(trace.text(f"frames/own/{k}/count"), f"{elements}\n")

    def check_state(self, trace, path, begin, end):
        """Checks `state` of a window that contains slices [begin, end)."""
        wanted = {rank: trace.state(rank, begin, end) for rank in range(int(trace.ranks))}
        lines = trace.table(f"{path}/state")
        self.assertEqual([int(line["proc"]) for line in lines], list(wanted))
        total = dict.fromkeys(["none", "green", "yellow", "red"], 0)
        total["procs"] = len(lines)
        for rank, line in zip(wanted, lines):
            shown = {column: line[column] if column == "colour" else seconds(line[column]) if column in TIMES or column == "collective"
                     else int(line[column]) for column in wanted[rank]}
            self.assertEqual(shown, wanted[rank], (path, rank))
            self.assertEqual((line["calls"], line["in_flight"], line["since"], line["region"]), ("-", "-", "-", "-"))
            self.assertEqual(trace.table(f"{path}/proc/{rank}/state"), [line])
            total["none" if line["colour"] == "-" else line["colour"]] += 1
            for column, value in shown.items():
                if column != "colour":
                    total[column] = total.get(column, 0) + value
        line, = trace.table(f"{path}/total")
        self.assertEqual({column: seconds(line[column]) if column in TIMES or column == "collective" else int(line[column])
                          for column in total}, total)
        return {line["colour"] for line in lines}

    @of_each
    def test_state(self, trace):
        colours = set()
        for k in range(len(trace.slices)):
            begin, end = trace.slices_in(*trace.window(f"frames/own/{k}"))
            colours |= self.check_state(trace, f"frames/own/{k}", begin, end)
        for k in range(int(trace.text("frames/7fps/count"))):
            begin, end = trace.slices_in(*trace.window(f"frames/7fps/{k}"))
            colours |= self.check_state(trace, f"frames/7fps/{k}", begin, end)
        if trace.cumulative:  # the last sample is the sum
            for line in trace.table("state"):
                for element in trace.elements(line["proc"], len(trace.slices) - 1, "message"):
                    self.assertEqual(line["sent_bytes"], element.get("sbytes"))
        self.assertLessEqual({"-", "yellow", "red"} if trace is self.traces["odd"] else {"green", "red"}, colours)

    def arrows(self, trace, letter, begin, end):
        """Returns the expected arrows/LETTER of slices [begin, end): (from, to, kind, count, bytes)."""
        kinds = {element.get("type") for element in ElementTree.parse(trace.xml).iter("extra")}
        for rank in map(str, range(int(trace.ranks))):
            for state, (direction, moved) in itertools.product(STATES, {"to": "exported", "from": "imported"}.items()):
                for peer in map(str, range(int(trace.ranks))):
                    n = trace.growth(rank, begin, end, f"task[@type='{state}']/detail[@{direction}='{peer}']", "count")
                    if letter in ("a", moved[0]):
                        yield (rank, peer, moved, n, "-") if direction == "to" else (peer, rank, moved, n, "-")
            for kind in kinds if letter in "am" else {"c": ["ctrl"], "d": ["data"]}.get(letter, []):
                yield (rank, "-", kind, *(trace.growth(rank, begin, end, f"message/extra[@type='{kind}']", name) for name in ("scount", "sbytes")))
            if letter == "s" or letter in "am" and not kinds:
                yield (rank, "-", "message", *(trace.growth(rank, begin, end, "message", name) for name in ("scount", "sbytes")))
            if letter == "r":
                yield ("-", rank, "message", *(trace.growth(rank, begin, end, "message", name) for name in ("rcount", "rbytes")))

    @of_each
    def test_arrows(self, trace):
        seen = set()
        self.assertEqual([name for name in trace.names("frames/own/0/arrows") if "." not in name], list("acdeimrs"))
        for k, letter in itertools.product(range(0, len(trace.slices), 1 if len(trace.slices) < 10 else 6), "acdeimrs"):
            path = f"frames/own/{k}/arrows/{letter}"
            begin, end = trace.slices_in(*trace.window(f"frames/own/{k}"))
            wanted = sorted((*arrow[:3], str(arrow[3]), str(arrow[4])) for arrow in self.arrows(trace, letter, begin, end)
                            if arrow[3] or arrow[4] not in ("-", 0))
            self.assertEqual(sorted(tuple(line.values()) for line in trace.table(path)), wanted, path)
            seen |= {letter} if wanted else set()
        self.assertLessEqual(set("amrs" if trace is self.traces["odd"] else "aceimrs"), seen)
        for name in "x", "x.svg":
            with self.assertRaises(Refused):
                trace.text(f"frames/own/0/arrows/{name}")

    def test_pictures(self):
        """Tests that exactly the arrows with both ends are drawn."""
        trace = self.traces["cumulative"]
        drawn = 0
        for k, letter in itertools.product(range(10, 40, 3), "aeimr"):
            lines = trace.table(f"frames/own/{k}/arrows/{letter}")
            wanted = sorted(f"{line['from']} to {line['to']}: {line['count']} task{'s' * (line['count'] != '1')} {line['kind']}"
                            for line in lines if "-" not in (line["from"], line["to"]))
            root = ElementTree.fromstring(trace.text(f"frames/own/{k}/arrows/{letter}.svg"))
            titles = sorted(title.text for title in root.iter("{http://www.w3.org/2000/svg}title") if " to " in (title.text or ""))
            self.assertEqual([title for title in titles if "task" in title], wanted)
            self.assertFalse([title for title in titles if "message" in title])
            drawn += len(wanted)
        self.assertGreater(drawn, 0)

    def test_bars(self):
        """Tests circles of tasks by state: their width shows the number of tasks, and their tool tips give it."""
        trace = self.traces["per-frame"]
        svg = "{http://www.w3.org/2000/svg}"
        for k in 0, 11, 39:
            root = ElementTree.fromstring(trace.text(f"frames/own/{k}/state.svg"))
            circles = [group for group in root.iter(svg + "g") if group.get("class") == "xt-process"]
            lines = trace.table(f"frames/own/{k}/state")
            self.assertEqual(len(circles), len(lines))
            for circle, line in zip(circles, lines):
                counts = [int(line[f"tasks_{state}"]) for state in STATES]
                widths = {bar.get("class"): int(bar.get("width")) for bar in circle.iter(svg + "rect")}
                for i, n in enumerate(counts):
                    self.assertAlmostEqual(widths.get(f"xt-t{i}", 0), 42 * n / max(1, sum(counts)), delta=1)
                tip = circle.findtext(svg + "title").partition("; tasks: ")[2]
                self.assertEqual(tip, ", ".join(f"{n} {oracle.NAMES[state]}" for state, n in zip(STATES, counts)))

    @of_each
    def test_run(self, trace):
        for k in range(len(trace.slices)):
            facts = dict(line.split(None, 1) for line in trace.text(f"frames/own/{k}/run").splitlines())
            end = trace.slices_in(*trace.window(f"frames/own/{k}"))[1]
            for name in "mbytes", "mflops":
                last = [next(iter(element.get(name) for i in reversed(range(end)) for element in trace.elements(rank, i, "resource")), None)
                        for rank in range(int(trace.ranks))]
                known = [float(number) for number in last if number is not None]
                self.assertEqual(facts[name] == "-", not known)
                if known:
                    self.assertAlmostEqual(float(facts[name]), sum(known), places=6)

    def test_play(self):
        """Tests that groups A and B of the player are the lines of `state` and `total`, and that arrows are tasks."""
        trace = self.traces["cumulative"]
        arrows = 0
        for k, size in itertools.product((7, 16, 23, 31), ((80, 24), (200, 60))):
            done = oracle.run(XTF, "play", "--frame", k, "--columns", size[0], "--lines", size[1], trace.xtf)
            self.assertEqual((done.returncode, done.stderr), (0, ""))
            first, total = trace.table(f"frames/25fps/{k}/state")[0], trace.table(f"frames/25fps/{k}/total")[0]
            for title, states in ("started, finished", "SF"), ("exported, imported", "XI"), ("prenatal/active/susp.", "PAW"):
                line, = (line for line in done.stdout.splitlines() if line.startswith(title))
                wanted = [table[f"tasks_{state}"] for table in (first, total) for state in states]
                self.assertEqual(line[len(title):].split()[:len(wanted)], wanted)
            for line in trace.table(f"frames/25fps/{k}/arrows/a")[:1]:
                self.assertRegex(done.stdout, f"{line['from']}(→|>){line['to']} {line['count']} {line['kind']}" if line["bytes"] == "-" else "arrows a")
                arrows += line["bytes"] == "-"
        self.assertGreater(arrows, 0)

    def test_values_option_decides(self):
        """Tests that `import --values` decides how samples are read."""
        trace = self.traces["cumulative"]
        per_frame_trace = trace.xtf.with_name("as-told.xtf")
        self.assertEqual(oracle.run(XTF, "import", "-q", "--values", "per-frame", "-o", per_frame_trace, trace.xml).returncode, 0)
        line = oracle.cat(XTF, per_frame_trace, "frames/own/7/proc/2/total").splitlines()
        shown = dict(zip(line[0].lstrip("#").split(), line[1].split()))
        self.assertEqual(shown["sent_bytes"], trace.elements(2, 7, "message")[0].get("sbytes"))

    def test_command(self):
        """Tests that `xtf cat` finds frames as the tree does, and explains invalid ones."""
        trace = self.traces["odd"]
        self.assertEqual(oracle.cat(XTF, trace.xtf, "frames/own/3/info"), trace.text("frames/own/3/info"))
        done = oracle.run(XTF, "cat", trace.xtf, "frames/own/6/info")
        self.assertIn("the trace has 6 of these frames", done.stderr)
        self.assertEqual(done.returncode, 1)


if __name__ == "__main__":
    unittest.main()
