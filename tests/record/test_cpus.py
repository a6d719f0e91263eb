#!/usr/bin/env python3
"""Programs with more processes than CPUs: findings name the host and the CPUs that they share. The test pins processes with taskset."""

import os
import sys

import recording
from asking import Asker
from naive_findings import Tables, find_cpus
from shown import findings_of
from xtfrun import Xtf, need_programs

SIZE = 3


class SharedCpus(recording.Case):
    def cpu_findings(self, mpi, name, cpus):
        """Records a program whose process i may run on cpus[i]. Returns the sentences on CPUs, which a naive rule confirms."""
        program, path, pin = self.compile(mpi, "uneven"), self.folder / f"{name}-{mpi}.xtf", self.folder / f"pin-{name}"
        cases = "".join(f"{rank}) cpus={cpu} ;;" for rank, cpu in enumerate(cpus))
        pin.write_text(f"#!/bin/sh\ncase ${{OMPI_COMM_WORLD_RANK:-$PMI_RANK}} in {cases} esac\nexec taskset -c $cpus \"$@\"\n")
        pin.chmod(0o755)
        self.xtf("record", "-o", path, *self.launch(mpi, len(cpus), pin, program, "even", 0, 3))
        asker = Asker(Xtf(recording.XTF), os.environ["ASK_TREE"], path)
        for selection in "", "proc/0", "time/10%-90%":
            found = [line for line in findings_of(asker.ask(f"cat {selection}/findings".replace("cat /", "cat ")).decode()) if line[1] == "cpus"]
            expected = list(find_cpus(Tables(asker, selection, None)))
            self.assertEqual([(text, table) for _, _, text, table in found], [(finding.sentence, finding.table) for finding in expected], f"{name} {selection}")
            self.assertTrue(not found or not selection, f"{name}: {selection} has a finding on CPUs")
            for (score, *_), finding in zip(found, expected):
                self.assertAlmostEqual(float(score), float(finding.score), delta=0.0101)
        return [text for _, rule, text, _ in findings_of(asker.ask("cat findings").decode()) if rule == "cpus"]

    def test_programs(self):
        host, words = os.uname().nodename, "calls and waits include time without a CPU"
        allowed = sorted(os.sched_getaffinity(0))
        if len(allowed) < 2:
            self.skipTest("there is only one CPU")
        first, second = allowed[:2]
        for mpi in self.mpis():
            expected = {
                "all-on-one": ([first] * SIZE, [f"{SIZE} processes share 1 CPU of {host} ({first}): {words}"]),
                "two-on-one": ([first, second, second], [f"2 processes share 1 CPU of {host} ({second}): {words}"]),
                "each-its-own": ([first, second], []),
            }
            for name, (cpus, sentences) in expected.items():
                with self.subTest(mpi, name=name):
                    self.assertEqual(self.cpu_findings(mpi, name, cpus), sentences)


if __name__ == "__main__":
    need_programs("taskset")
    recording.main()
