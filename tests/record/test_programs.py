#!/usr/bin/env python3
"""Which MPI `xtf record` finds for a program: by its libraries and theirs, by its interpreter, by its launcher. Tested with
made-up ELF files, also damaged ones, and with installed programs, whose libraries the dynamic linker lists (ldd).

usage: test_programs.py
"""

import os
import random
import shutil
import subprocess
import sys

import fewer
from elf_writer import elf
from launching import XTF, Case

OPENMPI, MPICH, NONE = "Open MPI", "MPICH", "no MPI"


class Programs(Case):
    def make(self, name, *arguments, **options):
        path = self.folder / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(elf(*arguments, **options))
        path.chmod(0o755)
        return "./" + name

    def mpi(self, *arguments, **environment):
        first, variables, _ = self.plan(*arguments, **environment)
        mpi, reason = first[2:].split(": ", 1)
        self.assertIn({OPENMPI: "libxtf-record-openmpi.so", MPICH: "libxtf-record-mpich.so", NONE: "libxtf-record.so"}[mpi],
                      os.path.basename(variables["LD_PRELOAD"]))
        return mpi, reason

    def refused(self, *arguments, **environment):
        return self.record("--dry-run", *arguments, status=1, **environment)[1]


class Libraries(Programs):
    def test_needed(self):
        for name, mpi in (("libmpi.so.40", OPENMPI), ("libmpi_mpifh.so.40", OPENMPI), ("libmpi_usempif08.so.40", OPENMPI),
                          ("libmpich.so.12", MPICH), ("libmpi.so.12", MPICH), ("libmpichfort.so.12", MPICH), ("libmpifort.so.12", MPICH),
                          ("libmpi.so.12.1.8", MPICH), ("libmpi_cray.so.12", MPICH), ("libmpi4py.so.1", NONE), ("libm.so.6", NONE)):
            app = self.make("app", ["libm.so.6", name])
            found, reason = self.mpi(app)
            self.assertEqual(found, mpi, name)
            self.assertEqual(reason, f"./app needs {name}" if mpi != NONE else "neither ./app nor its libraries need an MPI")
        self.assertIn("libmpi.so.20", self.refused(self.make("app", ["libmpi.so.20"])))
        self.assertIn("libmpi_abi.so.0", self.refused(self.make("app", ["libmpi_abi.so.0"])))

    def test_libraries_of_libraries(self):
        (self.folder / "a").mkdir()
        (self.folder / "b").mkdir()
        self.make("a/liba.so", ["libb.so"], runpath="$ORIGIN/../b", interpreter=False)
        self.make("b/libb.so", ["libmpich.so.12"], interpreter=False)
        self.assertEqual(self.mpi(self.make("app", ["liba.so"], runpath="${ORIGIN}/a"))[0], MPICH)
        self.assertEqual(self.mpi(self.make("app", ["liba.so"], runpath="/nowhere:" + str(self.folder / "a")))[0], MPICH)
        self.assertEqual(self.mpi(self.make("app", ["liba.so"]))[0], NONE, "it is not found")
        self.assertEqual(self.mpi("./app", LD_LIBRARY_PATH="a")[0], MPICH)
        # A DT_RUNPATH applies to the libraries of its own file; a DT_RPATH also to their libraries.
        self.make("a/liba.so", ["libb.so"], interpreter=False)
        self.assertEqual(self.mpi(self.make("app", ["liba.so"], runpath="$ORIGIN/a:$ORIGIN/b"))[0], NONE)
        self.assertEqual(self.mpi(self.make("app", ["liba.so"], rpath="$ORIGIN/a:$ORIGIN/b"))[0], MPICH)
        # With both, DT_RUNPATH counts.
        self.assertEqual(self.mpi(self.make("app", ["liba.so"], rpath="$ORIGIN/a:$ORIGIN/b", runpath="/nowhere"))[0], NONE)
        # Libraries that need each other; a library for another machine is skipped.
        self.make("a/liba.so", ["libc1.so"], interpreter=False, runpath="$ORIGIN")
        self.make("a/libc1.so", ["liba.so", "libb.so"], interpreter=False, runpath="$ORIGIN:$ORIGIN/../b")
        self.assertEqual(self.mpi(self.make("app", ["liba.so"], runpath="$ORIGIN/a"))[0], MPICH)
        self.make("a/libb.so", ["libmpi.so.40"], interpreter=False, machine=21)
        self.assertEqual(self.mpi("./app")[0], MPICH)

    def test_origin_is_where_the_program_lies(self):
        """Checks that links to a program are resolved, and links to a library are not."""
        self.make("real/app", ["liba.so"], runpath="$ORIGIN/lib")
        self.make("real/lib/liba.so", ["libmpich.so.12"], interpreter=False)
        (self.folder / "opt").mkdir()
        (self.folder / "opt" / "bin").symlink_to("../real")
        (self.folder / "app").symlink_to("opt/bin/app")
        self.assertEqual(self.mpi("./app")[0], MPICH)
        self.assertEqual(self.mpi("opt/bin/app")[0], MPICH)
        self.make("real/lib/liba.so", ["libb.so"], interpreter=False, runpath="$ORIGIN")
        self.make("links/libb.so", ["libmpich.so.12"], interpreter=False)
        self.assertEqual(self.mpi("./app")[0], NONE)
        (self.folder / "links" / "liba.so").symlink_to("../real/lib/liba.so")
        self.make("real/app", ["liba.so"], runpath="$ORIGIN/../links")
        self.assertEqual(self.mpi("./app")[0], MPICH)

    def test_folders_of_the_system(self):
        """Checks that $LIB and $PLATFORM have the dynamic linker's values."""
        with open("/proc/self/maps", encoding="ascii") as maps:
            linker = next((line.split()[-1] for line in maps if "/ld-linux" in line or "/ld-" in line), None)
        done = self.run_in(linker, "--list-diagnostics") if linker else None
        values = dict(line.split("=", 1) for line in done.stdout.splitlines() if "=" in line) if done and done.returncode == 0 else {}
        if "dl_dst_lib" not in values:
            self.skipTest("the dynamic linker does not print its values")
        for name, key in (("LIB", "dl_dst_lib"), ("PLATFORM", "dl_platform")):
            folder = values[key].strip('"')
            (self.folder / folder).mkdir(parents=True, exist_ok=True)
            self.make(f"{folder}/liba.so", ["libmpich.so.12"], interpreter=False)
            for text in (f"${name}", f"${{{name}}}"):
                self.assertEqual(self.mpi(self.make("app", ["liba.so"], runpath="$ORIGIN/" + text))[0], MPICH, text)
            os.remove(self.folder / folder / "liba.so")

    def test_refused(self):
        self.assertIn("statically", self.refused(self.make("app", interpreter=False)))
        self.assertIn("another machine", self.refused(self.make("app", ["libmpi.so.40"], machine=21)))
        self.assertIn("linked into it", self.refused(self.make("app", symbols=["main", "MPI_Init"])))
        self.assertEqual(self.mpi("--mpi=none", "./app")[0], NONE)
        self.assertEqual(self.mpi(self.make("app", ["libmpi.so.40"], symbols=["MPI_Init"]))[0], OPENMPI, "the program has a wrapper")
        self.assertEqual(self.mpi(self.make("app", symbols=["MPI_Initialized", "xMPI_Init"]))[0], NONE)
        app = self.make("app", ["libmpi.so.40"])
        if os.getuid() == 0:
            os.chown(self.folder / "app", 65534, 65534)
            for mode in (0o4755, 0o2755):
                os.chmod(self.folder / "app", mode)
                self.assertIn("more rights", self.refused(app))

    def test_damaged(self):
        """Checks files that are cut off anywhere, or have changed bytes: there must be an answer or an error."""
        whole = elf(["libc.so.6", "libmpich.so.12"], runpath="/a:/b", symbols=["main", "start"])
        pick = random.Random(4)
        damaged = [whole[:n] for n in range(0, len(whole), 7)]
        for _ in range(150):
            bytes_ = bytearray(whole)
            for _ in range(pick.choice((1, 1, 4))):
                bytes_[pick.randrange(16, len(bytes_))] = pick.choice((0, 0x7f, 0xff, pick.randrange(256)))
            damaged.append(bytes(bytes_))
        refused = 0
        for bytes_ in damaged:
            (self.folder / "app").write_bytes(bytes_)
            (self.folder / "app").chmod(0o755)
            done = self.run_in(XTF, "record", "--dry-run", "./app")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            self.assertNotIn("ssertion", done.stderr)
            refused += done.returncode
        self.assertGreater(refused, 20)

    def test_scripts(self):
        self.make("mpython", ["libmpi.so.40"])
        self.make("tool", ["libmpich.so.12"])
        for first, mpi in ((f"#!{self.folder}/mpython", OPENMPI), (f"#! {self.folder}/tool -x y", MPICH), ("#!/usr/bin/env tool", MPICH),
                           ("#!/usr/bin/env -S A=1 tool -v", MPICH), ("#!/bin/sh", NONE)):
            (self.folder / "app").write_text(first + "\n")
            (self.folder / "app").chmod(0o755)
            self.assertEqual(self.mpi("./app", PATH=f"{self.folder}:{os.environ['PATH']}")[0], mpi, first)
        (self.folder / "app").write_text("#!/no/such/thing\n")
        self.assertIn("/no/such/thing", self.refused("./app"))


