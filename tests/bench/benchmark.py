#!/usr/bin/env python3
"""Builds a bench and runs it. Otherwise Meson would build it together with everything else.

usage: benchmark.py BUILD PROGRAM [ARGUMENT...]
"""

import os
import shutil
import subprocess
import sys

build, program, *arguments = sys.argv[1:]
path = os.path.join(build, "tests", "bench", program)
ninja = shutil.which("ninja") or sys.exit("ninja is not installed")
subprocess.run([ninja, "-C", build, "--quiet", f"tests/bench/{program}"], check=True)
os.execv(path, [path, *arguments])
