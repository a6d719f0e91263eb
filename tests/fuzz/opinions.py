"""Compares libxtf with the Python reader of tests/reader on each input of a corpus of traces, or on traces with changed rows.

    opinions.py READ-FILE XTF FOLDER...
    opinions.py READ-FILE XTF --rewrite REWRITE-FILES DUMP-TRACE SEED N

Both accept an input or both refuse it. If neither checker finds a fault, both readers read the same rows. The comparison is that of
tests/torture/fields.py. The last line is `N files, W wrong`, and says how many of the files both accept: of the rewritten ones at least a quarter.
"""
import pathlib
import signal
import subprocess
import sys
import tempfile

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("torture", "reader", "roundtrip", "format")]
# pylint: disable=wrong-import-position
import fields
import xtf_totals

RECORDED = pathlib.Path(__file__).resolve().parents[2] / "examples/rod-4/rod.xtf"


class Judgement:
    """Prints what is wrong. Has the members of the harness of tests/torture that fields.py uses."""

    def __init__(self, read_file, xtf):
        self.programs = {"tests/format/read-file": read_file, "src/cli/xtf": xtf}
        self.wrong = 0

    def program(self, path):
        return self.programs[path]

    def check(self, good, _row, _number, what, *said):
        if not good:
            self.wrong += 1
            print("wrong:", what, *said)


def rewrite_files(folder, rewrite, dump_trace, seed, n):
    """Makes traces, and writes them again with other rows and changed bytes of pages. Returns the folder of the new ones."""
    sources, rewritten = [RECORDED], folder / "rewritten"
    rewritten.mkdir()
    for codec in "plain", "compact":
        for rows in 6, 48:
            sources.append(folder / f"{codec}-{rows}.xtf")
            subprocess.run([dump_trace, "write", sources[-1], codec, seed, "4096", "1", str(rows)], check=True)
    subprocess.run([rewrite, seed, n, rewritten, *sources], check=True)
    return rewritten


def judge_folders(read_file, xtf, folder, folders):
    """Judges all files. Returns how many there are, how many are wrong, and how many both readers accept."""
    judgement = Judgement(pathlib.Path(read_file), pathlib.Path(xtf))
    readers = fields.Readers(judgement)
    signal.signal(signal.SIGPROF, fields.stop)
    xtf_totals.ANY_SUM = True  # so does `xtf check`
    inputs = [path for folder in folders for path in sorted(pathlib.Path(folder).iterdir())]
    accepted, copy = 0, folder / "input.xtf"
    for path in inputs:
        copy.write_bytes(path.read_bytes())
        fields.judge(readers, "file", 0, [str(path)], copy)
        accepted += readers.fault(copy) is None
    return len(inputs), judgement.wrong, accepted


def main():
    read_file, xtf, *rest = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="xtf-opinions-") as name:
        folder = pathlib.Path(name)
        rewritten = rest[0] == "--rewrite"
        n, wrong, accepted = judge_folders(read_file, xtf, folder, [rewrite_files(folder, *rest[1:])] if rewritten else rest)
    print(f"{n} files, {wrong} wrong; {accepted} accepted")
    return 1 if wrong or accepted < (n / 4 if rewritten else 1) else 0


if __name__ == "__main__":
    sys.exit(main())
