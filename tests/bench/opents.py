#!/usr/bin/env python3
"""Measures import and export of OpenTS's XML: megabytes a second of processor time, memory, size.

Compares the import with Python's XML parser, which discards all elements. Runs are generated; --slices makes them longer. Figures are the least of several runs, by turns.
"""

import pathlib
import subprocess
import sys

import common

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent / "opents"))
import opents_gen  # noqa: E402

PARSE = """
import sys, xml.etree.ElementTree
for _event, element in xml.etree.ElementTree.iterparse(sys.argv[1], events=["end"]):
    element.clear()
"""


def repeat_slices(source, target, times):
    """Repeats the slices of a file with continued numbers and times. Copies line by line, since the kernel counts the memory of a
    program's parent as the program's own."""
    number = 0
    with open(target, "w", encoding="utf-8") as out:
        for i in range(times):
            with open(source, encoding="utf-8") as lines:
                for line in lines:
                    if line.startswith("  <slice "):
                        line = f'  <slice num="{number}" time="{(number + 1) / 25:.6f}">\n'
                        number += 1
                    if line.startswith("  ") or i == 0 and not line.startswith("</"):
                        out.write(line)
        out.write("</trace>\n")


def least_costs(arguments, *commands):
    """Returns for each command the least processor time and memory of several runs."""
    runs = [[common.Run(command) for command in commands] for _ in range(arguments.times)]
    return [(min(run.cpu for run in column), min(run.mebibytes for run in column)) for column in zip(*runs)]


def measure_run(arguments, folder, ranks, slices, times):
    base, xml, xtf, again = (folder / name for name in ("base.xml", "run.xml", "run.xtf", "again.xml"))
    subprocess.run([sys.executable, opents_gen.__file__, "--ranks", str(ranks), "--slices", str(slices), base], check=True)
    repeat_slices(base, xml, times)
    size = xml.stat().st_size
    (seconds, memory), (python, _) = least_costs(arguments, [arguments.xtf, "import", "-q", "-f", "-o", xtf, xml],
                                           [sys.executable, "-c", PARSE, xml])
    label = f"OpenTS's XML, {ranks} ranks, {slices * times} slices, {size / 1e6:.0f} MB"
    common.row(f"import of {label}, processor time", f"{size / seconds / 1e6:.0f} MB/s, {memory:.0f} MiB", "80 MB/s, 30 MiB",
               f"Python's iterparse {size / python / 1e6:.0f} MB/s")
    common.row(f"size of the trace of {label}", f"{xtf.stat().st_size / size:.3f} of it", "0.1")
    ((seconds, memory),) = least_costs(arguments, [arguments.xtf, "export", "opents", "-q", "-f", "-o", again, xtf])
    common.row(f"export of {label}, processor time", f"{size / seconds / 1e6:.0f} MB/s, {memory:.0f} MiB")
    if subprocess.run(["cmp", xml, again], check=False).returncode:
        sys.exit("the export differs from the imported file")


def main():
    parser = common.parser(__doc__.splitlines()[0])
    parser.add_argument("--slices", type=int, default=500)
    arguments = parser.parse_args()
    common.start(arguments)
    with common.folder(arguments.dir) as folder:
        for ranks, times in (4, 10), (32, 1), (32, 8):
            measure_run(arguments, folder, ranks, arguments.slices, times)


if __name__ == "__main__":
    main()
