"""Traces with all types of docs/VOCABULARY.md: imports of the project's examples, of generated archives, and of archives of others."""

import pathlib
import subprocess
import sys

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path += [str(TESTS / "reader"), str(TESTS / "roundtrip")]
import xtfrun  # noqa: E402

EXAMPLES = TESTS.parent / "examples"


def run(*command):
    subprocess.run(command, capture_output=True, timeout=300, check=True)


def archives_of(folder, writer):
    """Yields archives that xtf imports. `writer` is the program otf2-archives; "": this build has no OTF2."""
    generated = folder / "opents.xml"
    run(sys.executable, TESTS / "opents" / "opents_gen.py", "--ranks", "4", "--slices", "20", generated)
    yield generated
    if not writer:
        return
    run(writer, folder, "all-events")
    yield from sorted(folder.glob("*.otf2"))
    yield from (EXAMPLES / name / "eztrace_log.otf2" for name in ("heat-4", "melt-4"))
    others = xtfrun.shared_traces()
    yield from sorted(others.glob("**/*.otf2")) if others else []


def make_traces(xtf, folder, writer, networks):
    """Yields the names and files of traces, aligned and analysed where that is possible. `networks`: this build reads netCDF."""
    archives = [*archives_of(folder, writer), *([EXAMPLES / "network-8" / "net_median.nc"] if networks else [])]
    for i, archive in enumerate(archives):
        trace = folder / f"{i}.xtf"
        run(xtf, "import", "-o", trace, archive)
        for command in ("align", "analyze"):
            subprocess.run([xtf, command, trace], capture_output=True, timeout=300, check=False)
        yield f"{archive.parent.name}/{archive.name}", trace
