"""Flips bytes of a small file of each kind, cuts it, and makes its begin zero. The answers stay, or are errors that name the place.

A growing file may give the answers of its earlier commit. A trace may answer without the companion beside it if a remark says so. `check` must report each flip that changes an answer, and each flip in a structure. flip-bytes.c asks and compares,
within 500 MB. The Python reader reads a sample of the damaged files: it accepts the rows where libxtf does, and finds the same ones.

Case n below the size of the file flips byte n. Case size + n cuts the file to n bytes. Case 2 size + n makes its first n bytes zero.

If `xtf check` refuses a part, `xtf check` and `xtf merge` must refuse its folder, too.
"""
import pathlib
import resource
import shutil
import subprocess
import sys

from torture import Torture, scratch_folder

PROJECT = pathlib.Path(__file__).resolve().parents[2]
sys.path += [str(PROJECT / "tests" / name) for name in ("format", "reader", "roundtrip")]
# pylint: disable=wrong-import-position
import test_format_files
from xtf_reader import Trace
from xtf_schema import Damaged
from xtfrun import Failure, Xtf, is_sanitized

MEMORY = 500_000_000
WAIT = 36000  # seconds; flip-bytes bounds each case by itself
# Quick run: step of bytes, step of lengths, questions from which a case takes one, damaged files from which Python reads one.
SMALL, MEDIUM, LARGE = (7, 61, 11, 7), (61, 1499, 11, 41), (179, 1499, 17, 43)


# ---- The files.

def example(xtf, folder, *commands):
    """Writes the trace of a recorded program, and runs commands on it."""
    shutil.copy(PROJECT / "examples" / "rod-4" / "rod.xtf", folder / "trace.xtf")
    for command in commands:
        subprocess.run([xtf, *command], cwd=folder, check=True)
    return "trace.xtf"


def network(xtf, folder):
    """Imports the result of a network test. Returns None if this build has no importer for it."""
    archive = PROJECT / "examples" / "network-8" / "net_average.nc"
    done = subprocess.run([xtf, "import", "--quiet", "-o", "network.xtf", archive], cwd=folder, capture_output=True, check=False)
    if done.returncode and b"without" not in done.stderr:
        sys.exit(f"xtf import failed: {done.stderr.decode()}")
    return None if done.returncode else "network.xtf"


def parts(xtf, folder):
    """Makes a folder of parts without an anchor, as collectors leave it."""
    (folder / "parts").mkdir()
    for name in ("plain", "second"):
        shutil.copy(folder / f"{name}.xtf", folder / "parts")
    return "parts"


def beside_anchor(xtf, folder):
    """Makes an anchor with a companion, where commands find it."""
    (folder / "anchored.xtf").rename(folder / "anchor.xtf.analysis")
    return "anchor.xtf"


def small(name):
    return lambda xtf, folder: name


ANALYZE = ("analyze", "--quiet", "trace.xtf")
ALIGN = ("align", "--quiet", "--always", "-o", "aligned.xtf", "trace.xtf")
BESIDE = ("analyze", "--quiet", "-o", "trace.xtf.analysis", "trace.xtf")

