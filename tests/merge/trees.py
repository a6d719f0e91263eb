"""Compares the trees of two traces that should say the same: every directory lists the same names, and every file has the same bytes.
The tree is that of `xtf ls`, from the top down to its last directory. Without XTF_TEST_ALL a test compares the files and directories of the
first three levels, and half of the names of each directory below."""
import pathlib
import re
import sys
import zlib

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
# pylint: disable=wrong-import-position
from asking import Asker, Refused
from xtfrun import check, tests_all, without_name

# Lines of the file `info` that describe files and commits, not the trace.
OF_FILES = re.compile(rb"^(file|format|size|pages|parts|volumes|commit|codec) .*\n", re.M)
BYTES_EACH = re.compile(rb" \([0-9.]+ bytes each, all included\)")
# Windows, which no directory lists, and numbers of records.
WINDOWS = ["/time/10%-30%", "/time/47%-48%", "/num/5-400", "/proc/1/time/20%-80%", "/time/33%-66%/enters_leaves"]
LEVELS = 3  # of which every name is compared


def ask(asker, question, trace):
    """Returns the answer without what depends on files."""
    answer = asker.ask(question)
    if question.endswith("/info"):
        answer = BYTES_EACH.sub(b"", OF_FILES.sub(b"", answer))
    return without_name(answer, trace) if question.endswith((".svg", ".html", "/findings")) else answer


def list_names(asker, path):
    """Returns the names in a directory; None: it is a file."""
    try:
        return asker.ask(f"ls {path}").decode("utf-8", "surrogateescape").splitlines()
    except Refused:
        return None


def is_compared(path):
    """True if a path is compared. The choice looks random, and is the same in each run."""
    return tests_all() or path.count("/") <= LEVELS or zlib.crc32(path.encode("utf-8", "surrogateescape")) % 2 == 0


def compare_trees(command, ask_tree, one, many):
    """Compares all paths of two traces. Returns the numbers of directories and files."""
    a, b = (Asker(command, ask_tree, trace) for trace in (one, many))
    waiting, directories, files = ["/", *WINDOWS], 0, 0
    while waiting:
        path = waiting.pop()
        names = list_names(a, path)
        question = f"{'cat' if names is None else 'ls'} {path}"
        first, second = ask(a, question, one), ask(b, question, many)
        check(first == second, f"{many}: {question} differs from {one}")
        if names is None:
            files += 1
        else:
            directories += 1
            below = [f"{path.rstrip('/')}/{name}" for name in names]
            waiting += filter(is_compared, below)
    check(a.end() is None and b.end() is None, "a process that answered has ended with an error")
    return directories, files
