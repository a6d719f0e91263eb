"""Tests hostile names in a trace: no name may control a terminal, or make a file of gigabytes.

    names.py nasty WRITE-NAMES XTF ARCHIVE    searches the output of every command, and every file of the tree, for raw bytes.

    names.py long WRITE-NAMES XTF ASK-TREE LENGTH     has names of LENGTH MB in each table: sizes must be exact and small
"""
import os
import pathlib
import pty
import random
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "roundtrip"))
import xtfrun  # noqa: E402
from asking import Asker  # noqa: E402

NASTY = b"<\x1b[31m\x1b]0;title\x07\n\r\t\b\x7f\xc2\x9b1m\xff\xc0\x9b\xe2\x80\xae\xe2\x81\xa6\xe2\x80\x8f\xd8\x9c\xe2\x80\xa8\xe2\x80\xa9>"
FORBIDDEN = {*range(0x20), *range(0x7f, 0xa0), 0x61c, 0x200e, 0x200f, *range(0x2028, 0x202f), *range(0x2066, 0x206a)} - {ord("\n")}
# Parts of NASTY that no screen of xtf prints by itself.
ACTING = (b"\x1b]0;", b"\x07", b"\x7f", b"\xc2\x9b", b"\xff", b"\xe2\x80\xae", b"\xe2\x81\xa6", b"\xe2\x80\x8f", b"\xd8\x9c", b"\xe2\x80\xa8")
PLAIN = bytes([*range(0x20, 0x7f), ord("\n")])
# Directories that the tree lists not at all, or only in part.
UNLISTED = ("", "time/10%-50%", "num/0", "num/1", "num/0-10", "schema~0", "peer/0", "tag/0", "proc/0-1/thread/0",
        "time/50%-/zoom", "time/10%-20%/proc/1", "enters_leaves/num/1", "time/0-10%/sends")


class Xtf:
    def __init__(self, program, folder, trace):
        os.environ.update({"XDG_CACHE_HOME": os.fsdecode(bytes(folder) + b"/cache" + NASTY), "LC_ALL": "C.UTF-8"})
        self.program, self.trace = xtfrun.Xtf(program), trace
        self.messages = b""

    def run(self, *arguments):
        done = self.program.run(*arguments)
        for output in (done.output, done.errors):
            check_bytes(output, arguments)
        self.messages += done.errors
        return done

    def must(self, *arguments):
        done = self.run(*arguments)
        if done.status:
            sys.exit(f"FAILED: {arguments}: {done.errors[:1000]}")
        return done.output

    def entries(self, path):
        """Yields (kind, size, name) of each entry of a directory."""
        for line in self.must("ls", "-l", self.trace, path).decode().splitlines():
            kind, size, name = line.split(None, 2)
            yield kind, int(size), name

    def walk(self, path):
        """Returns all files below a directory, with their sizes. Runs one command for all directories of a level, as starting a
        process takes most of the time."""
        files, level = [], [path]
        while level:
            below = []
            # The first folder is listed twice: with a single directory `xtf ls` would not print its name.
            for block in self.must("ls", "-l", self.trace, *["/" + folder for folder in level[:1] + level]).decode().split("\n\n")[1:]:
                folder, *lines = block.splitlines()
                for kind, size, name in (line.split(None, 2) for line in lines):
                    entry = f"{folder[1:-1]}/{name}".lstrip("/")
                    if kind == "d":
                        below.append(entry)
                    elif kind == "-":
                        files.append((entry, int(size)))
            level = below
        return files

    def read_all(self, files):
        """Reads files by one command. If their total size is wrong, reads them one by one to name the file."""
        if files and len(self.must("cat", self.trace, *(path for path, _ in files))) != sum(size for _, size in files):
            for path, size in files:
                self.read(path, size)
            sys.exit("FAILED: all files printed together differ from the same files one by one")

    def read(self, path, size):
        data = self.must("cat", self.trace, path)
        if len(data) != size:
            sys.exit(f"FAILED: {path} has {len(data)} bytes, and should have {size}")
        return data


