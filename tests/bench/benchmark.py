#!/usr/bin/env python3
"""Builds a bench and runs it: what Meson knows as a benchmark's program, Meson builds with all else.

usage: benchmark.py BUILD PROGRAM [ARGUMENT...]
"""

import os
import shutil
import subprocess
import sys

build, program, *arguments = sys.argv[1:]
path = os.path.join(build, "tests", "bench", program)
ninja = shutil.which("ninja") or sys.exit("there is no ninja")
subprocess.run([ninja, "-C", build, "--quiet", f"tests/bench/{program}"], check=True)
os.execv(path, [path, *arguments])
