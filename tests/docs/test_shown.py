#!/usr/bin/env python3
"""Runs the commands after a $ in README.md and docs/{TREE,COOKBOOK,ANALYSIS,NETWORK,OTF2}.md in a mount of an example. Compares their
output with the documents, without blanks at the ends of lines.

usage: test_shown.py FOLDER

FOLDER is the project's. Commands about counters use a trace in the folder XTF_SHARED_TRACES; without it the test skips them.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(sys.argv.pop())
sys.path.insert(0, str(ROOT / "tests/mount"))
import harness  # noqa: E402

EXAMPLE = ROOT / "examples/melt-4"
# Data that the first example lacks: messages with both ends, and counters. XTF_SHARED_TRACES is a folder outside of the project, with
# traces of other recorders.
MESSAGES = ROOT / "examples/heat-4"
OF_MESSAGES = re.compile(r"\b(message|messages|match|aligned)\b")
WAVES = ROOT / "examples/wave-8"
OF_WAVES = re.compile(r"\bwaves?\b")
NETWORK = ROOT / "examples/network-8"
OF_NETWORKS = re.compile(r"\b(length|pair|proc/5/fit|statistics|xtf cluster)\b")
RECORDED = ROOT / "examples/rod-4/rod.xtf"
OF_RECORDED = re.compile(r"\brod\.xtf\b")
COUNTERS = "pingpong-papi-2"
OF_COUNTERS = re.compile(r"\b(values|growth|rates|metrics)\b")
END = "--- end of output ---"

# A terminal shows names in columns, and messages within the output.
PRELUDE = "exec 2>&1\nls() { command ls -C -T 0 -w 72 \"$@\"; }\n"


def is_unfinished(command):
    """True if a shell would ask for another line of the command."""
    return command.endswith(("|", "\\", "&&")) or command.count("'") % 2 == 1 or command.count('"') % 2 == 1


def blocks(text):
    """Returns the indented blocks of a document, as lists of (command, lines shown). An unfinished command continues in lines that
    begin with >."""
    block = []
    for line in text.splitlines() + ["end"]:
        if line.startswith("    $ "):
            block.append((line[6:], []))
        elif line.startswith("    > ") and block and not block[-1][1] and is_unfinished(block[-1][0]):
            block[-1] = (f"{block[-1][0]}\n{line[6:]}", [])
        elif line.startswith("    ") and block:
            block[-1][1].append(line[4:].rstrip())
        elif not line.startswith("    "):
            if block:
                yield block
            block = []


def type_commands(commands, folder, home):
    """Returns the lines that each command prints, all typed into one shell."""
    script = PRELUDE + "".join(f"{command}\necho '{END}'\n" for command in commands)
    environment = dict(os.environ, LC_ALL="C.UTF-8", HOME=str(home),
                       PATH=f"{pathlib.Path(harness.XTF).parent}:{os.environ['PATH']}")
    done = subprocess.run(["bash", "-c", script], cwd=folder, env=environment, capture_output=True, text=True,
                          timeout=120)
    outputs = done.stdout.split(END + "\n")
    return [[line.rstrip() for line in output.splitlines()] for output in outputs[:-1]]


class Shown(unittest.TestCase):
    maxDiff = None

    def check_block(self, block, folder, home):
        printed = type_commands([command for command, _ in block], folder, home)
        self.assertEqual(len(printed), len(block), block)
        for (command, shown), lines in zip(block, printed):
            with self.subTest(command):
                self.assertEqual(lines, shown)

    def check(self, document, least, archive, wanted):
        """Types the blocks whose first command is wanted into a mount of an import of the archive. The archive is also in the home folder,
        under its name. An .xtf file is mounted without an import."""
        chosen = [block for block in blocks((ROOT / document).read_text()) if wanted(block[0][0])]
        self.assertGreaterEqual(sum(len(block) for block in chosen), least, f"{document} shows fewer commands")
        with tempfile.TemporaryDirectory(prefix="xtf-test-") as home:
            copy = pathlib.Path(home) / pathlib.Path(archive).name
            trace = copy.with_name(f"{copy.name}.xtf")
            copy.symlink_to(archive)
            if copy.suffix == ".xtf":
                trace = copy
            else:
                harness.run(harness.XTF, "import", "-q", "-o", trace, archive)
            with harness.Mount(trace) as mount:
                for block in chosen:
                    self.check_block(block, mount.dir, home)

    def check_examples(self, document, least, least_of_messages):
        drawing = shutil.which("gnuplot")
        self.check(document, least, EXAMPLE, lambda command: not OF_MESSAGES.search(command) and not OF_NETWORKS.search(command) and
                   not OF_COUNTERS.search(command) and not OF_WAVES.search(command) and not OF_RECORDED.search(command) and (drawing or not command.startswith("gnuplot")))
        self.check(document, least_of_messages, MESSAGES, lambda command: OF_MESSAGES.search(command) and not OF_RECORDED.search(command))

    def test_readme(self):
        self.check_examples("README.md", 7, 3)
        self.check("README.md", 1, RECORDED, OF_RECORDED.search)

    def test_readme_is_short(self):
        """Tests that the README is a minute's reading: few lines, a tour of few commands, one picture. Lines of both pages fit a terminal."""
        text = (ROOT / "README.md").read_text()
        self.assertLessEqual(len(text.splitlines()), 130)
        self.assertLessEqual(sum(len(block) for block in blocks(text)), 15)
        self.assertEqual(len(re.findall(r"^!\[", text, re.MULTILINE)), 1)
        for document in "README.md", "docs/COOKBOOK.md":
            text = (ROOT / document).read_text()
            shown = {line for block in blocks(text) for _, lines in block for line in lines}
            self.assertEqual([line for line in text.splitlines() if len(line) > 100 and line[4:] not in shown], [], document)

    def test_tree(self):
        self.check_examples("docs/TREE.md", 10, 2)

    def test_cookbook(self):
        self.check_examples("docs/COOKBOOK.md", 41, 16)
        self.check("docs/COOKBOOK.md", 3, RECORDED, OF_RECORDED.search)
        self.check("docs/COOKBOOK.md", 2, WAVES, OF_WAVES.search)

    def test_analysis(self):
        self.check("docs/ANALYSIS.md", 5, RECORDED, OF_RECORDED.search)

    def test_compensate(self):
        self.check("docs/COMPENSATE.md", 2, RECORDED, OF_RECORDED.search)

    def test_predict(self):
        self.check("docs/PREDICT.md", 1, RECORDED, OF_RECORDED.search)

    def test_otf2(self):
        self.check("docs/OTF2.md", 2, EXAMPLE, lambda command: True)

    def test_networks(self):
        if "-Dnetcdf=enabled" in harness.run(harness.XTF, "import", "--help").stdout:
            self.skipTest("this xtf was built without libnetcdf")
        for document, least in ("docs/TREE.md", 1), ("docs/COOKBOOK.md", 4), ("docs/NETWORK.md", 6):
            self.check(document, least, NETWORK, OF_NETWORKS.search)

    def test_counters(self):
        traces = os.environ.get("XTF_SHARED_TRACES")
        if not traces:
            self.skipTest("XTF_SHARED_TRACES is not set")
        self.check("docs/TREE.md", 3, pathlib.Path(traces) / COUNTERS, OF_COUNTERS.search)


if __name__ == "__main__":
    harness.require_fuse()
    unittest.main()
