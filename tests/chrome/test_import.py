#!/usr/bin/env python3
"""Imports of Chrome's trace events, compared with Python's json and a naive program (naive_chrome.py).

usage: test_import.py XTF DUMP-TRACE
"""

import gzip
import itertools
import json
import pathlib
import random
import re
import struct
import sys
import unittest

import chrome_gen
import naive_chrome
from chrome_trace import Trace
from xtfrun import Xtf, n_rounds, temporary_folder

DUMP_TRACE = sys.argv.pop()
XTF = Xtf(sys.argv.pop())
ROUNDS = n_rounds(12)
MUTATIONS = n_rounds(400)


def places_of(events):
    """Returns the numbers of processes and threads by pid and tid. Texts follow the greatest number."""
    places = {(event.get("pid", 0), event.get("tid", 0)) for event in events if event["ph"] != "M" or "tid" in event}
    pids = {pid for pid, _tid in places} | {event["pid"] for event in events if "pid" in event}
    numbers = number(pids)
    return {(pid, tid): (numbers[pid], number({t for p, t in places if p == pid})[tid]) for pid, tid in places}


def number(ids):
    found = {i: i for i in ids if isinstance(i, int)}
    following = max(found.values(), default=-1) + 1
    texts = [i for i in ids if not isinstance(i, int)]
    assert len(texts) < 2, "texts are numbered in the order of the file"
    return found | {text: following for text in texts}


def bits_of(value):
    return str(struct.unpack("<Q", struct.pack("<d", float(value)))[0])


def kind_of(value):
    """Returns the type and the value of an argument as a dump of the trace has them; the value of a text is not known."""
    if isinstance(value, bool):
        return "UINT8", str(int(value))
    if isinstance(value, int):
        return ("INT64", str(value % (1 << 64))) if value < 1 << 63 else ("UINT64", str(value))
    if isinstance(value, naive_chrome.decimal.Decimal):
        return "DOUBLE", bits_of(value)
    return "STRING", None


