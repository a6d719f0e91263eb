#!/usr/bin/env python3
"""The progress that `xtf analyze` shows on a terminal: each step once, with rising percentages. Also Ctrl-C at each step.

With several threads one of them writes rows while the others work. These steps are shown only if the others wait for them.

usage: test_steps.py XTF ARCHIVE
"""

import fcntl
import os
import pathlib
import pty
import re
import signal
import struct
import subprocess
import sys
import tempfile
import termios

XTF, ARCHIVE = sys.argv[1:]
# In the order of the analysis by one thread: the first steps read the trace.
STEPS = ["reading", "replaying", "waits without messages", "writing the ideal run", "points of waits", "meetings", "causes",
         "writing delays", "writing waits", "activity beside the path", "critical path", "segments of the path", "writing the path",
         "committing"]
# The steps that may be shown after a step if there are several threads.
BESIDE = {"causes": ["writing the ideal run"], "segments of the path": ["writing delays", "writing waits"]}
LINE = re.compile(r"analysing: ([a-zA-Z ]*[a-zA-Z])(?: +\[[=> ]*\] +(\d+)%)?")


def check_that(good, *what):
    if not good:
        sys.exit(" ".join(map(str, what)))


def analyze(trace, interrupt_at=None, threads=0):
    """Analyses a trace. Returns the steps that were shown, as (name, percent or -1), the exit status, and the text."""
    test_end, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", 25, 120, 0, 0))
    shown, text = [], ""
    with subprocess.Popen([XTF, "analyze", "-j", str(threads), trace], stdout=subprocess.DEVNULL, stderr=terminal) as process:
        os.close(terminal)
        while True:
            try:
                got = os.read(test_end, 4096)
            except OSError:  # the other end is closed
                got = b""
            if not got:
                break
            text += got.decode()
            if interrupt_at and f"analysing: {interrupt_at} " in text:
                process.send_signal(signal.SIGINT)
                interrupt_at = None
        process.wait(timeout=60)
    os.close(test_end)
    for line in text.split("\r"):
        found = LINE.match(line)
        if found:
            shown.append((found[1], int(found[2] or -1)))
    return shown, process.returncode, text


def expected_steps(names):
    """Returns the steps that several threads show if `names` has some steps that one of them does beside the others."""
    beside = {name for after in BESIDE.values() for name in after}
    expected = []
    for step in STEPS:
        if step not in beside:
            expected += [step] + [name for name in BESIDE.get(step, []) if name in names]
    return expected


def check_steps(trace, threads):
    shown, status, text = analyze(trace, threads=threads)
    check_that(status == 0, status, text)
    names = [name for i, (name, _) in enumerate(shown) if i == 0 or shown[i - 1][0] != name]
    check_that(names == (STEPS if threads == 1 else expected_steps(names)), "steps", names)
    for (name, percent), (next_name, next_percent) in zip(shown, shown[1:]):
        check_that(name != next_name or percent <= next_percent, name, "goes back, from", percent, "to", next_percent)


def waits_profile(trace):
    return subprocess.run([XTF, "cat", trace, "waits/profile"], check=True, stdout=subprocess.PIPE).stdout


def check_interrupted(trace):
    """Checks that an interrupted trace is unchanged, or analysed in whole if the signal arrived after the commit."""
    before, ended_at = trace.read_bytes(), set()
    subprocess.run([XTF, "analyze", "-q", trace], check=True)
    analysed = waits_profile(trace)
    trace.write_bytes(before)
    for step, threads in [(step, threads) for threads in (1, 2, 3) for step in STEPS]:
        _, status, text = analyze(trace, step, threads)
        if status == 0:
            trace.write_bytes(before)
            continue
        if status == -signal.SIGINT and trace.read_bytes() != before:  # the commit was done, but the process had not ended
            check_that(waits_profile(trace) == analysed, step, "killed after the commit: not the whole analysis")
            trace.write_bytes(before)
            continue
        check_that(status == -signal.SIGINT or "interrupted" in text, step, status, text)
        check_that(trace.read_bytes() == before, step, "interrupted: the trace was changed")
        ended_at.add(step)
    check_that(ended_at, "no Ctrl-C interrupted the analysis")


def main():
    with tempfile.TemporaryDirectory() as name:
        trace = pathlib.Path(name) / "trace.xtf"
        subprocess.run([XTF, "import", "-q", "-o", trace, ARCHIVE], check=True)
        check_interrupted(trace)
        for threads in (1, 2, 5):
            check_steps(trace, threads)


main()