# Row: what makes the trace and returns its name, the file to damage (None: the trace itself), and the steps.
ROWS = {
    "plain": (small("plain.xtf"), None, SMALL),
    "compact": (small("compact.xtf"), None, SMALL),
    "totals": (small("totals.xtf"), None, SMALL),
    "growing": (small("growing.xtf"), None, SMALL),
    "merged": (small("merged.xtf"), None, SMALL),
    "anchor": (small("anchor.xtf"), None, SMALL),
    "anchor-part": (small("anchor.xtf"), "plain.xtf", SMALL),
    "folder-part": (parts, "parts/plain.xtf", SMALL),
    "companion": (small("companion.xtf"), None, SMALL),
    "companion-base": (small("companion.xtf"), "plain.xtf", SMALL),
    "anchored": (small("anchored.xtf"), None, SMALL),
    "anchored-beside": (beside_anchor, "anchor.xtf.analysis", SMALL),
    "anchored-part": (beside_anchor, "second.xtf", SMALL),
    "volumes": (small("volumes.xtf"), None, SMALL),
    "volumes-earlier": (small("volumes.xtf"), "volumes.xtf.0001", SMALL),
    "network": (network, None, MEDIUM),
    "recorded": (lambda xtf, folder: example(xtf, folder), None, LARGE),
    "analysed": (lambda xtf, folder: example(xtf, folder, ANALYZE), None, LARGE),
    "aligned": (lambda xtf, folder: example(xtf, folder, ALIGN) and "aligned.xtf", None, LARGE),
    "analysis": (lambda xtf, folder: example(xtf, folder, BESIDE), "trace.xtf.analysis", LARGE),
    "analysis-base": (lambda xtf, folder: example(xtf, folder, BESIDE), "trace.xtf", LARGE),
}


# ---- The second opinion.

def damaged_bytes(whole, number, flipped):
    """Returns the bytes of a case's file."""
    kind, at = divmod(number, len(whole))
    return (whole[:at] + bytes([flipped]) + whole[at + 1:], whole[:at], bytes(at) + whole[at:])[kind]


class Second:
    """The Python reader on the same damaged files."""

    def __init__(self, torture, row, trace, file):
        self.torture, self.row, self.trace, self.file = torture, row, trace, file
        self.whole, self.rows, self.earlier = file.read_bytes(), {}, False
        self.fault = ""

    def lines(self):
        """Returns the rows of the trace, None if the reader refuses any. Sets `earlier` if they are of an earlier commit, and `fault`."""
        self.earlier, self.fault = False, ""
        try:
            trace = Trace(self.trace)
            self.earlier = trace.damaged_commit is not None
            try:
                return test_format_files.python_lines(trace)
            finally:
                trace.close()
        except Damaged as error:
            self.fault = str(error)
            return None

    def learn(self, digests):
        """Reads the whole file, and its earlier commit, of which flip-bytes printed digests."""
        for slot, digest in zip((None, 0, 4096), digests):
            if slot is not None:
                self.write(self.whole[:slot] + bytes(256) + self.whole[slot + 256:])
            self.rows[digest] = self.lines()
        self.file.write_bytes(self.whole)

    def write(self, data):
        """Writes the file in place."""
        with open(self.file, "r+b") as file:
            file.write(data)
            file.truncate(len(data))

    def judge(self, number, flipped, digest):
        """Compares a case with the digest of the rows that libxtf read; 0 is an error."""
        self.write(damaged_bytes(self.whole, number, flipped))
        lines = self.lines()
        self.write(self.whole)
        wanted = self.rows.get(digest) if digest else None
        # The Python reader reads all strings when it opens a file. So it refuses the file, or goes to the commit before, where libxtf
        # refuses only the rows that need a damaged string.
        eager = self.fault.startswith("strings:") or digest == 0 and self.earlier and lines in self.rows.values()
        self.torture.check(lines == wanted or eager, self.row, number, "the Python reader", "refuses" if lines is None else "reads", "the rows, libxtf",
                           "does not" if digest == 0 else "reads its own", self.fault)


# ---- Parts.

class Parts:
    """The commands on a trace of which one part is damaged."""

    EVERY = 29  # cases, of which the quick run judges one

    def __init__(self, torture, row, trace, file):
        self.torture, self.row, self.trace, self.file = torture, row, trace, file
        self.xtf, self.whole = Xtf(str(torture.program("src/cli/xtf"))), file.read_bytes()

    def fails(self, *command):
        return self.xtf.run(*command).status != 0

    def faults(self):
        """Yields commands that accept a part that `xtf check` refuses."""
        if not self.fails("check", "-q", self.file):
            return
        if not self.fails("check", "-q", self.trace):
            yield "`xtf check` of the whole passes a damaged part"
        if self.trace.is_dir() and not self.fails("merge", "-qf", "-o", self.trace.with_name("merged.xtf"), self.trace):
            yield "`xtf merge` takes a damaged part"

    def judge(self, number, flipped):
        self.file.write_bytes(damaged_bytes(self.whole, number, flipped))
        try:
            faults = list(self.faults())
        except Failure as failure:
            faults = [failure]
        self.torture.check(not faults, self.row, number, *faults)
        self.file.write_bytes(self.whole)


