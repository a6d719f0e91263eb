"""The row of the terminal: the output of commands on a terminal when names in a trace, and arguments, are escape sequences.

No name may act on a terminal, or reorder a line. The screens of `xtf top` and `xtf play` have escape sequences of their own, but not the
ones in the names. A program that copies the names unchanged shows that the harness would see them.
"""
import os
import pathlib
import re
import subprocess
import sys

from attempts import Attempts

TESTS = pathlib.Path(__file__).resolve().parents[2]
PROGRESS = re.compile(rb"\r[^\r\n\x1b]*\x1b\[K")  # a line that the next one replaces
SCREENS = ("top", "play")  # commands that draw on a whole terminal
PATHS = ("records", "profile", "info", "messages", "findings", "definitions/regions", "definitions/properties")


def commands(trace, nasty):
    """Returns the arguments of commands that print names of a trace, or what they were asked for."""
    return [(command, trace) for command in (*SCREENS, "info", "check", "why", "ls")] + [("cat", trace, path) for path in PATHS] + \
        [("top", "--once", trace), ("play", "--frame", "0", trace), ("diff", trace, trace), ("info", "--all", trace), ("ls", "-l", trace, "region"),
         ("ls", trace, nasty), ("cat", trace, f"region/{nasty}"), ("help", nasty), (nasty,), ("info", nasty), ("export", nasty, trace)]


def try_terminal(torture, folder):
    sys.path[:0] = [str(TESTS / folder) for folder in ("fuzz", "roundtrip")]
    import names
    tries = Attempts(torture, "terminal")
    trace = pathlib.Path(os.fsdecode(bytes(folder) + b"/trace" + names.NASTY + b".xtf"))
    subprocess.run([torture.program("tests/fuzz/write-names"), trace, "nasty"], check=True)
    copied = names.read_terminal(["printf", "%s", names.NASTY])[1]
    for piece in names.ACTING:
        tries.check(piece in copied, f"a terminal does not get {piece}, so the row proves nothing")
    for arguments in commands(trace, os.fsdecode(names.NASTY)):
        output = names.read_terminal([torture.program("src/cli/xtf"), *arguments])[1]
        tries.check(output, f"{arguments} prints nothing")
        bad = [piece for piece in names.ACTING if piece in output]
        tries.check(not bad, f"{arguments} writes {bad} to a terminal")
        if arguments[0] not in SCREENS:
            rest = names.forbidden(PROGRESS.sub(b"", output.replace(b"\r\n", b"\n")))
            tries.check(not rest, f"{arguments} writes {rest} to a terminal")
