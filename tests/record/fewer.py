"""Runs a third of the tests of a script, which record programs or mount traces. In full size (XTF_TEST_ALL, as scripts/test.sh --long sets it),
and where the command line names tests, all run."""

import os
import unittest


def flat(tests):
    for test in tests:
        if isinstance(test, unittest.TestSuite):
            yield from flat(test)
        else:
            yield test


class Loader(unittest.TestLoader):
    """Loads each third test. So half of these tests run with each MPI, whose turns alternate (of_test() of mpis.py)."""

    def loadTestsFromModule(self, module, *arguments, **options):
        tests = flat(super().loadTestsFromModule(module, *arguments, **options))
        return self.suiteClass(test for i, test in enumerate(tests) if i % 3 == 0 or os.environ.get("XTF_TEST_ALL"))


def main(**options):
    unittest.main(testLoader=Loader(), **options)
