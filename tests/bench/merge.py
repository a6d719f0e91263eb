#!/usr/bin/env python3
"""Measures merging parts of 100 000 records each, and reading the merged file.

usage: merge.py [--build DIR] [--dir DIR] [--parts N] [--records N]

Compares merging with copying the bytes of the parts, and reading with a file that was written at once. Does the same with an
anchor, which leaves the parts in place, and with a folder without an anchor.
"""
import random
import shutil

import common


def windows(parts, name):
    pick = random.Random(3)
    for _ in range(400):
        a = pick.uniform(0, 99.9)
        yield f"/proc/{pick.randrange(parts)}/time/{a:.5f}%-{pick.uniform(a, 100):.5f}%/{name}"


def copy_parts(paths, target_path):
    with open(target_path, "wb") as target:
        for path in paths:
            with open(path, "rb") as source:
                shutil.copyfileobj(source, target, 1 << 20)


def write_anchor(folder, parts, arguments):
    """Writes an anchor of links to the parts, in a new folder."""
    (folder / "parts.d").mkdir()
    for part in parts:
        (folder / "parts.d" / part.name).hardlink_to(part)
    anchor = folder / "parts.d" / "anchor.xtf"
    run, _ = common.median_run(arguments.times, [arguments.xtf, "merge", "-q", "--anchor", anchor.parent])
    common.row(f"{len(parts)} parts, their anchor", f"{run.seconds:.2f} s, {run.cpu:.2f} s of processor, {run.mebibytes:.0f} MiB; {anchor.stat().st_size / 1e6:.1f} MB", "3 s, 100 MiB", "")
    return anchor


def main():
    parser = common.parser(__doc__)
    parser.add_argument("--parts", type=int, default=1000)
    parser.add_argument("--records", type=int, default=100000)
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        make = [arguments.bench / "make-parts", folder / "part", arguments.parts, arguments.records]
        common.Run(make)
        common.Run([*make, "whole"])
        parts, whole, merged = sorted(folder.glob("part-[0-9]*.xtf")), folder / "part-whole.xtf", folder / "merged.xtf"
        common.make_warm(folder)

        copied, run = [], None
        for _ in range(arguments.times):
            before = common.time.monotonic()
            copy_parts(parts, folder / "copy")
            copied.append(common.time.monotonic() - before)
            (folder / "copy").unlink()
        run, _ = common.median_run(arguments.times, [arguments.xtf, "merge", "-q", "-o", merged, *parts], lambda: merged.unlink(missing_ok=True))
        size, beside = sum(part.stat().st_size for part in parts), merged.stat().st_size
        common.row(f"{len(parts)} parts, {size / 1e6:.0f} MB, merged", f"{run.seconds:.2f} s, {run.cpu:.2f} s of processor, {run.mebibytes:.0f} MiB; {(beside - size) / 1e6:.1f} MB more",
                   "3 s beyond the copy, 100 MiB", f"copying {common.median(copied):.2f} s")
        anchor = write_anchor(folder, parts, arguments)
        for name in "count", "profile":
            runs = [common.median_run(arguments.times, [arguments.xtf, "cat", trace, *windows(len(parts), name)])[0] for trace in (merged, whole, anchor)]
            common.row(f"400 times `{name}` in random windows, cold", f"{runs[0].cpu * 2.5:.2f} ms of processor each", "within 10%", f"written at once {runs[1].cpu * 2.5:.2f} ms")
            common.row("the same, of the anchor", f"{runs[2].cpu * 2.5:.2f} ms of processor each", "within 20%", f"merged {runs[0].cpu * 2.5:.2f} ms")
        for name, trace in ("merged file", merged), ("anchor", anchor), ("folder without an anchor", anchor.parent):
            if name.startswith("folder"):
                anchor.unlink()
            run, _ = common.median_run(arguments.times, [arguments.xtf, "cat", trace, "/count"])
            common.row(f"opening, the {name}: `count`", f"{run.seconds * 1000:.1f} ms, {run.cpu * 1000:.1f} ms of processor", "", "")


main()