def forbidden(output):
    """Returns the characters of an output that a terminal acts on, and bytes that are not UTF-8."""
    if not output.translate(None, PLAIN):
        return []
    text = output.decode("utf-8", "surrogateescape")
    return sorted({hex(ord(c)) for c in set(text) if ord(c) in FORBIDDEN or 0xdc80 <= ord(c) < 0xdd00})


def check_bytes(output, where):
    bad = forbidden(output)
    if bad:
        sys.exit(f"FAILED: {where} prints {bad}: {output[:2000]}")


def check_all_but_names(xtf, trace):
    """Checks that the only problems are names of schemas that are not UTF-8."""
    lines = xtf.run("check", "--quiet", trace).output.splitlines()
    if not lines or any(not line.endswith(b"is not UTF-8") for line in lines):
        sys.exit(f"FAILED: check says {[line for line in lines if not line.endswith(b'is not UTF-8')][:3]}")


def walk_tree(xtf):
    n = 0
    for path in UNLISTED:
        files = xtf.walk(path)
        xtf.read_all(files)
        n += len(files)
    for folder in ("region", "comm"):
        files = [f"{folder}/{name}/{file}" for _, _, name in xtf.entries(folder) for file in ("records", "count", "columns")]
        xtf.must("cat", xtf.trace, *files)
        n += len(files)
    for _, _, table in xtf.entries("definitions/rows"):
        xtf.must("cat", xtf.trace, *(f"definitions/rows/{table}/{row}" for row in range(3)))
        n += 3
    if n < 200:
        sys.exit(f"FAILED: the tree has {n} files, and should have more")


def run_failing_commands(xtf, folder):
    """Runs commands that fail, and whose messages contain hostile names."""
    nasty, missing = os.fsdecode(NASTY), os.fsdecode(bytes(folder) + b"/" + NASTY)
    for path in (nasty, f"region/{nasty}", f"{nasty}/x", f"definitions/{nasty}", f"definitions/rows/properties/{nasty}", f"time/{nasty}",
                 f"proc/{nasty}", f"num/{nasty}", f"tag/{nasty}", f"time/1-2{nasty}", f"comm/{nasty}/x"):
        xtf.run("ls", xtf.trace, path)
        xtf.run("ls", "-l", xtf.trace, path, path)
        xtf.run("cat", xtf.trace, path)
    for command in ("info", "check", "ls", "cat", "import", "unmount"):
        xtf.run(command, missing, "x")
        xtf.run(command, missing)
        xtf.run(command, f"--{nasty}", missing)
    for arguments in (("mount", missing, missing), ("mount", xtf.trace, missing), ("mount", "-o", nasty, xtf.trace, missing),
                      ("copy", missing, missing), ("copy", f"--codec={nasty}", xtf.trace, missing), ("copy", f"--page-size={nasty}", xtf.trace, missing),
                      ("copy", xtf.trace, missing + "/no/such"), ("import", "-j", nasty, missing), ("import", "-o", missing, xtf.trace), (nasty,),
                      (nasty, missing), (xtf.trace, missing, "-o", nasty)):
        xtf.run(*arguments)


