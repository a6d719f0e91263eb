#!/usr/bin/env python3
"""An analysis of another build, with other fields. `xtf analyze` must replace it in one commit by the analysis of a fresh import,
and reuse its space. When killed at any time it must leave the former analysis, or the whole new one.

usage: test_other_analysis.py XTF OTHER-ANALYSIS CHECKER ARCHIVE
"""

import os
import pathlib
import random
import shutil
import signal
import subprocess
import sys
import time
import unittest.mock

TESTS = pathlib.Path(__file__).resolve().parents[1]
sys.path += [str(TESTS / "roundtrip"), str(TESTS / "reader")]
# pylint: disable=wrong-import-position
import xtf_reader
from xtfrun import Failure, Xtf, run_test, temporary_folder

TYPES = ("waits", "delays", "critical", "activity", "ideal")
OTHER_TYPES = ("marks", "notes")
TABLES = ("contexts", "analyses")
KILLS = 16


def analysis_rows(path):
    """Returns {name: rows} of an analysis, each row with the names of its fields."""
    trace, found = xtf_reader.Trace(str(path)), {}
    for name in TABLES:
        schema, rows = trace.tables.get(name, (None, []))
        found[name] = [[(field.name, value) for field, value in zip(schema.fields, schema.values(row))] for row in rows]
    for array in trace.arrays():
        if array.schema.name in TYPES + OTHER_TYPES:
            found.setdefault(array.schema.name, []).extend(
                (array.location, [(field.name, value) for field, value in zip(array.schema.fields, array.schema.values(row))])
                for row in array.read_local())
    trace.close()
    return found


def without_strings(found):
    """Returns the rows without string numbers, which depend on the strings stored before."""
    return {name: [[(field, value) for field, value in row if field == "clocks"] if name == "analyses" else row for row in rows]
            for name, rows in found.items()}


def analysed_by(path):
    """Returns {derived type: {(tool, digest of the clocks)}} from the table `analyses`."""
    trace, found = xtf_reader.Trace(str(path)), {}
    schema, rows = trace.tables["analyses"]
    names = [field.name for field in schema.fields]
    for row in rows:
        entry = dict(zip(names, schema.values(row)))
        found.setdefault(trace.string(entry["records"]), set()).add((trace.string(entry["tool"]), entry["clocks"]))
    trace.close()
    return found


def check_others_beside(xtf, other, checker, trace):
    """Checks that rows of unknown types are kept, unless they refer to call paths, which an analysis replaces."""
    subprocess.run([other, trace, "beside"], check=True)
    before, tools = analysis_rows(trace), analysed_by(trace)
    xtf.expect("analyze", "-q", trace)
    check_sound(xtf, checker, trace)
    after = analysis_rows(trace)
    if not before["marks"] or "marks" in after or not before["notes"] or after["notes"] != before["notes"]:
        raise Failure(f"rows of others after an analysis: {sorted(before)} before, {sorted(after)} after")
    if not tools["notes"] or analysed_by(trace) != tools:
        raise Failure(f"the entries of the table analyses: {tools} before, {analysed_by(trace)} after")


def check_damaged(xtf, other, trace):
    """Checks that xtf reports a damaged table before it begins its work, which would fail here for another reason."""
    subprocess.run([other, trace, "damaged"], check=True)
    before = trace.read_bytes()
    with unittest.mock.patch.dict(os.environ, {"TMPDIR": str(trace.parent / "nowhere")}):
        done = xtf.run("analyze", "-q", trace)
    if done.status != 1 or b"string 12345678" not in done.errors or trace.read_bytes() != before:
        raise Failure(f"a damaged table of analyses: {done.status} {done.errors}")


def check_sound(xtf, checker, trace):
    xtf.expect("check", "-q", trace)
    done = subprocess.run([sys.executable, checker, trace], capture_output=True, text=True, check=False)
    if done.returncode:
        raise Failure(f"{trace}: {done.stdout}{done.stderr}")


def main():
    xtf, other, checker, archive = Xtf(sys.argv[1]), *sys.argv[2:5]
    with temporary_folder() as name:
        folder = pathlib.Path(name)
        base, fresh, trace = folder / "base.xtf", folder / "fresh.xtf", folder / "trace.xtf"
        xtf.import_archive(archive, base)
        shutil.copy(base, fresh)
        xtf.expect("analyze", "-q", fresh)
        subprocess.run([other, base, "derived"], check=True)
        before, wanted = analysis_rows(base), without_strings(analysis_rows(fresh))
        if without_strings(before) == wanted or "colour" not in str(before["waits"][0]):
            raise Failure("the other analysis equals the one of this build")

        shutil.copy(base, trace)
        xtf.expect("analyze", "-q", trace)
        check_sound(xtf, checker, trace)
        if without_strings(analysis_rows(trace)) != wanted:
            raise Failure("the new analysis is not that of a fresh import")
        for path in ("waits/records", "delays/callpaths", "critical/segments", "efficiency", "records"):
            if xtf.expect("cat", trace, path) != xtf.expect("cat", fresh, path):
                raise Failure(f"{path} is not that of a fresh import")

        check_others_beside(xtf, other, checker, shutil.copy(trace, folder / "beside.xtf"))

        check_damaged(xtf, other, pathlib.Path(shutil.copy(trace, folder / "damaged.xtf")))

        sizes = []
        for _ in range(5):
            xtf.expect("analyze", "-q", trace)
            sizes.append(trace.stat().st_size)
        if sizes[2:] != sizes[2:3] * 3:
            raise Failure(f"analysed again and again, it grows: {sizes}")
        xtf.expect("copy", "-q", "-f", trace, folder / "copy.xtf")
        xtf.expect("copy", "-q", "-f", fresh, folder / "fresh-copy.xtf")
        copies = [(folder / copy).stat().st_size for copy in ("copy.xtf", "fresh-copy.xtf")]
        if abs(copies[0] - copies[1]) > 4096:
            raise Failure(f"a copy has {copies[0]} bytes, one of a fresh import {copies[1]}")

        killed, chance = 0, random.Random(1)
        begun = time.monotonic()
        xtf.expect("analyze", "-q", trace)
        takes = time.monotonic() - begun
        for _ in range(KILLS):
            shutil.copy(base, trace)
            with subprocess.Popen([xtf.program, "analyze", "-q", trace], stderr=subprocess.DEVNULL) as process:
                time.sleep(chance.random() * 1.2 * takes)
                process.send_signal(signal.SIGKILL)
            found = analysis_rows(trace)
            if found != before and without_strings(found) != wanted:
                raise Failure("killed, the trace has neither the one nor the other analysis")
            killed += found == before
        print(f"killed {KILLS} times: {killed} were as before")

        # Records of a user are not replaced by an analysis.
        xtf.import_archive(archive, trace, "--force")
        subprocess.run([other, trace, "record"], check=True)
        bytes_before = trace.read_bytes()
        done = xtf.run("analyze", "-q", trace)
        if not done.status or b"waits" not in done.errors or trace.read_bytes() != bytes_before:
            raise Failure(f"records named waits are replaced: {done.status} {done.errors}")
    return 0


if __name__ == "__main__":
    run_test(main)
