#!/usr/bin/env python3
"""Programs that call MPI in ways that are easily missed (traps/): out of order, past the wrappers, from plugins, or switched off.
Some leave a call by longjmp() or an exception. Their calls must be recorded where possible, and reported where not. The
programs must run as without a recorder.

usage: test_traps.py XTF SOURCE NAME MODULE COMPILER... [-- NAME ...]...
"""

import collections
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

import mpis

XTF, TRAPS = os.path.abspath(sys.argv[1]), pathlib.Path(sys.argv[2]) / "tests/record/traps"
PLAIN = {"MPI_Init": 1, "MPI_Barrier": 1, "MPI_Finalize": 1}
# Recorded calls of each process.
EXPECTED = {
    "plain": PLAIN,
    "early": PLAIN,
    "atexit": PLAIN,
    "hidden-init": {"MPI_Barrier": 1, "MPI_Finalize": 1},
    "jump": {**PLAIN, "MPI_Barrier": 2, "MPI_Send": 3},
    "off": {**PLAIN, "MPI_Bcast": 1, "MPI_Comm_free": 1},
}
# Recorded calls of throw.cc.
THROWN = {**PLAIN, "MPI_Barrier": 2, "MPI_Send": 3, "MPI_Cart_create": 1, "MPI_Pcontrol": 2}
problems = []


def expect(name, found, expected):
    if found != expected:
        problems.append(f"{name}: {found}, not {expected}")


def record(mpi, folder, name, *command):
    """Records a program. Returns its trace, the error output and the exit status."""
    trace = os.path.join(folder, f"{mpi}-{name}.xtf")
    done = subprocess.run([XTF, "record", "--mpi", mpi.name, "-o", trace, *mpi.launch(2, *command)], capture_output=True, text=True, timeout=180, check=False,
                          env=mpis.ENVIRONMENT, cwd=folder)
    return trace, done.stderr, done.returncode


def try_program(mpi, folder, binary, way, expected):
    trace, printed, status = record(mpi, folder, way, binary, way)
    expect(f"{mpi} {way}: status {printed}", status, 0)
    for process in 0, 1:
        found = mpis.calls(XTF, trace, process)
        if way == "off":
            found.pop("MPI_Pcontrol", None)
            expected = {**EXPECTED["off"], **({"MPI_Comm_dup": 1} if process == 0 else {})}
        expect(f"{mpi} {way}, process {process}", found, expected)
    expect(f"{mpi} {way}, xtf check", "0 problems" in mpis.run([XTF, "check", trace]), True)


def try_constructor(mpi, folder, binary):
    """Tests a library whose constructor enters a region before any code of the recorder runs. The process must still have its
    rank."""
    library = os.path.join(folder, "libconstructor.so")
    mpi.compile(str(TRAPS / "constructor.c"), library, "-shared", "-fPIC", "-finstrument-functions")
    mpi.compile(str(TRAPS / "traps.c"), binary, "-Wl,--no-as-needed", library)
    trace, printed, status = record(mpi, folder, "constructor", binary, "plain")
    expect(f"{mpi}, constructor: status {printed}", status, 0)
    groups, processes = (mpis.cat(XTF, trace, f"definitions/{table}").split() for table in ("groups", "processes"))
    expect(f"{mpi}, constructor: groups that are MPI_COMM_WORLD's locations", groups.count("COMM_LOCATIONS"), 1)
    expect(f"{mpi}, constructor: processes with a rank", processes.count("Rank"), 2)
    for process in 0, 1:
        regions = mpis.calls(XTF, trace, process)
        # Builds that do not read object files only know its address.
        constructors = {region: n for region, n in regions.items() if region == "construct" or "@libconstructor.so" in region}
        expect(f"{mpi}, constructor, process {process}: {regions}", list(constructors.values()), [1])


