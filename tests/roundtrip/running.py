"""One process that runs the command many times (run-xtf.c): a child forked from what is loaded, where a start loads all anew."""

import array
import os
import socket
import struct
import subprocess
import threading
import weakref

MOST = 100000  # bytes of a request; a longer one is for a process of its own
# Commands that start programs by the name of their own file, or leave processes behind.
APART = {"mount", "unmount", "umount", "record", "collect", "play", "top"}


class TimedOut(Exception):
    """A command did not end."""


class Ended(Exception):
    """The process that runs commands is gone."""


def end(process, link, owner):
    """Ends a process, and the command that it runs; a fork of its owner leaves it alone."""
    link.close()
    if owner == os.getpid():
        process.kill()
        process.wait()


class Runner:
    """The process, with the environment that it was started in. It ends with the object."""

    def __init__(self, program, limit):
        self.environment = os.environ.copy()
        self.link, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with theirs:
            self.process = subprocess.Popen([program, str(theirs.fileno())], stdin=subprocess.DEVNULL, pass_fds=[theirs.fileno()],
                                            preexec_fn=limit)
        self.owner = os.getpid()
        self.end = weakref.finalize(self, end, self.process, self.link, self.owner)

    def is_of(self, environment):
        """Whether a command of this process and environment may be run."""
        return self.owner == os.getpid() and self.process.poll() is None and self.environment == environment

    def run(self, request, timeout):
        """Status, as subprocess has it, output and errors."""
        files = [os.open(os.devnull, os.O_RDONLY), os.memfd_create("output"), os.memfd_create("errors")]
        try:
            self.link.settimeout(timeout)
            self.link.sendmsg([request], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", files))])
            answer = self.link.recv(4)
            if len(answer) != 4:
                raise ConnectionResetError
            status = os.waitstatus_to_exitcode(struct.unpack("i", answer)[0])
            return status, *(os.pread(file, os.fstat(file).st_size, 0) for file in files[1:])
        except TimeoutError:
            self.end()
            raise TimedOut from None
        except ConnectionError:
            raise Ended(f"run-xtf ended with {self.process.wait()}") from None
        finally:
            for file in files:
                os.close(file)


def runner_of(command):
    """The program run-xtf that was built with the command; None without one, or if it is older, which ninja does not leave it."""
    build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(command))))
    program = os.path.join(build, "tests", "roundtrip", "run-xtf")
    try:
        return program if os.stat(program).st_mtime >= os.stat(command).st_mtime else None
    except FileNotFoundError:
        return None


class Runners:
    """The process that runs commands for each thread, begun when it is needed: anew if it was ended, or the environment is another."""

    def __init__(self, command, limit):
        self.program, self.limit = runner_of(command), limit
        self.here = threading.local()

    def run(self, arguments, timeout):
        """As Runner.run. None where no process can run them: for commands that need their own one, too."""
        if not self.program or not arguments or arguments[0] in APART:
            return None
        request = b"".join(os.fsencode(word) + b"\0" for word in (os.getcwd(), *arguments))
        if len(request) > MOST or request.count(b"\0") != len(arguments) + 1:
            return None
        runner = getattr(self.here, "runner", None)
        if not runner or not runner.is_of(os.environ):
            runner = self.here.runner = Runner(self.program, self.limit)
        return runner.run(request, timeout)
