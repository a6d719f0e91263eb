"""Rows of another user of the machine: attempts on a mount, the cache folder, a recording, and outputs in a folder for all."""
import contextlib
import os
import pathlib
import shutil
import subprocess
import sys
import time

import attempts
from attempts import Attempts, call, create, read, write

TESTS = pathlib.Path(__file__).resolve().parents[2]
SECRET = b"a file of the user, longer than a checksum\n"
MEMFD_CREATE, EPERM = 319, 1  # of x86_64


class Place:
    """Folders of a row: `own` is the user's alone, `shared` is like /tmp, and `open` is writable for all without the sticky bit."""

    def __init__(self, torture, folder):
        self.torture, self.folder, self.xtf = torture, folder, torture.program("src/cli/xtf")
        self.own, self.shared, self.open = (folder / name for name in ("own", "shared", "open"))
        for path, mode in (folder, 0o755), (self.own, 0o700), (self.shared, 0o1777), (self.open, 0o777):
            path.mkdir(exist_ok=True)
            path.chmod(mode)
        self.secret = self.own / "secret"
        self.secret.write_bytes(SECRET)
        self.environment = {name: value for name, value in os.environ.items() if not name.startswith(("XTF_", "XDG_", "OMPI_", "PMI", "LD_PRELOAD"))}
        self.archive = TESTS.parent / "examples/melt-4/eztrace_log.otf2"

    def run(self, *arguments, **environment):
        """Runs xtf with the widest umask, which private files must not depend on."""
        return subprocess.run([self.xtf, *map(str, arguments)], cwd=self.own, env=self.environment | environment, umask=0,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, errors="replace", timeout=120, check=False)


# ---- Mounts.

def readings(root):
    """Yields the words for and the calls of each way to read a mount."""
    for what, action in (("stat", lambda: os.stat(root)), ("list", lambda: os.listdir(root)), ("read", lambda: read(f"{root}/count")),
                         ("read the statistics of", lambda: os.getxattr(root, "user.xtf.stats")), ("enter", lambda: os.chdir(root)),
                         ("look through", lambda: os.access(f"{root}/proc", os.F_OK) or call("access", b"/no/such/path", 0))):
        yield what + " the mount", action


def check_changes(tries, root):
    """Checks that the other user changes no mount, not even one that lets other users in."""
    for what, action in (("write to", lambda: write(f"{root}/count")), ("make a file in", lambda: create(f"{root}/new")),
                         ("remove from", lambda: os.unlink(f"{root}/count")), ("rename in", lambda: os.rename(f"{root}/count", f"{root}/new")),
                         ("change modes of", lambda: os.chmod(f"{root}/count", 0o666)), ("make a folder in", lambda: os.mkdir(f"{root}/new")),
                         ("set attributes of", lambda: os.setxattr(root, "user.x", b"x")),
                         ("unmount", lambda: call("umount2", os.fsencode(root), 2))):
        tries.refused(f"{what} the mount", action, proved=False)


def try_mount(place):
    import harness
    import mounting
    tries = Attempts(place.torture, "mount")
    trace = place.own / "melt.xtf"
    place.run("import", "-q", "-o", trace, place.archive)
    for options in (None, "allow_other"):
        with harness.Mount(str(trace), options, quiet_at_end=False) as mount:
            os.chmod(os.path.dirname(mount.dir), 0o1777)
            for what, action in readings(mount.dir):
                (tries.allowed if options else tries.refused)(what, action)
            check_changes(tries, mount.dir)
            tries.process(mount.daemon.pid, "the daemon")
            [unmounter] = mounting.unmounter(mount.dir)
            tries.process(unmounter, "the unmounter")
            tries.check(harness.is_mounted(mount.dir) and mount.count() > 0, "the mount has ended")


# ---- The cache folder.