# ---- The cases.

def limit():
    """Bounds the address space of the child process."""
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))


def run_from(torture, row, command, first, end):
    """Runs flip-bytes from a case on. Returns its lines, and the case after the one in which it died; None: it did not."""
    program = torture.program("tests/torture/flip-bytes")
    done = subprocess.run([program, *map(str, command(first, end))], stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=WAIT, check=False,
                          preexec_fn=None if is_sanitized(program) else limit)
    lines = [line.split(maxsplit=2) for line in done.stdout.decode(errors="replace").splitlines()]
    if lines and lines[-1] == ["end"]:
        return lines, None
    last = next((int(line[1]) for line in reversed(lines) if line[0] == "case"), None)
    torture.check(False, row, first if last is None else last, "flip-bytes ended with", done.returncode, done.stderr.decode(errors="replace")[-2000:])
    return lines, None if last is None else last + 1


def run_row(torture, row, folder):
    make, damaged, (step, cut, share, every) = ROWS[row]
    trace = make(torture.program("src/cli/xtf"), folder)
    if trace is None:
        return
    file = folder / (damaged or trace)
    single = trace != "parts" and not (folder / (trace + ".analysis")).exists()  # the Python reader knows no folders, and no file beside
    second = Second(torture, row, folder / trace, file) if single else None
    parts = Parts(torture, row, folder / trace, file) if row.endswith("-part") else None
    whole = file.read_bytes()
    if torture.options.cases:  # a third each: flips, cuts, zeros
        step = cut = max(1, 3 * len(whole) // torture.options.cases)
    elif torture.long or torture.options.case is not None:
        step, cut, share, every = 1, 1, 1, every if torture.options.case is None else 1

    def command(first, end):
        return folder / trace, file, torture.options.seed, first, end, step, cut, share

    first, end = (0, 1 << 40) if torture.options.case is None else (torture.options.case, torture.options.case + 1)
    while first is not None:
        lines, first = run_from(torture, row, command, first, end)
        file.write_bytes(whole)
        count_cases(torture, row, lines)
        if second:
            judge_rows(second, lines, every)
        for number, flipped in list(flipped_bytes(lines).items())[::1 if every == 1 else Parts.EVERY] if parts else []:
            parts.judge(number, flipped)


def flipped_bytes(lines):
    """Returns {case: the changed byte} of the cases that flip-bytes ran."""
    return {int(line[1]): int(line[2]) for line in lines if line[0] == "case"}


def count_cases(torture, row, lines):
    """Counts the cases that flip-bytes ran, and prints its faults."""
    for kind, *words in lines:
        if kind == "case":
            torture.count()
        elif kind == "wrong":
            torture.check(False, row, int(words[0]), *words[1:])


def judge_rows(second, lines, every):
    """Lets the second reader read a sample of the cases."""
    digests = [int(line[2]) for line in lines if line[0] == "rows" and line[1] in ("whole", "earlier")]
    flipped = flipped_bytes(lines)
    if not second.rows and digests:
        second.learn(digests)
    sample = set(list(flipped)[::every])
    for kind, *words in lines:
        if kind == "rows" and words[0].isdigit() and int(words[0]) in sample:
            second.judge(int(words[0]), flipped[int(words[0])], int(words[1]))


def main():
    torture = Torture("Flips bytes of small files of each kind, and cuts them.", ROWS)
    for row in torture.rows:
        with scratch_folder("bytes") as name:
            folder = pathlib.Path(name)
            test_format_files.expand(folder)
            run_row(torture, row, folder)
    torture.finish()


if __name__ == "__main__":
    main()
