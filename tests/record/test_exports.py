#!/usr/bin/env python3
"""Recorded traces as OTF2 archives: checked by the rules of OTF2's and Scalasca's readers, and against Score-P's definitions of
the same functions in shared traces.

usage: test_exports.py
"""

import collections
import pathlib
import re
import shutil
import sys

from recording import XTF, Case, main, mpis

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
# pylint: disable=wrong-import-position
import otf2print
from xtfrun import shared_traces

LIBRARY_FILES = {"MPI": ("MPI_", "MPI"), "OPENMP": ("", "OMP"), "PTHREAD": ("pthread_", "PTHREAD")}
# Scalasca 2.6 aborts at other collective operations.
KNOWN_OPERATIONS = {"BARRIER", "BCAST", "GATHER", "GATHERV", "SCATTER", "SCATTERV", "ALLGATHER", "ALLGATHERV", "ALLTOALL", "ALLTOALLV",
                    "ALLTOALLW", "ALLREDUCE", "REDUCE", "REDUCE_SCATTER", "SCAN", "EXSCAN", "REDUCE_SCATTER_BLOCK"}
REGION = re.compile(r'Name: "(.*?)" <\d+> \(Aka. "(.*?)" <\d+>\), Descr.: (".*?") <\d+>, Role: (\w+), Paradigm: "?(\w+)"?(?: <\d+>)?, Flags: (\w+), '
                    r'File: (?:"(.*?)" <\d+>|(UNDEFINED)), Begin: (\d+), End: (\d+)$')
FIELD = re.compile(r'(?:^|, )([A-Z][A-Za-z #]*): ')


def regions_of(definitions):
    """Returns {name: (canonical, description, role, paradigm, flags, file or None, begin, end)}."""
    found = {}
    for _, text in definitions["REGION"]:
        name, canonical, description, role, paradigm, flags, file, _, begin, end = REGION.match(text).groups()
        found[name] = (canonical, description, role, paradigm, flags, file, begin, end)
    return found


