#!/usr/bin/env python3
"""The tree of a measured network, compared with ncdump and a naive recomputation: tables, statistics, outliers, curves, fits, the picture.

usage: test_views.py XTF
"""

import csv
import json
import math
import pathlib
import random
import struct
import sys
import tempfile
import unittest
import zlib

import measured
import naive

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
from xtfrun import Xtf, need_programs, shared_traces  # noqa: E402

COMMAND = None
US = 1e6


def run_xtf(*arguments, text=True):
    return COMMAND.completed(*arguments, text=text)


def parse_number(word):
    return math.nan if word == "-" else float(word)


def png(data):
    """Returns (width, height, rows of colours, texts) of an image with a palette, whose rows have no filter."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, palette, texts = 8, b"", b"", b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        if kind == b"IHDR":
            width, height, depth, colour = struct.unpack(">IIBB", body[:10])
            assert (depth, colour) == (8, 3)
        elif kind == b"IDAT":
            packed += body
        elif kind == b"PLTE":
            palette = body
        elif kind in (b"tEXt", b"iTXt", b"zTXt"):
            texts += body
        at += length + 12
    raw = zlib.decompress(packed)
    assert all(raw[y * (width + 1)] == 0 for y in range(height))
    rows = [[tuple(palette[3 * c:3 * c + 3]) for c in raw[y * (width + 1) + 1:(y + 1) * (width + 1)]] for y in range(height)]
    return width, height, rows, texts


class Views(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory(prefix="xtf-nettest-")
        folder = pathlib.Path(cls.holder.name)
        sources = []
        shared = shared_traces()
        if shared and (shared / "network-4x4").is_dir():
            sources.append({path.stem.split("_", 1)[1]: path for path in (shared / "network-4x4").glob("delays*_[admn]*.nc")})
        sources.append(measured.make(folder, "two", 8, 12, seed=5))
        cls.networks = []
        for i, paths in enumerate(sources):
            trace = folder / f"{i}.xtf"
            done = run_xtf("import", "-q", "-o", trace, next(iter(paths.values())))
            assert done.returncode == 0, done.stderr
            cls.networks.append((trace, {kind: measured.read(path) for kind, path in paths.items() if kind != "all"}))
        cls.nodes = [(lambda proc: proc)] * (len(sources) - 1) + [lambda proc: proc // 4]  # shared traces do not name their hosts

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def cat(self, trace, path, **options):
        done = run_xtf("cat", trace, path, **options)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def lines(self, trace, path):
        text = self.cat(trace, path)
        self.assertEqual(len(set(map(len, text.splitlines()))), 1, "all lines are equally long")
        return [line.split() for line in text.splitlines()[1:]]

    def assert_close(self, shown, expected, label, relative=1e-9, absolute=5.1e-5):
        if expected is None or math.isnan(expected):
            self.assertTrue(math.isnan(shown), f"{label}: {shown}")
        else:
            self.assertTrue(math.isclose(shown, expected, rel_tol=relative, abs_tol=absolute), f"{label}: {shown}, not {expected}")

    def test_tables(self):
        names = {"measured": 0}
        for trace, results in self.networks:
            for kind, result in results.items():
                name = measured.EVENTS[kind].lower()
                for i, length in enumerate(result.lengths()):
                    rows = [line.split() for line in self.cat(trace, f"length/{length}/{name}/table").splitlines()]
                    scale = 1 if name == "amount" else US
                    for sender, row in enumerate(rows):
                        self.assertEqual(len(row), len(rows))
                        for receiver, word in enumerate(row):
                            reading = result.data[i][receiver][sender]
                            expected = math.nan if sender == receiver else reading * scale
                            self.assert_close(parse_number(word), expected, (kind, length, sender, receiver))
                            names["measured"] += 1
        self.assertGreater(names["measured"], 3000)

    def test_parts_of_tables(self):
        trace, results = self.networks[-1]
        result = results["median"]
        length = result.lengths()[3]
        all_values = [line.split() for line in self.cat(trace, f"length/{length}/median/table").splitlines()]
        part = [line.split() for line in self.cat(trace, f"proc/2-4/peer/1,6/at/{length}/median/table").splitlines()]
        self.assertEqual(part, [[row[1], row[6]] for row in all_values[2:5]])

    def test_tables_as_values(self):
        """Tests tables with a row for each pair, in the order of the matrix: each value is the file's."""
        for trace, results in self.networks:
            for kind, result in results.items():
                name = measured.EVENTS[kind].lower()
                length = result.lengths()[-1]
                path, data = f"length/{length}/{name}/table", result.data[-1]
                rows = list(csv.reader(self.cat(trace, f"{path}.csv").splitlines()))
                objects = [json.loads(line) for line in self.cat(trace, f"{path}.json").splitlines()]
                pairs = [(sender, receiver) for sender in range(len(data)) for receiver in range(len(data))]
                self.assertEqual(rows[0], ["sender", "receiver", "value"])
                self.assertEqual([(int(row[0]), int(row[1])) for row in rows[1:]], pairs)
                self.assertEqual([(row["sender"], row["receiver"]) for row in objects], pairs)
                for (sender, receiver), row, fields in zip(pairs, rows[1:], objects):
                    expected = math.nan if sender == receiver else data[receiver][sender] * (1 if name == "amount" else US)
                    self.assert_close(float(row[2] or "nan"), expected, (path, sender, receiver))
                    self.assert_close(math.nan if fields["value"] is None else fields["value"], expected, (path, sender, receiver))

    def test_statistics(self):
        for (trace, results), node in zip(self.networks, self.nodes):
            for i, length in enumerate(results["median"].lengths()):
                shown = {line[1]: line for line in self.lines(trace, f"length/{length}/statistics")}
                self.assertEqual(set(shown), {measured.EVENTS[kind].lower() for kind in results})
                for kind, result in results.items():
                    name = measured.EVENTS[kind].lower()
                    line, expected = shown[name], naive.figures(result.data[i])
                    self.assertEqual((int(line[0]), int(line[2])), (length, expected[0]))
                    for k in range(1, 8):
                        self.assert_close(float(line[2 + k]), expected[k] * (1 if name == "amount" else US), (name, length, k))
                    self.assert_close(parse_number(line[10]), expected[8] * 100, (name, length, "asymmetry"))
                    self.assertEqual(int(line[11]), len(naive.outliers(result.data[i], node)), (name, length))
            overview = self.lines(trace, "statistics")
            self.assertEqual([(int(line[0]), line[1]) for line in overview], [(length, "median") for length in results["median"].lengths()])

    def test_outliers(self):
        total, reasons = 0, set()
        for (trace, results), node in zip(self.networks, self.nodes):
            for kind in "median", "average":
                for i, length in enumerate(results[kind].lengths()):
                    shown = self.lines(trace, f"length/{length}/{kind}/outliers")
                    expected = naive.outliers(results[kind].data[i], node)
                    self.assertEqual([(int(a), int(b), reason) for a, b, _, _, _, reason in shown], [(o[0], o[1], o[4]) for o in expected])
                    for line, (_, _, value, usual, _) in zip(shown, expected):
                        self.assert_close(float(line[2]), value * US, line)
                        self.assert_close(float(line[3]), usual * US, line)
                        self.assert_close(float(line[4]), value / usual, line, absolute=5.1e-4)
                    total += len(shown)
                    reasons |= {o[4] for o in expected}
            self.assertEqual(self.cat(trace, f"length/{length}/outliers"), self.cat(trace, f"length/{length}/median/outliers"))
        self.assertGreater(total, 10)
        self.assertIn("pair", reasons)

    def test_a_slow_sender_and_a_slow_receiver_are_named(self):
        p = 8
        data = [[0.0 if s == r else 1e-6 * (1 + 0.001 * ((s * 3 + r * 5) % 7)) * (4 if s == 2 else 9 if r == 5 else 1) for s in range(p)] for r in range(p)]
        path = pathlib.Path(self.holder.name) / "slow.nc"
        trace = path.with_suffix(".xtf")
        measured.write(path, "median", 64, 64, [data])
        self.assertEqual(run_xtf("import", "-q", "-o", trace, path).returncode, 0)
        reasons = {(int(line[0]), int(line[1])): line[5] for line in self.lines(trace, "length/64/outliers")}
        self.assertEqual(reasons, {(o[0], o[1]): o[4] for o in naive.outliers(data)})
        self.assertEqual({reason for (s, _), reason in reasons.items() if s == 2}, {"sender"})
        self.assertEqual({reason for (s, r), reason in reasons.items() if r == 5 and s != 2}, {"receiver"})

    def test_curves(self):
        for trace, results in self.networks:
            p = len(results["median"].data[0])
            for sender, receiver in (0, 1), (p - 1, 0), (1, p - 1):
                shown = self.lines(trace, f"pair/{sender}/{receiver}/curve")
                self.assertEqual([int(line[0]) for line in shown], results["median"].lengths())
                for i, line in enumerate(shown):
                    for k, kind in enumerate(("average", "median", "min", "deviation", "measurements_amount")):
                        scale = 1 if kind == "measurements_amount" else US
                        self.assert_close(float(line[1 + k]), results[kind].data[i][receiver][sender] * scale, (line, kind))

    def compare_fit(self, cells, points, label):
        alpha, alpha_error, beta, beta_error, residual = naive.hockney(points)
        if not beta or (beta_error is not None and beta_error > beta):
            beta = beta_error = None
        for word, expected in zip(cells, (alpha, alpha_error, beta, beta_error, 1 / beta if beta else None)):
            self.assert_close(parse_number(word), expected, label, relative=5.1e-4, absolute=0)
        self.assert_close(float(cells[5]), 100 * math.sqrt(residual / len(points)), label, absolute=5.1e-3)

    def points(self, result, sender, receiver):
        return list(zip(result.lengths(), (matrix[receiver][sender] for matrix in result.data)))

    def test_fits(self):
        for trace, results in self.networks:
            for kind in "median", "min":
                shown = self.lines(trace, f"{kind}/fit")
                p = len(results[kind].data[0])
                self.assertEqual([(int(line[0]), int(line[1])) for line in shown], [(s, r) for s in range(p) for r in range(p)])
                for line in shown:
                    sender, receiver = int(line[0]), int(line[1])
                    if sender == receiver:
                        self.assertEqual(set(line[2:]), {"-"})
                    else:
                        self.compare_fit(line[2:], self.points(results[kind], sender, receiver), (kind, line))
            one = self.cat(trace, "proc/1/fit").splitlines()
            self.assertEqual([line for line in self.cat(trace, "fit").splitlines() if line.split()[0] in "#1"], one)

    def test_breaks(self):
        broken = 0
        for trace, results in self.networks:
            p = len(results["median"].data[0])
            for sender in range(p):
                for receiver in range(p):
                    if sender == receiver:
                        continue
                    shown = self.lines(trace, f"pair/{sender}/{receiver}/fit")
                    expected = naive.segments(self.points(results["median"], sender, receiver))
                    self.assertEqual([(int(line[0]), int(line[1])) for line in shown], [(s[0][0], s[-1][0]) for s in expected])
                    for line, points in zip(shown, expected):
                        self.compare_fit(line[2:], points, (sender, receiver, line))
                    broken += len(expected) > 1
        self.assertGreater(broken, 10)

    def test_fits_of_few_lengths(self):
        trace, results = self.networks[-1]
        first, second = results["median"].lengths()[:2]
        line, = self.lines(trace, f"length/{first}-{second + 1}/pair/0/1/fit")
        self.compare_fit(line[2:], self.points(results["median"], 0, 1)[:2], line)
        line, = self.lines(trace, f"length/{first}/pair/0/1/fit")
        self.compare_fit(line[2:], self.points(results["median"], 0, 1)[:1], line)
        self.assertEqual(self.lines(trace, "length/1-2/pair/0/1/fit"), [])

    def test_fits_of_repeats(self):
        """Tests that several values of one length count as one length: one gives no slope, two no errors, and equal ones no break."""
        dice = random.Random(9)
        def times(i):
            return [1e-6 * (1 + (i if i < 4 else 3 * i)) * (1 + dice.random() / 10) for _ in range(7)]
        for n in 1, 2, 8:
            path = pathlib.Path(self.holder.name) / f"repeated{n}_all.nc"
            trace = path.with_suffix(".xtf")
            data = [[[times(i) for _ in range(2)] for _ in range(2)] for i in range(n)]
            measured.write_repeats(path, 1000, 1000, data)
            self.assertEqual(run_xtf("import", "-q", "-o", trace, path).returncode, 0)
            for s, r in (0, 1), (1, 0):
                points = [(1000 + 1000 * i, t) for i in range(n) for t in data[i][r][s]]
                shown, expected = self.lines(trace, f"pair/{s}/{r}/fit"), naive.segments(points)
                self.assertEqual([(int(line[0]), int(line[1])) for line in shown], [(part[0][0], part[-1][0]) for part in expected])
                self.assertEqual(len(expected), 2 if n == 8 else 1)
                for line, part in zip(shown, expected):
                    self.compare_fit(line[2:], part, (n, s, r))
                line, = (line for line in self.lines(trace, f"proc/{s}/fit") if int(line[1]) == r)
                self.compare_fit(line[2:], points, (n, s, r))

    def test_statistics_of_some_results(self):
        """Tests senders, files and statistics that only some results have."""
        folder, nan = pathlib.Path(self.holder.name), math.nan
        def statistics(name, path="statistics"):
            trace = folder / f"{name}.xtf"
            done = run_xtf("import", "-q", "-o", trace, folder / f"{name}.nc")
            self.assertEqual(done.returncode, 0, done.stderr)
            return [(int(line[0]), line[1], int(line[2]), float(line[3])) for line in self.lines(trace, path)]

        def matrices(n, value):
            return [[[0.0, value], [value, 0.0]] for _ in range(n)]
        dead = [[[0.0, 2e-6, 3e-6], [1e-6 if i == 0 else nan, 0.0, 4e-6], [1e-6 if i == 0 else nan, 5e-6, 0.0]] for i in range(3)]
        measured.write(folder / "dead.nc", "median", 10, 10, dead)
        self.assertEqual(statistics("dead"), [(10, "median", 6, 1.0), (20, "median", 4, 2.0), (30, "median", 4, 2.0)])
        measured.write(folder / "cut_average.nc", "average", 10, 10, matrices(3, 2e-6))
        measured.write(folder / "cut_median.nc", "median", 10, 10, matrices(2, 1e-6))
        self.assertEqual(statistics("cut_median"), [(10, "median", 2, 1.0), (20, "median", 2, 1.0), (30, "average", 2, 2.0)])
        self.assertEqual(statistics("cut_median", "length/30/statistics"), [(30, "average", 2, 2.0)])
        self.assertEqual(statistics("cut_median", "average/statistics"), [(length, "average", 2, 2.0) for length in (10, 20, 30)])
        measured.write(folder / "few_deviation.nc", "deviation", 10, 10, matrices(2, 1e-7))
        measured.write(folder / "few_measurements_amount.nc", "measurements_amount", 10, 10, matrices(2, 50.0))
        self.assertEqual(statistics("few_deviation"), [(10, "deviation", 2, 0.1), (20, "deviation", 2, 0.1)])
        self.assertEqual(statistics("few_deviation", "length/20/statistics"), [(20, "deviation", 2, 0.1), (20, "amount", 2, 50.0)])

    def test_pictures_of_amounts(self):
        trace, _ = self.networks[-1]
        done = run_xtf("cat", trace, "length/3000/amount/heat.png", text=False)
        self.assertIn(b"from 50 (dark) to 50 (bright)", png(done.stdout)[3])

    def test_pictures(self):
        trace, results = self.networks[-1]
        done = run_xtf("cat", trace, "length/3000/heat.png", text=False)
        width, height, rows, texts = png(done.stdout)
        p = len(results["median"].data[0])
        self.assertEqual((width, height), (4 * p, 4 * p))
        self.assertIn(b"3000 bytes", texts)
        matrix = results["median"].data[2]
        colours = {}
        for sender in range(p):
            for receiver in range(p):
                block = {rows[4 * sender + y][4 * receiver + x] for y in range(4) for x in range(4)}
                self.assertEqual(len(block), 1)
                colours[sender, receiver] = block.pop()
        self.assertEqual({colours[k, k] for k in range(p)}, {(128, 128, 128)})
        ordered = sorted((pair for pair in colours if pair[0] != pair[1]), key=lambda pair: matrix[pair[1]][pair[0]])
        light = [0.2126 * r + 0.7152 * g + 0.0722 * b for r, g, b in (colours[pair] for pair in ordered)]
        self.assertTrue(all(a <= b + 1e-9 for a, b in zip(light, light[1:])), "longer times are lighter")
        self.assertGreater(len(set(light)), 10)

    def test_views_that_a_network_lacks(self):
        trace, _ = self.networks[-1]
        listed = self.cat_list(trace, "/")
        self.assertEqual(listed & {"time", "calls", "profile", "totals", "histogram", "matrix", "by"}, set())
        self.assertLessEqual({"length", "info", "count", "records", "proc", "definitions"}, listed)
        for path, expected_words in (("profile", "is about programs"), ("time/1-2/count", "is neither a file"), ("table", "needs one length and one statistic"),
                          ("length/1000/table", "needs one length and one statistic"), ("curve", "needs one pair"), ("pair/0-1/2/curve", "a pair has one sender"),
                          ("length/10s/count", 'is not a unit of length; the units are B K M %'), ("pair/9/0/count", "there is no process 9"),
                          ("num/0-5/fit", "not exist below num/"), ("region/x/count", "is neither a file")):
            done = run_xtf("cat", trace, path)
            self.assertEqual(done.returncode, 1, path)
            self.assertIn(expected_words, done.stderr, path)
        before = trace.read_bytes()
        done = run_xtf("analyze", trace)
        self.assertEqual((done.returncode, done.stdout), (1, ""))
        self.assertIn("measurements of a network", done.stderr)
        self.assertEqual(trace.read_bytes(), before, "its lengths were analysed as if they were times")

    def cat_list(self, trace, path):
        done = run_xtf("ls", trace, path)
        self.assertEqual(done.returncode, 0, done.stderr)
        return set(done.stdout.split())

    def test_lengths_are_windows(self):
        trace, results = self.networks[-1]
        p, n = len(results["median"].data[0]), len(results["median"].data)
        each = p * (p - 1) * len(results)
        for path, lengths in (("length/2000", 1), ("at/2000", 1), ("length/2000-4000", 2), ("length/2K-4K", 2), ("length/-1M", n), ("length/12000", 1),
                              ("length/12000B-", 1), ("length/2000-4000/at/3000", 1), ("length/2001", 0)):
            self.assertEqual(int(self.cat(trace, f"{path}/count")), lengths * each, path)
        self.assertEqual(int(self.cat(trace, "proc/3/peer/7/length/1000-3000/links/count")), 2 * len(results))
        self.assertEqual(self.lines(trace, "length/2000-4000/info")[:3], [["from", "2000", "B"], ["to", "4000", "B"], ["range", "2000", "B"]])


if __name__ == "__main__":
    COMMAND = Xtf(sys.argv.pop(1))
    need_programs("ncdump", "ncgen")
    unittest.main()