class Launchers(Programs):
    def setUp(self):
        super().setUp()
        self.make("app", ["libmpich.so.12"])
        self.make("plain", ["libc.so.6"])
        self.path = f"{self.folder}/bin:{os.environ['PATH']}"
        (self.folder / "bin").mkdir()

    def launcher(self, name, version="true"):
        self.script("bin/" + name, f'[ "$*" = --version ] || echo "not to be run: $*" >>"{self.folder}/ran"\n{version}\n')

    def mpi_of(self, *arguments):
        return self.mpi(*arguments, PATH=self.path)

    def test_program_behind_options(self):
        self.launcher("mpirun", "echo 'mpirun (Open MPI) 4.1.4'")
        for options in ("-n 2", "-np 2 --bind-to core -x PATH", "--mca btl self,vader -H a,b:4", "--map-by ppr:1:node --oversubscribe",
                        "-genv A ./plain -n 3", "-env A ./plain", "--wdir ./plain", "-x ./plain --no-such-option", "--hostfile ./plain -q"):
            self.assertEqual(self.mpi_of("mpirun", *options.split(), "./app", "./plain"), (MPICH, "./app needs libmpich.so.12"), options)
        self.assertEqual(self.mpi_of("mpirun", "-n", "1", "./app", ":", "-n", "2", "./plain")[0], MPICH)
        self.assertFalse((self.folder / "ran").exists())

    def test_by_launcher(self):
        for name, version, mpi in (("mpirun", "echo 'mpirun (Open MPI) 4.1.4'", OPENMPI), ("mpirun", "echo 'prterun (PRRTE) 3'", OPENMPI),
                                   ("mpiexec", "echo 'HYDRA build details:'", MPICH), ("mpiexec.hydra", "exit 1", MPICH),
                                   ("mpirun.openmpi", "exit 1", OPENMPI), ("mpirun", "echo 'Intel(R) MPI Library'", MPICH)):
            self.launcher(name, version)
            self.assertEqual(self.mpi_of(name, "-n", "2", "./plain")[0], mpi, (name, version))
            self.assertEqual(self.mpi_of(name, "-n", "2", "sh", "-c", "./plain")[0], mpi)
        self.launcher("mpirun", "echo strange")
        self.launcher("srun", "echo 'slurm 22'")
        for name in ("mpirun", "srun"):
            self.assertIn("--mpi", self.refused(name, "./plain", PATH=self.path))
            self.assertEqual(self.mpi_of("--mpi", "mpich", name, "./plain"), (MPICH, "--mpi says so"))
            self.assertEqual(self.mpi_of(name, "-n", "4", "./app")[0], MPICH)
        self.assertFalse((self.folder / "ran").exists())

    def test_passes_on_the_environment(self):
        self.launcher("mpirun", "echo 'mpirun (Open MPI) 4.1.4'")
        _, variables, lines = self.plan("mpirun", "-n", "2", "./app", PATH=self.path)
        names = variables["OMPI_MCA_mca_base_env_list"].strip("'").split(";")
        self.assertEqual(sorted(names), sorted(name for name in variables if name != "OMPI_MCA_mca_base_env_list"))
        self.assertIn("mpirun -n 2 ./app", lines)
        _, variables, _ = self.plan("mpirun", "./app", PATH=self.path, OMPI_MCA_mca_base_env_list="MINE")
        self.assertEqual(variables["OMPI_MCA_mca_base_env_list"].strip("'").split(";"), ["MINE", *names])
        _, variables, lines = self.plan("mpirun", "-n", "2", "-x", "MINE", "./app", "-x", PATH=self.path)
        self.assertNotIn("OMPI_MCA_mca_base_env_list", variables)
        self.assertIn("mpirun " + " ".join("-x " + name for name in names) + " -n 2 -x MINE ./app -x", lines)
        self.launcher("mpiexec.hydra")
        _, variables, _ = self.plan("mpiexec.hydra", "./app", PATH=self.path)
        self.assertNotIn("OMPI_MCA_mca_base_env_list", variables)

    def test_behind_other_commands(self):
        """Checks a launcher that is not the first word, or has another name."""
        self.launcher("mpirun", "echo 'mpirun (Open MPI) 4.1.4'")
        os.symlink("mpirun", self.folder / "bin" / "ours")
        for command in ("timeout 5 mpirun", "env A=1 mpirun", "env -i nice -n 3 mpirun", "ours", "taskset 1 ours"):
            self.assertEqual(self.mpi_of(*command.split(), "-n", "2", "./app")[0], MPICH, command)
            self.assertEqual(self.mpi_of(*command.split(), "-n", "2", "./plain"), (OPENMPI, f"{command.split()[-1]} is a launcher of Open MPI"))
        self.assertEqual(self.mpi_of("./plain", "mpirun", "./app")[0], NONE, "the launcher is only an argument")
        for command in ("timeout 5", "env A=1", f"env MPI={self.folder}/bin/mpirun", "nice -n 3 env -u B"):
            self.assertEqual(self.mpi_of(*command.split(), "./app", "mpirun")[0], MPICH, command)
            self.assertEqual(self.mpi_of("mpirun", "-n", "2", *command.split(), "./app")[0], MPICH, command)
        _, variables, lines = self.plan("nice", "-n", "3", "mpirun", "-n", "2", "-x", "MINE", "./app", PATH=self.path)
        self.assertTrue([line for line in lines if line.startswith("nice -n 3 mpirun -x LD_PRELOAD ") and line.endswith(" -n 2 -x MINE ./app")], lines)

    def test_doubts_are_reported(self):
        """Checks that doubts are reported before the program runs."""
        sentence = "is taken for a program without MPI"
        script = self.script("job", "echo ran >&2\n")
        for command, warned in ((("sh", "-c", "echo ran >&2"), True), ((script,), True), (("--mpi=none", script), False), (("--mpi=openmpi", script), False)):
            _, error = self.record("-f", "-o", "x.xtf", *command, status=1)
            self.assertEqual(sentence in error.partition("ran\n")[0], warned, command)
        self.assertIn("omit --mpi", self.refused("--mpi=openmpi", "./app"))

    def test_another_mpi_than_the_program(self):
        self.launcher("mpirun", "echo 'mpirun (Open MPI) 4.1.4'")
        _, error = self.record("mpirun", "./app", status=1, PATH=self.path)
        self.assertIn("a launcher of Open MPI, but the program uses MPICH", error)