# Entries that another user makes at the path of the cache folder or a recorder's folder.
SQUATS = {
    "a folder": lambda path, place: os.mkdir(path),
    "a folder for all": lambda path, place: (os.mkdir(path), os.chmod(path, 0o777)),
    "a link to a folder": lambda path, place: (os.mkdir(f"{path}-mine"), os.symlink(f"{path}-mine", path)),
    "a link to the user's folder": lambda path, place: os.symlink(place.own / "private", path),
    "a link to nothing": lambda path, place: os.symlink(place.own / "private/new", path),
    "a file": lambda path, place: create(path),
    "a FIFO": lambda path, place: os.mkfifo(path),
}


def files_below(*folders):
    """Returns the paths, kinds and contents of all files below folders, to compare later."""
    found = {}
    for path in (path for folder in folders for path in sorted(folder.rglob("*"))):
        found[path] = (path.lstat().st_mode, path.read_bytes() if path.is_file() and not path.is_symlink() else None)
    return found


def try_cache(place):
    tries = Attempts(place.torture, "cache")
    folder = place.shared / "cache"
    done = place.run("cat", place.archive, "count", XTF_CACHE_DIR=str(folder))
    tries.check(done.returncode == 0 and any(path.suffix == ".xtf" for path in folder.iterdir()), done.stderr)
    tries.folder(folder, "the cache folder")
    tries.refused("rename the cache folder", lambda: os.rename(folder, place.shared / "away"), proved=False)
    (place.own / "private").mkdir()
    for name, plant in SQUATS.items():
        path = place.shared / name.replace(" ", "-").replace("'", "")
        tries.allowed(f"put {name} in a folder for all", lambda plant=plant, path=path: plant(path, place))
        before = files_below(place.shared, place.own)
        done = place.run("cat", place.archive, "count", XTF_CACHE_DIR=str(path))
        tries.check(done.returncode == 1 and str(path) in done.stderr, f"{name} is taken for a cache folder: {done.stderr}")
        tries.check(files_below(place.shared, place.own) == before, f"{name}: a file was made or changed")


# ---- Recordings.

def forbid_memory_files():
    """Makes memfd_create() fail, as some containers do: the recorder then uses files of /dev/shm."""
    sys.path.insert(0, str(TESTS / "record/core"))
    os.environ.update({"XTF": "", "DIE": "", "MODULE": ""})
    import test_limits
    test_limits.forbid(MEMFD_CREATE, EPERM)


def descendants(pid):
    children = []
    for task in pathlib.Path(f"/proc/{pid}/task").iterdir():
        children += (task / "children").read_text().split()
    return [int(child) for child in children] + [found for child in children for found in descendants(child)]


def processes_of(program):
    """Returns the processes of a program, by its file, that are as new as this harness's recording."""
    found = []
    for process in pathlib.Path("/proc").glob("[0-9]*"):
        try:
            if os.readlink(process / "exe") == str(program):
                found.append(int(process.name))
        except OSError:
            pass
    return found


def has_texts(pid, texts):
    """Says whether files of a process, by their names in /proc, contain the given texts; of a process that has ended, False."""
    try:
        return all(text in pathlib.Path(f"/proc/{pid}/{name}").read_bytes() for name, text in texts.items())
    except OSError:
        return False


def listening_sockets(pid):
    """Returns the lines of /proc/net on sockets at which a process listens."""
    inodes = set()
    for number in os.listdir(f"/proc/{pid}/fd"):
        with contextlib.suppress(FileNotFoundError):
            target = os.readlink(f"/proc/{pid}/fd/{number}")
            inodes.update([target[len("socket:["):-1]] if target.startswith("socket:[") else [])
    found = []
    for table, state, listens, inode in ("unix", 3, "00010000", 6), ("tcp", 3, "0A", 9), ("tcp6", 3, "0A", 9):
        if os.path.exists(f"/proc/{pid}/net/{table}"):
            lines = [line.split() for line in pathlib.Path(f"/proc/{pid}/net/{table}").read_text().splitlines()[1:]]
            found += [line for line in lines if line[state] == listens and line[inode] in inodes]
    return found


