#!/usr/bin/env python3
"""A job of two nodes, which namespaces of Linux simulate on one machine. Each node has its own name, and folders that the other
one does not see. Both forms of `xtf record` must gather the parts of both, and must say where they cannot.

usage: test_nodes.py
"""

import os
import re
import shlex
import shutil
import subprocess
import sys

import fewer
from launching import XTF
from ring import MPIS, SKIP, Ring

HOSTS = ("one", "two")
# Commands that separate a node from another one; the second is for users, if they may have namespaces.
WAYS = (["unshare", "--uts", "--mount"], ["unshare", "--map-root-user", "--uts", "--mount"])
# Replaces ssh: HOST COMMAND..., with options before. Each node has its own folder `tmp`; node $HIDES also has its own folder
# `out`.
AGENT = """#!/bin/sh
while [ "${{1#-}}" != "$1" ]; do shift; done
host=$1
shift
export host
exec {separate} sh -c 'hostname "$host" && mount --bind {folder}/node-"$host" {folder}/tmp &&
    {{ [ "$HIDES" != "$host" ] || mount --bind {folder}/hidden {folder}/out; }} && exec sh -c "$*"' sh "$@"
"""
BETWEEN = {"OMPI_MCA_btl_tcp_if_include": "lo", "OMPI_MCA_oob_tcp_if_include": "lo"}


def working_way():
    """Returns the first of WAYS that works on this machine, or None."""
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
        self.agent.write_text(AGENT.format(separate=shlex.join(working_way()), folder=shlex.quote(str(self.folder))))
        self.agent.chmod(0o755)

    def launch(self, mpi, *command):
        """Returns a command that launches 4 processes, two on each node."""
        if mpi == "openmpi":
            return ["mpirun.openmpi", "--mca", "plm_rsh_agent", self.agent, "--host", ",".join(f"{host}:2" for host in HOSTS), "-n", "4", *command]
        return ["mpirun.mpich", "-launcher", "ssh", "-launcher-exec", self.agent, "-hosts", ",".join(HOSTS), "-ppn", "2", "-n", "4", *command]

    def run_on_nodes(self, *command, hides="", status=0):
        self.environment["HIDES"] = hides
        done = self.run_with_input(*command)
        self.assertEqual(done.returncode, status, done.stderr)
        self.assertIn("read a line\n4 processes, the last message was 49\n", done.stdout)
        return done.stderr

    def files(self, folder):
        return sorted(os.listdir(self.folder / folder))

    def check_nodes(self, trace):
        self.xtf("check", trace)
        self.check_counts(trace, 4)
        hosts = re.findall(r"LOCATION_GROUP +(\d+) .* (\w+) +record\.host", self.xtf("cat", trace, "/definitions/definition_properties"))
        self.assertEqual(hosts, [(str(process), HOSTS[process // 2]) for process in range(4)])

    def test_outside(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                printed = self.run_on_nodes(XTF, "record", "-o", f"out/{mpi}.xtf", *self.launch(mpi, self.compiled(mpi)))
                self.assertIn("processes 0-3: finalized", printed)
                self.check_nodes(f"out/{mpi}.xtf")
                self.assertEqual(self.files("out"), [f"{mpi}.xtf"])
                os.remove(self.folder / f"out/{mpi}.xtf")
                self.assertEqual([self.files(name) for name in ("tmp", "node-one", "node-two")], [[]] * 3, "parts and other temporary files of a job")

    def test_inside(self):
        for mpi in self.mpis():
            with self.subTest(mpi):
                self.run_on_nodes(*self.launch(mpi, XTF, "record", "-o", f"out/{mpi}.xtf", self.compiled(mpi)))
                self.xtf("merge", "-o", "run.xtf", "--force", f"out/{mpi}.xtf.d")
                self.check_nodes("run.xtf")
                # Processes of a node share one clock.
                self.assertEqual([name for name in self.files(f"out/{mpi}.xtf.d") if name.startswith("clock")], [f"clock-{host}" for host in HOSTS])

    def test_no_common_folder(self):
        """Checks a job in which one node's parts are not in the folder where the other one looks."""
        for mpi in self.mpis():
            with self.subTest(mpi):
                printed = self.run_on_nodes(XTF, "record", "--drain", "1", "-o", f"out/{mpi}.xtf", *self.launch(mpi, self.compiled(mpi)), hides="two", status=1)
                self.assertIn("processes 2-3 of 4 left no part", printed)
                self.assertIn("other hosts", printed)
                gathered = re.search(r"parts to (\S+) on those hosts", printed)[1]
                self.assertEqual(self.files(gathered)[:2], ["000000.xtf", "000001.xtf"])
                hidden = self.folder / "hidden" / os.path.basename(gathered)
                self.assertEqual(sorted(os.listdir(hidden)), ["000002.xtf", "000003.xtf"])
                for part in hidden.iterdir():
                    shutil.copy(part, gathered)
                self.xtf("merge", "-o", "run.xtf", "--force", gathered)
                self.check_nodes("run.xtf")


if __name__ == "__main__":
    if not MPIS or not working_way():
        print("skipped: no MPI with a compiler is installed" if not MPIS else "skipped: namespaces, which simulate nodes, are forbidden here")
        sys.exit(SKIP)
    sys.exit(fewer.main(verbosity=1))
