#!/usr/bin/env python3
"""Parts of programs that are not recorded: `xtf record`, info and findings must name them, and say how to record them. They must
not name parts that are recorded or absent. Helper threads of MPI must be distinguished from the program's threads."""

import collections
import csv
import io
import os
import random
import re
import subprocess
import sys

import recording
from asking import Asker
from naive_findings import Tables, find_missing
from shown import findings_of
from xtfrun import Xtf

SIZE = 2
SEED = random.randrange(1 << 32)
OPENMP = "OpenMP (libgomp is loaded)"
LOCKS, FUNCTIONS = "locks of threads (xtf record --locks)", "functions of the program (-finstrument-functions, <xtf/user.h>)"


class Missing(recording.Case):
    def recorded_with(self, program, mpi, program_part, *options):
        """Records the program. Returns the command's list of unrecorded parts, and the trace."""
        self.rank = random.Random(f"{SEED} {self.id()} {program_part}").randrange(SIZE)
        path = self.folder / f"{program_part}.xtf"
        words = [recording.XTF, "record", "-f", *options, "-o", path, *self.launch(mpi, SIZE, program, self.rank, program_part)]
        done = subprocess.run([str(word) for word in words], cwd=self.folder, env=self.environment, stdin=subprocess.DEVNULL, capture_output=True,
                              text=True, timeout=recording.TIMEOUT, check=True)
        self.xtf("check", path)
        return re.findall(r"^xtf:   not recorded: (.*)$", done.stderr, re.MULTILINE), path

    def check_parts(self, mpi, printed, path, loaded, of_rank, of_other):
        """Checks the lists of unrecorded parts. `loaded`: parts that the command and info name. `of_rank`, `of_other`: parts
        other than functions that findings name for the process that has them, and for another one."""
        self.assertEqual(printed, [", ".join(loaded)] if loaded else [], mpi)
        self.assertEqual(re.findall(r"^not recorded +(.*)$", self.xtf("info", path), re.MULTILINE), printed)
        asker = Asker(Xtf(recording.XTF), os.environ["ASK_TREE"], path)
        named = {"": of_rank, f"proc/{self.rank}": of_rank, f"proc/{1 - self.rank}": of_other, "time/10%-90%": None}
        for selection, parts in named.items():
            found = [line for line in findings_of(asker.ask(f"cat {selection}/findings".replace("cat /", "cat ")).decode()) if line[1] == "missing"]
            expected = list(find_missing(Tables(asker, selection, None)))
            where = f"{mpi} {path.name} {selection}, rank {self.rank}"
            self.assertEqual([(float(score), text, table) for score, _, text, table in found],
                             [(float(one.score), one.sentence, one.table) for one in expected], where)
            sentence = found[0][2] if found else ""
            for part in OPENMP, LOCKS:
                self.assertEqual(part in sentence, part in (parts or []), f"{where}: {sentence}")
            if parts is None or FUNCTIONS not in loaded:
                self.assertNotIn(FUNCTIONS, sentence, where)

    def test_missing(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                plain = self.compile(mpi, "unseen", "-pthread")
                printed, path = self.recorded_with(plain, mpi, "nothing")
                self.check_parts(mpi, printed, path, [FUNCTIONS], [], [])
                printed, path = self.recorded_with(plain, mpi, "threads")
                self.check_parts(mpi, printed, path, [LOCKS, FUNCTIONS], [LOCKS], [])
                printed, path = self.recorded_with(plain, mpi, "threads", "--locks")
                self.check_parts(mpi, printed, path, [FUNCTIONS], [], [])
                printed, path = self.recorded_with(plain, mpi, "before")
                self.check_parts(mpi, printed, path, [LOCKS, FUNCTIONS], [LOCKS], [LOCKS])

    def test_openmp(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                program = self.compile(mpi, "unseen", "-fopenmp")
                printed, path = self.recorded_with(program, mpi, "openmp")
                self.check_parts(mpi, printed, path, [OPENMP, FUNCTIONS], [OPENMP], [])
                program = self.compile(mpi, "unseen", "-fopenmp", "-finstrument-functions")
                printed, path = self.recorded_with(program, mpi, "nothing")
                self.check_parts(mpi, printed, path, [OPENMP], [], [])

    def csv_of(self, path, table):
        return list(csv.DictReader(io.StringIO(self.xtf("cat", "--csv", path, table))))

    def test_helpers(self):
        """Checks helper threads: Open MPI has some; all other threads are the program's."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                _, path = self.recorded_with(self.compile(mpi, "unseen", "-pthread"), mpi, "threads", "--locks")
                self.xtf("analyze", "-q", path)
                locations = self.csv_of(path, "definitions/locations")
                helpers = {(line["proc"], line["thread"]) for line in locations if line["name"] == f"MPI helper thread {line['thread']}"}
                own = collections.Counter(int(line["proc"]) for line in locations if (line["proc"], line["thread"]) not in helpers)
                self.assertEqual(own, {self.rank: 2, 1 - self.rank: 1}, f"{mpi}\n{locations}")
                self.assertTrue(helpers or mpi != "openmpi")
                locks = collections.Counter((line["proc"], line["thread"]) for line in self.csv_of(path, "locks/records"))
                self.assertEqual(helpers - set(locks), set())
                for table in "enters_leaves/records", "waits/records":
                    self.assertEqual(helpers & {(line["proc"], line["thread"]) for line in self.csv_of(path, table)}, set(), table)


if __name__ == "__main__":
    print(f"seed {SEED}", file=sys.stderr)
    recording.main()
