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
ROUNDS = n_rounds(6)


def attributes(trace):
    """Returns the attributes by place. JSON has one type of integers; texts have other numbers in each trace."""
    for place, time, seq, kind, value in trace.side("attributes"):
        yield place, time, seq, kind.replace("UINT8", "INT64"), None if kind == "STRING" else value


def spans(trace):
    """Returns the ends of calls. Their begins are compared by ENTERs, since a printed duration is rounded."""
    return collections.Counter((place, leave, name) for place, _enter, leave, _depth, name in trace.calls())


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
        """An export of an imported file has all its records."""
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
                self.assertEqual(list(attributes(before)), list(attributes(after)))
                for table in "processes", "locations":
                    self.assertEqual(XTF.expect("cat", self.trace, f"definitions/{table}"), XTF.expect("cat", self.again, f"definitions/{table}"))

    def archives(self):
        shared = shared_traces()
        yield from map(pathlib.Path, ARCHIVES)
        if shared:
            yield from (path for name in ("comm-create-4", "coverage-10", "pingpong-2", "pingpong-papi-2") for path in sorted((shared / name).glob("*.otf2")))

    def test_archives(self):
        """An export of an archive has its calls, messages and values."""
        for archive in self.archives():
            with self.subTest(archive=archive.parent.name):
                XTF.import_archive(archive, self.trace)
                _words, events, before, after = self.export()
                self.assertEqual(before.enters(), after.enters())
                # A call that is never left ends in the file with the call around it.
                missing = spans(before) - spans(after)
                self.assertEqual(sum(missing.values()), 0, list(missing)[:5])
                self.assertEqual(before.messages(), after.messages())
                self.assertEqual(before.values(), after.values())
                self.compare_pairs(events, before)

    def compare_pairs(self, events, trace):
        """Compares the flows of the file with the messages that the trace matches."""
        sends = {event["id"]: event for event in events if event["ph"] == "s"}
        receives = {event["id"]: event for event in events if event["ph"] == "f"}
        for key, event in receives.items():
            send = sends.get(key, event) # a receive without a known send has an id of its own
            if send is not event:
                self.assertEqual((send["pid"], send["args"]["peer"], send["args"]["tag"]), (event["args"]["peer"], event["pid"], event["args"]["tag"]))
        self.assertLess(sum(key not in sends for key in receives), 1 + len(receives) // 10)
        found = [(event["pid"], event["args"]["peer"], event["args"]["bytes"]) for event in sends.values()]
        self.assertEqual(len(sends) + len(receives), sum(event["ph"] in "sf" for event in events))
        matrix = [line.split() for line in XTF.expect("cat", trace.path, "matrix").decode().splitlines() if line[:1] != "#"]
        wanted = {(int(row[0]), int(row[1])): (int(row[2]), int(row[3])) for row in matrix if row}
        counted = {pair: (sum(row[:2] == pair for row in found), sum(row[2] for row in found if row[:2] == pair)) for pair in {row[:2] for row in found}}
        self.assertEqual(counted, wanted)

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

    def test_some_processes(self):
        """An export of one process names the peers of its messages, so that an import has them."""
        (self.folder / "in.json").write_text(json.dumps(
            [{"ph": "M", "name": "process_name", "pid": pid, "args": {"name": f"p{pid}"}} for pid in range(1, 5)] +
            [{"ph": phase, "pid": pid, "id": i, "ts": i + (phase == "f")} for i, peer in enumerate((2, 3, 2)) for phase, pid in (("s", 1), ("f", peer))]), encoding="utf-8")
        XTF.import_archive(self.folder / "in.json", self.trace)
        _words, events, before, after = self.export("proc/1")
        self.assertEqual(after.messages(), [end for end in before.messages() if end[1] == (1, 0)])
        self.assertEqual(sorted((event["pid"], event["args"]["name"]) for event in events if event["name"] == "process_name"), [(i, f"p{i}") for i in (1, 2, 3)])

    def test_processes_without_threads(self):
        (self.folder / "in.json").write_text('[{"ph":"M","name":"process_name","pid":1,"args":{"name":"idle"}},{"ph":"M","name":"process_sort_index","pid":2,"args":{"sort_index":7}},'
                                             '{"ph":"i","name":"a","pid":3,"ts":0},{"ph":"M","name":"thread_name","pid":4,"tid":5,"args":{"name":"t"}}]', encoding="utf-8")
        XTF.import_archive(self.folder / "in.json", self.trace)
        self.export()
        for table in "processes", "locations":
            self.assertEqual(XTF.expect("cat", self.trace, f"definitions/{table}"), XTF.expect("cat", self.again, f"definitions/{table}"))

    def test_numbers_that_json_lacks(self):
        """Counters that are not finite are texts in an export, and have the same bits after its import. Other texts are no values."""
        values = ["NaN", "Infinity", "-Infinity", '"NaN"', '"Infinity"', '"-Infinity"', '"inf"', '"1"', "2.5"]
        (self.folder / "in.json").write_text("[" + ",".join(f'{{"ph":"C","name":"c","ts":{i},"args":{{"value":{value}}}}}' for i, value in enumerate(values)) + "]", encoding="utf-8")
        XTF.import_archive(self.folder / "in.json", self.trace)
        _words, events, before, after = self.export()
        self.assertEqual([event["args"]["value"] for event in events if event["ph"] == "C"], ["NaN", "Infinity", "-Infinity"] * 2 + [2.5])
        self.assertEqual(len(before.values()), 7)
        self.assertEqual(before.values(), after.values())

    def test_names_of_arguments(self):
        """The names of an event's arguments are distinct. A message has further arguments."""
        (self.folder / "in.json").write_text('[{"ph":"i","name":"m","ts":1,"args":{"a":1,"a":2,"a (2)":3,"a":4}},{"ph":"i","name":"n","ts":2,"args":{"a":5}},'
                                             '{"ph":"s","id":7,"pid":1,"ts":3,"args":{"tag":"red","bytes":0.5,"peer":"p","other":6}},{"ph":"f","id":7,"pid":2,"ts":4}]', encoding="utf-8")
        XTF.import_archive(self.folder / "in.json", self.trace)
        words = XTF.expect("export", "chrome", "-f", "-o", self.out, self.trace).decode()
        pairs = []
        json.loads(self.out.read_bytes(), object_pairs_hook=lambda items: pairs.append(items) or dict(items))
        for items in pairs:
            self.assertEqual(len(items), len(dict(items)), (items, words))
        arguments = [event["args"] for event in json.loads(self.out.read_bytes())["traceEvents"] if event["ph"] in "isf"]
        self.assertEqual(arguments, [{"a": 1, "a (2)": 2, "a (2) (2)": 3, "a (3)": 4}, {"a": 5}, {"tag": 7, "bytes": 0, "peer": 2, "tag (2)": "red", "bytes (2)": 0.5, "peer (2)": "p", "other": 6},
                                     {"tag": 7, "bytes": 0, "peer": 1}])

    def test_replaced(self):
        """Only an older export is replaced."""
        (self.folder / "in.json").write_text('[{"ph":"i","name":"a","ts":0}]', encoding="utf-8")
        XTF.import_archive(self.folder / "in.json", self.trace)
        self.export()
        self.export()
        self.assertEqual(XTF.run("export", "chrome", "-f", "-o", self.folder / "in.json", self.trace).status, 1)


if __name__ == "__main__":
    unittest.main()
