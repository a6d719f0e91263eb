"""A process that runs the command many times (run-xtf.c): it forks a child for each run and loads the command only once."""

import array
import os
import socket
import struct
import subprocess
import threading
import weakref

MOST = 100000  # bytes of a request; a longer one gets its own process
# Commands that start programs by their own file name, or that leave processes behind.
APART = {"mount", "unmount", "umount", "record", "collect", "play", "top"}


class TimedOut(Exception):
    """A command did not end."""


class Ended(Exception):
    """The process that runs commands has ended."""


def end_process(process, link, owner):
    """Ends a process and its running command. Does nothing in a fork of the owner."""
    link.close()
    if owner == os.getpid():
        process.kill()
        process.wait()


class Runner:
    """The process that runs commands, with the environment of its start. It ends with the object."""

    def __init__(self, program, limit):
        self.environment = os.environ.copy()
        self.link, child_link = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        with child_link:
            self.process = subprocess.Popen([program, str(child_link.fileno())], stdin=subprocess.DEVNULL, pass_fds=[child_link.fileno()],
                                            preexec_fn=limit)
        self.owner = os.getpid()
        self.end = weakref.finalize(self, end_process, self.process, self.link, self.owner)

    def is_of(self, environment):
        """True if the process can run a command of this process in this environment."""
        return self.owner == os.getpid() and self.process.poll() is None and self.environment == environment

    def run(self, request, timeout):
        """Returns the status in the form of subprocess, the output and the errors."""
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
    """Returns the program run-xtf of the command's build. Returns None if it does not exist or is older than the command, which means that
    ninja did not build it."""
    build = os.path.dirname(os.path.dirname(os.path.dirname(os.path.realpath(command))))
    program = os.path.join(build, "tests", "roundtrip", "run-xtf")
    try:
        return program if os.stat(program).st_mtime >= os.stat(command).st_mtime else None
    except FileNotFoundError:
        return None


class Runners:
    """Processes that run commands, one for each thread. A thread starts one at its first command, and again if it ended or the environment
    changed."""

    def __init__(self, command, limit):
        self.program, self.limit = runner_of(command), limit
        self.local = threading.local()

    def run(self, arguments, timeout):
        """Runs a command as Runner.run does. Returns None if no such process can run it, for example for commands that need their own process."""
        if not self.program or not arguments or arguments[0] in APART:
            return None
        request = b"".join(os.fsencode(word) + b"\0" for word in (os.getcwd(), *arguments))
        if len(request) > MOST or request.count(b"\0") != len(arguments) + 1:
            return None
        runner = getattr(self.local, "runner", None)
        if not runner or not runner.is_of(os.environ):
            runner = self.local.runner = Runner(self.program, self.limit)
        return runner.run(request, timeout)
