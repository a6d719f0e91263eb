"""Tests that file(1) and shared-mime-info know a trace by docs/mime, under any file name.

    test_media_type.py WRITE-EXAMPLE MIME-FOLDER
"""
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

TYPE = "application/vnd.xtf"


def run(*command, **environment):
    """Returns the output of a command, which must succeed."""
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, env={**os.environ, **environment})
    if done.returncode != 0:
        sys.exit(f"FAILED: {command}: {done.stdout}{done.stderr}")
    return done.stdout


def expect(condition, *words):
    if not condition:
        sys.exit("FAILED: " + " ".join(map(str, words)))


def check_file(magic, trace, other):
    """Checks what file(1) says of a trace, and of a file that is none."""
    version = ".".join(str(int.from_bytes(trace.read_bytes()[at:at + 2], "little")) for at in (8, 10))
    expect(f"XTF trace, version {version}, pages of 4096 bytes" in run("file", "-m", magic, trace), "file does not describe a trace")
    expect(run("file", "-b", "--mime-type", "-m", magic, trace).strip() == TYPE, "file does not know the media type")
    expect(TYPE not in run("file", "-b", "--mime-type", "-m", magic, other), "file takes another file for a trace")


def check_shared_mime_info(package, trace, other, folder):
    """Checks the type that GIO finds by content, with a database of this package alone."""
    packages = folder / "mime" / "packages"
    packages.mkdir(parents=True)
    shutil.copy(package, packages)
    run("update-mime-database", folder / "mime")
    for path, known in (trace, True), (other, False):
        output = run("gio", "info", "-a", "standard::content-type", path, XDG_DATA_HOME=str(folder), XDG_DATA_DIRS=str(folder))
        expect((TYPE in output) == known, "GIO says of", path, output)


def main():
    write_example, mime = sys.argv[1], pathlib.Path(sys.argv[2])
    tools = {"file": ["file"], "shared-mime-info": ["update-mime-database", "gio"]}
    missing = {package for package, programs in tools.items() if not all(map(shutil.which, programs))}
    if missing == set(tools):
        print("neither file(1) nor shared-mime-info is installed")
        sys.exit(77)
    with tempfile.TemporaryDirectory(prefix="xtf-media-type-") as scratch:
        folder = pathlib.Path(scratch)
        trace, other = folder / "nameless", folder / "other"
        run(write_example, trace)
        other.write_bytes(b"\x89PNG\r\n\x1a\n" + bytes(100))
        if "file" not in missing:
            check_file(mime / "xtf.magic", trace, other)
        if "shared-mime-info" not in missing:
            check_shared_mime_info(mime / "xtf.xml", trace, other, folder)
    print("checked with", *sorted(set(tools) - missing))


if __name__ == "__main__":
    main()
