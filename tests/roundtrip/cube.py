#!/usr/bin/env python3
"""Compares the trace coverage-10 with profile.cubex, Score-P's profile of the same run: visits, time and bytes by region and rank, from XTF
and from naive.py.

usage: cube.py XTF

Visits and bytes agree exactly. Time agrees to the tick, except for one cause:

  Clocks. Every rank ran on its own node, whose timer has its own frequency. Score-P's profile divides a rank's
  ticks by its own timer's frequency. The trace has rank 0's frequency, and two clock offsets for each other rank.
  OTF2's reader, and so otf2-print and XTF, stretches that rank's times along these offsets.

A copy of the archive without this cause proves it. In the copy all ranks have rank 0's offsets, which are 0, so times are
raw ticks. There one whole number for each rank, its frequency in Hz, converts each of the profile's times to the trace's
ticks exactly. In the archive itself times differ from the raw ticks at most by the stretch of the clock offsets.
"""

import pathlib
import re
import shutil
import struct
import sys
import tarfile
import xml.etree.ElementTree
from collections import Counter
from fractions import Fraction

import otf2print
from expected import Expected
from naive import COLLECTIVES, RECVS, SENDS, Naive
from selections import Selection
from shown import Cat, Shown, ticks_of
from xtfrun import Failure, Xtf, need_programs, shared_traces, skip, temporary_folder

TYPES = {"UINT64": "Q", "DOUBLE": "d", "MINDOUBLE": "d", "MAXDOUBLE": "d"}
PROBLEMS_MAX = 20


class Cube:
    """A profile in the format of Cube 4: a tar of anchor.xml, which names metrics, regions, call paths and locations. Metric N has a matrix
    of values, N.data, and the list of its rows, N.index.

    N.index: "CUBEX.INDEX", 1 as int32 (for the byte order), version (int16), 1 (byte) for a sparse matrix. The number of rows and their
    call paths (uint32) follow. N.data: "CUBEX.DATA" and the rows, a value for each location."""

    def __init__(self, path):
        with tarfile.open(path) as tar:
            self.files = {member.name: tar.extractfile(member).read() for member in tar if member.isfile()}
        anchor = xml.etree.ElementTree.fromstring(self.files["anchor.xml"])
        regions = {region.get("id"): region.find("name").text for region in anchor.iter("region")}
        self.paths = {int(path.get("id")): regions[path.get("calleeId")] for path in anchor.iter("cnode")}
        if anchor.findall("program/cnode/cnode"):
            raise Failure(f"{path}: its call tree has more than one level, so inclusive is not exclusive")
        self.ranks = [int(rank.text) for rank in anchor.findall(".//locationgroup/rank")]
        self.n_locations = len(list(anchor.iter("location")))
        self.metrics = {metric.find("uniq_name").text: (metric.get("id"), metric.find("dtype").text)
                        for metric in anchor.iter("metric")}

    def values(self, name):
        """Returns {(region, rank): [value of each call path]} of a metric."""
        number, data_type = self.metrics[name]
        index, data = self.files[f"{number}.index"], self.files[f"{number}.data"]
        magic, order, _, sparse, n = struct.unpack_from("<11sihBI", index)
        if magic != b"CUBEX.INDEX" or order != 1 or sparse != 1 or not data.startswith(b"CUBEX.DATA"):
            raise Failure(f"{name}: no sparse, uncompressed matrix")
        rows = struct.unpack_from(f"<{n}I", index, 22)
        cells = struct.unpack_from(f"<{n * self.n_locations}{TYPES[data_type]}", data, 10)
        found = {}
        for i, row in enumerate(rows):
            for k, rank in enumerate(self.ranks):
                found.setdefault((self.paths[row], rank), []).append(cells[i * self.n_locations + k])
        return found


class Figures:
    """Visits, ticks and bytes of a trace by (region's name, rank)."""

    def __init__(self):
        self.visits, self.ticks = Counter(), Counter()
        self.sent, self.received = Counter(), Counter()


