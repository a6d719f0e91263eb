#!/usr/bin/env python3
"""CPUs of processes: each process of a trace has the CPUs on which it might run, as the kernel lists them. It has the number of CPUs
of its host, too. taskset(1) chooses the CPUs.

usage: test_affinity.py PROJECT
"""

import os
import pathlib
import sys

import recording

PROJECT = pathlib.Path(sys.argv.pop(1))
USABLE = sorted(os.sched_getaffinity(0))


def list_of(cpus):
    return ",".join(str(cpu) for cpu in cpus)


class Affinity(recording.Case):
    def properties(self, path):
        """Returns {process: {name: value}} of the properties whose names have to do with CPUs."""
        trace = recording.Recorded(path)
        self.addCleanup(trace.close)
        found = {}
        for i, row in enumerate(trace.tables["definition_properties"]):
            name = trace.text("definition_properties", i, "name")
            if name in ("record.affinity", "record.cpus", "record.node_cpus"):
                found.setdefault(row["owner"], {})[name] = trace.trace.string(row["value"])
        return found

    def source(self, text):
        path = self.folder / "program.c"
        path.write_text(text)
        return path

    def expected(self, cpus):
        """Returns the properties of a process on these CPUs, by the kernel and getconf(1)."""
        status = self.run_in("taskset", "-c", list_of(cpus), "cat", "/proc/self/status")
        [listed] = [line.split()[1] for line in status.splitlines() if line.startswith("Cpus_allowed_list:")]
        return {"record.affinity": listed, "record.cpus": str(len(cpus)), "record.node_cpus": self.run_in("getconf", "_NPROCESSORS_ONLN").strip()}

    def test_mpi(self):
        for mpi in self.mpis():
            with self.subTest(mpi=mpi):
                program = self.folder / mpi
                self.run_in(f"mpicc.{mpi}", "-o", program, self.source("#include <mpi.h>\nint main(int n, char **v) { MPI_Init(&n, &v); MPI_Finalize(); }\n"))
                sets = [USABLE[:1], USABLE[-1:], USABLE]
                words = [":" if word == "next" else word for cpus in sets for word in ("next", "-n", "1", "taskset", "-c", list_of(cpus), program)][1:]
                bind = ["--bind-to", "none"] if mpi == "openmpi" else []
                path = self.folder / f"{mpi}.xtf"
                self.run_in(recording.XTF, "record", "--mpi", mpi, "-o", path, *recording.LAUNCHERS[mpi], *bind, *words)
                self.assertEqual(self.properties(path), {rank: self.expected(cpus) for rank, cpus in enumerate(sets)})

    def test_without_mpi(self):
        source = self.source(f'#include "{PROJECT}/src/record/regions/user.h"\nint main(void) {{ XTF_FUNCTION; return 0; }}\n')
        self.run_in("cc", "-o", "alone", source)
        self.run_in("taskset", "-c", list_of(USABLE[-1:]), recording.XTF, "record", "-o", "alone.xtf", self.folder / "alone")
        self.assertEqual(self.properties(self.folder / "alone.xtf"), {0: self.expected(USABLE[-1:])})


if __name__ == "__main__":
    recording.main()
