#!/usr/bin/env python3
"""Views of a clustered network: portions, clusters of pairs, summaries and pictures, compared with the file, read by the test's own reader.
The second reader of tests/reader compares the rows in the container.

usage: test_cluster_views.py XTF
"""

import array
import math
import pathlib
import random
import shutil
import struct
import sys
import tempfile
import unittest
import zlib

import cdf
import networks
from xtf_reader import Trace
from xtfrun import Xtf, shared_traces

COMMAND = Xtf(sys.argv.pop(1))
TRACES = shared_traces()
N_PROCS = 8


def run_xtf(*arguments, status=0):
    done = COMMAND.completed(*arguments, text=False)
    assert done.returncode == status, (arguments, done.returncode, done.stdout, done.stderr)
    return done.stdout if status == 0 else done.stderr.decode()


def cat(trace, path):
    return run_xtf("cat", trace, path).decode()


def rows_of(text):
    """Returns the lines of a table below its header."""
    return [line.split() for line in text.splitlines()[1:]]


def png_rows(data):
    """Returns the colours, line by line, of a PNG with a palette and without filters, and all text in it."""
    at, packed, width, palette = 8, b"", 0, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at:at + 8])
        body = data[at + 8:at + 8 + length]
        packed += body if kind == b"IDAT" else b""
        palette = body if kind == b"PLTE" else palette
        width = struct.unpack(">I", body[:4])[0] if kind == b"IHDR" else width
        at += length + 12
    raw = zlib.decompress(packed)
    lines = [raw[i:i + width + 1] for i in range(0, len(raw), width + 1)]
    assert all(line[0] == 0 for line in lines)
    return [[palette[3 * c:3 * c + 3] for c in line[1:]] for line in lines]