class Installed(Programs):
    """Installed programs: xtf's answer against the dynamic linker's."""

    def test_like_ldd(self):
        found = [shutil.which(name) for name in ("hpcc", "lmp", "python3", "mpirun.openmpi", "mpirun.mpich", "ls", "eztrace_avail", "env",
                                                 "h5dump", "ncdump", "gdb")]
        for path in filter(None, found):
            with open(path, "rb") as file:
                if file.read(4) != b"\x7fELF":
                    continue
            loaded = subprocess.run(["ldd", path], capture_output=True, text=True, check=False).stdout
            mpi = OPENMPI if "libmpi.so.40" in loaded else MPICH if "libmpich.so.12" in loaded else NONE
            if not os.path.basename(path).startswith("mpirun"):
                self.assertEqual(self.mpi(path)[0], mpi, path)
        self.assertEqual(self.mpi("/bin/sh")[0], NONE)

    def test_compiled(self):
        (self.folder / "a.c").write_text("int main(void) { return 0; }\n")
        for compiler, mpi in (("mpicc.openmpi", OPENMPI), ("mpicc.mpich", MPICH)):
            if not shutil.which(compiler):
                continue
            (self.folder / "m.c").write_text("#include <mpi.h>\nint main(int n, char **a) { MPI_Init(&n, &a); return MPI_Finalize(); }\n")
            self.assertEqual(self.run_in(compiler, "m.c", "-o", "m").returncode, 0)
            self.assertEqual(self.mpi("./m")[0], mpi)
        if shutil.which("cc") and self.run_in("cc", "-static", "a.c", "-o", "a").returncode == 0:
            self.assertIn("statically", self.refused("./a"))
            self.assertEqual(self.run_in("cc", "-static-pie", "a.c", "-o", "a").returncode, 0)
            self.assertIn("statically", self.refused("./a"))


if __name__ == "__main__":
    sys.exit(fewer.main(verbosity=1))