def try_throw(mpi, folder):
    """Tests exceptions that leave MPI, from recorded calls and from others."""
    compiler, binary = shutil.which(f"mpicxx.{mpi}"), os.path.join(folder, "throw")
    if not compiler:
        print(f"{mpi}: no compiler of C++, exceptions are not tested")
        return
    subprocess.run([compiler, "-w", "-o", binary, str(TRAPS / "throw.cc")], check=True)
    trace, printed, status = record(mpi, folder, "throw", binary)
    expect(f"{mpi}, exceptions: status {printed}", status, 0)
    for process in 0, 1:
        expect(f"{mpi}, exceptions, process {process}", mpis.calls(XTF, trace, process), THROWN)
    expect(f"{mpi}, exceptions, xtf check", "0 problems" in mpis.run([XTF, "check", trace]), True)


def try_plugin(mpi, folder, host, plugin):
    trace, printed, status = record(mpi, folder, "local", host, plugin, "local")
    expect(f"{mpi}, a plugin: {printed}", status, 0)
    for process in 0, 1:
        expect(f"{mpi}, a plugin, process {process}", mpis.calls(XTF, trace, process), PLAIN)
    trace, printed, status = record(mpi, folder, "deep", host, plugin, "deep")
    expect(f"{mpi}, a plugin that is bound to its own libraries, is reported: {printed}", "the recorder saw no call of it" in printed, True)


def try_handled(mpi, folder):
    """Tests calls with errors that the program handles: its handlers must be called as often as without a recorder."""
    binary, trace = os.path.join(folder, "handled"), os.path.join(folder, f"{mpi}-handled.xtf")
    mpi.compile(str(TRAPS / "handled.c"), binary)
    plain, recorded = (subprocess.run([*before, *mpi.launch(1, binary, "handled.data")], capture_output=True, text=True, timeout=180, check=False, env=mpis.ENVIRONMENT, cwd=folder)
                       for before in ([], [XTF, "record", "--mpi", mpi.name, "-o", trace]))
    expect(f"{mpi}, handled, without a recorder: {plain.stderr}", plain.stdout.startswith("messages: 3 failed, handled: ") and plain.returncode == 0, True)
    expect(f"{mpi}, handled: {recorded.stderr}", (recorded.returncode, recorded.stdout), (plain.returncode, plain.stdout))
    kinds = collections.Counter(line.split()[4] for line in mpis.run([XTF, "cat", trace, "records"]).splitlines())
    for kind in ("MPI_COLLECTIVE", "RMA_COLLECTIVE", "IO_OPERATION"):
        expect(f"{mpi}, handled: {kind}", kinds[f"{kind}_BEGIN"], kinds[f"{kind}_END"] + kinds[f"{kind}_COMPLETE"])


def try_inert(mpi, folder, binary):
    """Checks that without `xtf record` the module does nothing."""
    before = set(os.listdir(folder))
    mpis.run(mpi.launch(2, "env", f"LD_PRELOAD={mpi.module}", binary, "off"), cwd=folder)
    expect(f"{mpi}, inert: files", set(os.listdir(folder)) - before, set())
    mpis.run(["env", f"LD_PRELOAD={mpi.module}", "sh", "-c", "true"], cwd=folder)


def main():
    for mpi in mpis.some_of(sys.argv[3:], "openmpi"):
        with tempfile.TemporaryDirectory(prefix="xtf-traps-") as folder:
            paths = {name: os.path.join(folder, name) for name in ("traps", "plugin.so", "host")}
            mpi.compile(str(TRAPS / "traps.c"), paths["traps"])
            mpi.compile(str(TRAPS / "traps.c"), paths["plugin.so"], "-shared", "-fPIC", "-DPLUGIN")
            subprocess.run(["cc", "-o", paths["host"], str(TRAPS / "host.c"), "-ldl"], check=True)
            for way, expected in EXPECTED.items():
                try_program(mpi, folder, paths["traps"], way, expected)
            try_plugin(mpi, folder, paths["host"], paths["plugin.so"])
            try_constructor(mpi, folder, os.path.join(folder, "constructed"))
            try_throw(mpi, folder)
            try_handled(mpi, folder)
            try_inert(mpi, folder, paths["traps"])
    print("\n".join(problems) or "no problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