def run_other_commands(xtf, folder):
    """Runs the commands that read a whole trace, and their errors on a trace that is missing."""
    nasty, place = os.fsdecode(NASTY), os.fsdecode(bytes(folder) + b"/output" + NASTY)
    missing = f"{place}-missing"
    for trace in xtf.trace, missing:
        for arguments in (("top", "--once", trace), ("top", "--once", trace, f"region/{nasty}"), ("play", "--frame", "0", trace), ("play", trace),
                          ("play", f"--rate={nasty}", trace), ("diff", trace, trace), ("diff", trace, trace, "proc/0", "proc/1"), ("diff", trace, missing),
                          ("diff", trace, trace, nasty), ("analyze", "-o", f"{place}-analysis", trace), ("align", "-o", f"{place}-aligned", trace),
                          ("merge", "-o", f"{place}-merged", trace, trace), ("merge", "-o", f"{place}-merged", trace, missing), ("merge", "--anchor", trace),
                          ("cluster", trace), ("cluster", "-o", f"{place}-clustered", trace), ("why", trace), ("why", f"{trace}/{nasty}"),
                          ("help", nasty), ("unmount", trace), ("cache", trace), ("cache", "--dir", place), ("cache", "--clear", trace),
                          ("record", "-o", trace, nasty), ("record", "-o", place, f"--{nasty}", "true"), ("record", f"--mpi={nasty}", "true"),
                          ("collect", nasty), ("collect", "--memory", nasty)):
            xtf.run(*arguments)
        for i, exporter in enumerate(("otf2", "cube", "opents", "chrome", "network", nasty)):
            xtf.run("export", exporter, "-o", f"{place}-{i}", trace)
            xtf.run("export", exporter, "-o", f"{place}-{i}", trace, f"region/{nasty}")


def read_terminal(command):
    """Returns the status of a command and its output on a terminal. Types q after the first output, which ends the command."""
    child, terminal = pty.fork()
    if child == 0:
        os.execvpe(command[0], command, {**os.environ, "TERM": "xterm-256color"})
    output = b""
    while True:
        try:
            part = os.read(terminal, 1 << 16)
        except OSError:
            break
        if not output:
            os.write(terminal, b"q")
        output += part
    os.close(terminal)
    return os.waitpid(child, 0)[1], output


def show_on_terminal(xtf):
    """Shows the trace on a terminal. Escape sequences are then usual, but none from a name."""
    for command in "top", "play":
        status, output = read_terminal([xtf.program.program, command, xtf.trace])
        if status != 0:
            sys.exit(f"FAILED: {command} on a terminal: {output[-1000:]}")
        bad = [piece for piece in ACTING if piece in output]
        if bad:
            sys.exit(f"FAILED: {command} prints {bad} on a terminal")


