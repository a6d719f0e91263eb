#!/usr/bin/env python3
"""xtf-nettest on 4 processes of this machine: checks its files and that xtf reads them.

usage: test_nettest.py XTF XTF-NETTEST
"""

import os
import pathlib
import subprocess
import sys
import tempfile

import cdf
from xtfrun import need_programs

N_PROCS, LENGTHS, REPEATS = 4, [1000, 3500, 6000], 5


def run_xtf(*arguments, **more):
    done = subprocess.run(list(map(str, arguments)), capture_output=True, text=True, timeout=100, **more)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout


def run_nettest(program, name):
    may = {**os.environ, "OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_mpi_yield_when_idle": "1",
           "OMPI_MCA_rmaps_base_oversubscribe": "1", "PRTE_MCA_rmaps_default_mapping_policy": ":oversubscribe",
           # Launchers of one user share a folder below /tmp, and fail if another launcher creates it at the same time.
           "OMPI_MCA_orte_tmpdir_base": os.path.dirname(name),
           # Memory that an MPI library keeps until its process ends is no leak of the program.
           "ASAN_OPTIONS": os.environ.get("ASAN_OPTIONS", "") + ":detect_leaks=0"}
    run_xtf("mpirun", "-n", N_PROCS, program, "--begin", 1000, "--end", 8500, "--step", 2500, "--num_iterations", REPEATS, name, env=may)


def main():
    xtf, program = sys.argv[1:]
    need_programs("mpirun")
    with tempfile.TemporaryDirectory(prefix="xtf-nettest-") as folder:
        folder = pathlib.Path(folder)
        run_nettest(program, folder / "net")
        files = {name: cdf.read_file(folder / f"net_{name}.nc") for name in ("average", "median", "deviation", "min", "measurements_amount")}
        for file, data_type in zip(files.values(), (1, 2, 3, 4, 6)):
            numbers = {name: v.values[0] for name, v in file.variables.items() if not v.dimensions}
            assert numbers == {"proc_num": N_PROCS, "test_type": 1, "data_type": data_type, "begin_mes_length": 1000,
                               "end_mes_length": 8500, "step_length": 2500, "noise_mes_length": 0, "num_noise_mes": 0,
                               "num_noise_proc": 0, "num_repeates": REPEATS}, numbers
            assert file.n_records == len(LENGTHS), file.n_records
        values = {name: file.variables["data"].values for name, file in files.items()}
        for cell in range(len(LENGTHS) * N_PROCS ** 2):
            average, median, deviation, least, amount = (values[name][cell] for name in files)
            if cell // N_PROCS % N_PROCS == cell % N_PROCS:
                assert average == median == deviation == least == amount == 0, cell
            else:
                assert 0 < least <= median and least <= average and deviation >= 0 and amount == REPEATS, cell
                assert abs(average - median) <= deviation * 1.000001 + 1e-15, cell  # holds for any distribution
        hosts = (folder / "net_hosts.txt").read_text().splitlines()
        assert hosts == [os.uname().nodename] * N_PROCS, hosts
        out = run_xtf(xtf, "cluster", "-o", folder / "clusters.nc", folder / "net_median.nc", "-t", "0%")
        assert f"processors     {N_PROCS}, median values\nlengths        3, 1000 to 6000 B\n" in out, out
        run_xtf(xtf, "import", "-q", "-o", folder / "net.xtf", folder / "net_average.nc")
        links = int(run_xtf(xtf, "cat", folder / "net.xtf", "links/count"))
        assert links >= len(files) * len(LENGTHS) * N_PROCS * (N_PROCS - 1), links
    print(f"{N_PROCS} processes, {len(LENGTHS)} lengths: {links} links")


if __name__ == "__main__":
    main()
