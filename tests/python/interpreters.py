"""Finds a Python that has pandas: Debian's package is for /usr/bin/python3, and the tests may run in another one."""

import importlib.util
import os
import subprocess
import sys

from xtfrun import skip

CANDIDATES = ("/usr/bin/python3",)


def has_pandas(python):
    return subprocess.run([python, "-c", "import pandas"], capture_output=True, check=False).returncode == 0


def need_pandas():
    """Continues in a Python with pandas, or skips the test."""
    if importlib.util.find_spec("pandas"):
        return
    for python in CANDIDATES:
        if os.path.exists(python) and os.path.realpath(python) != os.path.realpath(sys.executable) and has_pandas(python):
            os.execv(python, [python, *sys.argv])
    skip("no pandas here (Debian: python3-pandas)")


def without_pandas():
    """Makes each import of pandas fail."""
    sys.modules["pandas"] = None
