"""A trace with call sites, whose names are not found yet: for `record --names`, and for the tables of call sites."""
import pathlib
import shutil
import subprocess
import sys

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "record/collect"))
# pylint: disable=wrong-import-position
from wire import RUNNING, Traced, define_site, function_number, record  # noqa: E402

BASE = 0x10000  # address of the program in memory
ROUNDS = 300
FUNCTIONS = {"MPI_Barrier": "come_first", "MPI_Allreduce": "come_second"}  # of called.c, by the functions that they call in the trace


def can_be_made(torture):
    """True if this build finds names. If not, it says so."""
    if (torture.build / "tests/torture/called").exists():
        return True
    print("call sites: left out, since this build finds no names (Meson feature elf)")
    return False


def address_of(program, function):
    """Returns the address of a function in a program's file."""
    lines = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout.splitlines()
    return next(int(line.split()[0], 16) for line in lines if line.split()[-1] == function)


def record_sites(torture, folder, trace):
    """Records a made-up process of two threads. Its program in the folder gets its debug information afterwards. Returns the trace."""
    program, whole, parts = folder / "called", torture.program("tests/torture/called"), folder / "parts-of-sites"
    subprocess.run(["strip", "-o", program, whole], check=True)
    sites = {1 + i: (function_number(name), address_of(whole, function)) for i, (name, function) in enumerate(FUNCTIONS.items())}
    with Traced(torture.program("src/cli/xtf"), parts, rank=0, world=1, phase=RUNNING) as traced:
        for thread in range(2):
            traced.memory.append(thread, record("OWNER", 1, 0, thread, 1 + thread))
        for site, (region, address) in sites.items():
            traced.memory.append(0, define_site(2, site, region, BASE + address + 8, BASE, str(program)))
        for step in range(ROUNDS):
            for thread in range(2):
                site = 1 + (step + thread) % len(sites)
                region, time = sites[site][0], 10 + 10 * step + thread
                traced.memory.append(thread, record("ENTER", time, region, site) + record("LEAVE", time + 5, region))
        status, printed = traced.end()
    assert status == 0, printed
    (parts / "000000.xtf").rename(trace)
    shutil.rmtree(parts)
    shutil.copy(whole, program)
    return trace
