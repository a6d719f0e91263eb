#!/usr/bin/env python3
"""Tests that each source includes glib.h if it needs it, in a build that precompiles glib.h (-Dprecompiled=true), where the compiler
does not see this.

- No file uses a name of GLib before it, or a header that it includes, includes glib.h.
- A source that never includes glib.h compiles without it. It needs no other header that glib.h includes, either.

usage: includes.py PROJECT BUILD
"""

import json
import pathlib
import re
import shlex
import subprocess
import sys

SOURCES_LEAST = 500  # of a whole build; fewer show that PRECOMPILED does not find them
PRECOMPILED = re.compile(r"-includeglib-[\d.]+\.h")
# Text that the preprocessor does not see; included files and names of GLib.
HIDDEN = re.compile(r"""/\*.*?\*/|//[^\n]*|'(?:\\.|[^'\\\n])+'|(?<!include )"(?:\\.|[^"\\\n])*\"""", re.DOTALL)
WORD = re.compile(r'^\s*#\s*include\s*[<"](?P<file>[^>"]+)[>"]|\b(?P<name>g_[a-z]\w*|G_[A-Z]\w*|G[A-Z]+[a-z]\w*|g(?:boolean|s?size|u?int\d*|u?char|u?short|u?long|unichar|u?intptr|(?:const)?pointer|float|double)|MIN|MAX|CLAMP|ABS|TRUE|FALSE)\b', re.MULTILINE)


class Reader:
    """Reads a source with its headers in the order of the preprocessor, each header once."""

    def __init__(self, project, texts):
        self.project, self.texts = project, texts
        self.seen, self.has_glib, self.early = set(), False, None

    def text_of(self, path):
        if path not in self.texts:
            self.texts[path] = HIDDEN.sub(" ", path.read_text())
        return self.texts[path]

    def read(self, path):
        self.seen.add(path)
        for match in WORD.finditer(self.text_of(path)):
            if self.has_glib:
                return
            if match["name"]:
                self.early = self.early or (path, match["name"])
            elif match["file"].partition("/")[0] in ("glib.h", "glib"):
                self.has_glib = True
            else:
                self.read_header(path, match["file"])

    def read_header(self, includer, name):
        found = next((path for path in (includer.parent / name, self.project / name) if path.is_file()), None)
        if found and found not in self.seen:
            self.read(found)


def compile_without(command, build):
    """Compiles a source without the precompiled header. Returns what the compiler complains of."""
    arguments = [argument for argument in shlex.split(command["command"]) if not PRECOMPILED.fullmatch(argument)]
    del arguments[arguments.index("-o"):][:2]
    return subprocess.run([*arguments, "-fsyntax-only"], cwd=build, check=False, capture_output=True, text=True).stderr


def main():
    project, build = (pathlib.Path(argument).resolve() for argument in sys.argv[1:3])
    commands = json.loads((build / "compile_commands.json").read_text())
    commands = {(build / command["file"]).resolve(): command for command in commands if PRECOMPILED.search(command["command"])}
    texts, complaints, n_compiled = {}, set(), 0
    for source, command in commands.items():
        reader = Reader(project, texts)
        reader.read(source)
        if not reader.has_glib:
            n_compiled += 1
            complaints |= {compile_without(command, build)} - {""}
        elif reader.early:
            complaints.add("%s: %s is used before glib.h is included" % reader.early)
    print("\n".join(sorted(complaints)))
    print(f"{len(commands)} sources, {n_compiled} of them compiled without glib.h, {len(complaints)} complaints")
    return 1 if complaints or len(commands) < SOURCES_LEAST else 0


if __name__ == "__main__":
    sys.exit(main())