class Exports(Case):
    def export(self, trace, *options):
        archive = self.folder / "archive"
        report = self.xtf("export", "otf2", "--force", *options, "-o", archive, trace)
        if "--scalasca" in options and "sites" in self.xtf("ls", trace, "definitions").split():
            sites = self.xtf("cat", trace, "definitions/sites").splitlines()[1:]
            self.assertIn(f"{len(sites)} call sites left out", report)
        return archive / "traces.otf2"

    def complaints(self, archive):
        """Returns complaints of otf2-print, and lines with unknown references; only definitions may have these."""
        printed = self.run_in("sh", "-c", 'otf2-print -G "$1" 2>&1', "sh", archive)
        return [line for line in printed.splitlines() if re.search(r"warning|error|duplicate|out of order|INVALID", line)]

    def check_rules(self, archive):
        self.assertEqual(self.complaints(archive), [])
        definitions, events = otf2print.definitions(archive), list(otf2print.events(archive))
        regions = regions_of(definitions)
        for name, (_, _, _, paradigm, _, file, _, _) in regions.items():
            prefix, wanted = LIBRARY_FILES.get(paradigm, ("", None))
            if wanted and name.startswith(prefix):
                self.assertEqual(file, wanted, name)
        begins = [event.values() for event in events if event.name == "PROGRAM_BEGIN"]
        self.assertTrue(begins)
        for begin in begins:
            canonical = " ".join([begin["program"], *begin["arguments"]])
            name = begin["program"].rsplit("/", 1)[-1]
            self.assertEqual(regions[name], (canonical, '""', "ARTIFICIAL", "MEASUREMENT_SYSTEM", "NONE", None, "0", "0"))
        return definitions, events

    def check_kinds(self, definitions):
        """Compares definitions kind by kind: their fields, and the whole of each MPI function as some version of Score-P defines
        it."""
        shared = shared_traces()
        if not shared:
            self.skipTest("no shared traces")
        scorep = otf2print.definitions(shared / "comm-create-4" / "traces.otf2")
        versions = [regions_of(otf2print.definitions(path)) for path in sorted(shared.glob("**/traces.otf2"))]
        fields = lambda text: [name for name in FIELD.findall(re.sub(r'".*?"', '""', text)) if name != "Value"]
        for kind in set(definitions) & set(scorep) - {"STRING"}:
            self.assertIn(fields(definitions[kind][0][1]), [fields(text) for _, text in scorep[kind]], kind)
        exported = {name: region for name, region in regions_of(definitions).items() if name.startswith("MPI_")}
        self.assertGreater(len(exported), 5)
        for name, region in exported.items():
            self.assertIn(region, [version[name] for version in versions if name in version], name)
        types = lambda found: {re.search(r"Type: (\w+), Paradigm: \"MPI\"", text)[1] for _, text in found["GROUP"] if '"MPI"' in text}
        self.assertEqual(types(definitions), types(scorep))

    def test_rules(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                trace, _ = self.record(mpi, 3, self.compile(mpi, "plain"), "one", "two three")
                definitions, _ = self.check_rules(self.export(trace))
                self.check_kinds(definitions)

    def test_threads(self):
        program = self.folder / "threads"
        self.run_in("gcc", "-O1", "-pthread", "-finstrument-functions", "-o", program, pathlib.Path(__file__).parent / "regions" / "threads.c")
        trace = self.folder / "threads.xtf"
        self.run_in(*self.xtf_record(trace, "--locks"), program, "10")
        definitions, _ = self.check_rules(self.export(trace))
        self.assertEqual(regions_of(definitions)["pthread_mutex_lock"][5], "PTHREAD")

    @staticmethod
    def xtf_record(trace, *options):
        return [XTF, "record", "--quiet", *options, "-o", trace]

    def test_for_scalasca(self):
        """Checks that without the option all records are exported, and with it all except operations on handles."""
        mpi = mpis()[0]
        trace, _ = self.record(mpi, 2, self.compile(mpi, "comms"))
        lines = lambda events: [(e.name, e.location, e.time, e.text) for e in events]
        whole = lines(otf2print.events(self.export(trace)))
        archive = self.export(trace, "--scalasca")
        self.assertEqual(self.complaints(archive), [])
        kept = lines(otf2print.events(archive))
        wanted = self.without_handles(whole)
        self.assertLess(len(wanted), len(whole))
        self.assertEqual(kept, wanted)
        counts = {number: int(re.search(r"# Events: (\d+)", text)[1]) for number, text in otf2print.definitions(archive)["LOCATION"]}
        self.assertEqual(counts, collections.Counter(location for _, location, _, _ in kept))

    @staticmethod
    def without_handles(lines):
        """Returns the lines without unknown operations, and without their begins: the previous ones of the location."""
        dropped, begun = set(), {}
        for i, (name, location, _, text) in enumerate(lines):
            if name == "MPI_COLLECTIVE_BEGIN":
                begun[location] = i
            elif name == "MPI_COLLECTIVE_END" and re.match(r"Operation: (\w+)", text)[1] not in KNOWN_OPERATIONS:
                dropped |= {i, begun[location]}
        return [line for i, line in enumerate(lines) if i not in dropped]

    def test_imported_for_scalasca(self):
        shared = shared_traces()
        if not shared:
            self.skipTest("no shared traces")
        source = shared / "comm-create-4" / "traces.otf2"
        self.xtf("import", "--quiet", "-o", self.folder / "imported.xtf", source)
        archive = self.export(self.folder / "imported.xtf", "--scalasca")
        lines = lambda path: [(e.name, e.location, e.time, e.text) for e in otf2print.events(path)]
        self.assertEqual(lines(archive), self.without_handles(lines(source)))

    def test_other_formats(self):
        """Checks that only OTF2 has the option."""
        for exporter in ("cube", "opents"):
            self.xtf("export", exporter, "--scalasca", "-o", self.folder / "out", "none.xtf", status=2)

    def test_missing_part(self):
        """Checks an export without the part of process 0, which lists the processes of MPI's world. The other processes'
        locations then give the world's size."""
        mpi = mpis()[0]
        program = self.compile(mpi, "plain")
        self.run_in(*self.launch(mpi, 3, *self.xtf_record(self.folder / "run.xtf"), program))
        parts = sorted((self.folder / "run.xtf.d").glob("0*.xtf"))
        self.assertEqual(len(parts), 3)
        self.xtf("merge", "--quiet", "-o", self.folder / "two.xtf", *parts[1:])
        archive = self.export(self.folder / "two.xtf")
        self.assertEqual(self.complaints(archive), [])
        world, = (text for _, text in otf2print.definitions(archive)["GROUP"] if "Type: COMM_LOCATIONS" in text)
        self.assertRegex(world, r'3 Members: UNDEFINED, "Master thread" <4294967296>, "Master thread" <8589934592>$')


if __name__ == "__main__":
    if not shutil.which("otf2-print"):
        print("skipped: no otf2-print")
        sys.exit(77)
    main()
