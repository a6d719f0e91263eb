"""Shared code of the tests of recording: MPIs, programs compiled for them, recorded runs, and queries of traces."""

import atexit
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import zlib

SKIPPED = 77


def make_session_folder():
    """Makes a folder for the sessions of Open MPI 4, which is removed when this process ends. The launchers of one user share a
    folder in it, and fail if two of them make it at the same time. This function therefore makes the shared folder; a file in
    it keeps launchers from removing it."""
    folder = tempfile.mkdtemp(prefix="xtf-ompi-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    shared = os.path.join(folder, f"ompi.{os.uname().nodename.split('.')[0]}.{os.getuid()}")
    os.mkdir(shared, 0o700)
    with open(os.path.join(shared, "kept"), "w", encoding="ascii"):
        pass
    return folder


# Root may run programs, and processes of one machine connect by lo, not by other interfaces.
OPENMPI = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_btl_tcp_if_include": "lo",
           "OMPI_MCA_orte_tmpdir_base": make_session_folder()}
ENVIRONMENT = dict(os.environ, PYTHONDONTWRITEBYTECODE="1", **OPENMPI)
LAUNCHER = re.compile("^(OMPI_COMM|PMIX|PMI_|SLURM_|HYDI_|XTF_MPI)")  # variables of a launcher's processes
OVERSUBSCRIBE = {"openmpi": ["--oversubscribe"], "mpich": []}


def outside(**variables):
    """Returns the environment of a process that no launcher has started, with more variables."""
    return {**{name: value for name, value in ENVIRONMENT.items() if not LAUNCHER.match(name)}, **variables}


def version(mpi):
    """Returns the version of an MPI, such as (5, 0, 7), from the output of its launcher."""
    printed = subprocess.run([f"mpirun.{mpi}", "--version"], capture_output=True, text=True, check=True, env=ENVIRONMENT).stdout
    return tuple(map(int, re.search(r"(?:\(.*\)|Version:)\s+(\d+)\.(\d+)\.(\d+)", printed).groups()))


def working(mpi):
    """Returns variables with which one-sided communication works. With RDMA, Open MPI 4.1 crashes on processors of one node."""
    return {"OMPI_MCA_osc": "^rdma"} if mpi == "openmpi" and version(mpi) < (5,) else {}


def of_test(test, names):
    """Returns the MPIs of a list with which a method of a TestCase runs: in full size (XTF_TEST_ALL) all, else one. The methods of a class
    take turns, so a class with two methods runs with two MPIs. The class's name decides which is the first."""
    if os.environ.get("XTF_TEST_ALL"):
        return list(names)
    methods = unittest.TestLoader().getTestCaseNames(type(test))  # all, also if the command line selects some
    turn = methods.index(test.id().rpartition(".")[2]) + zlib.crc32(type(test).__name__.encode())
    return [names[turn % len(names)]] if names else []


def launchers_statuses(mpi):
    """Returns a launcher's possible exit statuses for a job whose process was killed, recorded or not. MPICH's launcher has
    several."""
    return set() if mpi == "openmpi" else {1, 9} if version(mpi) < (4, 2) else {0, 1, 9}


class Mpi:
    """One MPI of the command line: NAME MODULE COMPILER..."""

    def __init__(self, name, module, *compiler):
        self.name, self.module, self.compiler = name, os.path.abspath(module), compiler
        self.mpicc, self.mpirun = shutil.which(f"mpicc.{name}"), shutil.which(f"mpirun.{name}")

    def __str__(self):
        return self.name

    def working(self):
        return working(self.name)

    def compile(self, source, output, *options):
        """Compiles a program, without warnings."""
        subprocess.run([self.mpicc, "-w", "-g", "-DOMPI_OMIT_MPI1_COMPAT_DECLS=0", "-DOMPI_REMOVED_USE_STATIC_ASSERT=0", *options, "-o", output, source], check=True)
        return output

    def launch(self, n, *command):
        return [self.mpirun, *OVERSUBSCRIBE[self.name], "-n", str(n), *map(str, command)]


def all_of(arguments):
    """Returns the MPIs of the command line, separated by "--", that have a compiler and a launcher."""
    found = []
    while arguments:
        end = arguments.index("--") if "--" in arguments else len(arguments)
        found.append(Mpi(*arguments[:end]))
        arguments = arguments[end + 1:]
    found = [mpi for mpi in found if mpi.mpicc and mpi.mpirun]
    if not found:
        print("skipped: no installed MPI can compile and run programs")
        sys.exit(SKIPPED)
    return found


def some_of(arguments, preferred, tool=None):
    """Returns the MPIs of all_of() with which a script runs: in full size (XTF_TEST_ALL) all, else one, the preferred if it is there. With
    `tool` an MPI needs this compiler."""
    found = [mpi for mpi in all_of(arguments) if not tool or shutil.which(f"{tool}.{mpi.name}")]
    return found if os.environ.get("XTF_TEST_ALL") else sorted(found, key=lambda mpi: mpi.name != preferred)[:1]


def run(command, timeout=180, **options):
    done = subprocess.run(command, capture_output=True, text=True, timeout=timeout, check=False, env=dict(ENVIRONMENT, **options.pop("env", {})), **options)
    if done.returncode:
        raise AssertionError(f"{' '.join(map(str, command))}: {done.returncode}\n{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done.stdout


def cat(xtf, trace, path):
    return run([xtf, "cat", trace, path])


def calls(xtf, trace, process):
    """Returns {region: calls} of a process."""
    lines = [line.split() for line in cat(xtf, trace, f"proc/{process}/profile").splitlines() if not line.startswith("#") and "MEASUREMENT OFF" not in line]
    return {fields[-1]: int(fields[1]) for fields in lines if int(fields[1])}


def unrecorded(xtf, trace):
    """Returns {process: {function: calls that were counted but not recorded}}."""
    found = {}
    for line in cat(xtf, trace, "definitions/definition_properties").splitlines():
        match = re.search(r"LOCATION_GROUP +(\d+) +STRING +(\d+) +record\.unrecorded\.(\w+)", line)
        if match:
            found.setdefault(int(match[1]), {})[match[3]] = int(match[2])
    return found
