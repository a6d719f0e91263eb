#!/usr/bin/env python3
"""`xtf record` rewrites the trace of a short run, without the space that commits left in its parts. Its time for this is bounded:
a longer trace, or one on a slow machine, stays as it was merged.

usage: test_rewriting.py
"""

import os
import unittest

from launching import MAKE_PART, Case


class Rewriting(Case):
    def sizes(self, n, **environment):
        """Returns the bytes of the trace of a run with n records, and of its merged parts."""
        app = self.script("app", f'"{MAKE_PART}" "$XTF_RECORD_FOLDER/000000.xtf" 0 1 {n} finalized\n')
        self.record("-f", "-k", "-o", "run.xtf", app, **environment)
        [parts] = self.left()
        self.xtf("check", "run.xtf")
        self.xtf("merge", "-f", "-o", "merged.xtf", f"tmp/{parts}")
        return os.path.getsize(self.folder / "run.xtf"), os.path.getsize(self.folder / "merged.xtf")

    def test_short_run(self):
        size, merged = self.sizes(1000)
        self.assertLess(size, merged)

    def test_long_run(self):
        """Checks that a million records take too long."""
        size, merged = self.sizes(1_000_000)
        self.assertEqual(size, merged)

    def test_no_time_left(self):
        size, merged = self.sizes(1000, LD_PRELOAD=os.environ["LATE_CLOCK"])
        self.assertEqual(size, merged)


if __name__ == "__main__":
    unittest.main()