def import_archive(xtf, folder, archive):
    """Imports an archive from a folder with a hostile name, whole and damaged."""
    place = pathlib.Path(os.fsdecode(bytes(folder) + b"/archive" + NASTY))
    shutil.copytree(archive.parent, place)
    here = place / archive.name
    xtf.run("import", "-o", place / "out.xtf", here)
    xtf.run("ls", here)
    xtf.run("ls", place)
    for file in sorted(place.glob("*/*.evt"))[:2]:
        data = file.read_bytes()
        file.write_bytes(data[:len(data) // 2])
        xtf.run("import", "-o", place / "out.xtf", here)
        xtf.run("import", "--keep-going", "-o", place / "out.xtf", here)
        file.unlink()
        xtf.run("import", "-o", place / "out.xtf", here)
        os.mkfifo(file)
        if b"no regular file" not in xtf.run("import", "-o", place / "out.xtf", here).errors:
            sys.exit("FAILED: a FIFO in an archive is no error")
        file.unlink()
        file.write_bytes(data)
    (place / (archive.stem + ".def")).write_bytes(b"\x1b[31m")
    xtf.run("import", "-o", place / "out.xtf", here)
    here.unlink()
    os.mkfifo(here)
    xtf.run("import", "-o", place / "out.xtf", here)
    xtf.run("import", "-o", place / "out.xtf", place)
    xtf.run("mount", place, place)


def read_damaged_files(xtf, folder):
    """Reads damaged files: errors of the library name tables, schemas and paths."""
    whole = xtf.trace.read_bytes()
    random.seed(1)
    for _ in range(25):
        data = bytearray(whole)
        for _ in range(20):
            data[random.randrange(8192, len(data))] ^= 1 << random.randrange(8)
        copy = pathlib.Path(os.fsdecode(bytes(folder) + b"/damaged" + NASTY))
        copy.write_bytes(data)
        for arguments in (("check", copy), ("info", copy), ("ls", "-l", copy, "definitions"), ("cat", copy, "records", "profile"),
                          ("copy", copy, folder / "copy.xtf")):
            xtf.run(*arguments)


# FORMAT R37, R73
def check_nasty_names(folder, write_names, program, archive=None):
    trace = pathlib.Path(os.fsdecode(bytes(folder) + b"/trace" + NASTY + b".xtf"))
    subprocess.run([write_names, trace, "nasty"], check=True)
    xtf = Xtf(program, folder, trace)
    xtf.must("info", trace)
    xtf.must("info", "--all", trace)
    check_all_but_names(xtf, trace)
    xtf.must("copy", trace, pathlib.Path(os.fsdecode(bytes(trace) + NASTY)))
    check_all_but_names(xtf, pathlib.Path(os.fsdecode(bytes(trace) + NASTY)))
    walk_tree(xtf)
    run_failing_commands(xtf, folder)
    run_other_commands(xtf, folder)
    show_on_terminal(xtf)
    read_damaged_files(xtf, folder)
    if archive:
        import_archive(xtf, folder, pathlib.Path(archive))
    if xtf.messages.count(b"\\x1b[31m") < 50:
        sys.exit("FAILED: messages do not show the hostile names")


def check_long_names(folder, write_names, program, ask_tree, length):
    trace, length = folder / "long.xtf", int(length) << 20
    subprocess.run([write_names, trace, str(length)], check=True)
    xtf = Xtf(program, folder, trace)
    asker = Asker(xtf.program, ask_tree, trace)  # each command would read the names again
    for kind, size, name in xtf.entries("definitions"):
        if kind == "d":
            continue
        if size > 3 << 20:
            sys.exit(f"FAILED: definitions/{name} has {size} bytes")
        text = asker.ask(f"cat definitions/{name}")
        lines = text.splitlines()
        if len(text) != size or len({len(line) for line in lines}) != 1 or len(lines) != 701:
            sys.exit(f"FAILED: lines of definitions/{name}")
        if any(b"xxx" in line for line in lines) != any(b"~0" in line for line in lines):
            sys.exit(f"FAILED: definitions/{name}: cut names are not marked with ~")
        rows = 0 if name == "colours" else 2 if name == "regions" else 1 # colours is no table of the trace
        for row in range(rows):
            path = f"definitions/rows/{name}/{row}"
            text = asker.ask(f"cat {path}")
            if b"xxx" in lines[1] and text.count(b"x" * (length - 1) + str(row).encode() + b"\n") == 0:
                sys.exit(f"FAILED: {path} has {len(text)} bytes, and no whole name")
            check_bytes(text, path)
            if name == "regions" and text != xtf.must("cat", trace, path):
                sys.exit(f"FAILED: xtf cat prints another {path}")
    for path in ("records", "enters_leaves/records", "profile", "imbalance", "stack", "values", "proc/0/thread/0/attributes", "num/0/attributes"):
        for _, size, name in [(k, s, n) for k, s, n in xtf.entries(os.path.dirname(path)) if n == os.path.basename(path)]:
            if len(xtf.read(path, size)) > 30 << 20:
                sys.exit(f"FAILED: {path} has {size} bytes")
    regions = [name for _, _, name in xtf.entries("region")]
    if regions[:3] != ["#0", "#1", "2"] or len(regions) != 700:
        sys.exit(f"FAILED: regions are listed as {regions[:4]}")
    check_all_but_names(xtf, trace)
    xtf.must("info", trace)


def main():
    mode, write_names, program, *arguments = sys.argv[1:]
    with tempfile.TemporaryDirectory(prefix="xtf-names-") as name:
        if mode == "nasty":
            check_nasty_names(pathlib.Path(name), write_names, program, *arguments)
        else:
            check_long_names(pathlib.Path(name), write_names, program, *arguments)
    return 0


if __name__ == "__main__":
    xtfrun.run_test(main)
