#!/usr/bin/env python3
"""Tests of naive.py with traces of a few events, whose totals were computed by hand."""

import unittest
from types import SimpleNamespace

from expected import Record, Stack
from naive import BEFORE, Location, Naive, overlap, slice_of, slices
from selections import Selection, escaped, seconds, set_text


def location(*steps, number=0, proc=0):
    """Makes a location. Steps are (time, event): "+A" enters A, "-A" leaves it, any other text is an event that is no call."""
    stack, records = Stack(), []
    for seq, (time, event) in enumerate(steps):
        name = {"+": "ENTER", "-": "LEAVE"}.get(event[0], "OTHER")
        kind = "others" if name == "OTHER" else "enters_leaves"
        record = Record(SimpleNamespace(name=name, values=lambda: {}), kind, time, seq)
        stack.happen(record, event[1:] or None)
        records.append(record)
    return Location(number, proc, 0, records)


class Profile(unittest.TestCase):
    def check(self, timeline, a, b, **wanted):
        profile = {region: row for region, row in self.profile(timeline, a, b).items() if any(row)}
        self.assertEqual(profile, wanted)

    def profile(self, timeline, a, b):
        return Naive.profile(None, [timeline], a, b)

    def test_nested(self):
        timeline = location((10, "+A"), (20, "+B"), (50, "-B"), (100, "-A"))
        self.check(timeline, 0, 200, A=[1, 90, 60], B=[1, 30, 30])
        self.check(timeline, 30, 60, A=[0, 30, 10], B=[0, 20, 20])
        self.check(timeline, 20, 20)
        self.check(timeline, 20, 21, A=[0, 1, 0], B=[1, 1, 1])
        self.check(timeline, 50, 100, A=[0, 50, 50])

    def test_recursion_counts_once(self):
        timeline = location((0, "+A"), (10, "+A"), (20, "+B"), (30, "+A"), (40, "-A"), (50, "-B"), (60, "-A"), (70, "-A"))
        self.check(timeline, 0, 100, A=[3, 70, 50], B=[1, 30, 20])
        self.check(timeline, 35, 65, A=[0, 30, 20], B=[0, 15, 10])

    def test_never_left(self):
        timeline = location((0, "+A"), (10, "+B"), (20, "-B"), (90, "x"))
        self.check(timeline, 0, 1000, A=[1, 90, 80], B=[1, 10, 10])
        self.check(timeline, 50, 1000, A=[0, 40, 40])

    def test_frames_ended_by_the_frame_below(self):
        timeline = location((0, "+A"), (10, "+B"), (20, "+C"), (50, "-A"), (60, "x"))
        self.check(timeline, 0, 100, A=[1, 50, 10], B=[1, 40, 10], C=[1, 30, 30])

    def test_before_trace(self):
        timeline = location((5, "x"), (10, "-A"), (30, "-B"), (40, "+A"), (50, "-C"), (70, "-A"), (80, "-D"), (90, "x"))
        self.check(timeline, 0, 100, A=[1, 30, 30], **{BEFORE: [0, 35, 35]})
        self.check(timeline, 20, 30, **{BEFORE: [0, 10, 10]})
        self.check(timeline, 10, 11, **{BEFORE: [0, 1, 1]})
        self.check(timeline, 75, 85, **{BEFORE: [0, 5, 5]})

    def test_ties(self):
        timeline = location((10, "+A"), (10, "+B"), (10, "-B"), (10, "-A"))
        self.check(timeline, 10, 11, A=[1, 0, 0], B=[1, 0, 0])
        self.check(timeline, 0, 10)

    def test_windows_add_up(self):
        timeline = location((3, "-A"), (5, "+A"), (7, "+B"), (7, "+A"), (9, "-B"), (12, "-Z"), (14, "+C"), (20, "x"))
        row_by_region = self.profile(timeline, 0, 30)
        for cut in range(31):
            left, right = self.profile(timeline, 0, cut), self.profile(timeline, cut, 30)
            for region, row in row_by_region.items():
                self.assertEqual([x + y for x, y in zip(left[region], right[region])], row)
        self.assertEqual(row_by_region["B"], [1, 2, 0])

    def test_stack(self):
        timeline = location((10, "+A"), (20, "+B"), (20, "+C"), (30, "-C"), (40, "x"))
        for a, regions in ((10, ""), (11, "A"), (20, "A"), (21, "ABC"), (30, "ABC"), (31, "AB"), (40, "AB"), (41, "")):
            self.assertEqual("".join(frame.region for frame in timeline.stack_at(a)), regions, a)
        self.assertEqual(timeline.depth, 3)


class Frames(unittest.TestCase):
    def check(self, timeline, *wanted):
        """Compares frames: (region, begin, end, exclusive, depth, ending)."""
        self.assertEqual([(frame.region, frame.begin, frame.end, frame.exclusive, frame.depth, frame.ending)
                          for frame in timeline.frames], list(wanted))

    def test_nested(self):
        timeline = location((10, "+A"), (20, "+B"), (30, "+A"), (45, "-A"), (50, "-B"), (100, "-A"))
        self.check(timeline, ("A", 10, 100, 60, 1, "left"), ("B", 20, 50, 15, 2, "left"), ("A", 30, 45, 15, 3, "left"))
        self.assertEqual([frame.parent and frame.parent.row for frame in timeline.frames], [None, 0, 1])

    def test_endings(self):
        timeline = location((0, "+A"), (10, "+B"), (20, "-A"), (30, "-X"), (40, "+C"), (50, "+D"), (70, "x"))
        self.check(timeline, ("A", 0, 20, 10, 1, "left"), ("B", 10, 20, 10, 2, "cut"), ("C", 40, 70, 10, 1, "open"),
                   ("D", 50, 70, 20, 2, "open"))
        self.assertEqual([frame.end_row for frame in timeline.frames], [2, 2, 6, 6])


class Paths(unittest.TestCase):
    def test_seconds(self):
        for hz in (1, 1000, 1995386627):
            for ticks in (0, 1, 2, hz - 1, hz, hz + 1, 12345678901):
                text = seconds(ticks, hz)
                row_by_region, _, part = text.partition(".")
                scaled, unit = int(row_by_region + part) * hz, 10 ** len(part)
                self.assertEqual(-(-scaled // unit), ticks, text)

    def test_sets(self):
        self.assertEqual(set_text({5, 0, 2, 1, 7, 8}), "0-2,5,7-8")

    def test_names(self):
        self.assertEqual(escaped("a/b c\\\n\u00e4"), "a\\x2fb\\x20c\\x5c\\x0a\\xc3\\xa4")
        self.assertEqual((escaped(".x"), escaped("#1"), escaped("x.#")), ("\\x2ex", "\\x231", "x.#"))

    def test_window(self):
        selection = Selection(SimpleNamespace(origin=100, end=201, ticks=1000))
        self.assertEqual(selection.window(), (100, 201))
        self.assertEqual(selection.in_window(150, 160).path("count"), "/time/0.05-0.06/count")
        self.assertEqual(selection.in_window(500, None).window(), (201, 201))


class Slices(unittest.TestCase):
    def test_slices(self):
        bounds = slices(10, 17, 3)
        self.assertEqual(bounds, [10, 12, 14, 17])
        self.assertEqual([slice_of(bounds, time) for time in range(10, 17)], [0, 0, 1, 1, 2, 2, 2])
        self.assertEqual(slice_of(slices(5, 6), 5), 99)
        self.assertEqual(overlap(0, 10, 5, 5), 0)
        self.assertEqual(overlap(0, 10, 8, 20), 2)


if __name__ == "__main__":
    unittest.main()
