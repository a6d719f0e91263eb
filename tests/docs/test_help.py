#!/usr/bin/env python3
"""Checks that `xtf COMMAND --help` and the manual pages name the same options of each command.

usage: test_help.py XTF FOLDER-OF-MANUAL-PAGES
"""

import pathlib
import re
import subprocess
import sys
import unittest

FOLDER, XTF = pathlib.Path(sys.argv.pop()), sys.argv.pop()
GROUPS = {
    "Record and import": ["record", "import"],
    "Look": ["mount", "unmount", "ls", "cat", "play", "top", "watch", "diff", "representative", "model", "scale", "info", "why", "help"],
    "Understand": ["analyze", "predict", "deadlock", "align", "cluster"],
    "Keep": ["copy", "merge", "check", "export", "cache"],
}
COMMANDS = [command for commands in GROUPS.values() for command in commands]
EVERYWHERE = {"--help", "-h", "--incomplete"}  # the manual names --incomplete once, for all commands that read a trace
COLUMNS = 100


def help_of(*arguments):
    return subprocess.run([XTF, *arguments, "--help"], capture_output=True, text=True, check=True, timeout=60).stdout


def options_of_help(text):
    """Returns the options that a help lists, as sets of one or two names: {"-o", "--output"}."""
    lines = re.findall(r"^  (?:(-\w), )?(--[a-z-]+)", text, re.MULTILINE)
    return [{name for name in names if name} for names in lines]


def flags(text):
    """Returns the options that lines of a manual page name: Fl o, Fl -output, in lists and in brackets. Several letters are several options."""
    names = set()
    for line in text.splitlines():
        if line.startswith("."):
            for name in re.findall(r"\bFl ([^ ]+(?: , -[^ ]+)?)", line):
                for word in name.split(" , "):
                    names |= {f"-{word}"} if word.startswith("-") else {f"-{letter}" for letter in word if letter != "|"}
            names |= {f"-{word}" for word in re.findall(r" [,|] (-[a-z-]+)", line)}
    return names


def split_synopsis(page):
    """Returns the lines of the synopsis by command."""
    synopsis = page.partition(".Sh SYNOPSIS\n")[2].partition(".Sh ")[0]
    parts = {}
    for part in re.split(r"^\.Nm.*\n", synopsis, flags=re.MULTILINE)[1:]:
        name = re.match(r"\.Cm (\w+)", part)
        if name:
            parts[name[1]] = parts.get(name[1], "") + part
    return parts


def split_commands(page):
    """Returns the lines of the section COMMANDS by command. A command may have several entries."""
    section = page.partition(".Sh COMMANDS\n")[2].partition("\n.Sh ")[0]
    parts = {}
    for part in re.split(r"^\.It Cm (?=[a-z])", section, flags=re.MULTILINE)[1:]:
        name = part.split()[0]
        parts[name] = parts.get(name, "") + ".It Cm " + part
    return parts


class Help(unittest.TestCase):
    maxDiff = None

    def test_groups(self):
        found, heading = {}, None
        for line in help_of().splitlines():
            self.assertLessEqual(len(line), COLUMNS, line)
            if re.fullmatch(r"[A-Z][a-z ]+:", line):
                heading = line[:-1]
            elif heading and re.match(r"  [a-z]+ +[a-z]", line):
                found.setdefault(heading, []).append(line.split()[0])
            elif not line:
                heading = None
        self.assertEqual(found, GROUPS)

    def test_each(self):
        """Tests that a help begins with a verb and shows the command as users type it."""
        for command in COMMANDS:
            with self.subTest(command):
                text = help_of(command)
                summary = text.split("\n\n")[1]
                self.assertRegex(summary, r"^[A-Z][a-z]+s ")
                self.assertRegex(text, rf"(?m)^ .*xtf {command} (?!\[OPTION)")
                self.assertEqual([line for line in text.splitlines() if len(line) > COLUMNS], [])

    def test_manual(self):
        page, mounts = ((FOLDER / name).read_text() for name in ("xtf.1", "xtf-mount.1"))
        synopses, entries = split_synopsis(page), split_commands(page)
        of_mount = mounts.partition(".Sh OPTIONS\n")[2].partition("\n.Sh ")[0]
        self.assertEqual([list(synopses), list(entries)], [COMMANDS, COMMANDS])
        for command in COMMANDS:
            with self.subTest(command):
                listed = options_of_help(help_of(command))
                names = set().union(*listed) - EVERYWHERE
                entry = of_mount if command == "mount" else entries[command]
                self.assertEqual(flags(entry) - EVERYWHERE, names, f"{command}: options in the manual and in the help")
                brief = flags(synopses[command]) - EVERYWHERE
                self.assertLessEqual(brief, names, f"{command}: options in the synopsis that the help does not have")
                self.assertEqual([option for option in listed if not option & (brief | EVERYWHERE)], [], f"{command}: options that the synopsis lacks")
        self.assertEqual(split_synopsis(mounts), {name: synopses[name] for name in ("mount", "unmount")})


if __name__ == "__main__":
    unittest.main()