class File:
    """A clustered file: portions as [(left, right, clusters of pairs)], and values by the rule of docs/NETWORK.md."""

    def __init__(self, path, prefix="", places_are_shifted=False):
        file = cdf.read_file(path)
        def values(name):
            return file.variables[prefix + name].values
        self.n_procs, self.data = values("proc_num")[0], values("data")
        self.begin, self.step = values("begin_mes_length")[0], values("step_length")[0]
        if prefix:
            borders = [0, *values("length")]
        else:
            borders = [(length - self.begin) // self.step for length in values("length")] + file.attributes["matrices"]
        n_pairs, info = self.n_procs ** 2, values("info")
        self.portions, self.matrices = [], []
        for k, (left, right) in enumerate(zip(borders, borders[1:])):
            places = info[k * n_pairs:(k + 1) * n_pairs]
            numbers = {place: number for number, place in enumerate(sorted(set(places)))}
            self.portions.append((left, right, [numbers[place] for place in places], len(numbers)))
            for i in range(left, right):
                self.matrices.append([self.data[place + i - (0 if places_are_shifted else left)] for place in places])

    def length(self, matrix):
        return self.begin + matrix * self.step

    def pair(self, sender, receiver):
        return receiver * self.n_procs + sender  # rows are receivers


class ClusterViews(unittest.TestCase):
    def setUp(self):
        self.folder = pathlib.Path(tempfile.mkdtemp(prefix="xtf-cluster-"))
        self.addCleanup(shutil.rmtree, self.folder)

    def clustered(self):
        """Writes two networks one after another, with gaps, so that portions end."""
        rng = random.Random(8)
        order = list(range(N_PROCS ** 2))
        rng.shuffle(order)
        matrices = [list(m) for m in networks.matrices("torus", N_PROCS, range(1000, 2400, 100), noise=0.02, outliers=0.05)]
        matrices[9:] = [[m[pair] for pair in order] for m in matrices[9:]]
        for matrix in matrices:
            matrix[5] = -1
        networks.write_file(self.folder / "net.nc", N_PROCS, range(1000, 2400, 100), array.array("d", (v for m in matrices for v in m)))
        run_xtf("cluster", "-q", "-t", "10%", "-o", self.folder / "clusters.nc", self.folder / "net.nc")
        run_xtf("import", "-q", "-o", self.folder / "clusters.xtf", self.folder / "clusters.nc")
        return self.folder / "clusters.xtf", File(self.folder / "clusters.nc")

    def check_trace(self, trace, file):
        self.assertEqual([[int(cell) for cell in row] for row in rows_of(cat(trace, "clusters/portions"))],
                         [[k, file.length(left), file.length(right), right - left, n]
                          for k, (left, right, _, n) in enumerate(file.portions)])
        procs = range(file.n_procs)
        for left, right, clusters, n in file.portions:
            for length in (file.length(left), file.length(right) - 1):
                table = [[int(cell) for cell in line.split()] for line in cat(trace, f"clusters/{length}/table").splitlines()]
                self.assertEqual(table, [[clusters[file.pair(s, r)] for r in procs] for s in procs])
                rows = cat(trace, f"clusters/{length}/table.csv").splitlines()
                self.assertEqual(rows, ["sender,receiver,cluster",
                                        *(f"{s},{r},{clusters[file.pair(s, r)]}" for s in procs for r in procs)])
        run_xtf("check", "-q", trace)

    def check_summary(self, trace, file, portion):
        left, right, clusters, n = portion
        rows = rows_of(cat(trace, f"clusters/{file.length(left)}/summary"))
        self.assertEqual([int(row[0]) for row in rows], list(range(n)))
        for number, pairs, *figures in rows:
            members = [pair for pair in range(file.n_procs ** 2) if clusters[pair] == int(number)]
            self.assertEqual(int(pairs), len(members))
            off_diagonal = [pair for pair in members if pair // file.n_procs != pair % file.n_procs]
            values = [file.matrices[i][(off_diagonal or members)[-1]] for i in range(left, right)]
            known = [(file.length(left + i), v) for i, v in enumerate(values) if not math.isnan(v)]
            if not off_diagonal and not any(v for _, v in known):
                known = []  # no messages from a process to itself
            if not known:
                self.assertEqual(figures, ["-"] * 5)
                continue
            times = [v * 1e6 for _, v in known]
            for cell, wanted in zip(figures, (min(times), sum(times) / len(times), max(times))):
                self.assertAlmostEqual(float(cell), wanted, delta=6e-5)
            if min(times) == 0:  # has no relative error
                self.assertEqual(figures[3:], ["-", "-"])
                continue
            alpha, beta = self.fit(known)
            if figures[3] != "-":
                self.assertAlmostEqual(float(figures[3]) / alpha, 1, delta=1e-3)
            if figures[4] != "-":
                self.assertAlmostEqual(float(figures[4]) / beta, 1, delta=1e-3)

    @staticmethod
    def fit(known):
        """Fits least squares of (t - alpha - beta L) / t by the normal equations, with beta at least 0."""
        a = sum(1 / t ** 2 for _, t in known)
        b = sum(length / t ** 2 for length, t in known)
        c = sum(length ** 2 / t ** 2 for length, t in known)
        d, e = sum(1 / t for _, t in known), sum(length / t for length, t in known)
        det = a * c - b * b
        beta = (a * e - b * d) / det if det > 0 else 0
        return ((c * d - b * e) / det, beta) if beta > 0 else (d / a, 0)

    def test_views(self):
        trace, file = self.clustered()
        self.assertGreaterEqual(len(file.portions), 2)
        self.check_trace(trace, file)
        for portion in file.portions:
            self.check_summary(trace, file, portion)
        listed = run_xtf("ls", trace, "clusters").decode().split()
        self.assertEqual(listed, ["portions"] + [str(file.length(left)) for left, *_ in file.portions])
        self.assertIn("clusters", run_xtf("ls", trace).decode().split())
        self.assertEqual(run_xtf("ls", trace, f"clusters/{listed[1]}").decode().split()[-2:], ["summary", "table"])

    def test_amounts_are_numbers(self):
        lengths, each = range(100, 600, 100), [0, 30, 40, 0]
        networks.write_file(self.folder / "net.nc", 2, lengths, array.array("d", each * len(lengths)), data_type=6)
        run_xtf("cluster", "-q", "-t", "1%", "-o", self.folder / "amounts.nc", self.folder / "net.nc")
        rows = rows_of(cat(self.folder / "amounts.nc", "clusters/100/summary"))
        self.assertEqual({tuple(row[1:]) for row in rows if row[2] not in ("-", "0.0000")},
                         {("1", f"{n}.0000", f"{n}.0000", f"{n}.0000", "-", "-") for n in (30, 40)})

    def test_part(self):
        """Compares the senders and receivers of a selection."""
        trace, file = self.clustered()
        table = cat(trace, "proc/2-3/peer/1,4/clusters/1000/table")
        clusters = file.portions[0][2]
        self.assertEqual([[int(cell) for cell in line.split()] for line in table.splitlines()],
                         [[clusters[file.pair(s, r)] for r in (1, 4)] for s in (2, 3)])

    def test_picture(self):
        """Tests that pairs have the same colour exactly if they have the same cluster."""
        trace, file = self.clustered()
        self.assertIn("clusters.png", run_xtf("ls", trace, "clusters/1000").decode())
        rows = png_rows(run_xtf("cat", trace, "clusters/1000/clusters.png"))
        zoom, clusters = len(rows) // N_PROCS, file.portions[0][2]
        colours = {}
        for y, row in enumerate(rows):
            for x, colour in enumerate(row):
                self.assertEqual(colours.setdefault(clusters[file.pair(y // zoom, x // zoom)], colour), colour)
        self.assertEqual((zoom, len(rows[0])), (4, 4 * N_PROCS))
        self.assertEqual(len(set(colours.values())), len(colours))

    def test_rows_in_the_container(self):
        trace, file = self.clustered()
        reader = Trace(trace)
        self.addCleanup(reader.close)
        found = []
        for array_of in reader.arrays():
            if array_of.schema.name == "link_clusters":
                for time, _, peer, cluster in map(array_of.schema.values, array_of.read()):
                    found.append((array_of.location, time, peer, cluster))
        self.assertEqual(found, [(s, file.length(left), r, clusters[file.pair(s, r)]) for s in range(N_PROCS)
                                 for left, _, clusters, _ in file.portions for r in range(N_PROCS)])

    def test_not_clustered(self):
        self.clustered()
        self.assertNotIn("clusters", run_xtf("ls", self.folder / "net.nc").decode().split())
        self.assertIn("is not clustered: run xtf cluster", run_xtf("cat", self.folder / "net.nc", "clusters/portions", status=1))
        self.assertIn("no portion has messages of 5 bytes", run_xtf("cat", self.folder / "clusters.xtf", "clusters/5/table", status=1))

    @unittest.skipUnless(TRACES and (TRACES / "network-4x4").is_dir(), "there is no ../shared/traces/network-4x4")
    def test_authors_file(self):
        """Tests the file of the authors' program, whose values are after their places: only with this shift is the diagonal 0."""
        path = TRACES / "network-4x4" / "clustered-output.nc"
        file = File(path, "a", places_are_shifted=True)
        self.assertTrue(all(m[0] == m[5] == m[10] == m[15] == 0 for m in file.matrices[:99]))
        run_xtf("import", "-q", "-o", self.folder / "authors.xtf", path)
        self.check_trace(self.folder / "authors.xtf", file)
        self.check_summary(self.folder / "authors.xtf", file, file.portions[3])


if __name__ == "__main__":
    unittest.main()
