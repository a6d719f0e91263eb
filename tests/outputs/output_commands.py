"""All commands that write files or print: their arguments, and the files that they need. In arguments `@` is the folder of the outputs."""

import shutil
import subprocess

OLD = b"what stood here before\n"


class Command:
    """A command. `files` are on the disk before: names there, and the sources of their bytes. A command with `stdout` writes to a file on
    the disk. `in_place` is a trace that the command changes, which must stay sound. `answer` reads the output. If its result is the same
    as without failures, the command did not need the write that failed."""

    def __init__(self, name, *arguments, files=None, stdout=False, environment=None, answer=None, in_place=None):
        self.name, self.arguments, self.files, self.stdout = name, [str(a) for a in arguments], files or {}, stdout
        self.environment, self.answer, self.in_place = environment or {}, answer, in_place


def make_inputs(program, folder, archive, network):
    """Makes the inputs of the commands with the program xtf."""
    def xtf(*arguments):
        subprocess.run([program, *map(str, arguments)], cwd=folder, check=True, stdout=subprocess.DEVNULL)

    xtf("import", "--quiet", "-o", "melt.xtf", archive)
    shutil.copy(network, folder / "network.nc")
    for name, half in (("left", "proc/0-1"), ("right", "proc/2-3")):
        xtf("export", "otf2", "--quiet", "-o", name, "melt.xtf", half)
        xtf("import", "--quiet", "-o", name + ".xtf", folder / name / "traces.otf2")
    shutil.copy(folder / "melt.xtf", folder / "analysed.xtf")
    xtf("analyze", "--quiet", "analysed.xtf")
    xtf("import", "--quiet", "-o", "network.xtf", network)
    (folder / "old").write_bytes(OLD)
    for exporter, trace in (("cube", "analysed"), ("opents", "melt"), ("chrome", "melt"), ("network", "network"), ("otf2", "melt"), ("csv", "melt"), ("ti", "melt")):
        xtf("export", exporter, "--quiet", "-o", "old-" + exporter, trace + ".xtf")
    xtf("cluster", "--quiet", "-o", "old-cluster.nc", network)


def fill_disk(disk, inputs, command):
    """Empties the folder `disk`, and puts the command's files there."""
    for path in disk.iterdir():
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()
    for name, source in command.files.items():
        source = inputs / source
        (shutil.copytree if source.is_dir() else shutil.copy)(source, disk / name)


def outputs(archive, network, program):
    """Yields commands that make a file or a folder, and then commands that replace another one."""
    makers = [("import", ["import", "-q", archive], "melt.xtf"), ("import of a network", ["import", "-q", network], "network.xtf"),
              ("merge", ["merge", "-q", "left.xtf", "right.xtf"], "melt.xtf"), ("align", ["align", "-q", "melt.xtf"], None),
              ("analyze -o", ["analyze", "-q", "melt.xtf"], None), ("predict -o", ["predict", "-q", "melt.xtf"], "melt.xtf"),
              ("cluster", ["cluster", "-q", network], "old-cluster.nc"), 
              *((f"export {exporter}", ["export", exporter, "-q", *trace.split()], f"old-{exporter}")
                for exporter, trace in (("otf2", "melt.xtf"), ("cube", "analysed.xtf"), ("opents", "melt.xtf"), ("chrome", "melt.xtf proc/0/sends"), ("network", "network.xtf"), ("csv", "melt.xtf"), ("ti", "melt.xtf")))]
    for name, (command, *arguments), old in makers:
        if command == "export":
            arguments = [arguments[0], "-o", "@/out.nc", *arguments[1:]]
        else:
            arguments = ["-o", "@/out.nc", *arguments]
        yield Command(name, command, *arguments)
        if old:
            yield Command(name + ", replacing", command, "--force", *arguments, files={"out.nc": old})
    yield Command("copy", "copy", "-q", "melt.xtf", "@/out")
    for command in ("analyze", "align"):
        yield Command(command + " in place", command, "-q", "@/melt.xtf", files={"melt.xtf": "melt.xtf"}, in_place="melt.xtf")
    yield Command("cluster --two-files", "cluster", "-q", "--two-files", "-o", "@/out.nc", network)
    # The command writes the trace, and then again, smaller: the first one is complete, too.
    yield Command("record", "record", "-q", "-o", "@/out.xtf", program, answer=lambda harness: harness.answers(harness.disk / "out.xtf"))
    # The cache's file on an archive only makes the next start faster.
    yield Command("cache", "cat", archive, "count", environment={"XDG_CACHE_HOME": "@/cache"},
                  answer=lambda harness: [harness.answers(path) for path in harness.disk.glob("cache/xtf/*.xtf")])


def printed():
    """Yields commands that write to their standard output."""
    for arguments in (["cat", "melt.xtf", "profile"], ["cat", "melt.xtf", "records"], ["cat", "network.xtf", "length/1000/heat.png"],
                      ["cat", "melt.xtf", "timeline.svg"], ["ls", "melt.xtf"], ["info", "melt.xtf"], ["check", "melt.xtf"],
                      ["diff", "melt.xtf", "analysed.xtf"], ["top", "--once", "melt.xtf"], ["watch", "--once", "melt.xtf"], ["deadlock", "melt.xtf"],
                      ["predict", "melt.xtf"],
                      ["play", "--frame", "1", "melt.xtf"],
                      ["play", "melt.xtf"], ["cluster", "network.nc"], ["cache"], ["export", "--help"], ["--help"], ["--version"]):
        yield Command(" ".join(arguments), *arguments, stdout=True)