class Importing(unittest.TestCase):
    def setUp(self):
        self.temporary = temporary_folder()
        self.folder = pathlib.Path(self.temporary.name)
        self.file, self.trace = self.folder / "in.json", self.folder / "out.xtf"

    def tearDown(self):
        self.temporary.cleanup()

    def load(self, data, *options, status=0):
        """Imports the bytes of a file. Returns the command's result."""
        self.file.write_bytes(data if isinstance(data, bytes) else data.encode())
        result = XTF.run("import", "-f", *options, "-o", self.trace, self.file)
        self.assertEqual(result.status, status, result)
        return result

    def read(self):
        return Trace(XTF, DUMP_TRACE, self.trace)

    def remarks(self):
        return XTF.expect("cat", self.trace, "definitions/remarks").decode()

    # ---- Files by a generator.

    def compare(self, data):
        run, places = naive_chrome.read(data), places_of(naive_chrome.load(data))
        trace = self.read()
        self.assertEqual(sorted(trace.calls()), sorted((places[place], *rest) for place, *rest in run.calls))
        ends = [("sends", places[sender], sent, places[receiver][0], tag, 0) for sender, sent, receiver, _received, tag in run.messages]
        ends += [("recvs", places[receiver], received, places[sender][0], tag, 0) for sender, _sent, receiver, received, tag in run.messages]
        self.assertEqual(trace.messages(), sorted(ends))
        self.assertEqual(sorted(trace.counters()), sorted((places[place], *rest) for place, *rest in run.counters))
        self.assertEqual(sorted(trace.texts("markers", 2)), sorted((places[place], *rest) for place, *rest in run.markers))
        activities = [(places[place], time, "ASYNC_" + label, str(key), category, name) for place, time, label, key, category, name in run.activities]
        self.assertEqual(sorted(trace.texts("async", 4)), sorted(activities))
        wanted = [(places[place], time, *kind_of(value)) for place, time, _name, value in run.arguments if value is not None]
        found = [(place, time, kind, None if kind == "STRING" else value) for place, time, _seq, kind, value in trace.side("attributes")]
        self.assertEqual(sorted(found, key=repr), sorted(wanted, key=repr))

    def test_generated(self):
        for seed in range(ROUNDS):
            with self.subTest(seed=seed):
                source = random.Random(seed)
                data = chrome_gen.document(source, chrome_gen.make(source, 400, span=source.choice([300, 1000000])))
                self.load(gzip.compress(data) if seed % 3 == 0 else data, "-q")
                self.compare(data)

    def test_names(self):
        source = random.Random(7)
        data = chrome_gen.document(source, chrome_gen.make(source, 100))
        self.load(data)
        run, places = naive_chrome.read(data), places_of(naive_chrome.load(data))
        processes = XTF.expect("cat", self.trace, "definitions/processes").decode()
        locations = XTF.expect("cat", self.trace, "definitions/locations").decode()
        for (kind, pid, tid), name in run.names.items():
            self.assertRegex(processes if kind == "process_name" else locations,
                             rf"(?m)^.* {name} *$" if kind == "process_name" else rf"(?m)^ *\d+ +\d+ +{places[pid, tid][0]} +{places[pid, tid][1]} .* {name} *$")

    def test_names_without_arguments(self):
        """An event of metadata without its argument keeps what an earlier one set."""
        texts = [[f'{{"ph":"M","pid":1,"tid":2,"name":"{name}","args":{{"{key}":{value}}}}}',
                  f'{{"ph":"M","pid":1,"tid":2,"name":"{name}"{rest}}}'] for name, key, value, rest in
                 (("process_name", "name", '"the process"', ""), ("thread_name", "name", '"the thread"', ',"args":{}'), ("process_labels", "labels", '"a label"', ',"args":{"name":"x"}'),
                  ("thread_sort_index", "sort_index", 77, ',"args":{"sort_index":1.5}'))]
        self.load(f"[{','.join(sum(texts, []))}]")
        for table, word in ("processes", "the process"), ("locations", "the thread"), ("definition_properties", "label"), ("definition_properties", "77"):
            self.assertIn(word, XTF.expect("cat", self.trace, f"definitions/{table}").decode())

    # ---- Files that are damaged, cut, or no JSON of events.

    def test_as_python(self):
        """Accepts what Python's json accepts, and commas after the last items of arrays. Refuses what it refuses. A file that ends early is imported with a warning."""
        source = random.Random(3)
        base = [chrome_gen.document(source, chrome_gen.make(source, 30)).decode() for _ in range(4)]
        pieces = ['"', "{", "}", "[", "]", ",", ":", "\\", "\\u12", "\\ud800", "\n", "\x01", "1", "-", ".", "e", "tru", "null", "NaN", "-Infinity", "0", " ", "\t", "\x00"]
        verdicts = {"accepted": 0, "refused": 0, "cut": 0}
        for i in range(MUTATIONS):
            text = source.choice(base)
            at = source.randrange(len(text))
            kept = at + source.choice([0, 0, 1, 2, 9])
            text = text[:at] + ("" if source.random() < 0.3 else source.choice(pieces)) + text[kept:] if i % 8 else text[:at]
            try:
                document = json.loads(re.sub(r"([^\s\[,:]\s*),(\s*\])", r"\1\2", text))
            except ValueError:
                document = None
            self.file.write_text(text, encoding="utf-8")
            result = XTF.run("import", "--format", "chrome", "-q", "-f", "-o", self.trace, self.file)
            with self.subTest(i=i, text=text[max(at - 40, 0):at + 40], result=str(result)):
                if document is not None:
                    events = isinstance(document, list) or isinstance(document, dict) and isinstance(document.get("traceEvents"), list)
                    self.assertEqual(result.status, 0 if events else 1)
                    verdicts["accepted" if events else "refused"] += 1
                elif result.status == 0: # the end is missing
                    self.assertIn(f"byte {len(text.encode()) + 1}: the file ends before the JSON does".encode(), result.errors)
                    verdicts["cut"] += 1
                else:
                    self.assertRegex(result.errors.decode(), r"line \d+, byte \d+: ")
                    verdicts["refused"] += 1
        self.assertGreater(min(verdicts.values()), MUTATIONS // 50, verdicts)

    def test_cut(self):
        source = random.Random(5)
        texts = chrome_gen.make(source, 60)
        whole = "[" + ",\n".join(texts) + "]"
        ends = [len(("[" + ",\n".join(texts[:i])).encode()) for i in range(1, len(texts) + 1)]
        for at in sorted(source.sample(range(2, len(whole.encode())), 25)):
            with self.subTest(at=at):
                result = self.load(whole.encode()[:at], "--format", "chrome")
                self.assertIn(f"byte {at + 1}: the file ends before the JSON does".encode(), result.errors)
                self.compare(("[" + ",".join(texts[:sum(end <= at for end in ends)]) + "]").encode())
        packed = gzip.compress(whole.encode())
        self.assertIn(b"the packed file ends", self.load(packed[:len(packed) // 2], "--format", "chrome").errors)

    def test_damaged(self):
        data = '[{"ph":"B","ts":1,"name":"a"},\n{"ph":"E","ts":2},\n{"ph":x},\n{"ph":"B","ts":3,"name":"b"}]'
        self.assertRegex(self.load(data, status=1).errors.decode(), r'in\.json: line 3, byte 58: "x" is no value')
        self.assertFalse(self.trace.exists())
        result = self.load(data, "--keep-going")
        self.assertIn(b'line 3, byte 58: "x" is no value; everything after that is left out', result.errors)
        self.assertEqual(self.read().calls(), [((0, 0), 1000, 2000, 0, "a")])
        packed = bytearray(gzip.compress(json.dumps([{"ph": "B", "ts": i, "name": str(i * i)} for i in range(5000)]).encode()))
        packed[len(packed) // 2] ^= 0xff
        self.assertRegex(self.load(bytes(packed), "--format", "chrome", status=1).errors, b"damaged|byte")

    def test_last_comma(self):
        """A program that writes a comma after each event leaves one before the end of the array."""
        for data in '[{"ph":"i","name":"a","ts":1},\n]', '{"traceEvents":[{"ph":"i","name":"a","ts":1} , ],"a":1}':
            self.load(data)
            self.assertEqual(len(self.read().texts("markers", 2)), 1)
            self.assertRegex(self.remarks(), r"commas after the last item.*: 1\b")
        for data in '[{"ph":"i","name":"a","ts":1},,]', '[,{"ph":"i","name":"a","ts":1}]', '[{"ph":"i","name":"a","ts":1,}]', '[{"ph":"i","name":"a","ts":1}],':
            self.load(data, "--format", "chrome", status=1)

    def test_no_events(self):
        for data in '{"a": [{"ph": "X"}]}', "[1, 2]", "3", "", "{}", '[{"name": "ph"}]':
            errors = self.load(data, status=1).errors
            self.assertIn(b"Chrome", errors)
            self.assertEqual(b"--format chrome" in errors, data[:1] in ("[", "{"), data)
        for data, words in ('{"a": 1}', "no array of events"), ("3", "neither an array nor an object"), ("", "ends"):
            self.assertIn(words, self.load(data, "--format", "chrome", status=1).errors.decode())

    def test_detected(self):
        other = self.folder / "in.trace"
        other.write_text('{"schemaVersion": 1, "traceEvents": [{"ph": "i", "ts": 1, "name": "a"}]}', encoding="utf-8")
        output = XTF.expect("import", "-o", self.trace, other).decode()
        self.assertEqual(output.splitlines()[-1], "format: Chrome")

    # ---- Single rules.

    def test_overlapping(self):
        self.load('[{"ph":"X","name":"a","ts":1,"dur":9},{"ph":"X","name":"b","ts":5,"dur":9},{"ph":"B","name":"c","ts":6},{"ph":"E","ts":12}]')
        self.assertEqual(sorted(self.read().calls()), [((0, 0), 1000, 10000, 0, "a"), ((0, 0), 5000, 10000, 1, "b"), ((0, 0), 6000, 10000, 2, "c")])
        self.assertRegex(self.remarks(), r"overlap.*: 2\b")

    def test_ends_at_one_time(self):
        """A call that ends at the end of the slice around it is inside that slice."""
        self.load('[{"ph":"X","name":"a","ts":1,"dur":9},{"ph":"B","name":"b","ts":5},{"ph":"E","ts":10}]')
        self.assertEqual(sorted(self.read().calls()), [((0, 0), 1000, 10000, 0, "a"), ((0, 0), 5000, 10000, 1, "b")])
        self.assertNotIn("overlap", XTF.run("cat", self.trace, "definitions/remarks").output.decode())

    def test_durations(self):
        self.load('[{"ph":"X","name":"a","ts":1},{"ph":"X","name":"b","ts":2,"dur":"x"},{"ph":"X","name":"c","ts":3,"dur":null},{"ph":"X","name":"d","ts":4,"dur":-1},{"ph":"X","name":"e","ts":5,"dur":"2"}]')
        self.assertEqual([(enter, leave) for _place, enter, leave, *_name in self.read().calls()], [(i, i) for i in (1000, 2000, 3000, 4000)] + [(5000, 7000)])
        self.assertRegex(self.remarks(), r"duration.* missing.*: 3\b")
        self.assertRegex(self.remarks(), r"negative duration.*: 1\b")

    def test_times(self):
        self.load('[{"ph":"i","name":"a","ts":-2},{"ph":"i","name":"b","ts":0.0005},{"ph":"i","name":"c","ts":1234567890123.4567},'
                  '{"ph":"i","name":"d","ts":1e30},{"ph":"i","name":"e","ts":"x"},{"ph":"i","name":"f"},{"ph":"i","name":"g","ts":"3.25E-1"}]')
        self.assertEqual([(time, text) for _place, time, _label, text in self.read().texts("markers", 2)],
                         [(0, "a"), (2001, "b"), (2325, "g"), (1234567890125457, "c")])
        self.assertRegex(self.remarks(), "negative.* 2000 ns")
        self.assertRegex(self.remarks(), r"rounded: 2\b")
        self.assertRegex(self.remarks(), r"time \(\"ts\"\).*: 3\b")

    def test_order_at_one_time(self):
        """The longest call is outside, and a flow is in the call that begins with it."""
        self.load('[{"ph":"X","name":"in","ts":1,"dur":1},{"ph":"i","name":"m","ts":1},{"ph":"X","name":"out","ts":1,"dur":5},'
                  '{"ph":"s","id":1,"ts":1},{"ph":"f","id":1,"ts":3,"pid":2}]')
        self.assertEqual(sorted(self.read().calls()), [((0, 0), 1000, 2000, 1, "in"), ((0, 0), 1000, 6000, 0, "out")])
        for name in "markers", "sends":
            self.assertEqual(XTF.expect("cat", self.trace, f"{name}/records").split()[-1], b"in", name)

    def test_begin_with_slice(self):
        """If a B and an X begin at one time, the one that ends later is outside."""
        for data, inner in (('{"ph":"X","name":"x","ts":10,"dur":10},{"ph":"B","name":"b","ts":10},{"ph":"E","ts":15}', "b"),
                            ('{"ph":"B","name":"b","ts":10},{"ph":"X","name":"x","ts":10,"dur":2},{"ph":"B","name":"c","ts":11},{"ph":"E","ts":11},{"ph":"E","ts":15}', "x"),
                            ('{"ph":"X","name":"x","ts":10,"dur":2},{"ph":"B","name":"b","ts":10}', "x")):
            with self.subTest(data=data):
                self.load(f"[{data}]")
                enters = XTF.expect("cat", self.trace, "enters_leaves/records").decode().split("\n")
                self.assertEqual([line.split()[-1] for line in enters if " ENTER " in line][:2], ["x" if inner == "b" else "b", inner])
                self.assertNotIn("overlap", XTF.run("cat", self.trace, "definitions/remarks").output.decode())

    def test_marker_before_slice(self):
        """The order does not depend on the file: a marker at the time of a thread's first X is in its call."""
        events = ['{"ph":"i","name":"m","ts":1}', '{"ph":"X","name":"x","ts":1,"dur":4}', '{"ph":"B","name":"b","ts":0}']
        for order in itertools.permutations(events):
            self.load(f"[{','.join(order)}]")
            self.assertEqual(XTF.expect("cat", self.trace, "markers/records").split()[-2:], [b"m", b"x"])

    def test_flows(self):
        """Events without a partner are left out, unless they name the other process."""
        self.load('[{"ph":"s","id":1,"ts":1,"pid":1},{"ph":"f","id":2,"ts":2,"pid":2},{"ph":"s","id":3,"ts":3,"pid":1,"args":{"peer":2,"tag":5,"bytes":7}},'
                  '{"ph":"s","id":4,"ts":4,"pid":1},{"ph":"f","id":4,"ts":5,"pid":2},{"ph":"s","id":4,"ts":6,"pid":1},{"ph":"f","id":4,"ts":7,"pid":2,"args":{"bytes":3}}]')
        self.assertEqual(self.read().messages(), sorted([("sends", (1, 0), 3000, 2, 5, 7), ("sends", (1, 0), 4000, 2, 4, 0), ("recvs", (2, 0), 5000, 1, 4, 0),
                                                         ("sends", (1, 0), 6000, 2, 4, 3), ("recvs", (2, 0), 7000, 1, 4, 3)]))
        self.assertRegex(self.remarks(), r"no message is known: 2\b")

    def test_scopes_of_flows(self):
        """Flows with one id are different ones if their scopes differ, or if their ids are local to processes."""
        ends = [("sends", (1, 0), 0, 1), ("recvs", (1, 1), 1000, 1), ("sends", (2, 0), 0, 2), ("recvs", (2, 1), 1000, 2)]
        for members in '"id2":{"local":"0x5"}', '"id":5,"local":true', '"id":5,"scope":"PID"':
            events = [f'{{"ph":"{"sf"[step]}","pid":{pid},"tid":{step},"ts":{step},{members.replace("PID", str(pid))}}}' for step in (0, 1) for pid in (2, 1)]
            with self.subTest(members=members):
                self.load(f"[{','.join(events)}]")
                self.assertEqual(self.read().messages(), sorted((*end, 5, 0) for end in ends))

    def test_flow_at_one_time(self):
        """A receiver and a sender at one time are a message, in any order of the file."""
        self.load('[{"ph":"f","id":1,"ts":1,"pid":2},{"ph":"s","id":1,"ts":1,"pid":1},{"ph":"t","id":1,"ts":5,"pid":2},{"ph":"s","id":1,"ts":5,"pid":1},{"ph":"f","id":1,"ts":6,"pid":3},'
                  '{"ph":"s","id":2,"ts":1,"pid":1},{"ph":"s","id":2,"ts":2,"pid":1},{"ph":"f","id":2,"ts":2,"pid":3}]')
        self.assertEqual(self.read().messages(), sorted([("sends", (1, 0), 1000, 2, 1, 0), ("recvs", (2, 0), 1000, 1, 1, 0), ("sends", (1, 0), 5000, 2, 1, 0), ("recvs", (2, 0), 5000, 1, 1, 0),
                                                         ("sends", (2, 0), 5000, 3, 1, 0), ("recvs", (3, 0), 6000, 2, 1, 0),
                                                         ("sends", (1, 0), 2000, 3, 2, 0), ("recvs", (3, 0), 2000, 1, 2, 0)]))

    def test_peer_without_events(self):
        """The process that `peer` names may have no events. Its number may be that of a process with a text."""
        self.load('[{"ph":"s","id":1,"ts":1,"pid":1,"args":{"peer":9}},{"ph":"f","id":2,"ts":2,"pid":1,"args":{"peer":4}},{"ph":"i","name":"a","pid":"p","ts":3},'
                  '{"ph":"f","id":3,"ts":4,"pid":1,"args":{"peer":2}}]')
        self.assertEqual(self.read().messages(), sorted([("sends", (1, 0), 1000, 9, 1, 0), ("recvs", (1, 0), 2000, 4, 2, 0), ("recvs", (1, 0), 4000, 10, 3, 0)]))

    def test_left_out(self):
        self.load('[{"ph":"N","ts":1},{"ph":"E","ts":1},{"ts":1},7,{"ph":"C","ts":1,"name":"c","args":{"a":"b"}},{"ph":"X","ts":1,"name":"x"}]')
        for words in r'phase "N".*: 1\b', r"did not begin: 1\b", r"without a phase.*: 1\b", r"no objects: 1\b", r"without a number: 1\b":
            self.assertRegex(self.remarks(), words)

    def test_long_phases(self):
        self.load('[{"ph":"abcdef","ts":1},{"ph":"abcdef","ts":2},{"ph":"abcdef","ts":3},{"ph":"abcü","ts":1},{"ph":"abcü","ts":1},{"ph":"i","name":"a","ts":1}]')
        self.assertRegex(self.remarks(), r'phase "abcd".*: 3\b')
        self.assertRegex(self.remarks(), r'phase "abc",.*: 2\b')

    def test_bound_flows(self):
        self.load('[{"ph":"B","name":"a","ts":1,"bind_id":"0x1","flow_out":true},{"ph":"E","ts":2,"bind_id":"0x1"},{"ph":"X","name":"b","ts":3,"dur":1,"bind_id":1,"flow_in":true},{"ph":"B","name":"c","ts":4}]')
        self.assertRegex(self.remarks(), r'"bind_id": 3\b')

    def test_decimal_places(self):
        """A pid and a tid are numbers, however the file writes them. Others that are no integer from 0 are texts."""
        self.load('[{"ph":"B","name":"a","ts":1,"pid":1,"tid":20},{"ph":"E","ts":2,"pid":1.0,"tid":2e1},{"ph":"B","name":"b","ts":3,"pid":1e0,"tid":20.00},{"ph":"E","ts":4,"pid":10E-1,"tid":0.2e+2},'
                  '{"ph":"i","name":"c","ts":5,"pid":1.5,"tid":-0.0},{"ph":"i","name":"d","ts":6,"pid":3,"tid":-1}]')
        self.assertEqual(sorted(self.read().calls()), [((1, 20), 1000, 2000, 0, "a"), ((1, 20), 3000, 4000, 0, "b")])
        self.assertEqual([(place, text) for place, _time, _label, text in self.read().texts("markers", 2)], [((3, 0), "d"), ((4, 0), "c")])

    def test_properties(self):
        self.load('{"traceEvents":[{"ph":"i","ts":1,"name":"a"}],"displayTimeUnit":"ns","otherData":{"host":"h 1","n":3},"beginningOfTime":12}')
        properties = XTF.expect("cat", self.trace, "definitions/properties").decode()
        for line in "chrome.displayTimeUnit +ns", "host +h 1", "n +3", "chrome.beginningOfTime +12":
            self.assertRegex(properties, rf"(?m)^ *\d+ {line} *$")

    def test_texts(self):
        """Escapes, and arguments by their names."""
        self.load(r'[{"ph":"B","name":"a\"\\\/\n\u00e9\ud83d\ude00\u0000","ts":1,"args":{"k\u0065y":"v","list":[1,{"x":null}]}},{"ph":"E","ts":2,"args":{"at end":0.5}}]')
        attributes = XTF.expect("cat", self.trace, "enters_leaves/num/0/attributes").decode()
        self.assertRegex(attributes, r"key +STRING +v|STRING +v .*key|key.*v")
        self.assertIn('[1,{"x":null}]', attributes)
        self.assertIn("0.5", XTF.expect("cat", self.trace, "enters_leaves/num/1/attributes").decode())
        self.assertIn("a\"\\x5c/\\x0a\u00e9\U0001f600\ufffd", XTF.expect("cat", self.trace, "definitions/regions").decode())


if __name__ == "__main__":
    unittest.main()
