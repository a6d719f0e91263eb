#!/usr/bin/env python3
"""xtf play, top and watch on a terminal, in tmux: keys, sizes, colours, and a terminal that every end restores.

usage: test_terminal.py XTF ARCHIVE
"""

import os
import pathlib
import re
import subprocess
import sys
import time

from xtfrun import Failure, Xtf, check, need_programs, skip, temporary_folder

TIMEOUT = 90  # seconds; a busy machine takes several times as long


class Terminal:
    """A separate tmux with one shell, whose $TRACE is the path of a trace. Paths of some length would scroll lines off screens."""

    def __init__(self, folder, columns, lines, trace):
        self.socket = os.path.join(folder, "tmux")
        environment = {**os.environ, "LC_ALL": "C.UTF-8", "PS1": "$ ", "TMUX": "", "ENV": "", "SHELL": "/bin/sh",
                       "TRACE": str(trace)}
        self.environment = {name: value for name, value in environment.items() if name not in ("NO_COLOR", "COLUMNS", "LINES")}
        self.tmux("new-session", "-d", "-x", str(columns), "-y", str(lines), "sh")

    def tmux(self, *words):
        # tmux answers in UTF-8 in any locale of this process. Without LANG Python may take the answer for ASCII.
        return subprocess.run(["tmux", "-S", self.socket, "-f", "/dev/null", *words], capture_output=True, encoding="utf-8",
                              env=self.environment, timeout=TIMEOUT, check=True).stdout

    def keys(self, *keys):
        self.tmux("send-keys", *keys)

    def type(self, text):
        self.tmux("send-keys", "-l", text)

    def run(self, command):
        self.type(command)
        self.keys("Enter")

    def screen(self, *options):
        return self.tmux("capture-pane", "-p", *options)

    def wait(self, pattern, *options):
        """Waits until the screen matches a pattern. Returns the screen."""
        end = time.monotonic() + TIMEOUT
        while time.monotonic() < end:
            shown = self.screen(*options)
            if re.search(pattern, shown):
                return shown
            time.sleep(0.05)
        raise Failure(f"no {pattern!r} on the screen:\n{shown}")

    def resize(self, columns, lines):
        self.tmux("resize-window", "-x", str(columns), "-y", str(lines))

    def end(self):
        subprocess.run(["tmux", "-S", self.socket, "kill-server"], capture_output=True, check=False)


def check_restored(terminal, ending):
    """Checks that the shell's screen is back, echoes typed text and shows its cursor."""
    end = time.monotonic() + TIMEOUT  # the program still reads text that is typed too early
    while terminal.tmux("display-message", "-p", "#{alternate_on}").strip() != "0" and time.monotonic() < end:
        time.sleep(0.05)
    time.sleep(0.1)
    terminal.run("echo back$((1+1))")
    shown = terminal.wait(r"(?m)^back2$")
    check("echo back$((1+1))" in shown, f"after {ending} the terminal does not echo:\n{shown}")
    check("before" in shown and "play  " not in shown, f"after {ending} the screen is not what it was:\n{shown}")
    check(terminal.tmux("display-message", "-p", "#{cursor_flag}").strip() == "1", f"after {ending} there is no cursor")
    check(terminal.tmux("display-message", "-p", "#{alternate_on}").strip() == "0", f"after {ending} the screen is the other one")
    terminal.run("clear; echo before")
    terminal.wait(r"(?m)^before$")


def check_keys(terminal, xtf, trace):
    terminal.run(f"{xtf.program} play --rate 10ms $TRACE")
    terminal.wait(r"frame 0/31 ")
    for keys, frame in ((["Right"], 1), (["Right", "Right"], 3), (["Left"], 2), (["."], 12), (["S-Right"], 22), ([","], 12), (["End"], 31),
                        (["Right"], 31), (["Home"], 0), (["Left"], 0)):
        terminal.keys(*keys)
        terminal.wait(rf"frame {frame}/31 ")
    terminal.keys("Down", "Down")
    terminal.wait(r"(?m)^> +2 ")
    terminal.keys("Down", "Down", "Down")
    terminal.wait(r"(?m)^> +3 ")
    terminal.wait("A process 3")
    terminal.keys("Up")
    terminal.wait(r"(?m)^> +2 ")
    terminal.keys("m")
    terminal.wait("bytes by sender")
    terminal.keys("m", "?")
    terminal.wait("the next finding")
    terminal.keys("?", "g")
    terminal.type("50%x")
    terminal.keys("BSpace", "Enter")
    terminal.wait(r"frame 15/31 ")
    terminal.keys("g")
    terminal.type("nonsense")
    terminal.keys("Enter")
    terminal.wait('"nonsense" is not a time')
    terminal.keys("Home", "/")
    terminal.type("MPI_Bcast")
    terminal.keys("Enter")
    terminal.wait(r"frame [1-9]\d*/31 ")
    terminal.keys("f")
    terminal.wait("the clocks disagree|clocks")
    terminal.keys("Home")
    terminal.type("+")
    terminal.wait(r"frame 0/6[34] ")
    terminal.type("-")
    terminal.wait(r"frame 0/31 ")
    terminal.type("]")
    terminal.keys(" ")
    terminal.wait(r"frame 31/31 ")
    terminal.wait("paused")
    terminal.keys("q")
    check_restored(terminal, "q")