def naive_figures(archive):
    expected = Expected(str(archive))
    naive = Naive(expected, {location: (rank, 0) for rank, location in enumerate(expected.world)})
    figures = Figures()
    for location in naive.locations:
        for region, (calls, inclusive, exclusive) in naive.profile([location], 0, expected.end).items():
            if inclusive != exclusive:
                raise Failure(f"{region} has calls inside, unlike in the profile")
            figures.visits[region[0], location.proc] += calls
            figures.ticks[region[0], location.proc] += exclusive
    for location, record in naive.records(Selection(expected)):
        values = record.event.values() if record.event.name in SENDS + RECVS + COLLECTIVES else {}
        key = record.region[0], location.proc
        figures.received[key] += values.get("received", 0)
        (figures.received if record.event.name in RECVS else figures.sent)[key] += values.get("bytes", 0)
    return figures


def cell(text):
    return 0 if text == "-" else int(text)


def shown_figures(xtf, archive, trace):
    xtf.import_archive(archive, trace)
    shown = Shown(Cat(xtf, trace))
    hz = otf2print.clock(otf2print.definitions(archive))[0]
    figures = Figures()
    for rank in sorted({int(row["proc"]) for row in shown.table("locations")}):
        for row in shown.rows(f"/proc/{rank}/profile"):
            figures.visits[row["region"], rank] += int(row["calls"])
            figures.ticks[row["region"], rank] += ticks_of(row["exclusive"], hz, 0)
        for record_type in ("sends", "recvs", "collectives"):
            columns = shown.columns(f"/{record_type}")
            for line in shown.records(f"/proc/{rank}/{record_type}", record_type):
                row = dict(zip(columns, line))
                figures.received[row["name"], rank] += cell(row.get("received", "-"))
                (figures.received if record_type == "recvs" else figures.sent)[row["name"], rank] += cell(row["bytes"])
        compare_bytes(shown.rows(f"/proc/{rank}/bytes"), figures, rank)
    return figures


def compare_bytes(rows, figures, rank):
    """Compares the view's totals with totals of the records."""
    totals = [int(rows[0]["bytes_sent"]) + int(rows[0]["collective_sent"]),
              int(rows[0]["bytes_received"]) + int(rows[0]["collective_received"])]
    wanted = [sum(n for (_, of), n in counter.items() if of == rank) for counter in (figures.sent, figures.received)]
    if totals != wanted:
        raise Failure(f"/proc/{rank}/bytes: {totals}, records have {wanted}")


def raw_copy(archive, folder):
    """Makes a copy of the archive whose times are raw ticks: OTF2 reads the offsets from each location's own definitions."""
    copy = folder / "raw"
    copy.mkdir()
    for part in archive.parent.glob(archive.stem + "*"):
        if part.is_file():
            shutil.copyfile(part, copy / part.name)
    (copy / archive.stem).mkdir()
    for part in (archive.parent / archive.stem).iterdir():
        source = part.parent / "0.def" if part.suffix == ".def" else part
        shutil.copyfile(source, copy / archive.stem / part.name)
    return copy / archive.name


def stretches(archive):
    """Returns {location: the factor by which the clock offsets lengthen an interval}."""
    points = {}
    for line in otf2print.read_lines(archive, "-C"):
        match = re.match(r"CLOCK_OFFSET +(\d+)  Time: (\d+), Offset: ([+-]\d+),", line)
        points.setdefault(int(match[1]), []).append((int(match[2]), int(match[3])))
    return {location: Fraction(last[1] - first[1], last[0] - first[0]) for location, (first, last) in points.items()}


