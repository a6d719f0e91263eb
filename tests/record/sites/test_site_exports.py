#!/usr/bin/env python3
"""Call sites in OTF2 archives: otf2-print shows the place of each recorded call, by the names of the recording. An import of the archive
has the same site at each call, and exports the same archive again.

usage: test_site_exports.py
"""

import pathlib
import re
import shutil
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

from recorded_trace import Recorded  # noqa: E402
from recording import Case, main, mpis  # noqa: E402

ENTER = re.compile(r'^ENTER +(\d+) +\d+ +Region: "(.*)" <\d+>$')
PLACE = re.compile(r'^ +ADDITIONAL ATTRIBUTES: .*\("call site" <\d+>; SOURCE_CODE_LOCATION; "([^"]*):(\d+)" <\d+>\)')
TEXTS = ("function", "inlined_into", "file", "object", "build_id", "name")


class Exports(Case):
    def record_program(self, mpi, *options):
        self.run_in(f"mpicc.{mpi}", "-w", *options, "-o", "program", HERE.parent / "programs" / "blocking.c")
        return self.record(mpi, 2, self.folder / "program", options=["--force"])[0]

    def calls(self, path):
        """Returns {location: [(region, fields of the site or None)]} of the trace's ENTERs."""
        trace = Recorded(path)
        self.addCleanup(trace.close)
        sites = [{**row, **{name: trace.text("sites", i, name) for name in TEXTS}, "region": trace.text("regions", row["region"])}
                 for i, row in enumerate(trace.tables["sites"])]
        return {location: [(record.region, None if record.site is None else sites[record.site]) for record in records if record.event == "ENTER"]
                for location, records in trace.records.items()}

    def printed(self, archive):
        """Returns {location: [(region, file, line)]} of the archive's ENTERs by otf2-print."""
        found, calls = {}, None
        for line in self.run_in("otf2-print", archive).splitlines():
            enter, place = ENTER.match(line), PLACE.match(line)
            if enter:
                calls = found.setdefault(int(enter[1]), [])
                calls.append((enter[2], None, None))
            elif place:
                calls[-1] = (calls[-1][0], place[1], int(place[2]))
        return found

    def export(self, path, name, *options):
        report = self.xtf("export", "otf2", "--force", *options, "-o", self.folder / name, path)
        return self.folder / name / "traces.otf2", report

    def check_round_trip(self, path):
        """Exports a trace, imports the archive, and exports it again. Checks the sites of all calls. Returns them."""
        calls = self.calls(path)
        archive, report = self.export(path, "archive")
        self.assertNotIn("call sites", report)
        # A site without a line has its name in place of the file.
        expected = {location: [(region, *((site["file"], site["line"]) if site and site["line"] else (site["name"], 0) if site else (None, None)))
                               for region, site in entered] for location, entered in calls.items()}
        self.assertEqual(self.printed(archive), expected)
        self.xtf("import", "--force", "-o", "back.xtf", archive)
        self.xtf("check", "back.xtf")
        self.assertEqual(self.calls(self.folder / "back.xtf"), calls)
        again, _ = self.export("back.xtf", "again")
        for option in ([], ["-G"]):
            self.assertEqual(self.run_in("otf2-print", *option, again), self.run_in("otf2-print", *option, archive))
        return [site for entered in calls.values() for _, site in entered]

    def test_lines(self):
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                sites = self.check_round_trip(self.record_program(mpi, "-g"))
                self.assertGreater(len(sites), 20)
                self.assertNotIn(None, sites)

    def test_without_lines(self):
        sites = self.check_round_trip(self.record_program(mpis()[0], "-s"))
        self.assertTrue(all(site["line"] is None and site["offset"] for site in sites))

    def test_without_sites(self):
        """Checks that nothing is added to archives without sites and for Scalasca, and that their imports have no column."""
        path = self.record_program(mpis()[0], "-g")
        archive, report = self.export(path, "scalasca", "--scalasca")
        self.assertRegex(report, r"\d+ call sites left out")
        self.assertNotIn("SOURCE_CODE_LOCATION", self.run_in("otf2-print", archive) + self.run_in("otf2-print", "-G", archive))
        self.xtf("import", "-o", "plain.xtf", archive)
        trace = Recorded(self.folder / "plain.xtf")
        self.addCleanup(trace.close)
        self.assertNotIn("sites", trace.tables)
        self.assertFalse(any("site" in vars(record) for records in trace.records.values() for record in records))


if __name__ == "__main__":
    if not shutil.which("otf2-print"):
        print("skipped: there is no otf2-print")
        sys.exit(77)
    main()