def check_sizes(terminal, xtf, trace):
    terminal.run(f"{xtf.program} play $TRACE")
    terminal.wait("frame 0/7 ")
    for columns, lines, wanted in ((200, 60, "B all: time, calls, region"), (40, 10, "needs 60x12"), (80, 24, "B all")):
        terminal.resize(columns, lines)
        shown = terminal.wait(wanted)
        check(max(map(len, shown.split("\n"))) <= columns, f"{columns}x{lines}: a line is too long")
    # Help explains letters and groups, on the smallest screen too.
    terminal.keys("?")
    for columns, lines in (80, 24), (60, 12):
        terminal.resize(columns, lines)
        shown = terminal.wait(rf"^.{{0,{columns}}}frame 0/7 .*\n(.*\n){{2,}}A B C ")
        for part in "space  ", "f ? q ", "G in the program, Y in a library, R waiting\n", "groups of numbers: process, all, the run\n":
            check(part in shown, f"{columns}x{lines}: no {part!r} in\n{shown}")
    terminal.keys("q")
    check_restored(terminal, "new sizes")


def check_colours(terminal, xtf, trace):
    terminal.run(f"TERM=screen-256color {xtf.program} play $TRACE")
    terminal.wait("frame 0/7 ", "-e")
    terminal.wait(r"\x1b\[38;5;", "-e")
    terminal.keys("q")
    check_restored(terminal, "colours")
    terminal.run(f"NO_COLOR=1 TERM=screen-256color {xtf.program} play $TRACE")
    terminal.wait("frame 0/7 ", "-e")
    shown = terminal.wait("\u2588", "-e")  # bars appear without colour too
    check(not re.search(r"\x1b\[(3[0-8]|9[0-7])", shown), "NO_COLOR is not heeded")
    terminal.keys("q")
    check_restored(terminal, "NO_COLOR")


def check_ends(terminal, xtf, trace):
    for signal, status in (("TERM", 143), ("INT", 130), ("HUP", 129), ("SEGV", 139), ("ABRT", 134)):
        terminal.run(f"(ulimit -c 0; sh -c 'echo $$ > $TRACE.pid; exec {xtf.program} play $TRACE'); echo status $?")
        terminal.wait("frame 0/7 ")
        os.kill(int(pathlib.Path(f"{trace}.pid").read_text()), getattr(__import__("signal"), f"SIG{signal}"))
        if signal != "INT":  # a shell would end the whole line on it
            terminal.wait(rf"status {status}\b")
        check_restored(terminal, f"SIG{signal}")
    terminal.run(f"{xtf.program} play $TRACE")
    terminal.wait("frame 0/7 ")
    terminal.keys("C-c")
    check_restored(terminal, "Ctrl-C")


def check_top(terminal, xtf, trace):
    terminal.run(f"{xtf.program} top $TRACE")
    terminal.wait(r"exclusive\*")
    terminal.type(">")
    terminal.wait(r"min \(proc\)\*")
    terminal.type("?")
    terminal.wait("takes the last narrowing back")
    terminal.type("?")
    terminal.wait(r"min \(proc\)\*")
    terminal.type("<<")
    terminal.wait(r"inclusive\*")
    terminal.type("+")
    terminal.wait("0.079983 s to 0.239950 s")
    terminal.keys("Right")
    terminal.wait("0.159967 s to 0.319934 s")
    terminal.type("0p")
    terminal.wait("in this window")
    terminal.keys("Down", "Enter")
    terminal.wait(r"proc/1/")
    terminal.keys("BSpace")
    terminal.wait(r"(?m)^melt.xtf  +0.0.*\n.*\n.*\n.*exclusive")
    terminal.keys("Down", "Enter")
    terminal.wait(r"region/\w+/")
    terminal.type("o")
    terminal.wait(r"(?m)^region/\w+/$")
    check_restored(terminal, "top")


def check_watch(terminal, xtf, trace):
    """The run has ended, so all its processes are silent. tests/record/watch watches programs that run."""
    terminal.run(f"{xtf.program} watch $TRACE")
    terminal.wait(r"(?m)^melt.xtf +the run has ended at ")
    terminal.wait(r"(?m)^\[0\?\] \[1\?\] \[2\?\] \[3\?\]$")
    terminal.keys("Right")
    terminal.wait(r"(?m)^<0\?> \[1\?\]")
    terminal.keys("Right", "Right", "Right", "Right")
    terminal.wait(r"(?m)\[2\?\] <3\?>$")
    terminal.type("1")
    terminal.wait(r"(?m)^process 1 is silent, in no call$")
    terminal.keys("Left", "Left")
    terminal.wait(r"(?m)^process 0 is silent")
    terminal.type("?")
    terminal.wait("the process that has waited longest")
    terminal.type("?w")
    terminal.wait(r"(?m)^process 0 is silent")
    for columns, lines, wanted in (25, 5, "needs 40x12"), (200, 60, r"melt\.xtf"), (40, 12, r"melt\.xtf"), (80, 24, r"melt\.xtf"):
        terminal.resize(columns, lines)
        shown = terminal.wait(wanted)
        check(max(map(len, shown.split("\n"))) <= columns, f"watch, {columns}x{lines}: a line is too long")
    terminal.keys("q")
    check_restored(terminal, "watch")
    terminal.run(f"{xtf.program} watch $TRACE")
    terminal.wait("the run has ended")
    terminal.keys("C-c")
    check_restored(terminal, "Ctrl-C in watch")


def main():
    need_programs("tmux")
    xtf, archive = Xtf(sys.argv[1]), sys.argv[2]
    if b"without ncurses" in xtf.run("play", "--help").output:
        skip("xtf is built without ncurses")
    with temporary_folder() as folder:
        trace = pathlib.Path(folder) / "melt.xtf"
        xtf.import_archive(archive, trace)
        terminal = Terminal(folder, 80, 24, trace)
        try:
            terminal.run("clear; echo before")
            terminal.wait(r"(?m)^before$")
            for step in (check_keys, check_sizes, check_colours, check_ends, check_top, check_watch):
                step(terminal, xtf, trace)
        finally:
            terminal.end()


if __name__ == "__main__":
    main()