class Comparison:
    def __init__(self, cube):
        self.cube = cube
        self.visits, self.time = cube.values("visits"), cube.values("time")
        self.sent, self.received = cube.values("bytes_sent"), cube.values("bytes_received")
        self.checks = 0
        self.problems = []

    def check(self, label, good):
        self.checks += 1
        if not good and len(self.problems) < PROBLEMS_MAX:
            self.problems.append(label)

    def compare_counts(self, reader, figures):
        for label, profiled, counted in (("visits", self.visits, figures.visits), ("bytes sent", self.sent, figures.sent),
                                        ("bytes received", self.received, figures.received)):
            for key in sorted(set(profiled) | set(counted)):
                wanted = sum(profiled.get(key, [0]))
                self.check(f"{reader}: {label} of {key}: {counted[key]}, the profile has {wanted}", counted[key] == wanted)

    def frequencies(self, ticks):
        """Returns {rank: Hz}, from each rank's longest time."""
        longest = {rank: max((sum(times), region) for (region, r), times in self.time.items() if r == rank)
                   for rank in self.cube.ranks}
        return {rank: round(ticks[region, rank] / time) for rank, (time, region) in longest.items()}

    def compare_raw(self, reader, ticks, frequencies):
        """Compares times. A sum of times in doubles is exact to a millionth of a tick."""
        for (region, rank), times in self.time.items():
            wanted = sum(map(Fraction, times)) * frequencies[rank]
            self.check(f"{reader}: {region} in rank {rank} took {ticks[region, rank]} raw ticks, the profile has "
                       f"{float(wanted)}", abs(wanted - ticks[region, rank]) < Fraction(1, 1000000))

    def compare_stretched(self, reader, ticks, raw, stretch):
        """Checks that the offsets alone explain each difference, up to the rounding of both ends of each visit. Returns the greatest
        difference by rank."""
        greatest = Counter()
        for (region, rank), visits in self.visits.items():
            difference = ticks[region, rank] - raw[region, rank]
            self.check(f"{reader}: {region} in rank {rank} differs by {difference} ticks from the raw {raw[region, rank]}",
                       abs(difference - stretch[rank] * raw[region, rank]) <= sum(visits))
            greatest[rank] = max(greatest[rank], abs(difference))
        return greatest


def main():
    need_programs("otf2-print")
    folder = (shared_traces() or pathlib.Path()) / "coverage-10"
    if not (folder / "profile.cubex").is_file():
        skip("no coverage-10 here; XTF_SHARED_TRACES may name the folder that it is in")
    xtf = Xtf(sys.argv[1])
    archive = next(folder.glob("*.otf2"))
    comparison = Comparison(Cube(folder / "profile.cubex"))
    with temporary_folder() as temporary:
        temporary = pathlib.Path(temporary)
        copy = raw_copy(archive, temporary)
        naive, naive_raw = naive_figures(archive), naive_figures(copy)
        shown = shown_figures(xtf, archive, temporary / "trace.xtf")
        shown_raw = shown_figures(xtf, copy, temporary / "raw.xtf")
    stretch = stretches(archive)
    frequencies = comparison.frequencies(naive_raw.ticks)
    comparison.check("the trace's ticks are not rank 0's", frequencies[0] == Expected(str(archive)).ticks)
    for reader, figures, raw in (("naive", naive, naive_raw), ("xtf", shown, shown_raw)):
        comparison.compare_counts(reader, figures)
        comparison.compare_counts(reader + ", raw", raw)
        comparison.compare_raw(reader, raw.ticks, frequencies)
        greatest = comparison.compare_stretched(reader, figures.ticks, raw.ticks, stretch)
    print("rank  its timer's Hz  stretched by, ppm  at most, ticks")
    for rank, hz in frequencies.items():
        print(f"{rank:4} {hz:15} {float(stretch[rank]) * 1e6:18.3f} {greatest[rank]:15}")
    print(f"{comparison.checks} comparisons, {len(comparison.problems)} problems")
    for problem in comparison.problems:
        print("  " + problem)
    sys.exit(1 if comparison.problems else 0)


if __name__ == "__main__":
    main()
