#!/usr/bin/env python3
"""Exports to Chrome's trace events: Python's json reads them, and an import gives the same calls, messages, counters and other records.

usage: test_export.py XTF DUMP-TRACE [ARCHIVE ...]
"""

import collections
import json
import pathlib
import random
import sys
import unittest

import chrome_gen
import naive_chrome
from chrome_trace import Trace
from xtfrun import Xtf, n_rounds, shared_traces, temporary_folder

XTF, DUMP_TRACE, *ARCHIVES = sys.argv[1:]
del sys.argv[1:]
XTF = Xtf(XTF)
ROUNDS = n_rounds(XTF.program, 6)


class Exporting(unittest.TestCase):
    def setUp(self):
        self.temporary = temporary_folder()
        self.folder = pathlib.Path(self.temporary.name)
        self.trace, self.again, self.out = self.folder / "in.xtf", self.folder / "again.xtf", self.folder / "out.json"

    def tearDown(self):
        self.temporary.cleanup()

    def export(self, *path):
        """Exports the trace and imports it again. Returns the command's words, the events, and both traces."""
        words = XTF.expect("export", "chrome", "-f", "-o", self.out, self.trace, *path).decode()
        document = json.loads(self.out.read_bytes())
        XTF.import_archive(self.out, self.again)
        return words, document["traceEvents"], Trace(XTF, DUMP_TRACE, self.trace), Trace(XTF, DUMP_TRACE, self.again)

    def test_imported_files(self):
        """A file that was imported from the format comes back with all its records."""
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                source = random.Random(seed)
                (self.folder / "in.json").write_bytes(chrome_gen.document(source, chrome_gen.make(source, 400)))
                XTF.import_archive(self.folder / "in.json", self.trace)
                _words, _events, before, after = self.export()
                self.assertEqual(sorted(before.calls()), sorted(after.calls()))
                self.assertEqual(before.messages(), after.messages())
                self.assertEqual(before.counters(), after.counters())
                for name, n in ("markers", 2), ("async", 4):
                    self.assertEqual(before.texts(name, n), after.texts(name, n))
                self.assertEqual([row[:4] for row in before.side("attributes")], [row[:4] for row in after.side("attributes")])
                for table in "processes", "locations":
                    self.assertEqual(XTF.expect("cat", self.trace, f"definitions/{table}"), XTF.expect("cat", self.again, f"definitions/{table}"))

    def archives(self):
        shared = shared_traces()
        yield from map(pathlib.Path, ARCHIVES)
        if shared:
            yield from (path for name in ("comm-create-4", "coverage-10", "pingpong-2", "pingpong-papi-2") for path in sorted((shared / name).glob("*.otf2")))

    def test_archives(self):
        """Records of an archive come back; their times are those since its beginning."""
        for archive in self.archives():
            with self.subTest(archive=archive.parent.name):
                XTF.import_archive(archive, self.trace)
                words, events, before, after = self.export()
                self.compare_calls(words, before, after)
                places = self.places(before)
                self.assertEqual(self.ends(before, places), self.ends(after, places))
                self.assertEqual(sorted(row[:2] + row[2:] for row in self.values(before)), sorted(self.values(after)))
                self.compare_pairs(events, before)

    def places(self, trace):
        return {(int(proc), int(thread)) for name in ("enters_leaves", "sends", "recvs") for _time, proc, thread, *_ in trace.records(name, 4)}

    def compare_calls(self, words, before, after):
        """Compares calls. Calls that are never left end with the call around them in the export: it has more of them."""
        mine, others = collections.Counter(before.calls()), collections.Counter(after.calls())
        enters = [collections.Counter(tuple(row[:3] + row[-1:]) for row in trace.records("enters_leaves", 11) if row[4] == "ENTER") for trace in (before, after)]
        strip = [collections.Counter({(*key[:3], key[3].rstrip()): n for key, n in found.items()}) for found in enters]
        self.assertEqual(*strip)
        left = sum(mine.values())
        if "without an ENTER" not in words:
            self.assertLessEqual(left, sum(others.values()))
        depths = lambda calls: collections.Counter((place, enter, leave, name) for place, enter, leave, _depth, name in calls.elements() if leave > enter)
        missing = depths(mine) - depths(others)
        self.assertEqual(sum(n for key, n in missing.items() if self.has_enter(key, enters[0])), 0, missing)

    @staticmethod
    def has_enter(key, enters):
        (proc, thread), enter, _leave, name = key
        text = f"{enter // 10**9}.{enter % 10**9:09}"
        return any(row[0].endswith(text) and row[1:3] == (str(proc), str(thread)) and row[3].rstrip() == name for row in enters)

    def ends(self, trace, places):
        return [end for end in trace.messages() if end[1] in places]

    @staticmethod
    def values(trace):
        """Returns the values of metrics by place and time."""
        return sorted((place, time, value) for place, time, _seq, _kind, value in trace.side("metric_values"))

    def compare_pairs(self, events, trace):
        """Compares the flows of the file with the pairs that the trace matches, by their sends."""
        sends = {event["id"] for event in events if event["ph"] == "s"}
        receives = [event["id"] for event in events if event["ph"] == "f"]
        self.assertEqual(len(receives), len(set(receives)))
        matched = XTF.run("cat", trace.path, "messages").output.decode().splitlines()
        self.assertEqual(len(sends), sum(event["ph"] == "s" for event in events))
        self.assertTrue(matched or not sends)
        self.assertLessEqual(sum(key not in sends for key in receives), len(receives) // 10)

    def test_window(self):
        """Calls that a window cuts begin and end with it."""
        (self.folder / "in.json").write_text('[{"ph":"X","name":"a","ts":0,"dur":10},{"ph":"X","name":"b","ts":2,"dur":4},{"ph":"X","name":"c","ts":7,"dur":1}]', encoding="utf-8")
        XTF.import_archive(self.folder / "in.json", self.trace)
        words, events, _before, _after = self.export("time/3us-7.5us")
        found = [(event["ph"], naive_chrome.nanoseconds(event["ts"]), event.get("name")) for event in events if event["ph"] != "M"]
        self.assertEqual(found, [("B", 3000, "a"), ("B", 3000, "b"), ("E", 6000, None), ("B", 7000, "c"), ("E", 7500, None), ("E", 7500, None)])
        self.assertIn("2 calls begin before the window", words)
        self.assertIn("2 calls end after the window", words)
        self.assertEqual([event["ph"] for event in self.export("thread/9")[1]] if XTF.run("ls", self.trace, "thread/9").status == 0 else [], [])

    def test_replaced(self):
        """Only an older export is replaced."""
        (self.folder / "in.json").write_text('[{"ph":"i","name":"a","ts":0}]', encoding="utf-8")
        XTF.import_archive(self.folder / "in.json", self.trace)
        self.export()
        self.export()
        self.assertEqual(XTF.run("export", "chrome", "-f", "-o", self.folder / "in.json", self.trace).status, 1)


if __name__ == "__main__":
    unittest.main()
