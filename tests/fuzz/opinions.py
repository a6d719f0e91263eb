"""Compares libxtf with the Python reader of tests/reader on each input of a corpus of traces.

    opinions.py READ-FILE XTF FOLDER...

Both accept an input or both refuse it. If neither checker finds a fault, both readers read the same rows. The comparison is that of
tests/torture/fields.py. The last line is `N files, W wrong`, and says how many of the files both accept.
"""
import pathlib
import signal
import sys
import tempfile

sys.path += [str(pathlib.Path(__file__).resolve().parents[1] / name) for name in ("torture", "reader", "roundtrip", "format")]
# pylint: disable=wrong-import-position
import fields
import xtf_totals


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


def main():
    read_file, xtf, *folders = sys.argv[1:]
    judgement = Judgement(pathlib.Path(read_file), pathlib.Path(xtf))
    readers = fields.Readers(judgement)
    signal.signal(signal.SIGPROF, fields.stop)
    xtf_totals.ANY_SUM = True  # so does `xtf check`
    inputs = [path for folder in folders for path in sorted(pathlib.Path(folder).iterdir())]
    accepted = 0
    with tempfile.TemporaryDirectory(prefix="xtf-opinions-") as name:
        copy = pathlib.Path(name) / "input.xtf"
        for path in inputs:
            copy.write_bytes(path.read_bytes())
            fields.judge(readers, "file", 0, [str(path)], copy)
            accepted += readers.fault(copy) is None
    print(f"{len(inputs)} files, {judgement.wrong} wrong; {accepted} accepted")
    return 1 if judgement.wrong or not inputs or not accepted else 0


if __name__ == "__main__":
    sys.exit(main())