def wait_for(condition, what):
    end = time.monotonic() + 60
    while not (found := condition()):
        if time.monotonic() > end:
            raise AssertionError(f"timeout: {what}")
        time.sleep(0.01)
    return found


def try_running(place, tries, before_start):
    """Records a program that does not end by itself, and tries to reach it, its collector and their files meanwhile."""
    die = shutil.copy(place.torture.program("tests/record/core/die"), place.own / "die")
    environment = place.environment | {"XTF_TMPDIR": str(place.shared)}
    command = [place.xtf, "record", "-qf", "-o", place.own / "run.xtf", die, place.own / "counts", "0", "never"]
    process = subprocess.Popen(command, env=environment, umask=0, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                               stderr=subprocess.PIPE, preexec_fn=before_start)
    try:
        [folder] = wait_for(lambda: [path for path in place.shared.glob("xtf-*") if list(path.glob("*.xtf"))], "a part")
        # A process that the program makes runs the program for a moment.
        [program] = wait_for(lambda: found if len(found := processes_of(die)) == 1 else None, "one process of the program")
        of_collector = {"environ": f"XTF_RECORD_FOLDER={folder}".encode(), "cmdline": b"collect"}
        collectors = [pid for pid in processes_of(place.xtf.resolve()) if has_texts(pid, of_collector)]
        tries.check(len(collectors) == 1, f"collectors: {collectors}")
        tries.folder(folder, "the recorder's folder")
        tries.refused("rename the recorder's folder", lambda: os.rename(folder, place.shared / "away"), proved=False)
        tries.process(program, "the recorded program")
        for collector in collectors:
            tries.process(collector, "the collector")
        for pid in (program, *collectors):
            tries.check(not listening_sockets(pid), f"process {pid} of the recording listens: {listening_sockets(pid)}")
        left = [path for path in pathlib.Path("/dev/shm").glob(f".xtf-record-{program}-*")]
        tries.check(not left, f"the recorder's memory has a name: {left}")
        maps = pathlib.Path(f"/proc/{program}/maps").read_text()
        tries.check("memfd:xtf-record" in maps or ".xtf-record" in maps, "the program shares no memory with a collector")
        tries.check(before_start is None or "memfd:xtf-record" not in maps, "memfd_create() was not forbidden")
        os.kill(program, 9)
        process.communicate(timeout=60)
    finally:
        for pid in processes_of(die):
            os.kill(pid, 9)
        process.kill()
        process.wait()
    tries.check(not list(place.shared.glob("xtf-*")), "the folder of parts is left")
    tries.check((place.own / "run.xtf").exists(), "the recording is missing")
    (place.own / "run.xtf").unlink(missing_ok=True)


def try_recorder(place):
    tries = Attempts(place.torture, "recorder")
    for before_start in None, forbid_memory_files:
        try_running(place, tries, before_start)
    (place.own / "private").mkdir()
    for name, plant in SQUATS.items():
        folder = place.shared / name.replace(" ", "-").replace("'", "")
        folder.mkdir()
        folder.chmod(0o1777)
        tries.allowed(f"put {name} in a folder for all", lambda plant=plant, folder=folder: plant(folder / "run.xtf.d", place))
        before = files_below(place.shared, place.own)
        done = place.run("record", "-q", "-o", folder / "run.xtf", place.own / "die", folder / "counts", "1", "exit", PMI_RANK="0", PMI_SIZE="1")
        tries.check(done.returncode == 1 and "run.xtf.d" in done.stderr, f"{name} is taken for a folder of parts: {done.returncode} {done.stderr}")
        tries.check(files_below(place.shared, place.own) == before, f"{name}: a file was made or changed")


# ---- Outputs.

