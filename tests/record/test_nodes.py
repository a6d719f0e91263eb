#!/usr/bin/env python3
"""A job of two nodes, which are made believe on one machine: each has a name of its own, and folders that the other one does not see
(namespaces of Linux). In both forms of `xtf record` the parts of both come together, and what is said where they cannot.

usage: test_nodes.py
"""

import os
import re
import shlex
import shutil
import subprocess
import sys
import unittest

from launching import XTF
from ring import MPIS, SKIP, Ring

HOSTS = ("one", "two")
# What separates a node from another one; not for root alone, where users may have namespaces.
WAYS = (["unshare", "--uts", "--mount"], ["unshare", "--map-root-user", "--uts", "--mount"])
# Instead of ssh: HOST COMMAND..., with options before. Each node has its own TMP; node $HIDES has its own OUT, too.
AGENT = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1
shift
export host
exec {separate} sh -c 'hostname "$host" && mount --bind {folder}/node-"$host" {folder}/tmp &&
    {{ [ "$HIDES" != "$host" ] || mount --bind {folder}/hidden {folder}/out; }} && exec sh -c "$*"' sh "$@"
"""
BETWEEN = {"OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_oob_tcp_if_include": "lo"}


def way():
    """The first of WAYS that works here."""
    for words in WAYS:
        if shutil.which(words[0]) and subprocess.run([*words, "sh", "-c", "hostname elsewhere && mount --bind /tmp /tmp"], capture_output=True, check=False).returncode == 0:
            return words
    return None


class Nodes(Ring):
    def setUp(self):
        super().setUp()
        self.environment.update(BETWEEN)
        for name in (*(f"node-{host}" for host in HOSTS), "hidden", "out"):
            (self.folder / name).mkdir()
        self.agent = self.folder / "agent"
        self.agent.write_text(AGENT.format(separate=shlex.join(way()), folder=shlex.quote(str(self.folder))))
        self.agent.chmod(0o755)

    def launch(self, mpi, *command):
        """4 processes: two on each node."""
        if mpi == "openmpi":
            return ["mpirun.openmpi", "--mca", "plm_rsh_agent", self.agent, "--host", ",".join(f"{host}:2" for host in HOSTS), "-n", "4", *command]
        return ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", self.agent, "-hosts", ",".join(HOSTS), "-ppn", "2", "-n", "4", *command]

    def run_on_nodes(self, *command, hides="", status=0):
        self.environment["HIDES"] = hides
        done = self.given(*command)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn("read a line\n4 processes, the last message was 49\n", done.stdout)
        return done.stderr

    def files(self, folder):
        return sorted(os.listdir(self.folder / folder))

    def judge_nodes(self, trace):
        self.xtf("check", trace)
        self.judge(trace, 4)
        hosts = re.findall(r"LOCATION_GROUP +(\d+) .* (\w+) +record\.host", self.xtf("cat", trace, "/definitions/definition_properties"))
        self.assertEqual(hosts, [(str(process), HOSTS[process // 2]) for process in range(4)])

    def test_outside(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                said = self.run_on_nodes(XTF, "record", "-o", f"out/{mpi}.xtf", *self.launch(mpi, self.compiled(mpi)))
                self.assertIn("processes 0-3: finalized", said)
                self.judge_nodes(f"out/{mpi}.xtf")
                self.assertEqual(self.files("out"), [f"{mpi}.xtf"])
                os.remove(self.folder / f"out/{mpi}.xtf")
                self.assertEqual([self.files(name) for name in ("tmp", "node-one", "node-two")], [[]] * 3, "parts, and all else that a job leaves")

    def test_inside(self):
        for mpi in MPIS:
            with self.subTest(mpi):
                self.run_on_nodes(*self.launch(mpi, XTF, "record", "-o", f"out/{mpi}.xtf", self.compiled(mpi)))
                self.xtf("merge", "-o", "run.xtf", "--force", f"out/{mpi}.xtf.d")
                self.judge_nodes("run.xtf")
                # A node's processes have one clock.
                self.assertEqual([name for name in self.files(f"out/{mpi}.xtf.d") if name.startswith("clock")], [f"clock-{host}" for host in HOSTS])

    def test_no_common_folder(self):
        """What one node has recorded is not where the other one looks."""
        for mpi in MPIS:
            with self.subTest(mpi):
                said = self.run_on_nodes(XTF, "record", "--drain", "1", "-o", f"out/{mpi}.xtf", *self.launch(mpi, self.compiled(mpi)), hides="two", status=1)
                self.assertIn("processes 2-3 of 4 left no part", said)
                self.assertIn("other hosts", said)
                gathered = re.search(r"parts to (\S+) on those hosts", said)[1]
                self.assertEqual(self.files(gathered)[:2], ["000000.xtf", "000001.xtf"])
                there = self.folder / "hidden" / os.path.basename(gathered)
                self.assertEqual(sorted(os.listdir(there)), ["000002.xtf", "000003.xtf"])
                for part in there.iterdir():
                    shutil.copy(part, gathered)
                self.xtf("merge", "-o", "run.xtf", "--force", gathered)
                self.judge_nodes("run.xtf")


if __name__ == "__main__":
    if not MPIS or not way():
        print("skipped: no MPI with its compiler is here" if not MPIS else "skipped: namespaces are forbidden here, which would be the nodes")
        sys.exit(SKIP)
    sys.exit(unittest.main(verbosity=1))