# Entries that another user makes at the path of an output, or at the name that xtf uses while it writes the output.
PLANTS = {
    "a link to a file": lambda path, place: os.symlink(place.secret, path),
    "a hard link to a file": lambda path, place: os.link(place.shared / "public", path),
    "a link to nothing": lambda path, place: os.symlink(place.own / "new", path),
    "a link to a folder": lambda path, place: os.symlink(place.own, path),
    "a file": lambda path, place: create(path),
    "a FIFO": lambda path, place: os.mkfifo(path),
    "a folder with links": lambda path, place: (os.mkdir(path), os.symlink(place.own, f"{path}/traces"), os.symlink(place.secret, f"{path}/traces.otf2"),
                                                os.symlink(place.secret, f"{path}/traces.def")),
    "a folder like an archive": lambda path, place: shutil.copytree(place.shared / "old-otf2", path),
}
ENDINGS = ("", ".new-by-xtf")


def writers(place):
    """Yields the names, arguments and outputs of commands that write in a folder for all: the writers of tests/outputs."""
    sys.path.insert(0, str(TESTS / "outputs"))
    import output_commands
    network = TESTS.parent / "tests/nettest/network.nc"
    for command in output_commands.outputs(place.archive, network, "true"):
        if "network" in command.name or "cluster" in command.name or command.name in ("record", "cache") or "in place" in command.name:
            continue
        yield command


def is_own_output(path):
    """True if the output is a new file or folder of this user, and no link."""
    status = path.lstat()
    return status.st_uid == os.geteuid() and not path.is_symlink() and (path.is_dir() or status.st_nlink == 1)


def try_outputs(place):
    tries = Attempts(place.torture, "outputs")
    public = place.shared / "public"
    public.write_bytes(SECRET)
    for command in (["import", "-q", "-o", "melt.xtf", place.archive], ["export", "otf2", "-q", "-o", "left", "melt.xtf", "proc/0-1"],
                    ["export", "otf2", "-q", "-o", "right", "melt.xtf", "proc/2-3"], ["import", "-q", "-o", "left.xtf", "left/traces.otf2"],
                    ["import", "-q", "-o", "right.xtf", "right/traces.otf2"], ["import", "-q", "-o", "analysed.xtf", place.archive],
                    ["analyze", "-q", "analysed.xtf"], ["export", "otf2", "-q", "-o", place.shared / "old-otf2", "melt.xtf"]):
        done = place.run(*command)
        if done.returncode != 0:
            raise AssertionError(f"{command}: {done.stderr}")
    before = files_below(place.own)
    number = 0
    for command in writers(place):
        for ending in ENDINGS:
            for what, plant in PLANTS.items():
                if command.name == "analyze -o" and "folder" in what and not ending:
                    continue  # `analyze -o FOLDER` writes into a folder, as cp does
                number += 1
                folder = place.folder / f"output-{number}"
                folder.mkdir()
                folder.chmod(0o1777)
                output = next(pathlib.Path(word.replace("@", str(folder))) for word in command.arguments if "@" in word)
                place_of_plant = pathlib.Path(f"{output}{ending}")
                result = attempts.result_of(lambda plant=plant, path=place_of_plant: plant(path, place), True)
                if result != "allowed":
                    shutil.rmtree(folder)
                    continue  # the kernel forbids some hard links
                planted, is_folder = files_below(folder), place_of_plant.is_dir() and not place_of_plant.is_symlink()
                done = place.run(*(word.replace("@", str(folder)) for word in command.arguments))
                words = f"{command.name}, {what} at {output.name}{ending}: status {done.returncode}, {done.stderr[-300:]}"
                tries.check(done.returncode in (0, 1), words)
                after = files_below(place.own)
                changed = sorted(str(path) for path in {*before, *after} if before.get(path) != after.get(path))
                tries.check(not changed and public.read_bytes() == SECRET, f"files of the user were changed: {changed}:", words)
                before = after
                tries.check(done.returncode == 1 or (os.path.lexists(output) and is_own_output(output)), "the output is another user's:", words)
                kept = {path: state for path, state in files_below(folder).items() if path in planted}
                forced = "--force" in command.arguments and ending == ""
                tries.check(done.returncode == 1 or forced or not is_folder or kept == planted, "files of another user were removed:", words)
                shutil.rmtree(folder)


ROWS = {"mount": try_mount, "cache": try_cache, "recorder": try_recorder, "outputs": try_outputs}
